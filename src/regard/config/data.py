"""Configs of data: the corpora of a run and their preparation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field, PositiveFloat, PositiveInt

from regard.config.attention import Fraction
from regard.config.base import Config
from regard.data.formats.corpus import Corpus, open_corpus
from regard.data.preparation.pipeline import PreparationSettings
from regard.errors import ConfigError
from regard.text.tokenizer import MAX_VOCABULARY


class CorpusConfig(Config):
    """A corpus: two text files with one sentence a line, or one file of another format.

    The suffix of a single file determines its format: .tsv, .jsonl, .parquet or .tmx. A language
    model reads a file of text, a classifier a file of labelled documents.
    """

    files: Annotated[list[str], Field(min_length=1, max_length=2)]
    # Source and target in a single file: column numbers, keys or language codes.
    columns: tuple[str | int, str | int] | None = None
    weight: PositiveFloat = 1.0  # how many times an epoch reads the corpus

    def build(self, name: str, open_files: Callable[..., Corpus] = open_corpus) -> Corpus:
        """Open the corpus with `open_files`, by default as sentence pairs."""
        options: dict[str, Any] = {"name": name, "weight": self.weight}
        if self.columns is not None:
            if len(self.files) > 1:
                raise ConfigError(
                    f"data: {' and '.join(self.files)} are two files, which have no columns. "
                    "Remove `columns`."
                )
            options |= dict(zip(("source", "target"), self.columns, strict=True))
        return open_files(*self.files, **options)


class DataConfig(Config):
    train: tuple[CorpusConfig, ...] = ()  # training corpora
    valid: CorpusConfig | None = None  # validation corpus
    held_out: Fraction = 0.01  # fraction of `train` to validate on if there is no `valid`
    # Vocabulary size, joint for source and target.
    vocabulary: Annotated[int, Field(gt=0, le=MAX_VOCABULARY)] = 8_000
    subword_model: Literal["unigram", "bpe"] = "unigram"  # trained with SentencePiece
    # Maximum tokens of a source or target. Longer pairs are dropped; longer texts of a language
    # model are continued in the next sequence.
    max_length: PositiveInt = 256
    dedupe: Literal["none", "exact", "near"] = "near"  # which duplicates to drop
    tokenizer: str | None = None  # directory of a tokenizer to use instead of training one
    aligner: bool = True  # translation: also train a word aligner

    def build(self) -> PreparationSettings:
        return PreparationSettings(
            vocabulary=self.vocabulary,
            kind=self.subword_model,
            tokenizer=self.tokenizer,
            dedupe=self.dedupe,
            held_out=0.0 if self.valid is not None else self.held_out,
            max_length=self.max_length,
        )
