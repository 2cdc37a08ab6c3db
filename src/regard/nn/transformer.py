"""Transformer encoder and decoder (Vaswani et al. 2017), normed before or after each part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Attention, Dropout, Equation, Memory
from regard.attention.kernels.precision import to_compute_dtype
from regard.batch import Tokens
from regard.nn.embedding import Positions
from regard.nn.interfaces import Decoded, Decoder, Encoded, Encoder, masked_mean
from regard.nn.stack import Stack

Norm: TypeAlias = Literal["pre", "post"]
Activation: TypeAlias = Literal["relu", "gelu"]
ACTIVATION: dict[Activation, Callable[[], nn.Module]] = {"relu": nn.ReLU, "gelu": nn.GELU}


class Residual(nn.Module):
    """x + f(norm(x)) where the norm comes before, norm(x + f(x)) where it comes after (5.4)."""

    def __init__(self, dim: int, norm: Norm, dropout: float) -> None:
        super().__init__()
        self.norm, self.pre_norm = nn.LayerNorm(dim), norm == "pre"
        self.dropout = Dropout(dropout)

    def enter(self, x: Float[Tensor, "B T E"]) -> Float[Tensor, "B T E"]:
        return self.norm(x) if self.pre_norm else x

    def leave(self, x: Float[Tensor, "B T E"], y: Float[Tensor, "B T E"]) -> Float[Tensor, "B T E"]:
        x = x + self.dropout(y)
        return x if self.pre_norm else self.norm(x)


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
class BlockShape:
    """What all blocks of a stack have in common."""

    dim: int
    hidden_dim: int
    activation: Activation = "relu"
    norm: Norm = "pre"
    dropout: float = 0.0

    def residual(self) -> Residual:
        return Residual(self.dim, self.norm, self.dropout)

    def feed_forward(self) -> FeedForward:
        return FeedForward(self.dim, self.hidden_dim, self.activation, self.dropout)


class EncoderBlock(nn.Module):
    def __init__(self, shape: BlockShape, self_attention: Attention) -> None:
        super().__init__()
        self.self_attention, self.self_residual = self_attention, shape.residual()
        self.feed_forward, self.feed_forward_residual = shape.feed_forward(), shape.residual()

    def forward(
        self, x: Float[Tensor, "B S E"], lengths: Int[Tensor, " B"] | None
    ) -> Float[Tensor, "B S E"]:
        y = self.self_residual.enter(x)
        x = self.self_residual.leave(
            x, self.self_attention(y, self.self_attention.build_memory(y, lengths)).context
        )
        return self.feed_forward_residual.leave(
            x, self.feed_forward(self.feed_forward_residual.enter(x))
        )

    if TYPE_CHECKING:
        __call__ = forward


class DecoderBlock(nn.Module):
    def __init__(
        self, shape: BlockShape, self_attention: Attention, cross_attention: Attention | None
    ) -> None:
        super().__init__()
        self.self_attention, self.self_residual = self_attention, shape.residual()
        self.cross_attention = cross_attention  # None: a language model has read nothing
        self.cross_residual = shape.residual() if cross_attention is not None else None
        self.feed_forward, self.feed_forward_residual = shape.feed_forward(), shape.residual()

    def build_memory(self, source: Encoded) -> Memory | None:
        return (
            None
            if self.cross_attention is None
            else self.cross_attention.build_memory(source.states, source.lengths)
        )

    def forward(
        self, x: Float[Tensor, "N T E"], past: Memory | None, source: Memory | None, start: int
    ) -> tuple[Float[Tensor, "N T E"], Memory]:
        y = self.self_residual.enter(x)
        said = self.self_attention.build_memory(y)
        past = said if past is None else past.extend(said)
        x = self.self_residual.leave(x, self.self_attention(y, past, start=start).context)
        if (
            self.cross_attention is not None
            and self.cross_residual is not None
            and source is not None
        ):
            y = self.cross_residual.enter(x)
            x = self.cross_residual.leave(x, self.cross_attention(y, source, start=start).context)
        return self.feed_forward_residual.leave(
            x, self.feed_forward(self.feed_forward_residual.enter(x))
        ), past

    if TYPE_CHECKING:
        __call__ = forward


class TransformerInput(nn.Module):
    """x_t = y_t + p_t  (3.5)

    Under autocast what the blocks add to is as narrow as what they make, or every one of their
    matrix products would have to convert its input, and its gradient back.
    """

    def __init__(self, positions: Positions, dropout: float) -> None:
        super().__init__()
        self.positions, self.dropout = positions, Dropout(dropout)

    def forward(self, inputs: Float[Tensor, "B T E"], start: int) -> Float[Tensor, "B T E"]:
        x = inputs + self.positions(start, inputs)
        return self.dropout(to_compute_dtype(x))

    if TYPE_CHECKING:
        __call__ = forward


class TransformerEncoder(Encoder[Tokens]):
    """Layers of self-attention and feed-forward networks."""

    equation = Equation(
        "transformer",
        "x ← x + attend(x over x),  x ← x + feed(x), in every layer",
        "Vaswani et al. 2017, 3.1",
    )

    def __init__(
        self,
        embedding: nn.Embedding,
        positions: Positions,
        shape: BlockShape,
        attentions: list[Attention],
    ) -> None:
        super().__init__()
        self.dim, self.embedding = shape.dim, embedding
        self.input = TransformerInput(positions, shape.dropout)
        self.blocks = Stack[EncoderBlock](EncoderBlock(shape, own) for own in attentions)
        self.norm = final_norm(shape)
        init_xavier(self.blocks)

    def forward(self, source: Tokens) -> Encoded:
        x = self.input(self.embedding(source.ids), 0)
        for block in self.blocks:
            x = block(x, source.lengths)
        x = self.norm(x)
        return Encoded(x, source.lengths, masked_mean(x, source.lengths))


@dataclass(frozen=True, slots=True)
class TransformerState:
    source: tuple[Memory | None, ...]  # one per layer; None in a language model
    past: tuple[Memory, ...]  # one per layer; empty before the first word
    step: int = 0


class TransformerDecoder(Decoder[TransformerState]):
    """Layers of causal self-attention, cross-attention and feed-forward networks.

    A language model has no cross-attention.
    """

    equation = Equation(
        "transformer",
        "y ← y + attend(y over its past),  y ← y + attend(y over x),  y ← y + feed(y), "
        "in every layer",
        "Vaswani et al. 2017, 3.1",
    )

    def __init__(
        self,
        positions: Positions,
        shape: BlockShape,
        attentions: list[tuple[Attention, Attention | None]],
    ) -> None:
        super().__init__()
        self.dim = shape.dim
        self.input = TransformerInput(positions, shape.dropout)
        self.blocks = Stack[DecoderBlock](
            DecoderBlock(shape, own, source) for own, source in attentions
        )
        self.norm = final_norm(shape)
        init_xavier(self.blocks)

    @property
    def cross_attentions(self) -> tuple[str, ...]:
        blocks = enumerate(self.blocks)
        return tuple(
            f"blocks.{i}.cross_attention"
            for i, block in blocks
            if block.cross_attention is not None
        )

    def start(self, source: Encoded) -> TransformerState:
        return TransformerState(tuple(block.build_memory(source) for block in self.blocks), ())

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


def final_norm(shape: BlockShape) -> nn.Module:
    """Where each norm comes before its part, nothing has yet normed the last sum."""
    return nn.LayerNorm(shape.dim) if shape.norm == "pre" else nn.Identity()


def init_xavier(blocks: nn.Module) -> None:
    """Glorot's uniform initialisation, with biases at zero (as in the authors' own code)."""
    for name, parameter in blocks.named_parameters():
        if parameter.dim() == 2:
            nn.init.xavier_uniform_(parameter)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
