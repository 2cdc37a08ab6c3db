"""Terms and their prescribed translations: where they occur in a text.

The comparison ignores case and the endings of plurals. Terms in scripts without spaces between
words are found as strings.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from regard.text.tokenizer import Span

_WORD = re.compile(r"\w+")
_BETWEEN = re.compile(r"[\s\u00a0'’-]*")  # what may separate the words of a term
_NO_SPACES = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

# What is replaced at the end of a word, by language. A word and its base form are compared by the
# sets of their possible bases.
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (("s", ""), ("es", ""), ("ies", "y")),
    "fr": (("s", ""), ("x", ""), ("aux", "al"), ("e", ""), ("es", "")),
    "de": (("e", ""), ("n", ""), ("en", ""), ("er", ""), ("es", ""), ("s", ""), ("em", "")),
    "es": (("s", ""), ("es", "")),
    "pt": (("s", ""), ("es", ""), ("ões", "ão"), ("ais", "al")),
    "it": (("i", "o"), ("e", "a"), ("i", "e")),
    "nl": (("s", ""), ("en", ""), ("e", "")),
}
_UNKNOWN = (("s", ""), ("es", ""))
_SHORTEST = 3  # characters of a base


@dataclass(frozen=True, slots=True)
class Term:
    """A term and its translation."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class TermMatch:
    """An occurrence of a term in a text."""

    start: int
    end: int
    term: Term


@dataclass(frozen=True, slots=True)
class TermUse:
    """A term of a segment, and how its translation came about.

    `by` is "model" if the model has translated it so, "replacement" if other words were replaced,
    and "" if the translation does not have it.
    """

    source: str
    target: str
    by: str


class TermBase:
    """Finds terms in texts.

    Args:
        terms: With their translations. The first of several for one term is used.
        languages: Codes of source and target, where known: they select the endings.
    """

    def __init__(
        self, terms: Iterable[Term], languages: tuple[str | None, str | None] = (None, None)
    ) -> None:
        self._endings = tuple(
            _ENDINGS.get((code or "")[:2].lower(), _UNKNOWN) for code in languages
        )
        self._by_word: dict[str, list[tuple[list[frozenset[str]], Term]]] = defaultdict(list)
        self._strings: list[Term] = []
        first_terms: dict[str, Term] = {}
        for term in terms:
            if first_terms.setdefault(term.source.casefold(), term) is not term:
                continue
            if _NO_SPACES.search(term.source):
                self._strings.append(term)
                continue
            words = [_bases(word, self._endings[0]) for word in _WORD.findall(term.source)]
            for base in words[0] if words else ():
                self._by_word[base].append((words, term))
        self._order = {term: number for number, term in enumerate(first_terms.values())}
        self.size = len(first_terms)

    def find(self, text: str) -> list[TermMatch]:
        """The terms in a text, in order.

        Of those that overlap, the first and longest; of those at the same place, the one that is
        written like the text, else the first of the file.
        """
        matches = [
            TermMatch(match.start(), match.end(), term)
            for term in self._strings
            for match in re.finditer(re.escape(term.source), text)
        ]
        words = [match.span() for match in _WORD.finditer(text)]
        bases = [_bases(text[start:end], self._endings[0]) for start, end in words]
        for first, (start, _) in enumerate(words):
            for base in bases[first]:
                for pattern, term in self._by_word.get(base, ()):
                    if _matches(text, words, bases, first, pattern):
                        end = words[first + len(pattern) - 1][1]
                        matches.append(TermMatch(start, end, term))

        def rank(match: TermMatch) -> tuple[int, int, bool, int]:
            written = text[match.start : match.end].lower() == match.term.source.lower()
            return match.start, -match.end, not written, self._order[match.term]

        chosen: list[TermMatch] = []
        for match in sorted(matches, key=rank):
            if not chosen or match.start >= chosen[-1].end:
                chosen.append(match)
        return chosen

    def find_target(self, term: Term, text: str) -> list[Span]:
        """Where the translation of a term is in a text, inflected or not."""
        if _NO_SPACES.search(term.target):
            return [match.span() for match in re.finditer(re.escape(term.target), text)]
        pattern = [_bases(word, self._endings[1]) for word in _WORD.findall(term.target)]
        words = [match.span() for match in _WORD.finditer(text)]
        bases = [_bases(text[start:end], self._endings[1]) for start, end in words]
        return [
            (words[first][0], words[first + len(pattern) - 1][1])
            for first in range(len(words) - len(pattern) + 1)
            if pattern and _matches(text, words, bases, first, pattern)
        ]


def like_source(match: TermMatch, text: str) -> str:
    """The translation of a term, with a capital letter if only its occurrence has one."""
    target, occurrence = match.term.target, text[match.start : match.end]
    if occurrence.isupper() and len(occurrence) > 1 and not match.term.source.isupper():
        return target.upper()
    if occurrence[:1].isupper() and not match.term.source[:1].isupper():
        return target[:1].upper() + target[1:]
    return target


def _matches(
    text: str,
    words: Sequence[Span],
    bases: Sequence[frozenset[str]],
    first: int,
    pattern: Sequence[frozenset[str]],
) -> bool:
    if first + len(pattern) > len(words):
        return False
    for index, wanted in enumerate(pattern, first):
        if not bases[index] & wanted:
            return False
        if index > first and not _BETWEEN.fullmatch(text, words[index - 1][1], words[index][0]):
            return False
    return True


def _bases(word: str, endings: Sequence[tuple[str, str]]) -> frozenset[str]:
    """The word without case, and what it may be a form of."""
    word = word.casefold()
    return frozenset(
        [
            word,
            *(
                word[: len(word) - len(ending)] + base
                for ending, base in endings
                if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST
            ),
        ]
    )
