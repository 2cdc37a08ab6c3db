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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import accumulate

import numpy as np

from regard.documents.marked_text import AlignedTranslation, MarkedText, children_of
from regard.documents.range_scores import EDGE_BONUS, FreeRanges, RangeScores
from regard.documents.unit_links import Integers, link_units
from regard.text.tokenizer import Span

# -- white space beside the tags of a translation --------------------------------------------------
# Tags are in the gaps between units, which are white space or empty. A gap of the translation gets
# the white space of its source if all its tags are from one gap, so tags stay where they are in it,
# and a space is added where a tag had white space on both sides. The white space before the first
# and after the last unit of a text is that of the source.


@dataclass(frozen=True, slots=True)
class Border:
    """A tag in a gap of the source.

    Args:
        element: Number of the element.
        gap: Number of the gap: of the units before it.
        offset: Characters of the gap before the tag.
        opens: Whether the element has its text after the tag.
        apart: Whether the tag stands for words: letters and digits do not touch it.
    """

    element: int
    gap: int
    offset: int
    opens: bool
    apart: bool = False


class Gaps:
    """The characters between the units of a text, and before and after all of them."""

    def __init__(self, text: str, units: Sequence[Span]) -> None:
        self.text = text
        self.starts = [0, *(end for _, end in units)]
        self.ends = [*(start for start, _ in units), len(text)]

    def __getitem__(self, gap: int) -> str:
        return self.text[self.starts[gap] : self.ends[gap]]

    def __len__(self) -> int:
        return len(self.starts)

    def unit_after(self, gap: int) -> str:
        """The unit after a gap; nothing after the last one."""
        return self.text[self.ends[gap] : self.starts[gap + 1]] if gap + 1 < len(self) else ""


def place_borders(
    source: Gaps, target: Gaps, borders: Mapping[int, Sequence[Border]]
) -> tuple[str, dict[int, list[int]]]:
    """The text of the translation with its white space, and the places of each element's tags.

    Args:
        source: Gaps of the source.
        target: Gaps of the translation.
        borders: The tags in each gap of the translation, in order.
    """
    parts: list[str] = []
    tag_offsets: dict[int, list[int]] = defaultdict(list)
    length = 0
    for gap in range(len(target)):
        text = _outer_space(source, target, gap)
        inside = borders.get(gap, ())
        if inside:
            text, offsets = _fit(source, target, gap, text, inside)
            for border, offset in zip(inside, offsets, strict=True):
                tag_offsets[border.element].append(length + offset)
        parts += [text, target.unit_after(gap)]
        length += len(parts[-2]) + len(parts[-1])
    return "".join(parts), tag_offsets


def _outer_space(source: Gaps, target: Gaps, gap: int) -> str:
    """A gap of the translation; the first and the last one are those of the source."""
    if len(source) > 1 and len(target) > 1 and gap in (0, len(target) - 1):
        return source[0 if gap == 0 else len(source) - 1]
    return target[gap]


def _fit(
    source: Gaps, target: Gaps, gap: int, text: str, borders: Sequence[Border]
) -> tuple[str, list[int]]:
    """The white space of a gap of the translation, and the offsets of the borders in it."""
    if _gets_source_space(source, text, borders):
        return source[borders[0].gap], [border.offset for border in borders]
    previous = target.text[max(0, target.starts[gap] - 1) : target.starts[gap]]
    following = target.text[target.ends[gap] : target.ends[gap] + 1]
    spacings = [_spacing(border, source, previous, following) for border in borders]
    needs_left = gap > 0 and any(spacing.needed and spacing.space_before for spacing in spacings)
    needs_right = gap < len(target) - 1 and any(
        spacing.needed and spacing.space_after for spacing in spacings
    )
    text += " " * (needs_left + needs_right - len(text))
    between = 1 if needs_left and needs_right else len(text) if needs_left else 0
    offsets = (spacing.offset(len(text), between) for spacing in spacings)
    return text, list(accumulate(offsets, max))


def _gets_source_space(source: Gaps, text: str, borders: Sequence[Border]) -> bool:
    """Whether a gap gets the white space of its source, and its tags stay where they are in it."""
    offsets = [border.offset for border in borders]
    if len({border.gap for border in borders}) > 1 or offsets != sorted(offsets):
        return False
    own = source[borders[0].gap]
    return text == own or (own != "" and text != "" and not text.strip(" "))


@dataclass(frozen=True, slots=True)
class _Spacing:
    """On which sides of a border white space belongs.

    `needed`: whether it is required. `follows`: without any, the border is beside the unit after
    it.
    """

    space_before: bool
    space_after: bool
    needed: bool
    follows: bool

    def offset(self, length: int, between: int) -> int:
        """Where the border is in a gap of this length; `between`: if it requires white space."""
        if self.needed:
            return between
        is_after_space = self.space_before or (self.follows and not self.space_after)
        return length if is_after_space else 0


def _spacing(border: Border, source: Gaps, previous: str, following: str) -> _Spacing:
    if border.apart:
        space_before, space_after = previous.isalnum(), following.isalnum()
        return _Spacing(space_before, space_after, space_before or space_after, False)
    space_before, space_after = border.offset > 0, border.offset < len(source[border.gap])
    return _Spacing(
        space_before, space_after, space_before and space_after, border.opens or border.gap == 0
    )


# -- projection ------------------------------------------------------------------------------------


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

    @cached_property
    def target_letters(self) -> str:
        return "".join(self.target.split()).casefold()

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
            self.searched[source_letters] = source_letters in self.target_letters
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
