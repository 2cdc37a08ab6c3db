"""Recurrent decoders, and the bridges that initialize their states.

They differ in where attention is used: nowhere, before each step, after it, or in the middle of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Attention, Dropout, Equation, Memory, SampledPosition
from regard.nn.embedding import DeepOutput
from regard.nn.interfaces import (
    CarryShape,
    Decoded,
    Decoder,
    Encoded,
    Encoder,
    masked_mean,
    source_memory,
)
from regard.nn.rnn import Carry, CellStep, Layers, RecurrentCells, join_layers, top, unroll

# -- bridges ---------------------------------------------------------------------------------------
# The state of a recurrent decoder before its first token.


class Bridge(nn.Module, ABC):
    """Computes a decoder's initial state from the encoded source."""

    equation: Equation

    @abstractmethod
    def forward(self, source: Encoded) -> Carry: ...

    if TYPE_CHECKING:
        __call__ = forward


class CopyBridge(Bridge):
    """The encoder's final states, layer by layer, unchanged."""

    equation = Equation(
        "copied",
        "s_0 = h_n, c_0 = c_n, layer by layer",
        "Sutskever et al. 2014, 2; Luong et al. 2015, 3",
    )

    def forward(self, source: Encoded) -> Carry:
        return final_states(source)


class ProjectionBridge(Bridge):
    """A projection of the encoder's final states for each layer of the decoder.

    Layer i is projected from layer i. If the encoder has fewer layers, the others are projected
    from its last one; if it has more, only its last ones are used. There is no tanh: without
    attention it would soon be ±1 for every source (decision 14).
    """

    equation = Equation("projected", "s_0 = W [h_n; c_n], c_0 = U [h_n; c_n], layer by layer")

    def __init__(self, shape: CarryShape, cells: RecurrentCells) -> None:
        super().__init__()
        surplus = max(0, shape.layers - cells.layers)
        self.layers = [min(surplus + i, shape.layers - 1) for i in range(cells.layers)]
        self.parts, size = cells.parts, shape.parts * shape.directions * shape.dim
        self.project = nn.ModuleList(nn.Linear(size, cells.parts * cells.dim) for _ in self.layers)

    def forward(self, source: Encoded) -> Carry:
        final = final_states(source).flatten(2)  # B L K·E
        states = [
            project(final[:, layer])
            for layer, project in zip(self.layers, self.project, strict=True)
        ]
        return torch.stack(states, dim=1).unflatten(-1, (self.parts, -1))  # B L K E


BACKWARD = Equation("backward state", "s_0 = tanh(W ←h_1)", "Bahdanau et al. 2015, A.2.2")
FINAL = Equation("final state", "s_0 = tanh(W h_n)", "Cho et al. 2014, A.1.2")
MEAN = Equation("mean", "s_0 = tanh(W mean_s h_s)", "Xu et al. 2015, 3.1.2")


class SummaryBridge(Bridge):
    """s_0 = tanh(W v) for each layer and part, v the last `dim` features of the summary"""

    def __init__(self, dim: int, cells: RecurrentCells, equation: Equation) -> None:
        super().__init__()
        self.dim, self.equation = dim, equation
        self.shape = (cells.layers, cells.parts, cells.dim)
        self.project = nn.Linear(dim, cells.layers * cells.parts * cells.dim)

    def forward(self, source: Encoded) -> Carry:
        return torch.tanh(self.project(self.vector(source))).unflatten(-1, self.shape)

    def vector(self, source: Encoded) -> Float[Tensor, "B V"]:
        return source.summary[:, -self.dim :]


class MeanBridge(SummaryBridge):
    """s_0 = tanh(W mean_s h_s)"""

    def __init__(self, dim: int, cells: RecurrentCells) -> None:
        super().__init__(dim, cells, MEAN)

    def vector(self, source: Encoded) -> Float[Tensor, "B V"]:
        return masked_mean(source.states, source.lengths)


def final_states(source: Encoded) -> Carry:
    """The final states of a recurrent encoder."""
    assert source.carry is not None, "the encoder must have a carry_shape"
    return source.carry


def state_bridge(encoder: Encoder[Any], cells: RecurrentCells) -> Bridge:
    """Return the bridge of a decoder that continues from the encoder's states."""
    shape = encoder.carry_shape
    if shape is None:
        return MeanBridge(encoder.dim, cells)
    if shape == CarryShape(cells.layers, cells.parts, 1, cells.dim):
        return CopyBridge()
    return ProjectionBridge(shape, cells)


def summary_bridge(encoder: Encoder[Any], cells: RecurrentCells) -> SummaryBridge:
    """Return the bridge of a decoder that starts from one vector of the source."""
    shape = encoder.carry_shape
    if shape is None:
        return MeanBridge(encoder.dim, cells)
    return SummaryBridge(shape.dim, cells, BACKWARD if shape.directions == 2 else FINAL)


