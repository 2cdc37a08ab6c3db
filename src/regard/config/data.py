"""Configs of data: the corpora of a run and their preparation."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import Field, PositiveFloat, PositiveInt

from regard.config.attention import Fraction
from regard.config.base import Config
from regard.data.filters import Limits
from regard.data.formats.corpus import Corpus, TaggedCorpus, open_corpus
from regard.data.preparation.pipeline import PreparationSettings
from regard.errors import ConfigError
from regard.text.tokenizer import MAX_VOCABULARY

_LANGUAGE = re.compile("[a-z]{2}([-_][A-Za-z]{2,4})?")


class CorpusConfig(Config):
    """A corpus: two text files with one sentence a line, or one file of another format.

    The suffix of a single file determines its format: .tsv, .jsonl, .parquet or .tmx. A language
    model reads a file of text, a classifier a file of labelled documents.
    """

    files: Annotated[list[str], Field(min_length=1, max_length=2)]  # paths or URLs
    # Source and target in a single file: column numbers, keys or language codes.
    columns: tuple[str | int, str | int] | None = None
    weight: PositiveFloat = 1.0  # how many times an epoch reads the corpus
    # Written before each source text, such as <BT> before the sources of a back-translated corpus.
    tag: Annotated[str, Field(min_length=1, max_length=40, pattern=r"^\S+$")] | None = None

    def build(self, name: str, open_files: Callable[..., Corpus] = open_corpus) -> Corpus:
        """Open the corpus with `open_files`, by default as sentence pairs."""
        described: dict[str, Any] = {"name": name, "weight": self.weight}
        options = dict(described) if self.tag is None else {}
        if self.columns is not None:
            if len(self.files) > 1:
                raise ConfigError(
                    f"data: {' and '.join(self.files)} are two files, which have no columns. "
                    "Remove `columns`."
                )
            options |= dict(zip(("source", "target"), self.columns, strict=True))
        corpus = open_files(*self.files, **options)
        return corpus if self.tag is None else TaggedCorpus(corpus, self.tag, **described)


def corpus_languages(corpora: Sequence[CorpusConfig]) -> tuple[str, str] | None:
    """Return the codes of source and target, if names of files or columns of all corpora agree.

    A file is in a language if its suffix is a two-letter code: train.en, train.de.gz.
    """
    found = {_languages(corpus) for corpus in corpora}
    return found.pop() if len(found) == 1 else None


def _languages(corpus: CorpusConfig) -> tuple[str, str] | None:
    names: Sequence[str | int] = corpus.columns or ()
    if len(corpus.files) == 2:
        plain = (re.sub(r"\.(gz|xz|zst)$", "", file) for file in corpus.files)
        names = tuple(PurePosixPath(file).suffix.removeprefix(".") for file in plain)
    codes = [str(name) for name in names if _LANGUAGE.fullmatch(str(name))]
    return (codes[0], codes[1]) if len(set(codes)) == 2 else None


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
    # Maximum share of digits and ASCII punctuation in a sentence, spaces not counted; 1 keeps all.
    max_punctuation: Annotated[float, Field(ge=0, le=1)] = 0.6
    tokenizer: str | None = None  # directory of a tokenizer to use instead of training one
    aligner: bool = True  # translation: also train a word aligner
    # Code, such as en. Default: the one that the names of the files state.
    source_language: Annotated[str, Field(max_length=40)] | None = None
    # Likewise.
    target_language: Annotated[str, Field(max_length=40)] | None = None

    def build(self) -> PreparationSettings:
        return PreparationSettings(
            vocabulary=self.vocabulary,
            kind=self.subword_model,
            tokenizer=self.tokenizer,
            limits=Limits(max_punctuation=self.max_punctuation),
            dedupe=self.dedupe,
            held_out=0.0 if self.valid is not None else self.held_out,
            max_length=self.max_length,
        )
