"""The grammar of decoders: everything that can be said of what speaks."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, PositiveInt

from regard.errors import SpecError
from regard.nn.decoder import Decoder
from regard.nn.intra import LSTMN, Recall
from regard.nn.output import DeepOutput, Maxout, Sum
from regard.nn.recurrent import AskAfter, AskBefore, Cell, Cells, NeverAsk
from regard.nn.transformer import TransformerDecoder
from regard.spec import attention as grammar
from regard.spec.attention import Attention, Depth, Look, Share
from regard.spec.encoder import TransformerStack
from regard.spec.spec import Spec


class RecurrentSpeaker(Spec):
    """What recurrent decoders have in common."""

    dim: PositiveInt
    cell: Cell = "gru"
    layers: Depth = 1
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

    @property
    def reach(self) -> int | None:
        return self.limit if self.positions == "learned" else None

    def build(self, input_dim: int) -> Decoder[Any]:
        self.must_be_as_wide_as(input_dim)
        own = [self.own.build(self.dim, self.dim, self.dim) for _ in range(self.layers)]
        return TransformerDecoder(self.build_positions(), self.shape(), [(o, None) for o in own])

    def looks(self) -> list[Look]:
        return [Look("y_t", "its own past", "in the block", self.own)]


class RecallSpec(RecurrentSpeaker):
    part: ClassVar[Any] = Recall
    reach: ClassVar[int | None] = None  # the most words that it can read; None: any number
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
    layers: ClassVar[int] = 1
    reach: ClassVar[int | None] = None
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
