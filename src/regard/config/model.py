"""Configs of complete models. `kind` and `reads` determine the task (`regard.tasks.base`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from torch import nn

from regard.attention import Equation
from regard.config.attention import AttentionUse, Fraction, Size
from regard.config.base import Config
from regard.config.decoders import DecoderConfig, LMDecoder
from regard.config.encoders import AnyEncoder, SourceEncoder
from regard.errors import ConfigError
from regard.models import Classifier, EncoderDecoder, LanguageModel
from regard.nn.embedding import Embedding


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
