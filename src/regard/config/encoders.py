"""The grammar of encoders: everything that can be said of what reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Field, PositiveInt
from torch import nn

from regard.attention import Equation
from regard.config import attention as grammar
from regard.config.attention import AttentionConfig, AttentionUse, Depth, Fraction
from regard.config.base import Config
from regard.data.formats.grids import FeatureGrid
from regard.data.formats.images import ImageFrame
from regard.errors import ConfigError
from regard.nn.embedding import LearnedPositions, Positions, Sinusoids
from regard.nn.image import ConvBackbone, GridEncoder, ImageEncoder
from regard.nn.interfaces import Encoder
from regard.nn.pooling import AttentionPooling, HierarchicalEncoder
from regard.nn.rnn import RecurrentEncoder, RecurrentStack
from regard.nn.rnn_decoders import Cell
from regard.nn.transformer import BlockShape, TransformerEncoder

EmbeddingFactory: TypeAlias = Callable[[], nn.Embedding]
"""Makes the table of source words, where one is wanted: an image has none."""


class RecurrentStackConfig(Config):
    dim: PositiveInt  # of the states of one direction
    cell: Cell = "gru"
    layers: Depth = 1
    bidirectional: bool = True

    def build_stack(self, input_dim: int, dropout: float) -> RecurrentStack:
        return RecurrentStack(
            input_dim,
            self.dim,
            cell=self.cell,
            layers=self.layers,
            bidirectional=self.bidirectional,
            dropout=dropout,
        )


class RecurrentEncoderConfig(RecurrentStackConfig):
    equation: ClassVar[Equation] = RecurrentEncoder.equation
    reads: ClassVar[str] = "sentences"
    states: ClassVar[str] = "RNN states"
    kind: Literal["recurrent"] = "recurrent"
    dropout: Fraction = 0.0

    def build(self, words: EmbeddingFactory) -> Encoder[Any]:
        table = words()
        reading = self.build_stack(table.embedding_dim, self.dropout)
        return RecurrentEncoder(table, reading, dropout=self.dropout)

    def attention_uses(self) -> list[AttentionUse]:
        return []


class TransformerConfig(Config):
    """What Transformer encoders and decoders have in common."""

    dim: PositiveInt
    hidden_dim: PositiveInt
    layers: Depth = 6
    activation: Literal["relu", "gelu"] = "relu"
    norm: Literal["pre", "post"] = "pre"
    positions: Literal["sinusoidal", "learned"] = "sinusoidal"
    max_positions: PositiveInt = 1024  # the longest sentence that learned positions know
    dropout: Fraction = 0.1

    def shape(self) -> BlockShape:
        return BlockShape(self.dim, self.hidden_dim, self.activation, self.norm, self.dropout)

    def check_embedding_dim(self, embedding_dim: int) -> None:
        if self.dim != embedding_dim:
            raise ConfigError(
                f"embedding: a Transformer adds to its input, so a word's vector must be as wide "
                f"as the model: {embedding_dim} is not {self.dim}"
            )

    def build_positions(self) -> Positions:
        if self.positions == "learned":
            return LearnedPositions(self.max_positions, self.dim)
        if self.dim % 2:
            raise ConfigError(f"dim: sinusoids come in pairs, and {self.dim} is odd")
        return Sinusoids()


class TransformerEncoderConfig(TransformerConfig):
    equation: ClassVar[Equation] = TransformerEncoder.equation
    reads: ClassVar[str] = "sentences"
    states: ClassVar[str] = "encoder states"
    kind: Literal["transformer"] = "transformer"
    self_attention: AttentionConfig = AttentionConfig(score=grammar.ScaledDotConfig(heads=8))

    def build(self, words: EmbeddingFactory) -> Encoder[Any]:
        table = words()
        self.check_embedding_dim(table.embedding_dim)
        own = [self.self_attention.build(self.dim, self.dim, self.dim) for _ in range(self.layers)]
        return TransformerEncoder(table, self.build_positions(), self.shape(), own)

    def attention_uses(self) -> list[AttentionUse]:
        return [AttentionUse("x_s", "the source's own states", "in the block", self.self_attention)]


class ImageEncoderConfig(Config):
    equation: ClassVar[Equation] = ImageEncoder.equation
    reads: ClassVar[str] = "images"
    states: ClassVar[str] = "image regions"
    kind: Literal["image"] = "image"
    height: PositiveInt = 224  # of a picture, in pixels
    width: PositiveInt = 224
    channels: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (32, 64, 128, 256)
    positional_encoding: bool = False  # tell each region where it is

    @property
    def grid(self) -> tuple[int, int]:
        """The rows and columns of regions."""
        side = 2 ** len(self.channels)
        return self.height // side, self.width // side

    def image_input(self) -> ImageFrame:
        return ImageFrame(self.height, self.width)

    def build(self, words: EmbeddingFactory) -> Encoder[Any]:
        _check_positional_dim(self.positional_encoding, "channels", self.channels[-1])
        side = 2 ** len(self.channels)
        if self.height % side or self.width % side:
            raise ConfigError(
                f"height, width: {len(self.channels)} channels make regions of {side} pixels: "
                f"{self.height} × {self.width} is no number of them; choose multiples of {side}"
            )
        return ImageEncoder(
            ConvBackbone(list(self.channels)),
            self.channels[-1],
            positional_encoding=self.positional_encoding,
        )

    def attention_uses(self) -> list[AttentionUse]:
        return []


class GridEncoderConfig(Config):
    """What a frozen backbone of the user's own saw, kept in safetensors."""

    equation: ClassVar[Equation] = GridEncoder.equation
    reads: ClassVar[str] = "images"
    states: ClassVar[str] = "image regions"
    kind: Literal["grid"] = "grid"
    rows: PositiveInt = 7
    columns: PositiveInt = 7
    features: PositiveInt  # of a region
    dim: PositiveInt = 512  # that they are projected to
    positional_encoding: bool = False

    @property
    def grid(self) -> tuple[int, int]:
        return self.rows, self.columns

    def image_input(self) -> FeatureGrid:
        return FeatureGrid(self.rows, self.columns, self.features)

    def build(self, words: EmbeddingFactory) -> Encoder[Any]:
        _check_positional_dim(self.positional_encoding, "dim", self.dim)
        return GridEncoder(self.features, self.dim, positional_encoding=self.positional_encoding)

    def attention_uses(self) -> list[AttentionUse]:
        return []


