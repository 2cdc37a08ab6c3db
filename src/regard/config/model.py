"""Configs of whole models and of decoders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field
from torch import nn

from regard.attention import Equation
from regard.config.attention import (
    PAST_STATES,
    AttentionConfig,
    AttentionUse,
    CausalAttentionConfig,
    Depth,
    Fraction,
    ScaledDotConfig,
    Size,
    SoftAttentionConfig,
)
from regard.config.base import Config
from regard.config.encoders import AnyEncoder, SourceEncoder, TransformerConfig
from regard.config.registry import MechanismConfig, register
from regard.errors import ConfigError
from regard.models import Classifier, EncoderDecoder, LanguageModel
from regard.nn.embedding import DeepOutput, Embedding, MaxoutOutput, SumOutput, TanhOutput
from regard.nn.interfaces import Decoder, Encoder
from regard.nn.rnn import EMBEDDING_STD, Cell, RecurrentCells
from regard.nn.rnn_decoders import (
    BahdanauDecoder,
    ConditionalDecoder,
    LuongDecoder,
    MeanBridge,
    PlainDecoder,
    state_bridge,
    summary_bridge,
)
from regard.nn.self_attentive import LSTMN, RecurrentSelfAttention
from regard.nn.transformer import SSRUDecoder, TransformerDecoder

# -- configs of decoders ---------------------------------------------------------------------------


class DecoderConfig(MechanismConfig):
    """The base of the configs of decoders of a source."""

    implements: ClassVar = Decoder
    given: ClassVar = ("input_dim", "encoder")

    if TYPE_CHECKING:

        @property
        def kind(self) -> str: ...

    @property
    def embedding_std(self) -> float:
        return EMBEDDING_STD

    def build(self, input_dim: int, encoder: Encoder[Any]) -> Decoder[Any]:
        decoder: Decoder[Any] = self.make(input_dim=input_dim, encoder=encoder)
        return decoder

    def attention_uses(self, states: str) -> list[AttentionUse]:
        settings = [getattr(self, name) for name in type(self).model_fields]
        return [
            AttentionUse(
                "of the decoder",
                PAST_STATES if isinstance(attention, CausalAttentionConfig) else states,
                "in each step",
                attention,
            )
            for attention in settings
            if isinstance(attention, AttentionConfig)
        ]


class RecurrentDecoderConfig(Config):
    """Fields of recurrent decoders."""

    dim: Size  # size of the states
    cell: Cell = "gru"  # kind of recurrent cell
    layers: Depth = 1  # number of layers
    dropout: Fraction = 0.0  # of inputs and outputs, and between layers

    @property
    def embedding_std(self) -> float:
        return EMBEDDING_STD

    def cells(self, input_dim: int) -> RecurrentCells:
        return RecurrentCells(
            input_dim, self.dim, cell=self.cell, layers=self.layers, dropout=self.dropout
        )


@register
class PlainDecoderConfig(RecurrentDecoderConfig, DecoderConfig):
    equation: ClassVar[Equation] = PlainDecoder.equation
    kind: Literal["plain"] = "plain"

    def build(self, input_dim: int, encoder: Encoder[Any]) -> Decoder[Any]:
        cells = self.cells(input_dim)
        return PlainDecoder(cells, state_bridge(encoder, cells), dropout=self.dropout)

    def attention_uses(self, states: str) -> list[AttentionUse]:
        return []


@register
class BahdanauDecoderConfig(RecurrentDecoderConfig, DecoderConfig):
    equation: ClassVar[Equation] = BahdanauDecoder.equation
    kind: Literal["bahdanau"] = "bahdanau"
    attention: AttentionConfig  # to the source
    output: Literal["maxout", "sum"] = "maxout"  # Bahdanau et al. 2015; Xu et al. 2015
    gate: bool = False  # scale the context by a learned gate (Xu et al. 2015)

    def build(self, input_dim: int, encoder: Encoder[Any]) -> Decoder[Any]:
        output: DeepOutput = (
            MaxoutOutput(self.dim, input_dim, encoder.dim, input_dim)
            if self.output == "maxout"
            else SumOutput(self.dim, input_dim, encoder.dim)
        )
        cells = self.cells(input_dim + encoder.dim)
        return BahdanauDecoder(
            cells,
            summary_bridge(encoder, cells),
            self.attention.build(self.dim, encoder.dim),
            output,
            gate=self.gate,
            dropout=self.dropout,
        )

    def attention_uses(self, states: str) -> list[AttentionUse]:
        return [AttentionUse("s_{t−1}", states, "before the cell", self.attention)]


@register
class ConditionalDecoderConfig(DecoderConfig):
    equation: ClassVar[Equation] = ConditionalDecoder.equation
    layers: ClassVar[int] = 1
    kind: Literal["conditional"] = "conditional"
    dim: Size  # size of the states
    cell: Cell = "gru"  # kind of recurrent cell
    attention: AttentionConfig  # to the source
    dropout: Fraction = 0.0  # of inputs and outputs

    def build(self, input_dim: int, encoder: Encoder[Any]) -> Decoder[Any]:
        first, second = (
            RecurrentCells(read, self.dim, cell=self.cell) for read in (input_dim, encoder.dim)
        )
        return ConditionalDecoder(
            first,
            second,
            MeanBridge(encoder.dim, second),
            self.attention.build(self.dim, encoder.dim),
            TanhOutput(self.dim, input_dim, encoder.dim, input_dim),
            dropout=self.dropout,
        )

    def attention_uses(self, states: str) -> list[AttentionUse]:
        return [AttentionUse("s'_t", states, "between two cells", self.attention)]


@register
class LuongDecoderConfig(RecurrentDecoderConfig, DecoderConfig):
    equation: ClassVar[Equation] = LuongDecoder.equation
    kind: Literal["luong"] = "luong"
    attention: AttentionConfig  # to the source
    input_feeding: bool = True  # without it, training computes all steps in parallel
    output: Literal["tanh", "concatenation"] = "tanh"  # o_t = tanh(W [c_t; s_t]), or [c_t; s_t]

    def build(self, input_dim: int, encoder: Encoder[Any]) -> Decoder[Any]:
        concatenated = self.output == "concatenation"
        fed_dim = self.dim + (encoder.dim if concatenated else 0)
        cells = self.cells(input_dim + (fed_dim if self.input_feeding else 0))
        return LuongDecoder(
            cells,
            state_bridge(encoder, cells),
            self.attention.build(self.dim, encoder.dim),
            encoder.dim,
            input_feeding=self.input_feeding,
            concatenated=concatenated,
            dropout=self.dropout,
        )

    def attention_uses(self, states: str) -> list[AttentionUse]:
        when = "after the cell, fed to the next step" if self.input_feeding else "after the cell"
        return [AttentionUse("s_t", states, when, self.attention)]


@register
class TransformerDecoderConfig(TransformerConfig, DecoderConfig):
    equation: ClassVar[Equation] = TransformerDecoder.equation
    kind: Literal["transformer"] = "transformer"
    # Attention of each position to the positions before it.
    self_attention: CausalAttentionConfig = CausalAttentionConfig(score=ScaledDotConfig(heads=8))
    # Attention of each target position to the source.
    cross_attention: SoftAttentionConfig = SoftAttentionConfig(score=ScaledDotConfig(heads=8))

    def build(self, input_dim: int, encoder: Encoder[Any]) -> Decoder[Any]:
        self.check_embedding_dim(input_dim)
        attentions = [
            (
                self.self_attention.build(self.dim, self.dim, self.dim),
                self.cross_attention.build(self.dim, encoder.dim, self.dim),
            )
            for _ in range(self.layers)
        ]
        return TransformerDecoder(self.build_positions(), self.shape(), list(attentions))

    def attention_uses(self, states: str) -> list[AttentionUse]:
        return [
            AttentionUse("y_t", PAST_STATES, "in each layer", self.self_attention),
            AttentionUse("y_t", states, "in each layer", self.cross_attention),
        ]


@register
class SSRUDecoderConfig(TransformerConfig, DecoderConfig):
    equation: ClassVar[Equation] = SSRUDecoder.equation
    kind: Literal["transformer-ssru"] = "transformer-ssru"
    # Attention of each target position to the source.
    cross_attention: SoftAttentionConfig = SoftAttentionConfig(score=ScaledDotConfig(heads=8))

    def build(self, input_dim: int, encoder: Encoder[Any]) -> Decoder[Any]:
        self.check_embedding_dim(input_dim)
        attentions = [
            self.cross_attention.build(self.dim, encoder.dim, self.dim) for _ in range(self.layers)
        ]
        return SSRUDecoder(self.build_positions(), self.shape(), attentions)

    def attention_uses(self, states: str) -> list[AttentionUse]:
        return [AttentionUse("y_t", states, "in each layer", self.cross_attention)]


class TransformerLMConfig(TransformerConfig):
    equation: ClassVar[Equation] = TransformerDecoder.equation
    kind: Literal["transformer"] = "transformer"
    # Attention of each position to the positions before it.
    self_attention: CausalAttentionConfig = CausalAttentionConfig(score=ScaledDotConfig(heads=8))

    def build(self, input_dim: int) -> Decoder[Any]:
        self.check_embedding_dim(input_dim)
        attentions = [
            (self.self_attention.build(self.dim, self.dim, self.dim), None)
            for _ in range(self.layers)
        ]
        return TransformerDecoder(self.build_positions(), self.shape(), list(attentions))

    def attention_uses(self) -> list[AttentionUse]:
        return [AttentionUse("y_t", PAST_STATES, "in each layer", self.self_attention)]


class RecurrentSelfAttentionConfig(RecurrentDecoderConfig):
    equation: ClassVar[Equation] = RecurrentSelfAttention.equation
    kind: Literal["recurrent-self-attention"] = "recurrent-self-attention"
    attention: CausalAttentionConfig  # to the decoder's own past

    def build(self, input_dim: int) -> Decoder[Any]:
        return RecurrentSelfAttention(
            self.cells(input_dim),
            self.attention.build(self.dim, self.dim),
            self.dim,
            dropout=self.dropout,
        )

    def attention_uses(self) -> list[AttentionUse]:
        return [AttentionUse("s_t", PAST_STATES, "after the cell", self.attention)]


class LSTMNConfig(Config):
    equation: ClassVar[Equation] = LSTMN.equation
    embedding_std: ClassVar[float] = EMBEDDING_STD
    layers: ClassVar[int] = 1
    kind: Literal["lstmn"] = "lstmn"
    dim: Size  # size of the states
    attention: CausalAttentionConfig  # to the decoder's own past
    dropout: Fraction = 0.0  # of inputs and outputs

    def build(self, input_dim: int) -> Decoder[Any]:
        if self.attention.score.heads > 1:
            raise ConfigError("model.decoder.attention.score.heads: must be 1 in an LSTMN")
        attention = self.attention.build(input_dim + self.dim, self.dim)
        return LSTMN(input_dim, self.dim, attention, dropout=self.dropout)

    def attention_uses(self) -> list[AttentionUse]:
        return [AttentionUse("[x_t; h̃_{t−1}]", PAST_STATES, "before the cell", self.attention)]


LMDecoder = Annotated[
    TransformerLMConfig | RecurrentSelfAttentionConfig | LSTMNConfig, Field(discriminator="kind")
]


# -- model -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VocabularySizes:
    """Number of source tokens, and of target tokens or classes; known from the data."""

    source: int
    target: int


class EncoderDecoderConfig(Config):
    equation: ClassVar[Equation] = EncoderDecoder.equation
    kind: Literal["encoder-decoder"] = "encoder-decoder"
    embedding_dim: Size  # size of the token embeddings
    encoder: SourceEncoder  # reads the source
    decoder: DecoderConfig  # writes the target
    # output: the target embedding is also the output layer. all: and the source embedding.
    tie_embeddings: Literal["none", "output", "all"] = "none"

    @property
    def reads(self) -> str:
        return self.encoder.reads

    def build(self, sizes: VocabularySizes) -> EncoderDecoder[Any, Any]:
        embedding = Embedding(sizes.target, self.embedding_dim, std=self.decoder.embedding_std)

        def source_embedding(std: float) -> nn.Embedding:
            if self.tie_embeddings != "all":
                return Embedding(sizes.source, self.embedding_dim, std=std)
            if sizes.source != sizes.target:
                raise ConfigError(
                    f"model.tie_embeddings: all needs a joint vocabulary, not {sizes.source} "
                    f"source and {sizes.target} target tokens. Use output, or a joint vocabulary"
                )
            return embedding

        encoder = self.encoder.build(source_embedding)
        decoder = self.decoder.build(self.embedding_dim, encoder)
        readout = build_readout(decoder.dim, embedding, tied=self.tie_embeddings != "none")
        return EncoderDecoder(encoder, decoder, embedding, readout)

    def attention_uses(self) -> list[AttentionUse]:
        return self.encoder.attention_uses() + self.decoder.attention_uses(self.encoder.states)


class LanguageModelConfig(Config):
    equation: ClassVar[Equation] = LanguageModel.equation
    reads: ClassVar[str] = "nothing"
    kind: Literal["language-model"] = "language-model"
    embedding_dim: Size  # size of the token embeddings
    decoder: LMDecoder  # predicts the next token
    tie_embeddings: Literal["none", "output"] = "none"  # output: share it with the output layer

    def build(self, sizes: VocabularySizes) -> LanguageModel[Any]:
        embedding = Embedding(sizes.target, self.embedding_dim, std=self.decoder.embedding_std)
        decoder = self.decoder.build(self.embedding_dim)
        readout = build_readout(decoder.dim, embedding, tied=self.tie_embeddings != "none")
        return LanguageModel(decoder, embedding, readout)

    def attention_uses(self) -> list[AttentionUse]:
        return self.decoder.attention_uses()


class ClassifierConfig(Config):
    equation: ClassVar[Equation] = Classifier.equation
    kind: Literal["classifier"] = "classifier"
    embedding_dim: Size  # size of the token embeddings
    encoder: AnyEncoder  # turns the document into a vector
    dropout: Fraction = 0.0  # of the document vector

    @property
    def reads(self) -> str:
        return self.encoder.reads

    def build(self, sizes: VocabularySizes) -> Classifier[Any]:
        encoder = self.encoder.build(
            lambda std: Embedding(sizes.source, self.embedding_dim, std=std)
        )
        return Classifier(encoder, sizes.target, dropout=self.dropout)

    def attention_uses(self) -> list[AttentionUse]:
        return self.encoder.attention_uses()


Model = Annotated[
    EncoderDecoderConfig | LanguageModelConfig | ClassifierConfig, Field(discriminator="kind")
]


def build_readout(dim: int, embedding: nn.Embedding, *, tied: bool) -> nn.Linear:
    """Build the output layer, from `dim` to logits; `tied`, it shares the embedding's weights."""
    readout = nn.Linear(dim, embedding.num_embeddings)
    if tied:
        if dim != embedding.embedding_dim:
            raise ConfigError(
                f"model.tie_embeddings: needs model.embedding_dim, {embedding.embedding_dim}, to "
                f"equal the output size of the decoder, {dim}. Change one of them, or use none"
            )
        readout.weight = embedding.weight
    return readout
