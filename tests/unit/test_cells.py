"""Recurrent cells by other ways than torch's: the same values, the same gradients."""

from __future__ import annotations

import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from regard.nn.rnn import RecurrentCells, RecurrentStack, StepwiseCells


@pytest.mark.parametrize("cell", ["gru", "lstm"])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("bidirectional", [True, False])
def test_padded_rows_are_read_as_packed_ones(cell, layers, bidirectional) -> None:
    """Values, and the gradients of everything."""
    reading = RecurrentStack(5, 4, cell=cell, layers=layers, bidirectional=bidirectional).eval()
    x, lengths = torch.randn(3, 7, 5, requires_grad=True), torch.tensor([7, 2, 4])
    fast = reading(x, lengths)
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    states, last = reading.rnn(packed)
    states, _ = pad_packed_sequence(states, batch_first=True)
    hidden = last[0] if cell == "lstm" else last
    summary = hidden[-reading.directions :].transpose(0, 1).flatten(1)
    real = (torch.arange(7) < lengths[:, None])[..., None]
    torch.testing.assert_close(fast.states * real, states)
    torch.testing.assert_close(fast.summary, summary)
    sides = [x, *reading.parameters()]
    upstream = torch.randn_like(states)
    got = torch.autograd.grad((fast.states * real * upstream).sum() + fast.summary.sum(), sides)
    want = torch.autograd.grad((states * upstream).sum() + summary.sum(), sides)
    for a, b in zip(got, want, strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
@pytest.mark.parametrize("layers", [1, 2])
def test_steps_are_the_cells_at_once(cell, layers) -> None:
    """Values, and the gradients of everything, though the input comes in two parts."""
    cells = RecurrentCells(5, 4, cell=cell, layers=layers)
    x = torch.randn(3, 6, 5, requires_grad=True)
    carry = torch.randn(3, layers, cells.parts, 4, requires_grad=True)
    want, last = cells(x, carry)
    steps = StepwiseCells(cells, x[..., :2], carry)
    got = torch.cat([steps.step(t, x[:, t : t + 1, 2:]) for t in range(6)], dim=1)
    torch.testing.assert_close(got, want)
    torch.testing.assert_close(steps.carry, last)
    sides, upstream = [x, carry, *cells.parameters()], torch.randn_like(last)
    pairs = zip(
        torch.autograd.grad(got.square().sum() + (steps.carry * upstream).sum(), sides),
        torch.autograd.grad(want.square().sum() + (last * upstream).sum(), sides),
        strict=True,
    )
    for a, b in pairs:
        torch.testing.assert_close(a, b)
