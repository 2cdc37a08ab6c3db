"""Configs of encoders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Field
from torch import nn

from regard.attention import Equation
from regard.config.attention import (
    AttentionUse,
    Depth,
    Fraction,
    PerceptronConfig,
    PoolingAttentionConfig,
    ScaledDotConfig,
    Size,
    SoftAttentionConfig,
)
from regard.config.base import Config
from regard.data.formats.images import FeatureGrid, ImageFrame
from regard.errors import ConfigError
from regard.nn.embedding import LearnedPositions, Positions, Sinusoids
from regard.nn.image import (
    AttentionPooling,
    ConvBackbone,
    GridEncoder,
    HierarchicalEncoder,
    ImageEncoder,
)
from regard.nn.interfaces import Encoder
from regard.nn.rnn import EMBEDDING_STD, Cell, RecurrentEncoder, RecurrentStack
from regard.nn.transformer import BlockShape, TransformerEncoder

EmbeddingFactory: TypeAlias = Callable[[float], nn.Embedding]
"""Creates the source embedding. An encoder of images does not call it."""


class RecurrentStackConfig(Config):
    dim: Size  # size of the states of one direction
    cell: Cell = "gru"  # kind of recurrent cell
    layers: Depth = 1  # number of layers
    bidirectional: bool = True  # read the sequence in both directions

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
    reverse: bool = False  # read the words from the last to the first (Sutskever et al. 2014)
    dropout: Fraction = 0.0  # of embeddings, and between layers

    def build(self, make_embedding: EmbeddingFactory) -> Encoder[Any]:
        if self.reverse and self.bidirectional:
            raise ConfigError(
                "model.encoder.reverse: a bidirectional encoder reads the words in both orders. "
                "Set it to false, or set bidirectional to false"
            )
        embedding = make_embedding(EMBEDDING_STD)
        stack = self.build_stack(embedding.embedding_dim, self.dropout)
        return RecurrentEncoder(embedding, stack, reverse=self.reverse, dropout=self.dropout)

    def attention_uses(self) -> list[AttentionUse]:
        return []


class TransformerConfig(Config):
    """Fields of Transformer encoders and decoders."""

    dim: Size  # size of the states; must equal model.embedding_dim
    hidden_dim: Size  # hidden size of the feed-forward layers
    layers: Depth = 6  # number of layers
    # Of the feed-forward layers. swish: x σ(x). sigmoid-gelu: x σ(1.702 x), the gelu of Marian.
    activation: Literal["relu", "gelu", "swish", "sigmoid-gelu"] = "relu"
    norm: Literal["pre", "post"] = "pre"  # layer normalization before or after each sublayer
    norm_eps: Annotated[float, Field(ge=1e-30, lt=1)] = 1e-5  # added to the variance
    # Positional encoding. sinusoidal-inclusive: the rates end at 1/10000, as in Marian.
    positions: Literal["sinusoidal", "sinusoidal-inclusive", "learned"] = "sinusoidal"
    max_positions: Size = 1024  # number of learned positions
    dropout: Fraction = 0.1  # of embeddings and sublayers
    scale_embedding: bool = True  # multiply the token embeddings by √dim

    @property
    def embedding_std(self) -> float:
        return 1.0 if self.scale_embedding else self.dim**-0.5

    def shape(self) -> BlockShape:
        return BlockShape(
            self.dim, self.hidden_dim, self.activation, self.norm, self.dropout, self.norm_eps
        )

    def check_embedding_dim(self, embedding_dim: int) -> None:
        if self.dim != embedding_dim:
            raise ConfigError(
                f"model.embedding_dim: must equal the dim of the Transformer, {self.dim}, "
                f"not {embedding_dim}"
            )

    def build_positions(self) -> Positions:
        if self.positions == "learned":
            return LearnedPositions(self.max_positions, self.dim)
        if self.dim % 2:
            raise ConfigError(f"dim: sinusoidal positions need an even number, not {self.dim}")
        return Sinusoids(inclusive=self.positions == "sinusoidal-inclusive")


class TransformerEncoderConfig(TransformerConfig):
    equation: ClassVar[Equation] = TransformerEncoder.equation
    reads: ClassVar[str] = "sentences"
    states: ClassVar[str] = "encoder states"
    kind: Literal["transformer"] = "transformer"
    # Attention of each position to all positions of the source.
    self_attention: SoftAttentionConfig = SoftAttentionConfig(score=ScaledDotConfig(heads=8))

    def build(self, make_embedding: EmbeddingFactory) -> Encoder[Any]:
        embedding = make_embedding(self.embedding_std)
        self.check_embedding_dim(embedding.embedding_dim)
        attentions = [
            self.self_attention.build(self.dim, self.dim, self.dim) for _ in range(self.layers)
        ]
        return TransformerEncoder(embedding, self.build_positions(), self.shape(), attentions)

    def attention_uses(self) -> list[AttentionUse]:
        return [AttentionUse("x_s", "encoder states", "in each layer", self.self_attention)]


class ImageEncoderConfig(Config):
    equation: ClassVar[Equation] = ImageEncoder.equation
    reads: ClassVar[str] = "images"
    states: ClassVar[str] = "image regions"
    kind: Literal["image"] = "image"
    height: Size = 224  # images are resized to height × width pixels
    width: Size = 224  # of the resized images
    # Channels of each convolution stage. A stage halves height and width.
    channels: Annotated[tuple[Size, ...], Field(min_length=1)] = (32, 64, 128, 256)
    positional_encoding: bool = False  # add a 2-D positional encoding to the regions

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of image regions."""
        side = 2 ** len(self.channels)
        return self.height // side, self.width // side

    def image_input(self) -> ImageFrame:
        return ImageFrame(self.height, self.width)

    def build(self, make_embedding: EmbeddingFactory) -> Encoder[Any]:
        _check_positional_dim(self.positional_encoding, "channels", self.channels[-1])
        side = 2 ** len(self.channels)
        if self.height % side or self.width % side:
            raise ConfigError(
                f"model.encoder: height and width must be multiples of {side} with "
                f"{len(self.channels)} stages, not {self.height} × {self.width}"
            )
        return ImageEncoder(
            ConvBackbone(list(self.channels)),
            self.channels[-1],
            positional_encoding=self.positional_encoding,
        )

    def attention_uses(self) -> list[AttentionUse]:
        return []


