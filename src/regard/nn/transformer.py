"""Transformer encoder and decoder (Vaswani et al. 2017), normed before or after each part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Attention, Dropout, Memory
from regard.attention.precision import narrowed
from regard.batch import Tokens
from regard.nn.decoder import Decoded, Decoder
from regard.nn.embed import Positions
from regard.nn.encoded import Encoded, Encoder, mean_over
from regard.nn.stack import Stack

Norm: TypeAlias = Literal["before", "after"]
Activation: TypeAlias = Literal["relu", "gelu"]
ACTIVATION: dict[Activation, Callable[[], nn.Module]] = {"relu": nn.ReLU, "gelu": nn.GELU}


class Residual(nn.Module):
    """x + f(norm(x)) where the norm comes before, norm(x + f(x)) where it comes after (5.4)."""

    def __init__(self, dim: int, norm: Norm, dropout: float) -> None:
        super().__init__()
        self.norm, self.before, self.dropout = nn.LayerNorm(dim), norm == "before", dropout
        self.drop = Dropout(dropout)

    def enter(self, x: Float[Tensor, "B T E"]) -> Float[Tensor, "B T E"]:
        return self.norm(x) if self.before else x

    def leave(self, x: Float[Tensor, "B T E"], y: Float[Tensor, "B T E"]) -> Float[Tensor, "B T E"]:
        x = x + self.drop(y)
        return x if self.before else self.norm(x)


class FeedForward(nn.Sequential):
    """W₂ f(W₁ x + b₁) + b₂  (3.3)"""

    def __init__(self, dim: int, hidden_dim: int, activation: Activation, dropout: float) -> None:
        super().__init__(
            nn.Linear(dim, hidden_dim),
            ACTIVATION[activation](),
            Dropout(dropout),
            nn.Linear(hidden_dim, dim),
        )


@dataclass(frozen=True, slots=True)
class Shape:
    """What all blocks of a stack have in common."""

    dim: int
    hidden_dim: int
    activation: Activation = "relu"
    norm: Norm = "before"
    dropout: float = 0.0

    def residual(self) -> Residual:
        return Residual(self.dim, self.norm, self.dropout)

    def feed_forward(self) -> FeedForward:
        return FeedForward(self.dim, self.hidden_dim, self.activation, self.dropout)


class EncoderBlock(nn.Module):
    def __init__(self, shape: Shape, own: Attention) -> None:
        super().__init__()
        self.own, self.around_own = own, shape.residual()
        self.feed, self.around_feed = shape.feed_forward(), shape.residual()

    def forward(
        self, x: Float[Tensor, "B S E"], lengths: Int[Tensor, " B"] | None
    ) -> Float[Tensor, "B S E"]:
        y = self.around_own.enter(x)
        x = self.around_own.leave(x, self.own(y, self.own.remember(y, lengths)).context)
        return self.around_feed.leave(x, self.feed(self.around_feed.enter(x)))

    if TYPE_CHECKING:
        __call__ = forward


class DecoderBlock(nn.Module):
    def __init__(self, shape: Shape, own: Attention, source: Attention | None) -> None:
        super().__init__()
        self.own, self.around_own = own, shape.residual()
        self.source = source  # None: a language model has read nothing
        self.around_source = shape.residual() if source is not None else None
        self.feed, self.around_feed = shape.feed_forward(), shape.residual()

    def read(self, source: Encoded) -> Memory | None:
        return None if self.source is None else self.source.remember(source.states, source.lengths)

    def forward(
        self, x: Float[Tensor, "N T E"], past: Memory | None, source: Memory | None, start: int
    ) -> tuple[Float[Tensor, "N T E"], Memory]:
        y = self.around_own.enter(x)
        said = self.own.remember(y)
        past = said if past is None else past.extend(said)
        x = self.around_own.leave(x, self.own(y, past, start=start).context)
        if self.source is not None and self.around_source is not None and source is not None:
            y = self.around_source.enter(x)
            x = self.around_source.leave(x, self.source(y, source, start=start).context)
        return self.around_feed.leave(x, self.feed(self.around_feed.enter(x))), past

    if TYPE_CHECKING:
        __call__ = forward


class Input(nn.Module):
    """x_t = y_t + p_t  (3.5)

    Under autocast what the blocks add to is as narrow as what they make, or every one of their
    matrix products would have to convert its input, and its gradient back.
    """

    def __init__(self, positions: Positions, dropout: float) -> None:
        super().__init__()
        self.positions, self.dropout = positions, Dropout(dropout)

    def forward(self, inputs: Float[Tensor, "B T E"], start: int) -> Float[Tensor, "B T E"]:
        x = inputs + self.positions(start, inputs)
        return self.dropout(narrowed(x))

    if TYPE_CHECKING:
        __call__ = forward


class TransformerEncoder(Encoder[Tokens]):
    """x ← x + attend(x over x),  x ← x + feed(x), in every layer  (Vaswani et al. 2017, 3.1)"""

    def __init__(
        self,
        embedding: nn.Embedding,
        positions: Positions,
        shape: Shape,
        attentions: list[Attention],
    ) -> None:
        super().__init__()
        self.dim, self.embedding = shape.dim, embedding
        self.input = Input(positions, shape.dropout)
        self.blocks = Stack[EncoderBlock](EncoderBlock(shape, own) for own in attentions)
        self.norm = last_norm(shape)
        spread_evenly(self.blocks)

    def forward(self, source: Tokens) -> Encoded:
        x = self.input(self.embedding(source.ids), 0)
        for block in self.blocks:
            x = block(x, source.lengths)
        x = self.norm(x)
        return Encoded(x, source.lengths, mean_over(x, source.lengths))


@dataclass(frozen=True, slots=True)
class TransformerState:
    source: tuple[Memory | None, ...]  # one per layer; None in a language model
    past: tuple[Memory, ...]  # one per layer; empty before the first word
    step: int = 0


class TransformerDecoder(Decoder[TransformerState]):
    """y ← y + attend(y over its past),  y ← y + attend(y over x),  y ← y + feed(y), in every layer

    Vaswani et al. 2017, 3.1. A language model leaves out the second part.
    """

    def __init__(
        self,
        positions: Positions,
        shape: Shape,
        attentions: list[tuple[Attention, Attention | None]],
    ) -> None:
        super().__init__()
        self.dim = shape.dim
        self.input = Input(positions, shape.dropout)
        self.blocks = Stack[DecoderBlock](
            DecoderBlock(shape, own, source) for own, source in attentions
        )
        self.norm = last_norm(shape)
        spread_evenly(self.blocks)

    @property
    def source_looks(self) -> tuple[str, ...]:
        blocks = enumerate(self.blocks)
        return tuple(f"blocks.{i}.source" for i, block in blocks if block.source is not None)

    def start(self, source: Encoded) -> TransformerState:
        return TransformerState(tuple(block.read(source) for block in self.blocks), ())

    def forward(
        self, inputs: Float[Tensor, "N T E"], state: TransformerState
    ) -> tuple[Decoded, TransformerState]:
        x = self.input(inputs, state.step)
        said = []
        for i, block in enumerate(self.blocks):
            x, past = block(x, state.past[i] if state.past else None, state.source[i], state.step)
            said.append(past)
        after = TransformerState(state.source, tuple(said), state.step + inputs.size(1))
        return Decoded(self.norm(x)), after


def last_norm(shape: Shape) -> nn.Module:
    """Where each norm comes before its part, nothing has yet normed the last sum."""
    return nn.LayerNorm(shape.dim) if shape.norm == "before" else nn.Identity()


def spread_evenly(blocks: nn.Module) -> None:
    """Glorot's uniform initialisation, with biases at zero (as in the authors' own code)."""
    for name, parameter in blocks.named_parameters():
        if parameter.dim() == 2:
            nn.init.xavier_uniform_(parameter)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
