"""Interfaces of encoders and decoders, and the values that pass between them.

`Decoder.forward` takes any number of steps at once: the whole target in training, one token in
search. The chunking invariant: decoding a target in pieces, passing the state on, gives the same
outputs as decoding it at once. Every decoder is tested against it.

A decoder state is a frozen dataclass whose tensors have the batch as their first dimension. Its
field `source`, if it has one, holds what depends on the source alone. All hypotheses of a sentence
share it, so it may have fewer rows than the other fields.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Attention, Equation, Lengths, Memory, SampledPosition

Source = TypeVar("Source", contravariant=True)
S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class CarryShape:
    """Sizes of the final states of a recurrent encoder."""

    layers: int  # L
    parts: int  # K: 1 hidden state, or 2 with an LSTM's cell
    directions: int
    dim: int  # of one direction; E is `directions` times it


@dataclass(frozen=True, slots=True)
class Encoded:
    """What an encoder returns, for sentences and images alike."""

    states: Float[Tensor, "B S E"]  # one per word, or one per region of the image
    lengths: Lengths
    summary: Float[Tensor, "B E"]  # the whole source in one vector
    # Final states of all layers of a recurrent encoder: [→h_n; ←h_1], and the same of the cells.
    carry: Float[Tensor, "B L K E"] | None = None

    @staticmethod
    def empty(rows: int, like: Tensor) -> Encoded:
        """The source of a language model."""
        return Encoded(like.new_zeros(rows, 0, 0), None, like.new_zeros(rows, 0))


torch.export.register_dataclass(Encoded)


@dataclass(frozen=True, slots=True)
class Decoded:
    hidden: Float[Tensor, "B T E"]
    sampled: SampledPosition | None = None  # B T, hard attention only


torch.export.register_dataclass(Decoded)


class Encoder(nn.Module, ABC, Generic[Source]):
    equation: ClassVar[Equation]
    dim: int  # E
    max_positions: int | None = None  # tokens that it can read; None: no bound
    carry_shape: CarryShape | None = None  # of `Encoded.carry`

    @abstractmethod
    def forward(self, source: Source) -> Encoded: ...

    if TYPE_CHECKING:
        __call__ = forward


class Decoder(nn.Module, ABC, Generic[S]):
    equation: ClassVar[Equation]
    dim: int  # E of the outputs
    max_positions: int | None = None  # tokens that it can read; None: no bound
    blank_memory: bool = False  # whether its own past begins with a blank, before the first token
    cross_attentions: tuple[str, ...] = ()  # names of its attentions to the source
    initial_state: Equation | None = None  # of a state that depends on the source

    @abstractmethod
    def start(self, source: Encoded) -> S:
        """The state before the first token."""

    @abstractmethod
    def forward(self, inputs: Float[Tensor, "B T I"], state: S) -> tuple[Decoded, S]: ...

    if TYPE_CHECKING:
        __call__ = forward


def source_memory(attention: Attention, source: Encoded) -> Memory:
    """The memory of a source; for a span that reads the summary, the last state is the summary."""
    states, lengths = source.states, source.lengths
    if attention.span.reads_summary:
        last = states.size(1) if lengths is None else lengths[:, None, None]
        position = torch.arange(states.size(1), device=states.device)[:, None]
        states = torch.where(position == last - 1, source.summary[:, None], states)
    return attention.build_memory(states, lengths)


def masked_mean(x: Float[Tensor, "B S E"], lengths: Lengths) -> Float[Tensor, "B E"]:
    """The mean over all positions but padding."""
    if lengths is None:
        return x.mean(dim=1)
    real = torch.arange(x.size(1), device=x.device) < lengths[:, None]  # B S
    return (x * real[..., None]).sum(dim=1) / lengths[:, None]