# -- rnn decoders ----------------------------------------------------------------------------------


Inputs: TypeAlias = Float[Tensor, "N T I"]
Step: TypeAlias = int | Int[Tensor, ""]  # in a compiled loop, the step is a tensor


@dataclass(frozen=True, slots=True)
class RecurrentState:
    source: Memory | None  # None: no attention
    carry: Float[Tensor, "N L K E"]
    fed_output: Float[Tensor, "N O"] | None = None  # input of the next step (Luong 2015, 3.3)
    step: int = 0


torch.export.register_dataclass(RecurrentState)


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
        next_state = RecurrentState(None, carry, step=state.step + inputs.size(1))
        return Decoded(self.dropout(states)), next_state


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
        y, start = self.dropout(inputs), state.step
        cell = CellStep(self.cells, y.size(-1))

        def step(s: Layers, t: Step, y_t: Tensor) -> tuple[Layers, tuple[Tensor, ...]]:
            c, *sampled = attend_once(self.attention, top(s), state.source, start + t)
            if self.gate is not None:
                c = torch.sigmoid(self.gate(top(s))) * c
            s = cell(s, y_t, c)
            return s, (top(s), c, *sampled)

        last, (s, c, *sampled) = unroll(step, cell.begin(state.carry), cell.project(y))
        next_state = RecurrentState(state.source, join_layers(last), step=start + y.size(1))
        return Decoded(self.dropout(self.deep(s, y, c)), join_samples(*sampled)), next_state


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
        y, start = self.dropout(inputs), state.step
        first, second = CellStep(self.first, y.size(-1)), CellStep(self.second, 0)

        def step(s: Layers, t: Step, y_t: Tensor, b: Tensor) -> tuple[Layers, tuple[Tensor, ...]]:
            s = first(s, y_t)
            c, *sampled = attend_once(self.attention, top(s), state.source, start + t)
            s = second(s, b, c)
            return s, (top(s), c, *sampled)

        words, none = first.project(y), second.project(y[..., :0])  # the second reads no word
        last, (s, c, *sampled) = unroll(step, first.begin(state.carry), words, none)
        next_state = RecurrentState(state.source, join_layers(last), step=start + y.size(1))
        return Decoded(self.dropout(self.deep(s, y, c)), join_samples(*sampled)), next_state


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
        y, start = self.dropout(inputs), state.step
        if self.input_feeding:
            o, carry, fed, sampled = self._feed(y, state)
        else:
            assert state.source is not None
            s, carry = self.cells(y, state.carry)
            attended, fed = self.attention(s, state.source, start=start), None
            o, sampled = self.output(attended.context, s), attended.sampled
        next_state = RecurrentState(state.source, carry, fed, start + y.size(1))
        return Decoded(self.dropout(o), sampled), next_state

    def _feed(
        self, y: Inputs, state: RecurrentState
    ) -> tuple[Float[Tensor, "N T O"], Carry, Float[Tensor, "N O"], SampledPosition | None]:
        cell = CellStep(self.cells, y.size(-1))

        def step(
            carry: tuple[Layers, Tensor], t: Step, y_t: Tensor
        ) -> tuple[tuple[Layers, Tensor], tuple[Tensor, ...]]:
            s, o = carry
            s = cell(s, y_t, o)
            c, *sampled = attend_once(self.attention, top(s), state.source, state.step + t)
            o = self.output(c, top(s))
            return (s, o), (o, *sampled)

        assert state.fed_output is not None
        begin = cell.begin(state.carry), state.fed_output
        (last, fed), (o, *sampled) = unroll(step, begin, cell.project(y))
        return o, join_layers(last), fed, join_samples(*sampled)

    def output(self, c: Float[Tensor, "*N C"], s: Float[Tensor, "*N E"]) -> Float[Tensor, "*N O"]:
        """o_t = tanh(W [c_t; s_t]), or [c_t; s_t] itself"""
        both = torch.cat([c, s], dim=-1)
        return both if self.combine is None else torch.tanh(self.combine(both))


def attend_once(
    attention: Attention, query: Float[Tensor, "N E"], source: Memory | None, t: Step
) -> tuple[Tensor, ...]:
    """The context of one query for each row, and of hard attention log p and entropy."""
    assert source is not None
    attended = attention(query[:, None], source, start=t)
    context, sampled = attended.context[:, 0], attended.sampled
    if sampled is None:
        return (context,)
    # heads are sampled independently
    return context, sampled.logp.sum(dim=1), sampled.entropy.sum(dim=1)


def join_samples(*sampled: Tensor) -> SampledPosition | None:
    """log p and entropy of all steps."""
    return SampledPosition(*(x.flatten(1) for x in sampled)) if sampled else None
