"""Open the terms and the translation memory of a document."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from regard.data.formats.tmx import tmx_pairs
from regard.documents.bilingual_reader import PAIR_SUFFIXES, read_bilingual
from regard.documents.memory import TranslationMemory
from regard.documents.term_files import read_terms
from regard.documents.terms import Term, TermBase
from regard.errors import ConfigError


def open_terms(
    terms: str | Path | Mapping[str, str], languages: tuple[str, str] | None
) -> TermBase:
    """Read terms with their translations, from a file unless they are given."""
    codes = languages or (None, None)
    if isinstance(terms, Mapping):
        return TermBase([Term(*pair) for pair in terms.items()], codes)
    return TermBase(read_terms(terms, codes), codes)


def open_memory(
    memory: str | Path | Mapping[str, str], languages: tuple[str, str] | None, min_match: float
) -> TranslationMemory:
    """Read a translation memory, from a TMX, XLIFF or PO file unless it is given."""
    if not 0 < min_match <= 1:
        raise ConfigError(f"min_match: must be above 0 and at most 1, not {min_match}.")
    if isinstance(memory, Mapping):
        return TranslationMemory(memory.items(), min_match)
    if Path(memory).suffix.lower() in PAIR_SUFFIXES:
        return TranslationMemory(read_bilingual(Path(memory), languages), min_match)
    if languages is None:
        raise ConfigError(
            f"{memory}: the languages of the model are not known. Pass them, such as en-fr."
        )
    pairs = (pair for chunk in tmx_pairs(str(memory), *languages) for pair in chunk)
    return TranslationMemory(pairs, min_match)
