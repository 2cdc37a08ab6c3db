"""The grammar of whole models.

The parts of a model know nothing of specs. To give a new part a name, add a spec beside its like in
`attention`, `encoder` or `decoder` and put it in its union; every law then runs over it. What a
model is used for follows from its kind and from what it `reads` (see `tasks/use.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, PositiveInt
from torch import nn

from regard.attention import Equation
from regard.config.attention import AttentionUse, Fraction
from regard.config.base import Config
from regard.config.decoders import LMDecoder, SourceDecoder
from regard.config.encoders import AnyEncoder, SourceEncoder
from regard.errors import ConfigError
from regard.models import Classifier, EncoderDecoder, LanguageModel
from regard.nn.embedding import Embedding


@dataclass(frozen=True, slots=True)
class VocabularySizes:
    """What only the data can say: how many source tokens there are, how many target tokens or
    classes."""

    source: int
    target: int


class EncoderDecoderConfig(Config):
    equation: ClassVar[Equation] = EncoderDecoder.equation
    kind: Literal["encoder-decoder"] = "encoder-decoder"
    embedding_dim: PositiveInt  # the width of a word's vector
    encoder: SourceEncoder
    decoder: SourceDecoder
    tie_embeddings: Literal["none", "output", "all"] = "none"  # one table for input and output; and source

    @property
    def reads(self) -> str:
        return self.encoder.reads

    def build(self, sizes: VocabularySizes) -> EncoderDecoder[Any, Any]:
        words = Embedding(sizes.target, self.embedding_dim)

        def source_words() -> nn.Embedding:
            if self.tie_embeddings != "all":
                return Embedding(sizes.source, self.embedding_dim)
            if sizes.source != sizes.target:
                raise ConfigError(
                    f"tie_embeddings: all needs one vocabulary, not {sizes.source} source tokens and "
                    f"{sizes.target} target tokens; say readout, or train a joint vocabulary"
                )
            return words

        encoder = self.encoder.build(source_words)
        decoder = self.decoder.build(self.embedding_dim, encoder.dim)
        readout = build_readout(decoder.dim, words, tied=self.tie_embeddings != "none")
        return EncoderDecoder(encoder, decoder, words, readout)

    def attention_uses(self) -> list[AttentionUse]:
        return self.encoder.attention_uses() + self.decoder.attention_uses(self.encoder.states)


class LanguageModelConfig(Config):
    equation: ClassVar[Equation] = LanguageModel.equation
    reads: ClassVar[str] = "nothing"
    kind: Literal["language-model"] = "language-model"
    embedding_dim: PositiveInt
    decoder: LMDecoder
    tie_embeddings: Literal["none", "output"] = "none"

    def build(self, sizes: VocabularySizes) -> LanguageModel[Any]:
        words = Embedding(sizes.target, self.embedding_dim)
        decoder = self.decoder.build(self.embedding_dim)
        readout = build_readout(decoder.dim, words, tied=self.tie_embeddings != "none")
        return LanguageModel(decoder, words, readout)

    def attention_uses(self) -> list[AttentionUse]:
        return self.decoder.attention_uses()


class ClassifierConfig(Config):
    equation: ClassVar[Equation] = Classifier.equation
    kind: Literal["classifier"] = "classifier"
    embedding_dim: PositiveInt
    encoder: AnyEncoder
    dropout: Fraction = 0.0

    @property
    def reads(self) -> str:
        return self.encoder.reads

    def build(self, sizes: VocabularySizes) -> Classifier[Any]:
        encoder = self.encoder.build(lambda: Embedding(sizes.source, self.embedding_dim))
        return Classifier(encoder, sizes.target, dropout=self.dropout)

    def attention_uses(self) -> list[AttentionUse]:
        return self.encoder.attention_uses()


Model = Annotated[
    EncoderDecoderConfig | LanguageModelConfig | ClassifierConfig, Field(discriminator="kind")
]


def build_readout(dim: int, words: nn.Embedding, *, tied: bool) -> nn.Linear:
    """Logits from what is about to be said; tied, the table of words read the other way round."""
    readout = nn.Linear(dim, words.num_embeddings)
    if tied:
        if dim != words.embedding_dim:
            raise ConfigError(
                f"tie_embeddings: what the decoder says has {dim} numbers and a word's vector "
                f"{words.embedding_dim}; make them equal, or say none"
            )
        readout.weight = words.weight
    return readout
