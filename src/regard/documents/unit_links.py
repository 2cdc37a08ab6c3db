"""Units of a text and its translation, and the links between them.

A unit is a word, or a part of one: a word of the source is divided where an element begins or ends
inside it (m<sup>2</sup>), and the word that is linked to it where its letters are the same. Other
words of the translation are divided after an apostrophe: l'eau is an article and a noun.

Links are stored as the nonzero entries of a matrix, and everything here takes time in proportion
to their number and to the length of the texts.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from regard.documents.marked_text import AlignedTranslation, InlineElement, MarkedText
from regard.text.tokenizer import Span

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MIN_WEIGHT = 0.01  # of a link; a word has at most a hundred of these
LINKED = 0.5  # weight above which equal words add nothing
MAX_LINKS = 8  # of a word that elements divide

_ELISION = re.compile(r"(?<=\w)['’ʼ](?=\w)")


@dataclass(frozen=True, slots=True)
class WordLinks:
    """The links of words: source word, target word and weight of each."""

    source: Integers
    target: Integers
    weights: Floats

    def replaced(self, pairs: Sequence[tuple[int, int]]) -> WordLinks:
        """Pairs of words are linked to each other only."""
        if not pairs:
            return self
        rows, columns = np.array(pairs, np.int64).T
        keep = ~np.isin(self.source, rows) & ~np.isin(self.target, columns)
        return WordLinks(
            np.concatenate([self.source[keep], rows]),
            np.concatenate([self.target[keep], columns]),
            np.concatenate([self.weights[keep], np.ones(len(pairs))]),
        )


@dataclass(frozen=True, slots=True)
class UnitLinks:
    """The links of units.

    Args:
        source: Characters of the units of the source.
        target: Characters of the units of the translation.
        first: Where the links of each source unit begin, and where the last ones end.
        columns: Target units of the links, in order for each source unit.
        weights: Of the links.
        copies: Target units of the copies of the elements' texts, by element.
    """

    source: list[Span]
    target: list[Span]
    first: Integers
    columns: Integers
    weights: Floats
    copies: dict[int, Span]

    def weights_of(self, first: int, last: int, factors: Floats | None = None) -> Profile:
        """The links of the source units from `first` to before `last`, by target unit."""
        part = slice(self.first[first], self.first[last])
        columns, weights = self.columns[part], self.weights[part]
        if factors is not None:
            weights = weights * np.repeat(factors, np.diff(self.first[first : last + 1]))
        if last - first != 1:
            columns, column_indices = np.unique(columns, return_inverse=True)
            weights = np.bincount(column_indices, weights, len(columns)).astype(np.float64)
        return Profile(columns, np.concatenate([[0.0], np.cumsum(weights)]))


@dataclass(frozen=True, slots=True)
class Profile:
    """Weights of target units: those that are not zero, and the sums of the first ones."""

    columns: Integers
    sums: Floats

    def sum_before(self, units: Integers) -> Floats:
        """The sum of all units before each of `units`."""
        return self.sums[np.searchsorted(self.columns, units)]


def link_units(source: MarkedText, translation: AlignedTranslation) -> UnitLinks:
    """Divide a source and its translation into units, and link them."""
    sides = (
        (source.text, translation.source_words),
        (translation.text, translation.target_words),
    )
    words = [[text[start:end].casefold() for start, end in spans] for text, spans in sides]
    links = _word_links(translation.parts or ())
    links = links.replaced(_equal_words(links, *words))
    copies = _find_copies(source, translation.source_words, links, *words)
    links = links.replaced(
        [
            pair
            for index, (element_words, copy_words) in copies.items()
            if source.elements[index].raw is not None
            for pair in zip(element_words, copy_words, strict=True)
        ]
    )
    division = _Division(source, translation, links)
    first = division.target_firsts
    copy_spans = {
        index: (first[copy_words[0]], first[copy_words[-1] + 1])
        for index, (_, copy_words) in copies.items()
    }
    return division.unit_links(copy_spans)


def _word_links(parts: Sequence[NDArray[np.float32]]) -> WordLinks:
    rows: list[Integers] = []
    columns: list[Integers] = []
    weights: list[Floats] = []
    row = column = 0
    for part in parts:
        inner = part[:, :-1]
        targets, sources = np.nonzero(inner >= MIN_WEIGHT)
        weights.append(inner[targets, sources].astype(np.float64))
        rows.append(sources + row)
        columns.append(targets + column)
        row, column = row + inner.shape[1], column + inner.shape[0]
    if not weights:
        return WordLinks(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    return WordLinks(np.concatenate(rows), np.concatenate(columns), np.concatenate(weights))


def _equal_words(
    links: WordLinks, source: Sequence[str], target: Sequence[str]
) -> list[tuple[int, int]]:
    """Equal words that have no links: the first with the first and so on."""
    linked = np.zeros(len(source)), np.zeros(len(target))
    np.maximum.at(linked[0], links.source, links.weights)
    np.maximum.at(linked[1], links.target, links.weights)
    unlinked: dict[str, list[int]] = defaultdict(list)
    for j in np.nonzero(linked[1] < LINKED)[0][::-1].tolist():
        if any(map(str.isalnum, target[j])):
            unlinked[target[j]].append(j)
    rows = np.nonzero(linked[0] < LINKED)[0].tolist()
    return [(i, unlinked[source[i]].pop()) for i in rows if unlinked.get(source[i])]


def _find_copies(
    source: MarkedText,
    spans: Sequence[Span],
    links: WordLinks,
    words: Sequence[str],
    target: Sequence[str],
) -> dict[int, tuple[range, range]]:
    """The words of elements and of copies of these in the translation, by element.

    Of several copies, an element has the one that most of its links lead to.
    """
    elements: dict[tuple[bool, tuple[str, ...]], list[tuple[int, range]]] = defaultdict(list)
    for index, element_words in _words_of_elements(source, spans):
        phrase = tuple(words[element_words.start : element_words.stop])
        elements[source.elements[index].raw is None, phrase].append((index, element_words))
    if not elements:
        return {}
    word_indices: dict[str, list[int]] = defaultdict(list)
    for j, word in enumerate(target):
        word_indices[word].append(j)
    order = np.lexsort((-links.weights, links.source))
    first = np.searchsorted(links.source[order], np.arange(len(spans) + 1))
    linked = links.target[order]
    copies: dict[int, tuple[range, range]] = {}
    for (_, phrase), same in elements.items():
        occurrences = _occurrences(phrase, target, word_indices, 4 * len(same) + 16)
        free = dict.fromkeys(occurrences)
        covered = {j: start for start in occurrences for j in range(start, start + len(phrase))}
        later: list[tuple[int, range]] = []
        for index, element_words in same:
            reached = linked[first[element_words.start] : first[element_words.stop]].tolist()
            copy_start = next((covered[j] for j in reached if covered.get(j) in free), None)
            if copy_start is None:
                later.append((index, element_words))
                continue
            del free[copy_start]
            copies[index] = element_words, range(copy_start, copy_start + len(phrase))
        for (index, element_words), start in zip(later, free, strict=False):
            copies[index] = element_words, range(start, start + len(phrase))
    return copies


def _words_of_elements(source: MarkedText, spans: Sequence[Span]) -> Iterator[tuple[int, range]]:
    """The elements whose text is whole words, and these words."""
    starts = {start: number for number, (start, _) in enumerate(spans)}
    ends = {end: number + 1 for number, (_, end) in enumerate(spans)}
    for index, element in enumerate(source.elements):
        content = source.text[element.start : element.end]
        start = element.start + len(content) - len(content.lstrip())
        end = element.start + len(content.rstrip())
        if not element.replaces and start in starts and end in ends:
            element_words = range(starts[start], ends[end])
            if element_words:
                yield index, element_words


def _occurrences(
    content: tuple[str, ...], target: Sequence[str], word_indices: dict[str, list[int]], limit: int
) -> list[int]:
    """Where words begin that are `content`; none if each of them is in more than `limit` places."""
    rarest = min(range(len(content)), key=lambda n: len(word_indices.get(content[n], ())))
    candidates = word_indices.get(content[rarest], [])
    starts: list[int] = []
    for j in candidates if len(candidates) <= limit else ():
        start = j - rarest
        if start < (starts[-1] + len(content) if starts else 0):
            continue
        if tuple(target[start : start + len(content)]) == content:
            starts.append(start)
    return starts


class _Division:
    """The words of both sides with the places that divide them, and the links of the parts."""

    def __init__(
        self, source: MarkedText, translation: AlignedTranslation, links: WordLinks
    ) -> None:
        self.source, self.target = source.text, translation.text
        self.words = translation.source_words, translation.target_words
        self.links = links
        self.strongest = np.full(len(self.words[1]), -1)  # link of each target word
        order = np.lexsort((-np.arange(len(links.weights)), links.weights))
        self.strongest[links.target[order]] = order
        self.source_cuts = _cuts_of_elements(source.elements, self.words[0])
        self.copied: dict[int, list[int]] = {}  # offsets in the source word of target parts
        self.target_cuts = self._target_cuts()
        self.source_firsts, self.source_units = _divide(self.words[0], self.source_cuts)
        self.target_firsts, self.target_units = _divide(self.words[1], self.target_cuts)

    def _target_cuts(self) -> dict[int, list[int]]:
        cuts: dict[int, list[int]] = {}
        for j, (start, end) in enumerate(self.words[1]):
            link = int(self.strongest[j])
            i = int(self.links.source[link]) if link >= 0 else -1
            if i in self.source_cuts:
                first, last = self.words[0][i]
                offsets = [cut - first for cut in self.source_cuts[i]]
                pairs = _equal_places(self.source[first:last], self.target[start:end], offsets)
                if pairs:
                    cuts[j] = [start + offset for _, offset in pairs]
                    self.copied[j] = [0, *(offset for offset, _ in pairs), last - first]
                    continue
            if i >= 0 and self._word(0, i) == self._word(1, j):
                continue
            elisions = [match.end() for match in _ELISION.finditer(self.target, start, end)]
            if elisions:
                cuts[j] = elisions
        return cuts

    def _word(self, side: int, number: int) -> str:
        start, end = self.words[side][number]
        return (self.source, self.target)[side][start:end].casefold()

    def unit_links(self, copies: dict[int, Span]) -> UnitLinks:
        links = self.links
        divided = np.isin(links.source, list(self.source_cuts))
        divided |= np.isin(links.target, list(self.target_cuts))
        whole = ~divided
        rows = [np.array(self.source_firsts, np.int64)[links.source[whole]]]
        columns = [np.array(self.target_firsts, np.int64)[links.target[whole]]]
        weights = [links.weights[whole]]
        parts = [part for link in self._strongest_links(divided) for part in self._parts(link)]
        if parts:
            table = np.array(parts)
            rows.append(table[:, 0].astype(np.int64))
            columns.append(table[:, 1].astype(np.int64))
            weights.append(table[:, 2])
        row, column = np.concatenate(rows), np.concatenate(columns)
        order = np.lexsort((column, row))
        first = np.searchsorted(row[order], np.arange(len(self.source_units) + 1))
        return UnitLinks(
            self.source_units,
            self.target_units,
            first,
            column[order],
            np.concatenate(weights)[order],
            copies,
        )

    def _strongest_links(self, chosen: NDArray[np.bool_]) -> list[int]:
        """The chosen links, but only the strongest ones of each word that elements divide."""
        numbers = np.nonzero(chosen)[0]
        numbers = numbers[np.argsort(-self.links.weights[numbers], kind="stable")]
        counts: dict[int, int] = defaultdict(int)
        strongest = []
        for link in numbers.tolist():
            i = int(self.links.source[link])
            counts[i] += 1
            if i not in self.source_cuts or counts[i] <= MAX_LINKS:
                strongest.append(link)
        return strongest

    def _parts(self, link: int) -> list[tuple[int, int, float]]:
        """A link as links of the parts of its words."""
        i, j = int(self.links.source[link]), int(self.links.target[link])
        weight = float(self.links.weights[link])
        rows = range(self.source_firsts[i], self.source_firsts[i + 1])
        columns = range(self.target_firsts[j], self.target_firsts[j + 1])
        is_strongest = self.strongest[j] == link
        if is_strongest and j in self.copied:
            return self._copied_parts(i, j, weight)
        if j in self.target_cuts and j not in self.copied:  # the noun has the strongest link
            columns = columns[-1:] if is_strongest else columns[:-1]
        start, end = self.words[0][i]
        shares = [(b - a) / (end - start) for a, b in (self.source_units[p] for p in rows)]
        return [
            (p, q, weight * share) for p, share in zip(rows, shares, strict=True) for q in columns
        ]

    def _copied_parts(self, i: int, j: int, weight: float) -> list[tuple[int, int, float]]:
        """Links of parts with the same letters."""
        start = self.words[0][i][0]
        p, parts = self.source_firsts[i], []
        for q, (low, high) in enumerate(pairwise(self.copied[j]), self.target_firsts[j]):
            while p < self.source_firsts[i + 1] and self.source_units[p][0] - start < high:
                first, last = self.source_units[p]
                parts.append((p, q, weight * (last - first) / (high - low)))
                p += 1
        return parts


def _cuts_of_elements(
    elements: Sequence[InlineElement], words: Sequence[Span]
) -> dict[int, list[int]]:
    """The places inside each word at which elements begin or end."""
    starts = [start for start, _ in words]
    cuts: dict[int, list[int]] = defaultdict(list)
    for border in sorted(
        {border for element in elements for border in (element.start, element.end)}
    ):
        number = bisect_right(starts, border) - 1
        if number >= 0 and words[number][0] < border < words[number][1]:
            cuts[number].append(border)
    return dict(cuts)


def _divide(words: Sequence[Span], cuts: dict[int, list[int]]) -> tuple[list[int], list[Span]]:
    """The number of the first unit of each word, that of all units, and the units."""
    firsts: list[int] = []
    units: list[Span] = []
    for number, (start, end) in enumerate(words):
        firsts.append(len(units))
        units += pairwise([start, *cuts.get(number, ()), end])
    return [*firsts, len(units)], units


def _equal_places(
    first_word: str, second_word: str, offsets: Sequence[int]
) -> list[tuple[int, int]]:
    """Places inside a word that another word has too, because it begins or ends equally."""
    folded = [list(map(str.casefold, word)) for word in (first_word, second_word)]
    texts = ["".join(characters) for characters in folded]
    lengths = [[0, *accumulate(map(len, characters))] for characters in folded]
    shorter = min(map(len, texts))
    begins = next((n for n in range(shorter) if texts[0][n] != texts[1][n]), shorter)
    ends = next((n for n in range(shorter) if texts[0][-1 - n] != texts[1][-1 - n]), shorter)
    pairs: list[tuple[int, int]] = []
    for offset in offsets:
        length = lengths[0][offset]
        if length > begins:
            length += len(texts[1]) - len(texts[0])
            if lengths[0][-1] - lengths[0][offset] > ends:
                continue
        target = bisect_left(lengths[1], length)
        is_inside = (pairs[-1][1] if pairs else 0) < target < len(second_word)
        if is_inside and lengths[1][target] == length:
            pairs.append((offset, target))
    return pairs
