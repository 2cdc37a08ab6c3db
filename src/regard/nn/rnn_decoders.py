"""Recurrent decoders: Sutskever's, Cho's, Bahdanau's and Luong's, Nematus's and Xu's captioner.

They differ in where attention is used: nowhere, before each step, after it, or in the middle of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Attention, Dropout, Equation, Memory, SampledPosition
from regard.nn.bridges import Bridge
from regard.nn.interfaces import Decoded, Decoder, Encoded, source_memory
from regard.nn.output import DeepOutput
from regard.nn.rnn import RecurrentCells, StepwiseCells

Inputs: TypeAlias = Float[Tensor, "N T I"]


@dataclass(frozen=True, slots=True)
class RecurrentState:
    source: Memory | None  # None: no attention
    carry: Float[Tensor, "N L K E"]
    fed_output: Float[Tensor, "N O"] | None = None  # input of the next step (Luong 2015, 3.3)
    step: int = 0


class PlainDecoder(Decoder[RecurrentState]):
    """A decoder without attention: the source enters through s_0 alone."""

    equation = Equation("plain", "s_t = cell(y_{t−1}, s_{t−1})", "Sutskever et al. 2014, 2")

    def __init__(self, cells: RecurrentCells, bridge: Bridge, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.cells, self.dim = cells, cells.dim
        self.bridge, self.dropout = bridge, Dropout(dropout)
        self.initial_state = bridge.equation

    def start(self, source: Encoded) -> RecurrentState:
        return RecurrentState(None, self.bridge(source))

    def forward(self, inputs: Inputs, state: RecurrentState) -> tuple[Decoded, RecurrentState]:
        states, carry = self.cells(self.dropout(inputs), state.carry)
        after = RecurrentState(None, carry, step=state.step + inputs.size(1))
        return Decoded(self.dropout(states)), after


class BahdanauDecoder(Decoder[RecurrentState]):
    """Attends with the previous state; the context is an input of the cells.

    With `gate`, c_t = σ(W s_{t−1}) attend(s_{t−1}) as in Xu et al. 2015, 4.2.1. The cells must
    take inputs of input_dim + context_dim.
    """

    equation = Equation(
        "bahdanau",
        "c_t = attend(s_{t−1}),  s_t = cell([y_{t−1}; c_t], s_{t−1}),  "
        "o_t = deep(s_t, y_{t−1}, c_t)",
        "Bahdanau et al. 2015, 3.1 and A.2.2",
    )
    cross_attentions = ("attention",)

    def __init__(
        self,
        cells: RecurrentCells,
        bridge: Bridge,
        attention: Attention,
        deep: DeepOutput,
        *,
        gate: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.cells, self.attention, self.deep, self.dim = cells, attention, deep, deep.dim
        self.bridge, self.dropout = bridge, Dropout(dropout)
        self.initial_state = bridge.equation
        self.gate = nn.Linear(cells.dim, 1) if gate else None

    def start(self, source: Encoded) -> RecurrentState:
        memory = source_memory(self.attention, source)
        return RecurrentState(memory, self.bridge(source))

    def forward(self, inputs: Inputs, state: RecurrentState) -> tuple[Decoded, RecurrentState]:
        assert state.source is not None
        inputs = self.dropout(inputs)
        cells = StepwiseCells(self.cells, inputs, state.carry)
        states, contexts, samples = [], [], []
        for t in range(inputs.size(1)):
            previous = cells.hidden
            attended = self.attention(previous, state.source, start=state.step + t)
            context = attended.context
            if self.gate is not None:
                context = torch.sigmoid(self.gate(previous)) * context
            states.append(cells.step(t, context))
            contexts.append(context)
            samples.append(attended.sampled)
        output = self.deep(torch.cat(states, dim=1), inputs, torch.cat(contexts, dim=1))
        after = RecurrentState(state.source, cells.carry, step=state.step + inputs.size(1))
        return Decoded(self.dropout(output), join_samples(samples)), after


class ConditionalDecoder(Decoder[RecurrentState]):
    """Attends between two cells, with a state that has read the previous word.

    `first` reads words, `second` contexts. Both have one layer.
    """

    equation = Equation(
        "conditional",
        "s'_t = cell(y_{t−1}, s_{t−1}),  c_t = attend(s'_t),  s_t = cell'(c_t, s'_t),  "
        "o_t = deep(s_t, y_{t−1}, c_t)",
        "Sennrich et al. 2017, 2",
    )
    cross_attentions = ("attention",)

    def __init__(
        self,
        first: RecurrentCells,
        second: RecurrentCells,
        bridge: Bridge,
        attention: Attention,
        deep: DeepOutput,
        *,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.first, self.second, self.attention = first, second, attention
        self.deep, self.dim = deep, deep.dim
        self.bridge, self.dropout = bridge, Dropout(dropout)
        self.initial_state = bridge.equation

    def start(self, source: Encoded) -> RecurrentState:
        return RecurrentState(source_memory(self.attention, source), self.bridge(source))

    def forward(self, inputs: Inputs, state: RecurrentState) -> tuple[Decoded, RecurrentState]:
        assert state.source is not None
        inputs = self.dropout(inputs)
        first = StepwiseCells(self.first, inputs, state.carry)
        second = StepwiseCells(self.second, inputs[..., :0], state.carry)
        second.layers = first.layers  # one state, which both advance
        states, contexts, samples = [], [], []
        for t in range(inputs.size(1)):
            query = first.step(t, None)
            attended = self.attention(query, state.source, start=state.step + t)
            states.append(second.step(t, attended.context))
            contexts.append(attended.context)
            samples.append(attended.sampled)
        output = self.deep(torch.cat(states, dim=1), inputs, torch.cat(contexts, dim=1))
        after = RecurrentState(state.source, second.carry, step=state.step + inputs.size(1))
        return Decoded(self.dropout(output), join_samples(samples)), after


class LuongDecoder(Decoder[RecurrentState]):
    """Attends with the current state; the context enters the output layer.

    With `input_feeding` the cells also read o_{t−1} and must take inputs of input_dim + dim.
    Without it the cells run over the whole target at once. With `concatenated`, o_t = [c_t; s_t].
    """

    equation = Equation(
        "luong",
        "s_t = cell([y_{t−1}; o_{t−1}], s_{t−1}),  c_t = attend(s_t),  o_t = tanh(W [c_t; s_t])",
        "Luong et al. 2015, 3 and 3.3",
    )
    cross_attentions = ("attention",)

    def __init__(
        self,
        cells: RecurrentCells,
        bridge: Bridge,
        attention: Attention,
        context_dim: int,
        *,
        input_feeding: bool = True,
        concatenated: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        both = context_dim + cells.dim
        self.cells, self.attention = cells, attention
        self.bridge, self.dropout = bridge, Dropout(dropout)
        self.initial_state = bridge.equation
        self.combine = None if concatenated else nn.Linear(both, cells.dim)
        self.dim = both if concatenated else cells.dim
        self.input_feeding = input_feeding

    def start(self, source: Encoded) -> RecurrentState:
        memory = source_memory(self.attention, source)
        carry = self.bridge(source)
        fed_output = carry.new_zeros(carry.size(0), self.dim) if self.input_feeding else None
        return RecurrentState(memory, carry, fed_output)

    def forward(self, inputs: Inputs, state: RecurrentState) -> tuple[Decoded, RecurrentState]:
        inputs = self.dropout(inputs)
        assert state.source is not None
        if state.fed_output is None:
            states, carry = self.cells(inputs, state.carry)
            output, sampled = self._attend(states, state.source, state.step)
            samples = [sampled]
        else:
            cells, outputs, samples = StepwiseCells(self.cells, inputs, state.carry), [], []
            fed = state.fed_output[:, None]
            for t in range(inputs.size(1)):
                fed, sampled = self._attend(cells.step(t, fed), state.source, state.step + t)
                outputs.append(fed)
                samples.append(sampled)
            output, carry = torch.cat(outputs, dim=1), cells.carry
        fed_next = output[:, -1] if self.input_feeding else None
        after = RecurrentState(state.source, carry, fed_next, state.step + inputs.size(1))
        return Decoded(self.dropout(output), join_samples(samples)), after

    def _attend(
        self, states: Float[Tensor, "N T E"], source: Memory, start: int
    ) -> tuple[Float[Tensor, "N T O"], SampledPosition | None]:
        attended = self.attention(states, source, start=start)
        output = torch.cat([attended.context, states], dim=-1)
        if self.combine is not None:
            output = torch.tanh(self.combine(output))
        return output, attended.sampled


def join_samples(samples: list[SampledPosition | None]) -> SampledPosition | None:
    """Concatenate the steps, B H T each, and sum over heads, which are sampled independently."""
    made = [sample for sample in samples if sample is not None]
    if not made:
        return None
    return SampledPosition(
        torch.cat([sample.logp for sample in made], dim=-1).sum(dim=1),
        torch.cat([sample.entropy for sample in made], dim=-1).sum(dim=1),
    )
