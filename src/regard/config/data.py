"""The grammar of data: which corpora a run reads, and how they are prepared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field, PositiveFloat, PositiveInt

from regard.config.attention import Fraction
from regard.config.base import Config
from regard.data.formats.corpus import Corpus, open_corpus
from regard.data.preparation.pipeline import PreparationSettings
from regard.text.tokenizer import MAX_VOCABULARY


class CorpusConfig(Config):
    """Two files of lines, or one whose suffix says what it is (.tsv, .jsonl, .parquet, .tmx); for
    a language model a file of text, for a classifier one of labelled documents."""

    files: Annotated[list[str], Field(min_length=1, max_length=2)]
    columns: tuple[str | int, str | int] | None = None  # in one file: columns, keys or languages
    weight: PositiveFloat = 1.0  # how often an epoch reads it

    def build(self, name: str, of: Callable[..., Corpus] = open_corpus) -> Corpus:
        """As the reader `of` reads these files; by default pairs of sentences."""
        fields: dict[str, Any] = {"name": name, "weight": self.weight}
        if self.columns is not None:
            fields |= dict(zip(("source", "target"), self.columns, strict=True))
        return of(*self.files, **fields)


class DataConfig(Config):
    train: tuple[CorpusConfig, ...] = ()
    valid: CorpusConfig | None = None
    held_out: Fraction = 0.01  # the share of the corpora to validate on where no `valid` is given
    vocabulary: Annotated[int, Field(gt=0, le=MAX_VOCABULARY)] = 8_000  # of both languages together
    subword_model: Literal["unigram", "bpe"] = "unigram"
    max_length: PositiveInt = 256  # pieces of a side; a pair with more is left out, a text goes on
    dedupe: Literal["none", "exact", "near"] = "near"
    tokenizer: str | None = None  # a folder whose tokeniser is used: learn none

    def build(self) -> PreparationSettings:
        return PreparationSettings(
            vocabulary=self.vocabulary,
            kind=self.subword_model,
            tokenizer=self.tokenizer,
            dedupe=self.dedupe,
            held_out=0.0 if self.valid is not None else self.held_out,
            max_length=self.max_length,
        )
