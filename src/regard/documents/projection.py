"""Projection of inline elements from a source text to its translation, by word alignment.

Both texts are divided into units: words, and parts of words that elements divide (`unit_links`).
An element covers the source units E, and its place in the translation is the range of target units
that maximizes `range_scores`: the weights of links that stay inside, less those that cross the
border. An element without text is in the gap g of the translation that best divides the
translations of the units before and after its gap a:

    score(g) = Σ_{j < g} (Σ_{i < a} w(i, j) e^{−(a − 1 − i)/3} − Σ_{i ≥ a} w(i, j) e^{−(i − a)/3})

Elements are placed from the outermost to the innermost ones: of the elements within one, the one
with the highest score first, and the others in the units that are left. So every element of the
source is in the result exactly once, and elements are nested as in the source. White space follows
at the end (`white_space`).

An element whose text is kept replaces a copy of its text in the translation, which the model may
have altered, and never another word. The time grows with the number of links and elements, not with
their product.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush

import numpy as np

from regard.documents.aligned_translation import AlignedTranslation
from regard.documents.marked_text import MarkedText, children_of
from regard.documents.range_scores import EDGE_BONUS, FreeRanges, RangeScores
from regard.documents.unit_links import Integers, link_units
from regard.documents.white_space import Border, Gaps, place_borders
from regard.text.tokenizer import Span

NEAR_UNITS = 3.0  # over which the influence on an element without text falls to 1/e
REACH = 18  # units that influence it
MAX_SEARCHES = 500  # for kept texts in a translation
MIN_COMMON = 0.5  # share of the characters of a kept text that an altered copy has

_NOT_LETTERS = re.compile(r"[^\w\s]|\d")


@dataclass(frozen=True, slots=True)
class Projection:
    """A translation with the elements of its source, and the indices of those without links."""

    marked: MarkedText
    unplaced: tuple[int, ...]


def project_markup(source: MarkedText, translation: AlignedTranslation) -> Projection:
    """Place the elements of `source` in its translation, with the white space beside them."""
    return _Projector(source, translation).project()


class _Projector:
    def __init__(self, source: MarkedText, translation: AlignedTranslation) -> None:
        self.source, self.target = source, translation.text
        self.links = link_units(source, translation)
        self.scores = RangeScores(source.text, translation.text, self.links)
        begins = np.array([start for start, _ in self.links.source], np.int64)
        borders = np.array([(element.start, element.end) for element in source.elements], np.int64)
        units: Integers = np.searchsorted(begins, borders.reshape(-1, 2))
        self.units: list[Span] = [(first, last) for first, last in units.tolist()]
        self.gaps = Gaps(source.text, self.links.source), Gaps(self.target, self.links.target)
        self.children = children_of(source.elements)
        self.placed: dict[int, Span] = {}
        self.unplaced: set[int] = set()
        self.searched: dict[str, bool] = {}  # kept texts: whether the translation has them

    def project(self) -> Projection:
        everywhere = (0, len(self.links.target))
        self._place_children(None, everywhere)
        for index, element in enumerate(self.source.elements):
            if element.crosses:
                free = FreeRanges(*everywhere)
                self._place_range(index, self._best_range(index, free)[1], free)
        return Projection(self._with_white_space(), tuple(sorted(self.unplaced)))

    def _place_children(self, parent: int | None, room: Span) -> None:
        """Place the best range first, and the others in the free units.

        Free units only become fewer, so scores only fall: a range that is no longer free is scored
        again when it would be the next one.
        """
        own = self.children.get(parent, ())
        free = FreeRanges(*room)
        with_text = [index for index in own if self.units[index][0] < self.units[index][1]]
        waiting = [
            (-score, index, span)
            for index in with_text
            for score, span in [self._best_range(index, free)]
        ]
        heapify(waiting)
        while waiting:
            _, index, span = heappop(waiting)
            if span is not None and not free.holds(span):
                score, span = self._best_range(index, free)
                heappush(waiting, (-score, index, span))
                continue
            self._place_range(index, span, free)
            free.take(self.placed[index])
        for index in own:
            if index not in self.placed:
                gap = self._best_gap(index, free)
                self.placed[index] = (gap, gap)
        ordered = [index for index in own if self.source.elements[index].ordered]
        spans = sorted(self.placed[index] for index in ordered)
        self.placed.update(zip(ordered, spans, strict=True))
        for index in own:
            self._place_children(index, self.placed[index])

    def _best_range(self, index: int, free: FreeRanges) -> tuple[float, Span | None]:
        element = self.source.elements[index]
        copy = self.links.copies.get(index)
        if copy is not None and not free.holds(copy):
            copy = None
        if copy is not None and element.raw is not None:
            return np.inf, copy
        if self.units[index][0] == self.units[index][1]:
            return -np.inf, None
        inside = self.links.weights_of(*self.units[index])
        score, span = self.scores.best_range(element, inside, free)
        if copy is not None and copy != span:
            score, span = max((score, span), self.scores.score(element, inside, copy), key=_score)
        if span is not None and element.raw is not None and not element.replaces:
            start, end = self.links.target[span[0]][0], self.links.target[span[1] - 1][1]
            if not self._is_copy(
                self.source.text[element.start : element.end], self.target[start:end]
            ):
                return -np.inf, None
        return score, span

    def _is_copy(self, content: str, translated: str) -> bool:
        """Whether a part of the translation is a kept text, or an altered copy of it.

        An altered copy has the same digits and marks, or at least half of the characters, and the
        translation has no better copy.
        """
        source_letters, target_letters = (
            "".join(text.split()).casefold() for text in (content, translated)
        )
        if source_letters == target_letters:
            return True
        if source_letters not in self.searched and len(self.searched) < MAX_SEARCHES:
            self.searched[source_letters] = source_letters in self.target.casefold()
        if self.searched.get(source_letters, True):
            return False
        marks = sorted(_NOT_LETTERS.findall(source_letters))
        common = (Counter(source_letters) & Counter(target_letters)).total()
        is_marked = bool(marks) and marks == sorted(_NOT_LETTERS.findall(target_letters))
        return is_marked or common >= MIN_COMMON * max(len(source_letters), len(target_letters))

    def _place_range(self, index: int, span: Span | None, free: FreeRanges) -> None:
        """Place an element. Without links, a unit near its place is its text."""
        if span is None:
            self.unplaced.add(index)
            gap = self._best_gap(index, free)
            span = gap, gap
            if self.source.elements[index].raw is None:
                near = (gap - 1, gap), (gap, gap + 1)
                near = near if self._follows(index) else near[::-1]
                span = next((unit for unit in near if unit[0] >= 0 and free.holds(unit)), span)
        self.placed[index] = span

    def _best_gap(self, index: int, free: FreeRanges) -> int:
        """The gap that best divides the translations of the units before and after an element."""
        gap, count = self.units[index][0], len(self.links.source)
        first, last = max(0, gap - REACH), min(count, gap + REACH)
        units = np.arange(first, last)
        precedes = units < gap
        distances = np.where(precedes, gap - 1 - units, units - gap)
        factors = np.where(precedes, 1.0, -1.0) * np.exp(-distances / NEAR_UNITS)
        profile = self.links.weights_of(first, last, factors)
        gaps = [0, *(profile.columns + 1).tolist()]
        scores = profile.sums.copy()
        scores[0] += EDGE_BONUS * (gap == 0)
        end = len(self.links.target)
        if gap == count:
            gaps.append(end)
            scores = np.append(scores, profile.sums[-1] + EDGE_BONUS)
        for number in np.argsort(-scores, kind="stable").tolist():
            following = gaps[number + 1] if number + 1 < len(gaps) else end + 1
            free_gap = free.first_gap(gaps[number])
            if free_gap is not None and free_gap < max(following, gaps[number] + 1):
                return free_gap
        return free.nearest_gap(gaps[int(scores.argmax())])

    def _follows(self, index: int) -> bool:
        """Whether an element is attached to the character before it."""
        start = self.source.elements[index].start
        return start > 0 and not self.source.text[start - 1].isspace()

    def _with_white_space(self) -> MarkedText:
        borders: dict[int, list[Border]] = defaultdict(list)  # by the gap of the translation

        def add(index: int) -> None:
            """The borders of an element and of those in it, in the order of their tags."""
            opening, closing = self._borders(index)
            borders[self.placed[index][0]].append(opening)
            for child in self._in_order(index):
                add(child)
            borders[self.placed[index][1]].append(closing)

        for index in self._in_order(None):
            add(index)
        for index, element in enumerate(self.source.elements):
            if element.crosses:
                for gap, border in zip(self.placed[index], self._borders(index), strict=True):
                    same = [n for n, tag in enumerate(borders[gap]) if _precedes(border, tag)]
                    borders[gap].insert(same[0] if same else len(borders[gap]), border)
        text, offsets = place_borders(*self.gaps, borders)
        return MarkedText(
            text,
            tuple(
                replace(element, start=offsets[index][0], end=offsets[index][-1])
                for index, element in enumerate(self.source.elements)
            ),
        )

    def _in_order(self, parent: int | None) -> list[int]:
        return sorted(self.children.get(parent, ()), key=self.placed.__getitem__)

    def _borders(self, index: int) -> tuple[Border, Border]:
        element = self.source.elements[index]
        apart = element.raw is not None and index in self.unplaced  # its text is not in a word
        point = self.units[index][0] == self.units[index][1]
        first, last = (
            Border(index, unit, offset - self.gaps[0].starts[unit], opens, apart)
            for unit, offset, opens in zip(
                self.units[index], (element.start, element.end), (not point, False), strict=True
            )
        )
        return first, last


def _score(scored: tuple[float, Span | None]) -> float:
    return scored[0]


def _precedes(border: Border, following: Border) -> bool:
    return border.gap == following.gap and border.offset < following.offset