class GridEncoderConfig(Config):
    """An encoder of image features that another network computed, read from safetensors files."""

    equation: ClassVar[Equation] = GridEncoder.equation
    reads: ClassVar[str] = "images"
    states: ClassVar[str] = "image regions"
    kind: Literal["grid"] = "grid"
    rows: Size = 7  # of the grid of regions
    columns: Size = 7  # of the grid of regions
    features: Size  # number of features of a region
    dim: Size = 512  # size that the features are projected to
    positional_encoding: bool = False  # add a 2-D positional encoding to the regions

    @property
    def grid(self) -> tuple[int, int]:
        return self.rows, self.columns

    def image_input(self) -> FeatureGrid:
        return FeatureGrid(self.rows, self.columns, self.features)

    def build(self, make_embedding: EmbeddingFactory) -> Encoder[Any]:
        _check_positional_dim(self.positional_encoding, "dim", self.dim)
        return GridEncoder(self.features, self.dim, positional_encoding=self.positional_encoding)

    def attention_uses(self) -> list[AttentionUse]:
        return []


def _check_positional_dim(positional_encoding: bool, field: str, dim: int) -> None:
    if positional_encoding and dim % 4:
        raise ConfigError(
            f"model.encoder.{field}: must be a multiple of 4 with positional_encoding, not {dim}"
        )


class HierarchicalEncoderConfig(Config):
    equation: ClassVar[Equation] = HierarchicalEncoder.equation
    reads: ClassVar[str] = "documents"
    kind: Literal["hierarchical"] = "hierarchical"
    words: RecurrentStackConfig  # reads the words of a sentence
    sentences: RecurrentStackConfig  # reads the sentences of a document
    # Pooling of words and of sentences.
    pool: PoolingAttentionConfig = PoolingAttentionConfig(score=PerceptronConfig())
    dropout: Fraction = 0.0  # of embeddings and sentence vectors, and between layers

    @property
    def layers(self) -> int:
        return self.words.layers + self.sentences.layers

    @property
    def dim(self) -> int:
        return self.sentences.dim

    def build(self, make_embedding: EmbeddingFactory) -> Encoder[Any]:
        embedding = make_embedding(EMBEDDING_STD)
        words = self.words.build_stack(embedding.embedding_dim, self.dropout)
        sentences = self.sentences.build_stack(words.dim, self.dropout)
        return HierarchicalEncoder(
            embedding, self._level(words), self._level(sentences), dropout=self.dropout
        )

    def _level(self, stack: RecurrentStack) -> tuple[RecurrentStack, AttentionPooling]:
        return stack, AttentionPooling(self.pool.build(stack.dim, stack.dim), stack.dim)

    def attention_uses(self) -> list[AttentionUse]:
        return [
            AttentionUse("learned vector", f"{states} states", "pooling", self.pool)
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
