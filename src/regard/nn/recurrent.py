"""Recurrent encoder and decoders: Sutskever, Cho, Bahdanau, Luong, and Xu's captioner.

The decoders differ in when they ask their attention: never, before each step, or after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from regard.attention import Attention, Choice, Dropout, Memory
from regard.batch import Tokens
from regard.nn.cells import RNN, Steps, read_padded
from regard.nn.cells import Cell as Cell
from regard.nn.cells import Cells as Cells
from regard.nn.decoder import Decoded, Decoder
from regard.nn.encoded import Encoded, Encoder
from regard.nn.output import DeepOutput


class Reading(nn.Module):
    """h_s = cell(x_s, h_{s−1}), and from the other end where it reads in two directions."""

    def __init__(
        self,
        input_dim: int,
        dim: int,
        *,
        cell: Cell = "gru",
        layers: int = 1,
        bidirectional: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.rnn = RNN[cell](
            input_dim,
            dim,
            layers,
            batch_first=True,
            bidirectional=bidirectional,
            dropout=dropout if layers > 1 else 0.0,
        )
        self.between = Dropout(dropout)
        self.directions = 2 if bidirectional else 1
        self.dim = self.directions * dim

    def forward(self, x: Float[Tensor, "B S I"], lengths: Int[Tensor, " B"] | None) -> Encoded:
        if lengths is not None and x.device.type == "cpu":
            states, summary = read_padded(self.rnn, x, lengths, self.between)
            return Encoded(states, lengths, summary)
        if lengths is None:
            states, last = self.rnn(x)
        else:
            packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
            packed, last = self.rnn(packed)
            states, _ = pad_packed_sequence(packed, batch_first=True, total_length=x.size(1))
        hidden = last[0] if self.rnn.mode == "LSTM" else last  # (layers · directions) B dim
        summary = hidden[-self.directions :].transpose(0, 1).flatten(1)
        return Encoded(states, lengths, summary)

    if TYPE_CHECKING:
        __call__ = forward


class RecurrentEncoder(Encoder[Tokens]):
    """h_s = [→h_s; ←h_s]; the summary is the last state of each direction  (Bahdanau 2015, 3.2)"""

    def __init__(self, embedding: nn.Embedding, reading: Reading, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.embedding, self.reading, self.dim = embedding, reading, reading.dim
        self.dropout = Dropout(dropout)

    def forward(self, source: Tokens) -> Encoded:
        return self.reading(self.dropout(self.embedding(source.ids)), source.lengths)


class Bridge(nn.Module):
    """s_0 = tanh(W summary), for each layer and part  (Bahdanau 2015, A.2.2; Xu 2015, 3.1.2)"""

    def __init__(self, source_dim: int, cells: Cells) -> None:
        super().__init__()
        self.shape = (cells.layers, cells.parts, cells.dim)
        self.project = nn.Linear(source_dim, cells.layers * cells.parts * cells.dim)

    def forward(self, summary: Float[Tensor, "B E"]) -> Float[Tensor, "B L K D"]:
        return torch.tanh(self.project(summary)).unflatten(-1, self.shape)

    if TYPE_CHECKING:
        __call__ = forward


@dataclass(frozen=True, slots=True)
class RecurrentState:
    source: Memory | None  # None: nothing is asked
    carry: Float[Tensor, "N L K E"]
    fed: Float[Tensor, "N O"] | None = None  # what was said, fed to the next step (Luong 3.3)
    step: int = 0


class NeverAsk(Decoder[RecurrentState]):
    """s_t = cell(y_{t−1}, s_{t−1}): the source is in s_0 alone  (Sutskever et al. 2014, 2)"""

    def __init__(self, cells: Cells, source_dim: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.cells, self.dim = cells, cells.dim
        self.bridge = Bridge(source_dim, cells)
        self.dropout = Dropout(dropout)

    def start(self, source: Encoded) -> RecurrentState:
        return RecurrentState(None, self.bridge(source.summary))

    def forward(
        self, inputs: Float[Tensor, "N T I"], state: RecurrentState
    ) -> tuple[Decoded, RecurrentState]:
        states, carry = self.cells(self.dropout(inputs), state.carry)
        step = state.step + inputs.size(1)
        return Decoded(self.dropout(states)), RecurrentState(None, carry, step=step)


class AskBefore(Decoder[RecurrentState]):
    """c_t = attend(s_{t−1}),  s_t = cell([y_{t−1}; c_t], s_{t−1}),  o_t = deep(s_t, y_{t−1}, c_t)

    Bahdanau et al. 2015, 3.1 and A.2.2; with `gate`, c_t = σ(W s_{t−1}) attend(s_{t−1}) as in
    Xu et al. 2015, 4.2.1. The cells must take inputs of input_dim + context_dim.
    """

    def __init__(
        self,
        cells: Cells,
        source_dim: int,
        attention: Attention,
        deep: DeepOutput,
        *,
        gate: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.cells, self.attention, self.deep, self.dim = cells, attention, deep, deep.dim
        self.bridge = Bridge(source_dim, cells)
        self.gate = nn.Linear(cells.dim, 1) if gate else None
        self.dropout = Dropout(dropout)

    @property
    def source_looks(self) -> tuple[str, ...]:
        return ("attention",)

    def start(self, source: Encoded) -> RecurrentState:
        memory = self.attention.remember(source.states, source.lengths)
        return RecurrentState(memory, self.bridge(source.summary))

    def forward(
        self, inputs: Float[Tensor, "N T I"], state: RecurrentState
    ) -> tuple[Decoded, RecurrentState]:
        assert state.source is not None
        inputs = self.dropout(inputs)
        steps = Steps(self.cells, inputs, state.carry)
        states, contexts, choices = [], [], []
        for t in range(inputs.size(1)):
            before = steps.hidden
            glance = self.attention(before, state.source, start=state.step + t)
            context = glance.context
            if self.gate is not None:
                context = torch.sigmoid(self.gate(before)) * context
            states.append(steps.take(t, context))
            contexts.append(context)
            choices.append(glance.choice)
        said = self.deep(torch.cat(states, dim=1), inputs, torch.cat(contexts, dim=1))
        after = RecurrentState(state.source, steps.carry, step=state.step + inputs.size(1))
        return Decoded(self.dropout(said), joined(choices)), after


class AskAfter(Decoder[RecurrentState]):
    """s_t = cell([y_{t−1}; o_{t−1}], s_{t−1}),  c_t = attend(s_t),  o_t = tanh(W [c_t; s_t])

    Luong et al. 2015, 3 and 3.3. Without `feed` the cells do not see o_{t−1}, nothing waits for
    the attention, and the cells run over the whole target at once. With it the cells must take
    inputs of input_dim + dim.
    """

    def __init__(
        self,
        cells: Cells,
        source_dim: int,
        attention: Attention,
        context_dim: int,
        *,
        feed: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.cells, self.attention, self.feed, self.dim = cells, attention, feed, cells.dim
        self.bridge = Bridge(source_dim, cells)
        self.combine = nn.Linear(context_dim + cells.dim, cells.dim)
        self.dropout = Dropout(dropout)

    @property
    def source_looks(self) -> tuple[str, ...]:
        return ("attention",)

    def start(self, source: Encoded) -> RecurrentState:
        memory = self.attention.remember(source.states, source.lengths)
        carry = self.bridge(source.summary)
        fed = carry.new_zeros(carry.size(0), self.dim) if self.feed else None
        return RecurrentState(memory, carry, fed)

    def forward(
        self, inputs: Float[Tensor, "N T I"], state: RecurrentState
    ) -> tuple[Decoded, RecurrentState]:
        inputs = self.dropout(inputs)
        assert state.source is not None
        if state.fed is None:
            states, carry = self.cells(inputs, state.carry)
            said, choice = self._ask(states, state.source, state.step)
            choices = [choice]
        else:
            steps, parts, choices = Steps(self.cells, inputs, state.carry), [], []
            fed = state.fed[:, None]
            for t in range(inputs.size(1)):
                now = steps.take(t, fed)
                fed, choice = self._ask(now, state.source, state.step + t)
                parts.append(fed)
                choices.append(choice)
            said, carry = torch.cat(parts, dim=1), steps.carry
        fed_next = said[:, -1] if self.feed else None
        after = RecurrentState(state.source, carry, fed_next, state.step + inputs.size(1))
        return Decoded(self.dropout(said), joined(choices)), after

    def _ask(
        self, states: Float[Tensor, "N T E"], source: Memory, start: int
    ) -> tuple[Float[Tensor, "N T E"], Choice | None]:
        glance = self.attention(states, source, start=start)
        said = torch.tanh(self.combine(torch.cat([glance.context, states], dim=-1)))
        return said, glance.choice


def joined(choices: list[Choice | None]) -> Choice | None:
    """The choices of all steps, B H T each, as one, B T: heads choose independently."""
    made = [choice for choice in choices if choice is not None]
    if not made:
        return None
    return Choice(
        torch.cat([choice.logp for choice in made], dim=-1).sum(dim=1),
        torch.cat([choice.entropy for choice in made], dim=-1).sum(dim=1),
    )
