"""Translations that exist already: exact and similar sources."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

_TOKEN = re.compile(r"\w+|[^\w\s]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
MAX_CANDIDATES = 50  # sources that share the most rare words are compared in full


@dataclass(frozen=True, slots=True)
class MemoryMatch:
    """A translation of a memory.

    Args:
        target: The translation, with the numbers of the text.
        score: Share of equal words, from 0 to 1; 1 is an equal text.
        source: The text that it is a translation of.
    """

    target: str
    score: float
    source: str


class TranslationMemory:
    """Pairs of texts and their translations.

    Args:
        pairs: Of sources and targets. The last one of a source is used.
        min_score: Of the matches that `find` returns; 1: only equal texts.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]], min_score: float = 0.85) -> None:
        self.min_score = min_score
        self._targets = {_plain(source): target for source, target in pairs if target.strip()}
        self._sources = list(self._targets)
        self._by_word: dict[str, list[int]] = defaultdict(list)
        if min_score < 1:
            for number, source in enumerate(self._sources):
                for word in set(_words(source)):
                    self._by_word[word].append(number)

    def __len__(self) -> int:
        return len(self._targets)

    def find(self, text: str) -> MemoryMatch | None:
        """The best match of a text; None if there is none above the least score."""
        plain = _plain(text)
        if plain in self._targets:
            return MemoryMatch(self._targets[plain], 1.0, plain)
        best: MemoryMatch | None = None
        for source in self._candidates(plain):
            score = similarity(plain, source)
            if score >= self.min_score and (best is None or score > best.score):
                target = _with_numbers(plain, source, self._targets[source])
                best = MemoryMatch(target, min(score, 0.99), source)
        return best

    def _candidates(self, text: str) -> list[str]:
        """Sources of similar length that share words with a text, those with rare words first."""
        if self.min_score >= 1:
            return []
        length = len(_TOKEN.findall(text))
        shared: Counter[int] = Counter()
        weights: dict[int, float] = defaultdict(float)
        for word in set(_words(text)):
            numbers = self._by_word.get(word, [])
            if len(numbers) > 10_000:
                continue  # words such as "the"
            for number in numbers:
                weights[number] += 1 / len(numbers)
                shared[number] += 1
        order = sorted(weights, key=lambda number: (-shared[number], -weights[number], number))
        candidates = []
        for number in order[: 20 * MAX_CANDIDATES]:
            source = self._sources[number]
            source_length = len(_TOKEN.findall(source))
            if min(length, source_length) >= self.min_score * max(length, source_length) * 0.8:
                candidates.append(source)
            if len(candidates) == MAX_CANDIDATES:
                break
        return candidates


def similarity(first_text: str, second_text: str) -> float:
    """Share of equal words and punctuation marks in the same order; numbers count as equal."""
    first, second = (
        ["#" if _NUMBER.fullmatch(token) else token.casefold() for token in _TOKEN.findall(text)]
        for text in (first_text, second_text)
    )
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def _with_numbers(text: str, source: str, target: str) -> str:
    """The target with the numbers of a text, if the source differs in these and all are found."""
    new, old = _NUMBER.findall(text), _NUMBER.findall(source)
    if len(new) != len(old) or new == old or Counter(_NUMBER.findall(target)) != Counter(old):
        return target
    replaced = dict(zip(old, new, strict=True))
    if len(replaced) != len(set(old)) or len(set(old)) != len(old):
        return target
    return _NUMBER.sub(lambda match: replaced[match[0]], target)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _words(text: str) -> list[str]:
    return [token.casefold() for token in _TOKEN.findall(text) if token[0].isalpha()]
