"""The grammar of a model: everything that can be said of one in a run file.

The parts of a model know nothing of specs. To give a new part a name, add a spec here and put it
in its union; every law then runs over it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Field, PositiveInt
from torch import nn

from regard.errors import SpecError
from regard.models import Classifier, EncoderDecoder, LanguageModel
from regard.nn.decoder import Decoder
from regard.nn.embed import LearnedPositions, Positions, Sinusoids, embedding
from regard.nn.encoded import Encoder
from regard.nn.image import ImageEncoder, Trunk
from regard.nn.intra import LSTMN, Recall
from regard.nn.output import DeepOutput, Maxout, Sum
from regard.nn.pool import HierarchicalEncoder, Pool
from regard.nn.recurrent import AskAfter, AskBefore, Cells, NeverAsk, Reading, RecurrentEncoder
from regard.nn.transformer import Shape, TransformerDecoder, TransformerEncoder
from regard.spec import attention as grammar
from regard.spec.attention import Attention, Share
from regard.spec.spec import Spec

Cell = Literal["gru", "lstm"]
Words: TypeAlias = Callable[[], nn.Embedding]
"""Makes the table of source words, where one is wanted: an image has none."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """What only the data can say: how many source tokens there are, how many target tokens or
    classes."""

    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Look:
    """One way in which a model uses attention: who asks whom, and when."""

    query: str
    memory: str
    asked: str
    attention: Attention


# -- what reads ----------------------------------------------------------------------------------


class Recurrence(Spec):
    dim: PositiveInt  # of the states of one direction
    cell: Cell = "gru"
    layers: PositiveInt = 1
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
    layers: PositiveInt = 6
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
    states: ClassVar[str] = "image regions"
    kind: Literal["image"] = "image"
    channels: tuple[PositiveInt, ...] = (32, 64, 128, 256)  # each halves the picture

    def build(self, words: Words) -> Encoder[Any]:
        return ImageEncoder(Trunk(list(self.channels)), self.channels[-1])

    def looks(self) -> list[Look]:
        return []


class HierarchicalEncoderSpec(Spec):
    part: ClassVar[Any] = HierarchicalEncoder
    kind: Literal["hierarchical"] = "hierarchical"
    words: Recurrence
    sentences: Recurrence
    pool: Attention = Attention(score=grammar.Perceptron())
    dropout: Share = 0.0

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
    RecurrentEncoderSpec | TransformerEncoderSpec | ImageEncoderSpec, Field(discriminator="kind")
]
AnyEncoder = Annotated[
    RecurrentEncoderSpec | TransformerEncoderSpec | ImageEncoderSpec | HierarchicalEncoderSpec,
    Field(discriminator="kind"),
]

# -- what says -----------------------------------------------------------------------------------


class RecurrentSpeaker(Spec):
    """What recurrent decoders have in common."""

    dim: PositiveInt
    cell: Cell = "gru"
    layers: PositiveInt = 1
    dropout: Share = 0.0

    def cells(self, input_dim: int) -> Cells:
        return Cells(input_dim, self.dim, cell=self.cell, layers=self.layers, dropout=self.dropout)


class NeverAskSpec(RecurrentSpeaker):
    part: ClassVar[Any] = NeverAsk
    kind: Literal["never-ask"] = "never-ask"

    def build(self, input_dim: int, source_dim: int) -> Decoder[Any]:
        return NeverAsk(self.cells(input_dim), source_dim, dropout=self.dropout)

    def looks(self, states: str) -> list[Look]:
        return []


class AskBeforeSpec(RecurrentSpeaker):
    part: ClassVar[Any] = AskBefore
    kind: Literal["ask-before"] = "ask-before"
    attention: Attention
    output: Literal["maxout", "sum"] = "maxout"  # Bahdanau's, Xu's
    gate: bool = False  # Xu's: how much of the context is let in

    def build(self, input_dim: int, source_dim: int) -> Decoder[Any]:
        deep: DeepOutput = (
            Maxout(self.dim, input_dim, source_dim, input_dim)
            if self.output == "maxout"
            else Sum(self.dim, input_dim, source_dim)
        )
        return AskBefore(
            self.cells(input_dim + source_dim),
            source_dim,
            self.attention.build(self.dim, source_dim),
            deep,
            gate=self.gate,
            dropout=self.dropout,
        )

    def looks(self, states: str) -> list[Look]:
        return [Look("s_{t−1}", states, "before the cell", self.attention)]


class AskAfterSpec(RecurrentSpeaker):
    part: ClassVar[Any] = AskAfter
    kind: Literal["ask-after"] = "ask-after"
    attention: Attention
    feed: bool = True  # Luong's input feeding; without it the whole target is read at once

    def build(self, input_dim: int, source_dim: int) -> Decoder[Any]:
        return AskAfter(
            self.cells(input_dim + (self.dim if self.feed else 0)),
            source_dim,
            self.attention.build(self.dim, source_dim),
            source_dim,
            feed=self.feed,
            dropout=self.dropout,
        )

    def looks(self, states: str) -> list[Look]:
        asked = "after the cell, and fed to the next" if self.feed else "after the cell"
        return [Look("s_t", states, asked, self.attention)]


OWN_PAST = Attention(score=grammar.ScaledDot(heads=8), span=grammar.Causal())


class TransformerDecoderSpec(TransformerStack):
    part: ClassVar[Any] = TransformerDecoder
    kind: Literal["transformer"] = "transformer"
    own: Attention = OWN_PAST
    source: Attention = Attention(score=grammar.ScaledDot(heads=8))

    def build(self, input_dim: int, source_dim: int) -> Decoder[Any]:
        self.must_be_as_wide_as(input_dim)
        attentions = [
            (
                self.own.build(self.dim, self.dim, self.dim),
                self.source.build(self.dim, source_dim, self.dim),
            )
            for _ in range(self.layers)
        ]
        return TransformerDecoder(self.build_positions(), self.shape(), list(attentions))

    def looks(self, states: str) -> list[Look]:
        return [
            Look("y_t", "its own past", "in the block", self.own),
            Look("y_t", states, "in the block", self.source),
        ]


class TransformerSpeakerSpec(TransformerStack):
    part: ClassVar[Any] = TransformerDecoder
    kind: Literal["transformer"] = "transformer"
    own: Attention = OWN_PAST

    def build(self, input_dim: int) -> Decoder[Any]:
        self.must_be_as_wide_as(input_dim)
        own = [self.own.build(self.dim, self.dim, self.dim) for _ in range(self.layers)]
        return TransformerDecoder(self.build_positions(), self.shape(), [(o, None) for o in own])

    def looks(self) -> list[Look]:
        return [Look("y_t", "its own past", "in the block", self.own)]


class RecallSpec(RecurrentSpeaker):
    part: ClassVar[Any] = Recall
    kind: Literal["recall"] = "recall"
    attention: Attention

    def build(self, input_dim: int) -> Decoder[Any]:
        return Recall(
            self.cells(input_dim),
            self.attention.build(self.dim, self.dim),
            self.dim,
            dropout=self.dropout,
        )

    def looks(self) -> list[Look]:
        return [Look("s_t", "its own past", "after the cell", self.attention)]


class LSTMNSpec(Spec):
    part: ClassVar[Any] = LSTMN
    kind: Literal["lstmn"] = "lstmn"
    dim: PositiveInt
    attention: Attention
    dropout: Share = 0.0

    def build(self, input_dim: int) -> Decoder[Any]:
        if self.attention.score.heads > 1:
            raise SpecError("attention.score.heads: an LSTMN recalls one state, with one head")
        attention = self.attention.build(input_dim + self.dim, self.dim)
        return LSTMN(input_dim, self.dim, attention, dropout=self.dropout)

    def looks(self) -> list[Look]:
        return [Look("[x_t; h̃_{t−1}]", "its own past", "each step", self.attention)]


SourceDecoder = Annotated[
    NeverAskSpec | AskBeforeSpec | AskAfterSpec | TransformerDecoderSpec,
    Field(discriminator="kind"),
]
Speaker = Annotated[TransformerSpeakerSpec | RecallSpec | LSTMNSpec, Field(discriminator="kind")]

# -- whole models --------------------------------------------------------------------------------


class EncoderDecoderSpec(Spec):
    part: ClassVar[Any] = EncoderDecoder
    kind: Literal["encoder-decoder"] = "encoder-decoder"
    embedding: PositiveInt  # the width of a word's vector
    encoder: SourceEncoder
    decoder: SourceDecoder
    tie: Literal["none", "readout", "all"] = "none"  # one table for input and output; and source

    def build(self, sizes: Sizes) -> EncoderDecoder[Any, Any]:
        words = embedding(sizes.target, self.embedding)

        def source_words() -> nn.Embedding:
            if self.tie != "all":
                return embedding(sizes.source, self.embedding)
            if sizes.source != sizes.target:
                raise SpecError(
                    f"tie: all needs one vocabulary, not {sizes.source} source tokens and "
                    f"{sizes.target} target tokens; say readout, or train a joint vocabulary"
                )
            return words

        encoder = self.encoder.build(source_words)
        decoder = self.decoder.build(self.embedding, encoder.dim)
        readout = build_readout(decoder.dim, words, tied=self.tie != "none")
        return EncoderDecoder(encoder, decoder, words, readout)

    def looks(self) -> list[Look]:
        return self.encoder.looks() + self.decoder.looks(self.encoder.states)


class LanguageModelSpec(Spec):
    part: ClassVar[Any] = LanguageModel
    kind: Literal["language-model"] = "language-model"
    embedding: PositiveInt
    decoder: Speaker
    tie: Literal["none", "readout"] = "none"

    def build(self, sizes: Sizes) -> LanguageModel[Any]:
        words = embedding(sizes.target, self.embedding)
        decoder = self.decoder.build(self.embedding)
        readout = build_readout(decoder.dim, words, tied=self.tie != "none")
        return LanguageModel(decoder, words, readout)

    def looks(self) -> list[Look]:
        return self.decoder.looks()


class ClassifierSpec(Spec):
    part: ClassVar[Any] = Classifier
    kind: Literal["classifier"] = "classifier"
    embedding: PositiveInt
    encoder: AnyEncoder
    dropout: Share = 0.0

    def build(self, sizes: Sizes) -> Classifier[Any]:
        encoder = self.encoder.build(lambda: embedding(sizes.source, self.embedding))
        return Classifier(encoder, sizes.target, dropout=self.dropout)

    def looks(self) -> list[Look]:
        return self.encoder.looks()


Model = Annotated[
    EncoderDecoderSpec | LanguageModelSpec | ClassifierSpec, Field(discriminator="kind")
]


def build_readout(dim: int, words: nn.Embedding, *, tied: bool) -> nn.Linear:
    """Logits from what is about to be said; tied, the table of words read the other way round."""
    readout = nn.Linear(dim, words.num_embeddings)
    if tied:
        if dim != words.embedding_dim:
            raise SpecError(
                f"tie: what the decoder says has {dim} numbers and a word's vector "
                f"{words.embedding_dim}; make them equal, or say none"
            )
        readout.weight = words.weight
    return readout
