"""Recurrent language models that attend to their own past."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Attention, Dropout, Equation, Memory
from regard.nn.interfaces import Decoded, Decoder, Encoded
from regard.nn.rnn import Carry, RecurrentCells, unroll
from regard.nn.rnn_decoders import Inputs, Step


@dataclass(frozen=True, slots=True)
class RecurrentSelfAttentionState:
    past: Memory  # begins with a blank, which the first token attends to
    carry: Carry
    step: int = 0


torch.export.register_dataclass(RecurrentSelfAttentionState)


class RecurrentSelfAttention(Decoder[RecurrentSelfAttentionState]):
    """Luong's decoder with the source replaced by the cells' previous outputs.

    The window of the span is the L of the paper.
    """

    equation = Equation(
        "recurrent-self-attention",
        "s_t = cell(y_{t−1}, s_{t−1}),  c_t = attend(s_t) over s_{t−L} … s_{t−1},  "
        "o_t = tanh(W [c_t; s_t])",
        "Daniluk et al. 2017, 3.1",
    )
    blank_memory = True

    def __init__(
        self, cells: RecurrentCells, attention: Attention, context_dim: int, *, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.cells, self.attention, self.dim = cells, attention, cells.dim
        self.combine = nn.Linear(context_dim + cells.dim, cells.dim)
        self.dropout = Dropout(dropout)

    def start(self, source: Encoded) -> RecurrentSelfAttentionState:
        rows, cells = source.summary.size(0), self.cells
        carry = source.summary.new_zeros(rows, cells.layers, cells.parts, cells.dim)
        return RecurrentSelfAttentionState(self.attention.build_memory(carry[:, 0, :1]), carry)

    def forward(
        self, inputs: Inputs, state: RecurrentSelfAttentionState
    ) -> tuple[Decoded, RecurrentSelfAttentionState]:
        states, carry = self.cells(self.dropout(inputs), state.carry)
        past = state.past.extend(self.attention.build_memory(states))
        previous = past.without_last()
        context = self.attention(states, previous, start=state.step).context
        hidden = torch.tanh(self.combine(torch.cat([context, states], dim=-1)))
        next_state = RecurrentSelfAttentionState(past, carry, state.step + inputs.size(1))
        return Decoded(self.dropout(hidden)), next_state


@dataclass(frozen=True, slots=True)
class LSTMNState:
    past: Memory  # of h_i, c_i; begins with a blank, which the first token attends to
    summary: Float[Tensor, "N E"]  # h̃
    step: int = 0


torch.export.register_dataclass(LSTMNState)


class LSTMN(Decoder[LSTMNState]):
    """An LSTM whose previous state is an attention over all its earlier states.

        [h̃_t; c̃_t] = attend([x_t; h̃_{t−1}]) over [h_i; c_i], i < t, with keys from h_i
        i, f, o, ĉ  = σ, σ, σ, tanh of W [h̃_t; x_t]
        c_t = f c̃_t + i ĉ,   h_t = o tanh(c_t)

    The attention's queries have input_dim + dim, its keys dim.
    """

    equation = Equation(
        "lstmn",
        "[h̃_t; c̃_t] = attend([x_t; h̃_{t−1}]) over [h_i; c_i], i < t;  c_t = f c̃_t + i ĉ",
        "Cheng et al. 2016, 3.1",
    )
    blank_memory = True

    def __init__(
        self, input_dim: int, dim: int, attention: Attention, *, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.dim, self.attention = dim, attention
        self.gates = nn.Linear(dim + input_dim, 4 * dim)
        self.dropout = Dropout(dropout)

    def start(self, source: Encoded) -> LSTMNState:
        blank = source.summary.new_zeros(source.summary.size(0), self.dim)
        return LSTMNState(self._memory_of(blank, blank), blank)

    def forward(self, inputs: Inputs, state: LSTMNState) -> tuple[Decoded, LSTMNState]:
        y, compiled = self.dropout(inputs), torch.compiler.is_compiling()

        def step(
            carry: tuple[Memory, Tensor], t: Step, x: Tensor
        ) -> tuple[tuple[Memory, Tensor], tuple[Tensor]]:
            past, summary = carry
            query, position = torch.cat([x, summary], dim=-1)[:, None], state.step + t
            context = self.attention(query, past, start=position).context[:, 0]
            summary, cell = context.chunk(2, dim=-1)
            i, f, o, new = self.gates(torch.cat([summary, x], dim=-1)).chunk(4, dim=-1)
            cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(new)
            hidden = torch.sigmoid(o) * torch.tanh(cell)
            latest = self._memory_of(hidden, cell)
            past = past.insert(position + 1, latest) if compiled else past.extend(latest)
            return (past, summary), (hidden,)

        past = state.past.reserve(y.size(1)) if compiled else state.past
        (past, summary), (h,) = unroll(step, (past, state.summary), y)
        return Decoded(self.dropout(h)), LSTMNState(past, summary, state.step + y.size(1))

    def _memory_of(self, hidden: Float[Tensor, "N E"], cell: Float[Tensor, "N E"]) -> Memory:
        memory = self.attention.build_memory(hidden[:, None])
        return replace(memory, values=torch.cat([hidden, cell], dim=-1)[:, None, None])  # N 1 1 2E
