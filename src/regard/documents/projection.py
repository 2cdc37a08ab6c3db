"""Projection of inline elements from a source text to its translation, by word alignment.

The range of an element in the translation maximizes the weights of links that stay inside or stay
outside the element, less those that cross its border (Zenkel et al. 2021, with weights instead of
links). Small terms decide between ranges that the links leave equal: the case of the first letter,
brackets, punctuation, equal texts. Every element of the source is in the result exactly once, and
elements are nested as in the source.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from regard.documents.marked_text import InlineElement, MarkedText, children_of
from regard.text.tokenizer import Span

Floats = NDArray[np.float64]

NEAR_WORDS = 3.0  # words over which the influence on an element without text falls to 1/e
MAX_UNITS = 600  # of a text whose pairs of borders are all compared
MIN_INSIDE = 0.05  # weight of the links of an element that counts as placed
LINKED = 0.5  # weight above which equal words add nothing

CASE_BONUS = 0.5  # both ranges begin with a capital letter
EDGE_BONUS = 0.2  # both ranges begin, or end, with the text
EQUAL_BONUS = 2.0  # the range has the text of the element
BRACKET_PENALTY = 1.5  # a bracket without its counterpart
PUNCTUATION_PENALTY = 1.0  # the range begins or ends with punctuation, and the element does not
ELISION_PENALTY = 0.3  # the range begins with an elided word: l'
COMPOUND_PENALTY = 0.6  # a border in a word with hyphens, or in a number
LENGTH_PENALTY = 0.15  # for each factor e between the lengths of the element and of the range

_BRACKETS = {"(": 1, ")": -1, "[": 1, "]": -1, "{": 1, "}": -1, "«": 1, "»": -1, "“": 1, "”": -1}
_PUNCTUATION = frozenset(".,;:!?…¿¡、。，；：！？'\"‘’“”«»()[]–—-")
_COMPOUND = re.compile(r"(?<=\w)-(?=\w)|(?<=\d)[ \u00a0\u202f](?=\d{3}(?!\d))")
_ELISION = re.compile(r"(?<=\w)['’ʼ](?=\w)")


@dataclass(frozen=True, slots=True)
class Projection:
    """A translation with the elements of its source, and the indices of those without links."""

    marked: MarkedText
    unplaced: tuple[int, ...]


def project_markup(
    source: MarkedText,
    source_words: Sequence[Span],
    target: str,
    target_words: Sequence[Span],
    weights: NDArray[np.float32],
) -> Projection:
    """Place the elements of `source` in `target`.

    Args:
        source: The source text with its elements.
        source_words: Its words, as characters.
        target: The translation.
        target_words: Its words.
        weights: Target words × source words; further columns are ignored.
    """
    return _Projector(source, source_words, target, target_words, weights).project()


class _Projector:
    def __init__(
        self,
        source: MarkedText,
        source_words: Sequence[Span],
        target: str,
        target_words: Sequence[Span],
        weights: NDArray[np.float32],
    ) -> None:
        self.source, self.target = source, target
        self.source_words = source_words
        matrix = weights[:, : len(source_words)].T.astype(np.float64)
        words = [
            [text[start:end].casefold() for start, end in spans]
            for text, spans in ((source.text, source_words), (target, target_words))
        ]
        _link_equal_words(matrix, *words)
        self.units, self.matrix = _split_elisions(target, target_words, matrix)
        self.compounds = _compound_borders(target)
        self.placed: dict[int, Span] = {}
        self.unplaced: list[int] = []

    def project(self) -> Projection:
        children = children_of(self.source.elements)
        everywhere = (0, len(self.target))
        self._place_children(children, None, everywhere)
        for index, one in enumerate(self.source.elements):
            if one.crosses:
                self._put(index, self._best_range(one, [everywhere])[1], [everywhere])
        elements = tuple(map(self._moved, range(len(self.source.elements))))
        return Projection(MarkedText(self.target, elements), tuple(sorted(self.unplaced)))

    def _moved(self, index: int) -> InlineElement:
        one, (start, end) = self.source.elements[index], self.placed[index]
        raw = one.raw
        if raw is not None and index in self.unplaced:  # no word stands for it
            before, after = self.target[start - 1 : start], self.target[end : end + 1]
            raw = " " * (before.isalnum()) + raw + " " * (after.isalnum())
        return replace(one, start=start, end=end, raw=raw)

    def _place_children(
        self, children: dict[int | None, list[int]], parent: int | None, room: Span
    ) -> None:
        """Place the best range first, and the others in the room that is left."""
        elements = self.source.elements
        own = children.get(parent, ())
        free = [room]
        waiting = {
            index: self._best_range(elements[index], free)
            for index in own
            if elements[index].start < elements[index].end
        }
        while waiting:
            index = max(waiting, key=lambda each: (waiting[each][0], -each))
            _, span = waiting.pop(index)
            self._put(index, span, free)
            free = _remove(free, self.placed[index])
            for other, (_, found) in waiting.items():
                if found is not None and not _fits(found, free):
                    waiting[other] = self._best_range(elements[other], free)
        for index in own:
            if elements[index].start == elements[index].end:
                place = self._best_point(elements[index], free)
                self.placed[index] = (place, place)
        ordered = [index for index in own if elements[index].ordered]
        places = sorted(self.placed[index] for index in ordered)
        self.placed.update(zip(ordered, places, strict=True))
        for index in own:
            self._place_children(children, index, self.placed[index])

    def _put(self, index: int, span: Span | None, free: Sequence[Span]) -> None:
        if span is None:
            self.unplaced.append(index)
            one = self.source.elements[index]
            place = self._best_point(one, free)
            span = (place, place) if one.raw is not None else self._nearest_unit(place, free)
        self.placed[index] = span

    def _nearest_unit(self, place: int, free: Sequence[Span]) -> Span:
        """The unit at a place, so that an element without links has some text."""
        for low, high in free:
            for start, end in self.units:
                if place in (start, end) and low <= start and end <= high:
                    return start, end
        return place, place

    def _membership(self, one: InlineElement) -> Floats:
        """The share of each source word that is in the element."""
        return np.array(
            [
                max(0, min(end, one.end) - max(start, one.start)) / (end - start)
                for start, end in self.source_words
            ],
            np.float64,
        )

    def _best_range(self, one: InlineElement, free: Sequence[Span]) -> tuple[float, Span | None]:
        """The best score of a range within one of the `free` spans, and the range."""
        exact = self._only_place(one)
        if exact is not None and _fits(exact, free):
            return np.inf, exact
        inside = self._membership(one) @ self.matrix if self.units else np.zeros(0)
        gain = 2 * inside - self.matrix.sum(axis=0)
        content = self.source.text[one.start : one.end]
        starts, ends = self._border_terms(one, content)
        best: tuple[float, Span | None] = (-np.inf, None)
        for gap in free:
            first, last = self._units_within(gap)
            if first == last:
                continue
            score, c, d = _best_pair(
                gain[first:last],
                starts[first:last],
                ends[first:last],
                self._pair_terms(content, first, last),
            )
            c, d = first + c, first + d
            equal = self.target[self.units[c][0] : self.units[d - 1][1]] == content.strip()
            if (equal or inside[c:d].sum() >= MIN_INSIDE) and score > best[0]:
                best = score, (self.units[c][0], self.units[d - 1][1])
        if best[1] is not None:
            best = best[0], self._with_space(content, best[1], free)
        return best

    def _only_place(self, one: InlineElement) -> Span | None:
        """Where the text of a raw element is, if both texts have it once, as words."""
        content = self.source.text[one.start : one.end].strip()
        if one.raw is None or not content:
            return None
        if self.source.text.count(content) != 1 or self.target.count(content) != 1:
            return None
        start = self.target.index(content)
        end = start + len(content)
        has_words = any(start == low for low, _ in self.units) and any(
            end == high for _, high in self.units
        )
        return (start, end) if has_words else None

    def _border_terms(self, one: InlineElement, content: str) -> tuple[Floats, Floats]:
        """Scores of units as the first and as the last one of a range."""
        stripped = content.strip()
        starts, ends = np.zeros(len(self.units)), np.zeros(len(self.units))
        if not stripped or not self.units:
            return starts, ends
        texts = [self.target[start:end] for start, end in self.units]
        if stripped[0].isupper():
            starts += [CASE_BONUS * text[0].isupper() for text in texts]
        for terms, side in ((starts, 0), (ends, -1)):
            if stripped[side] not in _PUNCTUATION:
                terms -= [PUNCTUATION_PENALTY * (text[side] in _PUNCTUATION) for text in texts]
            else:
                terms += [EDGE_BONUS * (text[side] == stripped[side]) for text in texts]
        for number, (start, end) in enumerate(self.units):
            starts[number] -= COMPOUND_PENALTY * (start in self.compounds)
            starts[number] -= ELISION_PENALTY * (end - start > 1 and texts[number][-1] in "'’ʼ")
            ends[number] -= COMPOUND_PENALTY * (end in self.compounds)
        text = self.source.text
        starts[0] += EDGE_BONUS * (not text[: one.start].strip())
        ends[-1] += EDGE_BONUS * (not text[one.end :].strip())
        return starts, ends

    def _pair_terms(self, content: str, first: int, last: int) -> Floats | None:
        """Scores of pairs of a first and a last unit; None for long texts."""
        count = last - first
        if count > MAX_UNITS:
            return None
        terms = np.zeros((count, count))
        units = self.units[first:last]
        steps = [_BRACKETS.get(self.target[start:end], 0) for start, end in units]
        if any(steps):
            depth = np.concatenate([[0], np.cumsum(steps)])
            expected = sum(_BRACKETS.get(character, 0) for character in content)
            terms -= BRACKET_PENALTY * (depth[None, 1:] - depth[:-1, None] != expected)
        stripped = content.strip()
        begins, finishes = np.array(units).T
        lengths = np.maximum(finishes[None, :] - begins[:, None], 1)
        terms -= LENGTH_PENALTY * np.abs(np.log(lengths / max(len(stripped), 1)))
        starts = {start: number for number, (start, _) in enumerate(units)}
        ends = {end: number for number, (_, end) in enumerate(units)}
        place = self.target.find(stripped) if stripped else -1
        while place >= 0:
            if place in starts and place + len(stripped) in ends:
                terms[starts[place], ends[place + len(stripped)]] += EQUAL_BONUS
            place = self.target.find(stripped, place + 1)
        return terms

    def _units_within(self, gap: Span) -> Span:
        first = next((n for n, (start, _) in enumerate(self.units) if start >= gap[0]), None)
        if first is None:
            return 0, 0
        last = first
        while last < len(self.units) and self.units[last][1] <= gap[1]:
            last += 1
        return first, last

    def _with_space(self, content: str, span: Span, free: Sequence[Span]) -> Span:
        """Add the white space around a range that the element has at its borders."""
        start, end = span
        low, high = next(gap for gap in free if gap[0] <= start and end <= gap[1])
        if content[:1].isspace():
            while start > low and self.target[start - 1].isspace():
                start -= 1
        if content[-1:].isspace():
            while end < high and self.target[end].isspace():
                end += 1
        return start, end

    def _best_point(self, one: InlineElement, free: Sequence[Span]) -> int:
        """The place in `free` that best divides the translations of the words around."""
        text, place = self.source.text, one.start
        before = [n for n, (start, end) in enumerate(self.source_words) if start + end <= 2 * place]
        left, right = np.zeros(len(self.source_words)), np.zeros(len(self.source_words))
        for n in range(len(self.source_words)):
            distance = len(before) - 1 - n if n < len(before) else n - len(before)
            (left if n < len(before) else right)[n] = np.exp(-distance / NEAR_WORDS)
        difference = (left - right) @ self.matrix if self.units else np.zeros(0)
        scores = np.concatenate([[0.0], np.cumsum(difference)])  # of each gap between units
        if not before:
            scores[0] += EDGE_BONUS
        if len(before) == len(self.source_words):
            scores[-1] += EDGE_BONUS
        follows = place > 0 and not text[place - 1].isspace()  # attached to the word before
        order = sorted(range(len(scores)), key=lambda gap: (-scores[gap], gap))
        places = {gap: self._gap_places(gap, follows) for gap in order}
        for gap in order:
            for candidate in places[gap]:
                if any(low <= candidate <= high for low, high in free):
                    return candidate
        return free[0][0] if free else 0

    def _gap_places(self, gap: int, follows: bool) -> tuple[int, int]:
        before = self.units[gap - 1][1] if gap > 0 else 0
        after = self.units[gap][0] if gap < len(self.units) else len(self.target)
        return (before, after) if follows else (after, before)


def _compound_borders(text: str) -> frozenset[int]:
    """Places inside numbers in groups of three digits and words with hyphens."""
    places: set[int] = set()
    for found in _COMPOUND.finditer(text):
        places |= {found.end() - 1, found.end()}
    return frozenset(places)


def _best_pair(
    gain: Floats, starts: Floats, ends: Floats, terms: Floats | None
) -> tuple[float, int, int]:
    """The best score of a range, its first unit and the unit after its last; short ones first."""
    total = np.concatenate([[0.0], np.cumsum(gain)])
    if terms is not None:
        scores = total[None, 1:] - total[:-1, None] + starts[:, None] + ends[None, :] + terms
        lengths = np.arange(len(gain))[None, :] - np.arange(len(gain))[:, None]
        scores = np.where(lengths < 0, -np.inf, scores - 1e-9 * lengths)
        c, d = divmod(int(scores.argmax()), len(gain))
        return float(scores[c, d]), c, d + 1
    best, pair, first = -np.inf, (0, 1), 0
    for d in range(len(gain)):
        if starts[d] - total[d] >= starts[first] - total[first]:
            first = d
        score = total[d + 1] + ends[d] + starts[first] - total[first]
        if score > best:
            best, pair = score, (first, d + 1)
    return float(best), *pair


def _link_equal_words(matrix: Floats, source: Sequence[str], target: Sequence[str]) -> None:
    """Link equal words that have no links, the first with the first and so on."""
    places: dict[str, list[int]] = defaultdict(list)
    for j, word in enumerate(target):
        if matrix[:, j].max(initial=0) < LINKED and any(map(str.isalnum, word)):
            places[word].append(j)
    for i, word in enumerate(source):
        if places.get(word) and matrix[i].max(initial=0) < LINKED:
            j = places[word].pop(0)
            matrix[i] = 0
            matrix[:, j] = 0
            matrix[i, j] = 1


def _split_elisions(
    target: str, words: Sequence[Span], matrix: Floats
) -> tuple[list[Span], Floats]:
    """Split words after an apostrophe: l'eau is an article and a noun.

    The last part keeps the strongest link of the word, the others its weaker ones.
    """
    units: list[Span] = []
    columns: list[Floats] = []
    for j, (start, end) in enumerate(words):
        column = matrix[:, j]
        cuts = [found.end() for found in _ELISION.finditer(target, start, end)]
        weak = column.copy()
        strong = np.zeros_like(column)
        if cuts and len(column):
            strongest = int(column.argmax())
            strong[strongest], weak[strongest] = column[strongest], 0.0
        for first, last in zip([start, *cuts], [*cuts, end], strict=True):
            units.append((first, last))
            columns.append(column if not cuts else strong if last == end else weak)
    shape = (matrix.shape[0], len(units))
    return units, np.array(columns).T.reshape(shape) if units else np.zeros(shape)


def _remove(free: Sequence[Span], taken: Span) -> list[Span]:
    """The parts of `free` before and after `taken`."""
    left: list[Span] = []
    for low, high in free:
        if taken[0] < low or taken[1] > high or (taken[0] == taken[1] and taken[0] in (low, high)):
            left.append((low, high))
        else:
            left += [(low, taken[0]), (taken[1], high)]
    return left


def _fits(span: Span, free: Sequence[Span]) -> bool:
    return any(low <= span[0] and span[1] <= high for low, high in free)
