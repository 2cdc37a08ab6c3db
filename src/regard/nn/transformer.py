"""Transformer encoder and decoder (Vaswani et al. 2017), with pre- or post-normalization.

The blocks of a decoder read their past by self-attention or with an SSRU.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Attention, Dropout, Equation, Lengths, Memory
from regard.attention.shapes import to_compute_dtype
from regard.batch import Tokens
from regard.nn.embedding import Positions
from regard.nn.interfaces import Decoded, Decoder, Encoded, Encoder, masked_mean, source_memory
from regard.nn.rnn import unroll

Norm: TypeAlias = Literal["pre", "post"]
Activation: TypeAlias = Literal["relu", "gelu", "swish", "sigmoid-gelu"]
States: TypeAlias = Float[Tensor, "B T E"]
Cells: TypeAlias = Float[Tensor, "B E"]
Past: TypeAlias = Memory | Cells  # of self-attention, or the last cell of an SSRU
M = TypeVar("M", bound=nn.Module)


class Stack(nn.ModuleList, Generic[M]):
    """A ModuleList whose element type is known to the type checker."""

    if TYPE_CHECKING:

        def __iter__(self) -> Iterator[M]: ...


class SigmoidGELU(nn.Module):
    """x σ(1.702 x), an approximation of GELU  (Hendrycks and Gimpel 2016, 2)"""

    def forward(self, x: Float[Tensor, "*B E"]) -> Float[Tensor, "*B E"]:
        return x * torch.sigmoid(1.702 * x)


ACTIVATION: dict[Activation, Callable[[], nn.Module]] = {
    "relu": nn.ReLU,
    "gelu": nn.GELU,
    "swish": nn.SiLU,
    "sigmoid-gelu": SigmoidGELU,
}


class Residual(nn.Module):
    """x + f(norm(x)) with pre-normalization, norm(x + f(x)) with post-normalization (5.4)."""

    def __init__(self, dim: int, norm: Norm, dropout: float, eps: float) -> None:
        super().__init__()
        self.norm, self.pre_norm = nn.LayerNorm(dim, eps), norm == "pre"
        self.dropout = Dropout(dropout)

    def forward(self, x: States, f: Callable[[States], States]) -> States:
        if self.pre_norm:
            return x + self.dropout(f(self.norm(x)))
        return self.norm(x + self.dropout(f(x)))


class FeedForward(nn.Sequential):
    """W₂ f(W₁ x + b₁) + b₂  (3.3)"""

    def __init__(self, dim: int, hidden_dim: int, activation: Activation, dropout: float) -> None:
        widen, narrow = nn.Linear(dim, hidden_dim), nn.Linear(hidden_dim, dim)
        super().__init__(widen, ACTIVATION[activation](), Dropout(dropout), narrow)


@dataclass(frozen=True, slots=True)
class BlockShape:
    """What all blocks of a stack have in common."""

    dim: int
    hidden_dim: int
    activation: Activation = "relu"
    norm: Norm = "pre"
    dropout: float = 0.0
    norm_eps: float = 1e-5

    def residual(self) -> Residual:
        return Residual(self.dim, self.norm, self.dropout, self.norm_eps)

    def feed_forward(self) -> FeedForward:
        return FeedForward(self.dim, self.hidden_dim, self.activation, self.dropout)

    def final_norm(self) -> nn.Module:
        """Pre-normalization leaves the last sum unnormalized."""
        return nn.LayerNorm(self.dim, self.norm_eps) if self.norm == "pre" else nn.Identity()


class EncoderBlock(nn.Module):
    def __init__(self, shape: BlockShape, self_attention: Attention) -> None:
        super().__init__()
        self.self_attention, self.self_residual = self_attention, shape.residual()
        self.feed_forward, self.feed_forward_residual = shape.feed_forward(), shape.residual()

    def forward(self, x: States, lengths: Lengths) -> States:
        def attend(y: States) -> States:
            return self.self_attention(y, self.self_attention.build_memory(y, lengths)).context

        return self.feed_forward_residual(self.self_residual(x, attend), self.feed_forward)


class SSRU(nn.Module):
    """f_t = σ(W_f x_t + b),  c_t = f_t ⊙ c_{t−1} + (1 − f_t) ⊙ W x_t,  y_t = relu(c_t)

    The simpler simple recurrent unit (Kim et al. 2019, 3.1). It replaces the self-attention of a
    decoder: a step takes constant time and memory. c_0 = 0.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.forget, self.input = nn.Linear(dim, dim), nn.Linear(dim, dim, bias=False)

    def forward(self, x: States, cell: Cells | None) -> tuple[States, Cells]:
        """Return the outputs of all steps and the last cell."""
        forget = torch.sigmoid(self.forget(x))
        new = (1 - forget) * self.input(x)

        def step(c: Cells, t: object, f: Cells, new: Cells) -> tuple[Cells, tuple[Cells]]:
            c = torch.addcmul(new, f, c)
            return c, (c,)

        begin = torch.zeros_like(new[:, 0]) if cell is None else cell
        last, (cells,) = unroll(step, begin, forget, new)
        return cells.relu(), last


