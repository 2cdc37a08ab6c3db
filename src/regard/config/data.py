"""Configs of data: the corpora of a run and their preparation."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from regard.bounds import CORPUS_WEIGHT
from regard.config.attention import Fraction
from regard.config.base import Config
from regard.data.filters import Limits
from regard.data.formats.corpus import Corpus, open_corpus
from regard.data.loading.shards import MAX_TOKENS
from regard.data.preparation.pipeline import PreparationSettings
from regard.errors import ConfigError
from regard.text.tagged_tokenizer import language_tag
from regard.text.tokenizer import MAX_VOCABULARY

_LANGUAGE = re.compile("[a-z]{2}([-_][A-Za-z]{2,4})?")

ColumnName = str | Annotated[int, Field(ge=0, le=1_000)]
LanguageCode = Annotated[str, Field(max_length=40, pattern=r"^[A-Za-z][\w-]*$")]


class CorpusConfig(Config):
    """A corpus: two text files with one sentence a line, or one file of another format.

    The suffix of a single file determines its format: .tsv, .jsonl, .parquet or .tmx. A language
    model reads a file of text, a classifier a file of labelled documents.
    """

    files: Annotated[tuple[str, ...], Field(min_length=1, max_length=2)]  # paths or URLs
    # Source and target in a single file: column numbers, keys or language codes.
    columns: tuple[ColumnName, ColumnName] | None = None
    # How many times an epoch reads the corpus.
    weight: Annotated[float, Field(ge=CORPUS_WEIGHT.low, le=CORPUS_WEIGHT.high)] = 1.0
    # Codes of source and target, such as [en, fr], of a model for several pairs of languages. A
    # token for the target language precedes each source.
    languages: tuple[LanguageCode, LanguageCode] | None = None
    # A token before each source, such as <BT> before the sources of a back-translated corpus.
    tag: Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[^\s,]+$")] | None = None

    @property
    def tags(self) -> tuple[str, ...]:
        """The tokens before each source."""
        named = () if self.languages is None else (language_tag(self.languages[1]),)
        return named if self.tag is None else (*named, self.tag)

    def build(self, name: str, open_files: Callable[..., Corpus] = open_corpus) -> Corpus:
        """Open the corpus with `open_files`, by default as sentence pairs."""
        options: dict[str, object] = {"name": name, "weight": self.weight, "tags": self.tags}
        if self.columns is not None:
            if len(self.files) > 1:
                raise ConfigError(
                    f"data: {' and '.join(self.files)} are two files, which have no columns. "
                    "Remove `columns`."
                )
            options |= dict(zip(("source", "target"), self.columns, strict=True))
        return open_files(*self.files, **options)


def corpus_languages(corpora: Sequence[CorpusConfig]) -> tuple[str, str] | None:
    """Return the codes of source and target, if names of files or columns of all corpora agree.

    A file is in a language if its suffix is a two-letter code: train.en, train.de.gz.
    """
    pairs = {_languages(corpus) for corpus in corpora}
    return pairs.pop() if len(pairs) == 1 else None


def _languages(corpus: CorpusConfig) -> tuple[str, str] | None:
    names: Sequence[str | int] = corpus.columns or ()
    if len(corpus.files) == 2:
        plain = (re.sub(r"\.(gz|xz|zst)$", "", file) for file in corpus.files)
        names = tuple(PurePosixPath(file).suffix.removeprefix(".") for file in plain)
    codes = [str(name) for name in names if _LANGUAGE.fullmatch(str(name))]
    return (codes[0], codes[1]) if len(set(codes)) == 2 else None


def _as_list(value: Any) -> Any:
    if value is None:
        return ()
    return (value,) if isinstance(value, dict | CorpusConfig) else value


class DataConfig(Config):
    train: tuple[CorpusConfig, ...] = ()  # training corpora
    # Validation corpus, or a list of them for several pairs of languages.
    valid: Annotated[tuple[CorpusConfig, ...], BeforeValidator(_as_list)] = ()
    # Each step reads all corpora in proportion to their tokens, in batches of one corpus each. Else
    # a batch has pairs of similar lengths, so that corpora of short and of long texts take turns.
    mix_corpora: bool = False
    held_out: Fraction = 0.01  # fraction of `train` to validate on if there is no `valid`
    # Vocabulary size, joint for source and target.
    vocabulary: Annotated[int, Field(gt=0, le=MAX_VOCABULARY)] = 8_000
    # Translation: size of a separate vocabulary of the target; then `vocabulary` is the source's.
    target_vocabulary: Annotated[int, Field(gt=0, le=MAX_VOCABULARY)] | None = None
    subword_model: Literal["unigram", "bpe"] = "unigram"  # trained with SentencePiece
    # Maximum tokens of a source or target. Longer pairs are dropped; longer texts of a language
    # model are continued in the next sequence.
    max_length: Annotated[int, Field(gt=0, le=MAX_TOKENS)] = 256
    dedupe: Literal["none", "exact", "near"] = "near"  # which duplicates to drop
    # Maximum share of digits and ASCII punctuation in a sentence, spaces not counted; 1 keeps all.
    max_punctuation: Annotated[float, Field(ge=0, le=1)] = 0.6
    tokenizer: str | None = None  # directory of a tokenizer to use instead of training one
    aligner: bool = True  # translation: also train a word aligner
    # Code, such as en. Default: the one that the names of the files state.
    source_language: LanguageCode | None = None
    # Likewise.
    target_language: LanguageCode | None = None

    @model_validator(mode="after")
    def _check_languages(self) -> DataConfig:
        """Check that all corpora or none name their languages."""
        named = [corpus.languages for corpus in (*self.train, *self.valid)]
        if any(named) and not all(named):
            index = named.index(None)
            split = "train" if index < len(self.train) else "valid"
            number = index if split == "train" else index - len(self.train)
            raise ConfigError(
                f"data.{split}.{number}.languages: is missing, and other corpora have it. Add it, "
                "for example [en, fr]"
            )
        targets = {corpus.languages[1] for corpus in self.train if corpus.languages}
        for number, corpus in enumerate(self.valid):
            if targets and corpus.languages and corpus.languages[1] not in targets:
                raise ConfigError(
                    f"data.valid.{number}.languages: no training corpus has the target language "
                    f"{corpus.languages[1]}. Choose one of: {', '.join(sorted(targets))}"
                )
        return self

    @model_validator(mode="after")
    def _check_mixture(self) -> DataConfig:
        if self.mix_corpora and len(self.train) == 1:
            raise ConfigError(
                "data.mix_corpora: there is one training corpus, and nothing to mix it with. Add "
                "another to data.train, or set it to false"
            )
        return self

    def build(self) -> PreparationSettings:
        return PreparationSettings(
            vocabulary=self.vocabulary,
            target_vocabulary=self.target_vocabulary,
            kind=self.subword_model,
            tokenizer=self.tokenizer,
            limits=Limits(max_punctuation=self.max_punctuation),
            dedupe=self.dedupe,
            held_out=0.0 if self.valid else self.held_out,
            max_length=self.max_length,
        )


def language_pairs(data: DataConfig) -> tuple[tuple[str, str], ...]:
    """Return the pairs of languages of the training corpora; none if they are not known.

    A run whose corpora do not name their languages has one pair: that of the settings, or the one
    that the names of the files state.
    """
    named = dict.fromkeys(corpus.languages for corpus in data.train if corpus.languages is not None)
    if named:
        return tuple(named)
    if data.source_language is not None and data.target_language is not None:
        return ((data.source_language, data.target_language),)
    languages = corpus_languages(data.train)
    return () if languages is None else (languages,)