def _check_positional_dim(places: bool, name: str, dim: int) -> None:
    if places and dim % 4:
        raise ConfigError(f"{name}: places are told in fours of numbers, and {dim} is no multiple")


class HierarchicalEncoderConfig(Config):
    equation: ClassVar[Equation] = HierarchicalEncoder.equation
    reads: ClassVar[str] = "documents"
    kind: Literal["hierarchical"] = "hierarchical"
    words: RecurrentStackConfig
    sentences: RecurrentStackConfig
    pool: AttentionConfig = AttentionConfig(score=grammar.PerceptronConfig())
    dropout: Fraction = 0.0

    @property
    def layers(self) -> int:
        return self.words.layers + self.sentences.layers

    @property
    def dim(self) -> int:
        return self.sentences.dim

    def build(self, words: EmbeddingFactory) -> Encoder[Any]:
        table = words()
        reading = self.words.build_stack(table.embedding_dim, self.dropout)
        above = self.sentences.build_stack(reading.dim, self.dropout)
        return HierarchicalEncoder(
            table, self._level(reading), self._level(above), dropout=self.dropout
        )

    def _level(self, reading: RecurrentStack) -> tuple[RecurrentStack, AttentionPooling]:
        return reading, AttentionPooling(self.pool.build(reading.dim, reading.dim), reading.dim)

    def attention_uses(self) -> list[AttentionUse]:
        return [
            AttentionUse("a learned vector", f"{states} states", "once: a pool", self.pool)
            for states in ("word", "sentence")
        ]


SourceEncoder = Annotated[
    RecurrentEncoderConfig | TransformerEncoderConfig | ImageEncoderConfig | GridEncoderConfig,
    Field(discriminator="kind"),
]
AnyEncoder = Annotated[
    RecurrentEncoderConfig
    | TransformerEncoderConfig
    | ImageEncoderConfig
    | GridEncoderConfig
    | HierarchicalEncoderConfig,
    Field(discriminator="kind"),
]