class DecoderBlock(nn.Module):
    """Reads its past, then the source, then each position by itself.

    It has a self-attention or an SSRU. A block of a language model has no cross-attention.
    """

    def __init__(
        self,
        shape: BlockShape,
        self_attention: Attention | None,
        cross_attention: Attention | None,
    ) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.ssru = SSRU(shape.dim) if self_attention is None else None
        self.self_residual = shape.residual()
        self.cross_attention = cross_attention
        self.cross_residual = shape.residual() if cross_attention is not None else None
        self.feed_forward, self.feed_forward_residual = shape.feed_forward(), shape.residual()

    def build_memory(self, source: Encoded) -> Memory | None:
        """Return the memory of the cross-attention; None if there is none.

        A method of the block because FSDP gathers the parameters of a block as a unit.
        """
        if self.cross_attention is None:
            return None
        return source_memory(self.cross_attention, source)

    def forward(
        self, x: States, past: Past | None, source: Memory | None, start: int
    ) -> tuple[States, Past]:
        """Return the block's output and `past` extended by the new positions."""
        extended = past

        def read_past(y: States) -> States:
            nonlocal extended
            if self.ssru is not None:
                assert not isinstance(past, Memory)
                y, extended = self.ssru(y, past)
                return y
            assert self.self_attention is not None
            assert not isinstance(past, Tensor)
            new = self.self_attention.build_memory(y)
            extended = memory = new if past is None else past.extend(new)
            return self.self_attention(y, memory, start=start).context

        def attend_to_source(y: States) -> States:
            assert self.cross_attention is not None
            assert source is not None
            return self.cross_attention(y, source, start=start).context

        x = self.self_residual(x, read_past)
        if self.cross_residual is not None:
            x = self.cross_residual(x, attend_to_source)
        assert extended is not None
        return self.feed_forward_residual(x, self.feed_forward), extended


class TransformerInput(nn.Module):
    """x_t = y_t + p_t  (3.5)

    Under autocast the residual stream has the narrow dtype. Otherwise every matrix product of the
    blocks would convert its input, and its gradient back.
    """

    def __init__(self, positions: Positions, dropout: float) -> None:
        super().__init__()
        self.positions, self.dropout = positions, Dropout(dropout)

    def forward(self, inputs: States, start: int) -> States:
        return self.dropout(to_compute_dtype(inputs + self.positions(start, inputs)))


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
        self.max_positions = positions.max_positions
        self.input = TransformerInput(positions, shape.dropout)
        self.blocks = Stack[EncoderBlock](
            EncoderBlock(shape, attention) for attention in attentions
        )
        self.norm = shape.final_norm()
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
    past: tuple[Past, ...]  # one per layer; empty before the first token
    step: int = 0


torch.export.register_dataclass(TransformerState)


class TransformerDecoder(Decoder[TransformerState]):
    """Layers of causal self-attention, cross-attention and feed-forward networks.

    A language model has no cross-attention. Layers without self-attention have an SSRU.
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
        attentions: list[tuple[Attention | None, Attention | None]],
    ) -> None:
        super().__init__()
        self.dim, self.max_positions = shape.dim, positions.max_positions
        self.input = TransformerInput(positions, shape.dropout)
        self.blocks = Stack[DecoderBlock](DecoderBlock(shape, *pair) for pair in attentions)
        self.norm = shape.final_norm()
        init_xavier(self.blocks)
        self.cross_attentions = tuple(
            f"blocks.{i}.cross_attention"
            for i, (_, cross) in enumerate(attentions)
            if cross is not None
        )

    def start(self, source: Encoded) -> TransformerState:
        return TransformerState(tuple(block.build_memory(source) for block in self.blocks), ())

    def forward(self, inputs: States, state: TransformerState) -> tuple[Decoded, TransformerState]:
        x = self.input(inputs, state.step)
        past = []
        for i, block in enumerate(self.blocks):
            x, grown = block(x, state.past[i] if state.past else None, state.source[i], state.step)
            past.append(grown)
        next_state = TransformerState(state.source, tuple(past), state.step + inputs.size(1))
        return Decoded(self.norm(x)), next_state


class SSRUDecoder(TransformerDecoder):
    """A Transformer decoder whose layers have an SSRU instead of self-attention."""

    equation = Equation(
        "transformer-ssru",
        "f_t = σ(W_f y_t + b),  c_t = f_t ⊙ c_{t−1} + (1 − f_t) ⊙ W y_t,  y_t ← y_t + relu(c_t),  "
        "y ← y + attend(y over x),  y ← y + feed(y), in every layer",
        "Kim et al. 2019, 3.1",
    )

    def __init__(
        self, positions: Positions, shape: BlockShape, cross_attentions: list[Attention]
    ) -> None:
        super().__init__(positions, shape, [(None, cross) for cross in cross_attentions])


def init_xavier(blocks: nn.Module) -> None:
    """Glorot's uniform initialization, with biases at zero, as in the authors' code."""
    for name, parameter in blocks.named_parameters():
        if parameter.dim() == 2:
            nn.init.xavier_uniform_(parameter)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
