"""What every decoder promises.

`forward` takes any number of steps at once: the whole target in training, one token in search.
The chunking law: reading a target in pieces, handing the state on, gives what reading it at once
gives. Every decoder is tested against it.

A state is a frozen dataclass in which the batch is the first dimension of every tensor. Its field
`source`, where it has one, is what was read: the same for all hypotheses of a sentence, so it may
have fewer rows than the rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Choice
from regard.nn.encoded import Encoded

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Decoded:
    hidden: Float[Tensor, "B T E"]
    choice: Choice | None = None  # of hard attention, B T: what its teacher must know


class Decoder(nn.Module, ABC, Generic[S]):
    dim: int  # E, of what comes out
    blank: bool = False  # whether its own past begins with nothing, before the first word

    @property
    def source_looks(self) -> tuple[str, ...]:
        """The names, within the decoder, of those attentions that ask what was read."""
        return ()

    @abstractmethod
    def start(self, source: Encoded) -> S:
        """The state before the first word, given what was read."""

    @abstractmethod
    def forward(self, inputs: Float[Tensor, "B T I"], state: S) -> tuple[Decoded, S]: ...

    if TYPE_CHECKING:
        __call__ = forward
