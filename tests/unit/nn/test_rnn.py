"""Recurrent layers against torch's: the same values, the same gradients."""

from __future__ import annotations

import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from regard.attention import Attention, Last, dot
from regard.nn.interfaces import source_memory
from regard.nn.rnn import (
    CellStep,
    RecurrentCells,
    RecurrentStack,
    join_layers,
    run_packed,
    top,
    unroll,
)


def carry_of(last, layers: int) -> torch.Tensor:
    """torch's final states as rows, layers, parts and the features of all directions."""
    parts = last if isinstance(last, tuple) else (last,)
    rows = parts[0].size(1)
    return torch.stack([part.transpose(0, 1).reshape(rows, layers, -1) for part in parts], dim=2)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("bidirectional", [True, False])
def test_padded_rows_equal_packed_sequences(cell, layers, bidirectional) -> None:
    """Values and gradients."""
    stack = RecurrentStack(5, 4, cell=cell, layers=layers, bidirectional=bidirectional).eval()
    x, lengths = torch.randn(3, 7, 5, requires_grad=True), torch.tensor([7, 2, 4])
    fast = stack(x, lengths)
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    states, last = stack.rnn(packed)
    states, _ = pad_packed_sequence(states, batch_first=True)
    carry = carry_of(last, layers)
    real = (torch.arange(7) < lengths[:, None])[..., None]
    torch.testing.assert_close(fast.states * real, states)
    torch.testing.assert_close(fast.carry, carry)
    torch.testing.assert_close(fast.summary, carry[:, -1, 0])
    inputs = [x, *stack.parameters()]
    upstream, upstream_carry = torch.randn_like(states), torch.randn_like(carry)

    def grad(states, carry):
        return torch.autograd.grad(
            (states * upstream).sum() + (carry * upstream_carry).sum(), inputs
        )

    got, want = grad(fast.states * real, fast.carry), grad(states, carry)
    for a, b in zip(got, want, strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
@pytest.mark.parametrize("bidirectional", [True, False])
def test_final_states_are_those_at_the_end_of_each_row(cell, bidirectional) -> None:
    """On a CPU with padding, packed, and without padding."""
    stack = RecurrentStack(5, 4, cell=cell, layers=2, bidirectional=bidirectional)
    x, lengths = torch.randn(3, 7, 5), torch.tensor([7, 2, 4])
    alone = [stack.rnn(x[row : row + 1, :n])[1] for row, n in enumerate(lengths.tolist())]
    want = torch.cat([carry_of(last, layers=2) for last in alone])
    torch.testing.assert_close(stack(x, lengths).carry, want)
    torch.testing.assert_close(run_packed(stack.rnn, x, lengths)[1], want)
    torch.testing.assert_close(stack(x[:1], None).carry, want[:1])
    if bidirectional:
        first = stack(x, lengths).states[:, 0, 4:]  # of the last layer
        torch.testing.assert_close(want[:, 1, 0, 4:], first)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
@pytest.mark.parametrize("layers", [1, 2])
def test_stepwise_cells_equal_all_steps_at_once(cell, layers) -> None:
    """Values and gradients, with an input that comes in two parts."""
    cells = RecurrentCells(5, 4, cell=cell, layers=layers)
    x = torch.randn(3, 6, 5, requires_grad=True)
    carry = torch.randn(3, layers, cells.parts, 4, requires_grad=True)
    want, last = cells(x, carry)
    cell = CellStep(cells, 2)

    def step(s, t, known, rest):
        s = cell(s, known, rest)
        return s, (top(s),)

    state, (got,) = unroll(step, cell.begin(carry), cell.project(x[..., :2]), x[..., 2:])
    torch.testing.assert_close(got, want)
    torch.testing.assert_close(join_layers(state), last)
    inputs, upstream = [x, carry, *cells.parameters()], torch.randn_like(last)
    pairs = zip(
        torch.autograd.grad(got.square().sum() + (join_layers(state) * upstream).sum(), inputs),
        torch.autograd.grad(want.square().sum() + (last * upstream).sum(), inputs),
        strict=True,
    )
    for a, b in pairs:
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("lengths", [None, torch.tensor([5, 3])])
def test_the_last_state_that_a_decoder_sees_is_the_summary_of_both_directions(lengths) -> None:
    """At the last position itself, the backward half has read a single word."""
    stack = RecurrentStack(5, 4)
    x = torch.randn(2, 5, 5)
    changed = x.clone()
    changed[:, 0] += 1
    span_last = Attention(dot(), span=Last())
    contexts = []
    for inputs in (x, changed):
        encoded = stack(inputs, lengths)
        memory = source_memory(span_last, encoded)
        contexts.append(span_last(torch.zeros(2, 1, 8), memory).context[:, 0])
        torch.testing.assert_close(contexts[-1], encoded.summary)
    difference = (contexts[0] - contexts[1]).abs()
    assert difference[:, :4].max() > 1e-3 and difference[:, 4:].max() > 1e-3
