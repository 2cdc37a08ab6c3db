"""The score of a range of target units as the place of an element.

For the target units c to d (exclusive), with w(i, j) the weight of the link of source unit i with
target unit j, and E the source units of the element:

    score(c, d) = Σ_{c ≤ j < d} (2 Σ_{i ∈ E} w(i, j) − Σ_i w(i, j))
                  + first(c) + last(d − 1) + pair(c, d)

The sum counts links that stay inside the element, less those that cross its border: up to a
constant, the objective of Zenkel et al. (2021, "Automatic bilingual markup transfer"), with weights
instead of links. The other terms are small. They decide between ranges that the links leave equal:
`first` and `last` depend on one unit at the border (case, punctuation, elisions, compounds), `pair`
on both (brackets, length, equal texts).

The sums are differences of prefix sums, so a pair takes constant time. Only borders near linked
units can be best: all pairs of a short window are compared; in a long one, the best pair of linked
units without `pair` is found first, and then the pairs near it are compared.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from regard.documents.marked_text import InlineElement
from regard.documents.unit_links import Floats, Integers, Profile, UnitLinks
from regard.text.tokenizer import Span

NEAR = 8  # units around a linked one at which a range may begin or end
MAX_WINDOW = 96  # units of which all pairs are compared
MAX_GAPS = 16  # free ranges that are compared for one element
MIN_INSIDE = 0.05  # weight of the links of an element that counts as placed

CASE_BONUS = 0.5  # both ranges begin with a capital letter
EDGE_BONUS = 0.2  # both ranges begin, or end, with the text
EQUAL_BONUS = 2.0  # the range has the text of the element
BRACKET_PENALTY = 1.5  # a bracket without its counterpart
PUNCTUATION_PENALTY = 1.0  # the range begins or ends with punctuation, and the element does not
ELISION_PENALTY = 0.3  # the range begins with an elided word: l'
COMPOUND_PENALTY = 0.6  # a border in a word with hyphens, or in a number
LENGTH_PENALTY = 0.15  # for each factor e between the lengths of the element and of the range
UNIT_PENALTY = 1e-9  # for each unit: of equal ranges, the shortest

_BRACKETS = {"(": 1, ")": -1, "[": 1, "]": -1, "{": 1, "}": -1, "«": 1, "»": -1, "“": 1, "”": -1}
_PUNCTUATION = frozenset(".,;:!?…¿¡、。，；：！？'\"‘’“”«»()[]–—-")
_COMPOUND = re.compile(r"(?<=\w)-(?=\w)|(?<=\d)[ \u00a0\u202f](?=\d{3}(?!\d))")


class FreeRanges:
    """The ranges of target units that no element has yet."""

    def __init__(self, low: int, high: int) -> None:
        self.lows, self.highs = [low], [high]

    def holds(self, span: Span) -> bool:
        number = bisect_right(self.lows, span[0]) - 1
        return number >= 0 and span[1] <= self.highs[number]

    def range_of(self, unit: int) -> Span | None:
        """The range that has a unit."""
        number = bisect_right(self.lows, unit) - 1
        if number < 0 or unit >= self.highs[number]:
            return None
        return self.lows[number], self.highs[number]

    def take(self, span: Span) -> None:
        """Remove a range within one of these. The parts beside it stay, also empty ones."""
        number = bisect_right(self.lows, span[0]) - 1
        if span[0] == span[1] or number < 0 or span[1] > self.highs[number]:
            return
        self.lows.insert(number + 1, span[1])
        self.highs.insert(number, span[0])

    def first_gap(self, gap: int) -> int | None:
        """The first gap that is not inside a taken range, from `gap` on."""
        number = bisect_right(self.lows, gap) - 1
        if number >= 0 and gap <= self.highs[number]:
            return gap
        return self.lows[number + 1] if number + 1 < len(self.lows) else None

    def nearest_gap(self, gap: int) -> int:
        next_gap = self.first_gap(gap)
        number = bisect_right(self.lows, gap) - 1
        previous_gap = self.highs[number] if number >= 0 else None
        gaps = [candidate for candidate in (next_gap, previous_gap) if candidate is not None]
        return min(gaps, key=lambda candidate: abs(candidate - gap))


@dataclass(frozen=True, slots=True)
class _Content:
    """What the terms need of the text of an element."""

    text: str
    brackets: int
    begins_text: bool
    ends_text: bool


class RangeScores:
    """Scores the ranges of a translation.

    Args:
        source: The source text.
        target: The translation.
        links: Their units and the links of these.
    """

    def __init__(self, source: str, target: str, links: UnitLinks) -> None:
        self.source, self.target, self.links = source, target, links
        units = links.target
        totals = np.bincount(links.columns, links.weights, len(units))
        self.totals = np.concatenate([[0.0], np.cumsum(totals)])
        self.begins = np.array([start for start, _ in units], np.int64)
        self.ends = np.array([end for _, end in units], np.int64)
        self.unit_ends = {end: number for number, (_, end) in enumerate(units)}
        texts = [target[start:end] for start, end in units]
        self.edges = tuple(np.array([text[side] for text in texts], "U1") for side in (0, -1))
        self.capitals = np.array([text[0].isupper() for text in texts], bool)
        self.punctuation = tuple(
            np.array([text[side] in _PUNCTUATION for text in texts], bool) for side in (0, -1)
        )
        compounds = [np.isin(ends, _compound_borders(target)) for ends in (self.begins, self.ends)]
        elided = np.array([len(text) > 1 and text[-1] in "'’ʼ" for text in texts], bool)
        self.fixed = (
            -COMPOUND_PENALTY * compounds[0] - ELISION_PENALTY * elided,
            -COMPOUND_PENALTY * compounds[1],
        )
        self.depth = np.cumsum([0, *(_BRACKETS.get(text, 0) for text in texts)])
        steps = (_BRACKETS.get(character, 0) for character in source)
        self.source_depth = [0, *accumulate(steps)]
        stripped = source.strip()
        self.outer = (source.find(stripped), source.find(stripped) + len(stripped))

    def best_range(
        self, element: InlineElement, inside: Profile, free: FreeRanges
    ) -> tuple[float, Span | None]:
        """The best score of a range within one of the free ones, and the range."""
        content = self._content(element)
        best: tuple[float, Span | None] = (-np.inf, None)
        for low, high, first, last in _linked_ranges(inside, free):
            starts, ends = self._candidates(content, inside, (low, high), (first, last))
            candidate = self._best_pair(content, inside, starts, ends)
            if candidate[0] > best[0]:
                best = candidate
        return best

    def score(
        self, element: InlineElement, inside: Profile, span: Span
    ) -> tuple[float, Span | None]:
        """The score of a range, and the range."""
        starts, ends = np.array([span[0]]), np.array([span[1] - 1])
        return self._best_pair(self._content(element), inside, starts, ends)

    def _content(self, element: InlineElement) -> _Content:
        text = self.source[element.start : element.end].strip()
        brackets = self.source_depth[element.end] - self.source_depth[element.start]
        begins, ends = element.start <= self.outer[0], element.end >= self.outer[1]
        return _Content(text, brackets, begins, ends)

    def _candidates(
        self, content: _Content, inside: Profile, free: Span, linked: Span
    ) -> tuple[Integers, Integers]:
        """First and last units of ranges to compare.

        `linked`: which of the linked units are in the free range.
        """
        columns = inside.columns[linked[0] : linked[1]]
        low, high = max(free[0], int(columns[0]) - NEAR), min(free[1], int(columns[-1]) + NEAR + 1)
        if high - low <= MAX_WINDOW:
            window = np.arange(low, high)
            return window, window
        starts = self._start_scores(content, inside, columns)
        ends = self._end_scores(content, inside, columns)
        best_starts = np.maximum.accumulate(starts)
        last = int((best_starts + ends).argmax())
        first = int(starts[: last + 1].argmax())
        near = [
            np.arange(max(low, unit - NEAR), min(high, unit + NEAR + 1))
            for unit in (int(columns[first]), int(columns[last]))
        ]
        return near[0], near[1]

    def _best_pair(
        self, content: _Content, inside: Profile, starts: Integers, ends: Integers
    ) -> tuple[float, Span | None]:
        scores = self._start_scores(content, inside, starts)[:, None]
        scores = scores + self._end_scores(content, inside, ends)[None, :]
        scores += self._pair_terms(content, starts, ends)
        lengths = ends[None, :] - starts[:, None]
        scores = np.where(lengths < 0, -np.inf, scores - UNIT_PENALTY * lengths)
        c, d = divmod(int(scores.argmax()), len(ends))
        span = int(starts[c]), int(ends[d]) + 1
        low, high = inside.sum_before(np.array(span))
        text = self.target[self.links.target[span[0]][0] : self.links.target[span[1] - 1][1]]
        if high - low < MIN_INSIDE and text != content.text:
            return -np.inf, None
        return float(scores[c, d]), span

    def _start_scores(self, content: _Content, inside: Profile, units: Integers) -> Floats:
        """The part of the score that depends on the first unit."""
        scores = self.totals[units] - 2 * inside.sum_before(units)
        if content.text[0].isupper():
            scores += CASE_BONUS * self.capitals[units]
        if content.begins_text:
            scores += EDGE_BONUS * (units == 0)
        return scores + self._edge_terms(content, 0, units)

    def _end_scores(self, content: _Content, inside: Profile, units: Integers) -> Floats:
        """The part of the score that depends on the last unit."""
        scores = 2 * inside.sum_before(units + 1) - self.totals[units + 1]
        if content.ends_text:
            scores += EDGE_BONUS * (units == len(self.begins) - 1)
        return scores + self._edge_terms(content, -1, units)

    def _edge_terms(self, content: _Content, side: int, units: Integers) -> Floats:
        character = content.text[side]
        terms = self.fixed[side][units]
        if character in _PUNCTUATION:
            return terms + EDGE_BONUS * (self.edges[side][units] == character)
        return terms - PUNCTUATION_PENALTY * self.punctuation[side][units]

    def _pair_terms(self, content: _Content, starts: Integers, ends: Integers) -> Floats:
        depth = self.depth[ends + 1][None, :] - self.depth[starts][:, None]
        terms = -BRACKET_PENALTY * (depth != content.brackets)
        lengths = np.maximum(self.ends[ends][None, :] - self.begins[starts][:, None], 1)
        terms -= LENGTH_PENALTY * np.abs(np.log(lengths / len(content.text)))
        for number, start in enumerate(self.begins[starts].tolist()):
            last = self.unit_ends.get(start + len(content.text), -1)
            if ends[0] <= last <= ends[-1] and self.target.startswith(content.text, start):
                terms[number, last - ends[0]] += EQUAL_BONUS
        return terms


def _linked_ranges(inside: Profile, free: FreeRanges) -> list[tuple[int, int, int, int]]:
    """The free ranges that have links of an element: units, and which of its linked units.

    Of many, those with the most weight.
    """
    columns, ranges, number = inside.columns, [], 0
    while number < len(columns):
        gap = free.range_of(int(columns[number]))
        if gap is None:
            next_gap = free.first_gap(int(columns[number]) + 1)
            if next_gap is None:
                break
            number = max(number + 1, int(np.searchsorted(columns, next_gap)))
            continue
        last = int(np.searchsorted(columns, gap[1]))
        ranges.append((*gap, number, last))
        number = last
    if len(ranges) > MAX_GAPS:
        ranges.sort(
            key=lambda linked_range: inside.sums[linked_range[2]] - inside.sums[linked_range[3]]
        )
        ranges = sorted(ranges[:MAX_GAPS])
    return ranges


def _compound_borders(text: str) -> NDArray[np.int64]:
    """Places inside numbers in groups of three digits and words with hyphens."""
    borders = [
        border for match in _COMPOUND.finditer(text) for border in (match.end() - 1, match.end())
    ]
    return np.array(borders, np.int64)
