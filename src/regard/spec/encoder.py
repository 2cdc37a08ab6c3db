"""The grammar of encoders: everything that can be said of what reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Field, PositiveInt
from torch import nn

from regard.data.grids import Grid
from regard.data.images import Frame
from regard.errors import SpecError
from regard.nn.embed import LearnedPositions, Positions, Sinusoids
from regard.nn.encoded import Encoder
from regard.nn.image import GridEncoder, ImageEncoder, Trunk
from regard.nn.pool import HierarchicalEncoder, Pool
from regard.nn.recurrent import Cell, Reading, RecurrentEncoder
from regard.nn.transformer import Shape, TransformerEncoder
from regard.spec import attention as grammar
from regard.spec.attention import Attention, Depth, Look, Share
from regard.spec.spec import Spec

Words: TypeAlias = Callable[[], nn.Embedding]
"""Makes the table of source words, where one is wanted: an image has none."""


class Recurrence(Spec):
    dim: PositiveInt  # of the states of one direction
    cell: Cell = "gru"
    layers: Depth = 1
    bidirectional: bool = True

    def build_reading(self, input_dim: int, dropout: float) -> Reading:
        return Reading(
            input_dim,
            self.dim,
            cell=self.cell,
            layers=self.layers,
            bidirectional=self.bidirectional,
            dropout=dropout,
        )


class RecurrentEncoderSpec(Recurrence):
    part: ClassVar[Any] = RecurrentEncoder
    reads: ClassVar[str] = "sentences"
    states: ClassVar[str] = "RNN states"
    kind: Literal["recurrent"] = "recurrent"
    dropout: Share = 0.0

    def build(self, words: Words) -> Encoder[Any]:
        table = words()
        reading = self.build_reading(table.embedding_dim, self.dropout)
        return RecurrentEncoder(table, reading, dropout=self.dropout)

    def looks(self) -> list[Look]:
        return []


class TransformerStack(Spec):
    """What Transformer encoders and decoders have in common."""

    dim: PositiveInt
    hidden_dim: PositiveInt
    layers: Depth = 6
    activation: Literal["relu", "gelu"] = "relu"
    norm: Literal["before", "after"] = "before"
    positions: Literal["sinusoids", "learned"] = "sinusoids"
    limit: PositiveInt = 1024  # the longest sentence that learned positions know
    dropout: Share = 0.1

    def shape(self) -> Shape:
        return Shape(self.dim, self.hidden_dim, self.activation, self.norm, self.dropout)

    def must_be_as_wide_as(self, embedding_dim: int) -> None:
        if self.dim != embedding_dim:
            raise SpecError(
                f"embedding: a Transformer adds to its input, so a word's vector must be as wide "
                f"as the model: {embedding_dim} is not {self.dim}"
            )

    def build_positions(self) -> Positions:
        if self.positions == "learned":
            return LearnedPositions(self.limit, self.dim)
        if self.dim % 2:
            raise SpecError(f"dim: sinusoids come in pairs, and {self.dim} is odd")
        return Sinusoids()


class TransformerEncoderSpec(TransformerStack):
    part: ClassVar[Any] = TransformerEncoder
    reads: ClassVar[str] = "sentences"
    states: ClassVar[str] = "encoder states"
    kind: Literal["transformer"] = "transformer"
    own: Attention = Attention(score=grammar.ScaledDot(heads=8))

    def build(self, words: Words) -> Encoder[Any]:
        table = words()
        self.must_be_as_wide_as(table.embedding_dim)
        own = [self.own.build(self.dim, self.dim, self.dim) for _ in range(self.layers)]
        return TransformerEncoder(table, self.build_positions(), self.shape(), own)

    def looks(self) -> list[Look]:
        return [Look("x_s", "the source's own states", "in the block", self.own)]


class ImageEncoderSpec(Spec):
    part: ClassVar[Any] = ImageEncoder
    reads: ClassVar[str] = "images"
    states: ClassVar[str] = "image regions"
    kind: Literal["image"] = "image"
    height: PositiveInt = 224  # of a picture, in pixels
    width: PositiveInt = 224
    channels: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (32, 64, 128, 256)
    places: bool = False  # tell each region where it is

    @property
    def grid(self) -> tuple[int, int]:
        """The rows and columns of regions."""
        side = 2 ** len(self.channels)
        return self.height // side, self.width // side

    def sight(self) -> Frame:
        return Frame(self.height, self.width)

    def build(self, words: Words) -> Encoder[Any]:
        _must_hold_places(self.places, "channels", self.channels[-1])
        side = 2 ** len(self.channels)
        if self.height % side or self.width % side:
            raise SpecError(
                f"height, width: {len(self.channels)} channels make regions of {side} pixels: "
                f"{self.height} × {self.width} is no number of them; choose multiples of {side}"
            )
        return ImageEncoder(Trunk(list(self.channels)), self.channels[-1], places=self.places)

    def looks(self) -> list[Look]:
        return []


class GridEncoderSpec(Spec):
    """What a frozen backbone of the user's own saw, kept in safetensors."""

    part: ClassVar[Any] = GridEncoder
    reads: ClassVar[str] = "images"
    states: ClassVar[str] = "image regions"
    kind: Literal["grid"] = "grid"
    rows: PositiveInt = 7
    columns: PositiveInt = 7
    features: PositiveInt  # of a region
    dim: PositiveInt = 512  # that they are projected to
    places: bool = False

    @property
    def grid(self) -> tuple[int, int]:
        return self.rows, self.columns

    def sight(self) -> Grid:
        return Grid(self.rows, self.columns, self.features)

    def build(self, words: Words) -> Encoder[Any]:
        _must_hold_places(self.places, "dim", self.dim)
        return GridEncoder(self.features, self.dim, places=self.places)

    def looks(self) -> list[Look]:
        return []


def _must_hold_places(places: bool, name: str, dim: int) -> None:
    if places and dim % 4:
        raise SpecError(f"{name}: places are told in fours of numbers, and {dim} is no multiple")


class HierarchicalEncoderSpec(Spec):
    part: ClassVar[Any] = HierarchicalEncoder
    reads: ClassVar[str] = "documents"
    kind: Literal["hierarchical"] = "hierarchical"
    words: Recurrence
    sentences: Recurrence
    pool: Attention = Attention(score=grammar.Perceptron())
    dropout: Share = 0.0

    @property
    def layers(self) -> int:
        return self.words.layers + self.sentences.layers

    @property
    def dim(self) -> int:
        return self.sentences.dim

    def build(self, words: Words) -> Encoder[Any]:
        table = words()
        reading = self.words.build_reading(table.embedding_dim, self.dropout)
        above = self.sentences.build_reading(reading.dim, self.dropout)
        return HierarchicalEncoder(
            table, self._level(reading), self._level(above), dropout=self.dropout
        )

    def _level(self, reading: Reading) -> tuple[Reading, Pool]:
        return reading, Pool(self.pool.build(reading.dim, reading.dim), reading.dim)

    def looks(self) -> list[Look]:
        return [
            Look("a learned vector", f"{states} states", "once: a pool", self.pool)
            for states in ("word", "sentence")
        ]


SourceEncoder = Annotated[
    RecurrentEncoderSpec | TransformerEncoderSpec | ImageEncoderSpec | GridEncoderSpec,
    Field(discriminator="kind"),
]
AnyEncoder = Annotated[
    RecurrentEncoderSpec
    | TransformerEncoderSpec
    | ImageEncoderSpec
    | GridEncoderSpec
    | HierarchicalEncoderSpec,
    Field(discriminator="kind"),
]
