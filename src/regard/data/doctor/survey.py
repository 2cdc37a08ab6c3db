"""One pass over a corpus: what its pairs look like, and how its parts differ.

Both passes read blocks of normalized lines and keep sums, histograms, 16 bytes a pair, the lines
of odd pairs and a few examples.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from regard.data.doctor.language import (
    Alphabet,
    Codes,
    LanguageBaseline,
    PairSample,
    in_other_script,
)
from regard.data.filters import FILTERS, Limits, drop_reason
from regard.data.formats.corpus import Block, Corpus
from regard.data.preparation.fields import hash_texts
from regard.errors import CorpusError
from regard.text.normalize import normalize

# -- detect shifted lines from features that a line shares with its translation --------------------
# A translation has about the length, the digits and the punctuation of its source. Over some
# hundred pairs these features correlate (Multi30k: 0.8 in length); those of a line and the neighbor
# of its translation do not. For each window of pairs, the correlation is computed with the target
# shifted by up to two lines, and the best offset wins.


WINDOW = 500  # pairs; random correlation is about 0.045
_MIN_PAIRS = 100  # fewer are not significant
_OFFSETS = (-1, 1, -2, 2)
_MARGIN = 0.25  # five times the random correlation
_UNRELATED = 0.2  # in 100 pairs; 3,000 such windows of sound corpora have 0.36 or more

_CLASSES = np.zeros(0x110000, np.uint8)  # of each code point: 1 digit, 2 punctuation, 0 neither
_CLASSES[[ord(c) for c in "0123456789"]] = 1
_DIGIT_HASHES = np.array([pow(3, 31 + n, 1 << 61) for n in range(10)], np.uint64)
_CLASSES[[ord(c) for c in ',;:?!()"“”„«»、，？！：；']] = 2


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """A range of pairs in which line n of the source matches line n + offset of the target.

    `offset` is None if source and target do not correlate.
    """

    first: int  # the first pair, counted from 0
    last: int
    offset: int | None


def features(codes: Codes) -> NDArray[np.float64]:
    """Return, for each line, the log of its length, digits and punctuation."""
    classes = _CLASSES[codes.points]
    digits, punctuation = codes.count(classes == 1), codes.count(classes == 2)
    return np.log1p(np.stack([codes.lengths, digits, punctuation], axis=1))


def find_offsets(
    first: int, source: NDArray[np.float64], target: NDArray[np.float64]
) -> Iterator[OffsetRange]:
    """Yield the offset of each window of pairs; `first` is the number of the first pair."""
    count = max(1, round(len(source) / WINDOW))
    for rows in np.array_split(np.arange(len(source)), count):
        if len(rows) < _MIN_PAIRS:
            continue
        scores = {0: _correlation(source[rows], target[rows], 0)}
        if scores[0] < 1 - _MARGIN:  # else no other offset can exceed it by the margin
            scores |= {o: _correlation(source[rows], target[rows], o) for o in _OFFSETS}
        best = max(scores, key=lambda offset: scores[offset])
        if scores[best] > scores[0] + _MARGIN:
            yield OffsetRange(first + int(rows[0]), first + int(rows[-1]), best)
            continue
        for part in np.array_split(rows, max(1, len(rows) // _MIN_PAIRS)):
            offset_range = OffsetRange(first + int(part[0]), first + int(part[-1]), 0)
            # Empty lines have a check of their own.
            filled = part[(source[part, 0] > 0) & (target[part, 0] > 0)]
            if len(filled) >= _MIN_PAIRS // 2:
                source_features, target_features = source[filled], target[filled]
                # Without variation in length, a low correlation means nothing.
                varied = min(source_features[:, 0].std(), target_features[:, 0].std()) > 0.1
                if varied and _correlation(source_features, target_features, 0) < _UNRELATED:
                    offset_range = replace(offset_range, offset=None)
            yield offset_range


def find_swapped_lines(source: Codes, target: Codes) -> NDArray[np.bool_]:
    """Return which lines are swapped with a neighbor on one side, judged by their digits.

    Line n has the digits of translation n + 1, line n + 1 those of translation n, and neither has
    the digits of its own translation. Works only for lines with at least two digits.
    """
    (source_digits, digits), (target_digits, _) = _signatures(source), _signatures(target)
    crossed = (
        (source_digits[:-1] == target_digits[1:])
        & (source_digits[1:] == target_digits[:-1])
        & (source_digits[:-1] != source_digits[1:])
    )
    crossed &= (np.maximum(digits[:-1], digits[1:]) >= 2) & (
        source_digits[:-1] != target_digits[:-1]
    )
    return np.append(crossed, False) | np.insert(crossed, 0, False)


def join_offsets(ranges: list[OffsetRange]) -> list[OffsetRange]:
    """Join adjacent ranges with the same offset."""
    joined: list[OffsetRange] = []
    for part in ranges:
        if joined and joined[-1].offset == part.offset and joined[-1].last + 1 == part.first:
            joined[-1] = OffsetRange(joined[-1].first, part.last, part.offset)
        else:
            joined.append(part)
    return joined


def _correlation(source: NDArray[np.float64], target: NDArray[np.float64], offset: int) -> float:
    """Return the mean correlation of the features that vary on both sides."""
    size = len(source) - abs(offset)
    x, y = source[max(0, -offset) :][:size], target[max(0, offset) :][:size]
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    spread = np.sqrt((x**2).mean(axis=0) * (y**2).mean(axis=0))
    varied = spread > 1e-3
    if not varied.any():
        return 0.0
    return float(((x * y).mean(axis=0)[varied] / spread[varied]).mean())


def _signatures(codes: Codes) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return a hash of each line's digits in any order (1,000 equals 1.000), and their number."""
    indices = np.flatnonzero(_CLASSES[codes.points] == 1)
    lines = codes.lines_of(indices)
    signatures = np.zeros(len(codes.starts), np.uint64)
    np.add.at(signatures, lines, _DIGIT_HASHES[codes.points[indices] - ord("0")])
    return signatures, np.bincount(lines, minlength=len(signatures))


# -- survey ----------------------------------------------------------------------------------------


BLOCK = 10_000  # pairs: about 3 MB of text
EXAMPLES = 3  # of each kind

# UTF-8 decoded as Latin-1 or cp1252, and replacement characters.
_DAMAGE = re.compile("[ÂÃ][\u0080-\u00bf]|Ã[Ÿ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œž]|â€|ï¿½|ï»¿|\ufffd")

LENGTH_EDGES = np.unique(np.round(np.geomspace(1, 20_000, 65)).astype(np.int64))
RATIO_EDGES = np.geomspace(1 / 8, 8, 49)


@dataclass(frozen=True, slots=True)
class Example:
    line: int  # or record, counted from 1
    source: str
    target: str


@dataclass(slots=True)
class Tally:
    """The lines of the pairs of a kind, and the first few pairs as examples."""

    lines: array[int] = field(default_factory=lambda: array("q"))  # 8 bytes each
    examples: list[Example] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.lines)

    def add(self, block: Block, indices: Sequence[int] | NDArray[np.int64]) -> None:
        self.lines.extend(block.start + int(i) + 1 for i in indices)
        for i in indices[: EXAMPLES - len(self.examples)]:
            line = block.start + int(i) + 1
            self.examples.append(Example(line, block.sources[i], block.targets[i]))


@dataclass(slots=True)
class SideSurvey:
    """Statistics of one side of a corpus."""

    alphabet: Alphabet = field(default_factory=Alphabet)
    hashes: list[NDArray[np.uint64]] = field(default_factory=list)
    lengths: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(len(LENGTH_EDGES) + 1, np.int64)
    )
    characters: int = 0
    longest: int = 0

    def add(self, codes: Codes, lines: list[str]) -> None:
        lengths = codes.lengths
        self.hashes.append(hash_texts(lines))
        self.lengths += np.bincount(
            np.searchsorted(LENGTH_EDGES, lengths, "right"), minlength=len(self.lengths)
        )
        self.characters += int(lengths.sum())
        self.longest = max(self.longest, int(lengths.max()))
        self.alphabet.add(codes)


@dataclass(slots=True)
class Survey:
    """Statistics of a corpus from the first pass."""

    pairs: int = 0
    source: SideSurvey = field(default_factory=SideSurvey)
    target: SideSurvey = field(default_factory=SideSurvey)
    ratios: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(len(RATIO_EDGES) + 1, np.int64)
    )
    offsets: list[OffsetRange] = field(default_factory=list)
    sample: PairSample = field(default_factory=PairSample)
    error: CorpusError | None = None  # the reason if reading stopped before the end


DoctorProgress: TypeAlias = Callable[[str, int], None]
"""Called with the current stage and the number of pairs processed in it."""


def survey(corpus: Corpus, on_progress: DoctorProgress) -> Survey:
    """Collect the statistics of a corpus: the first pass."""
    statistics = Survey()
    try:
        for block in normalized_blocks(corpus):
            _add_block(statistics, block)
            on_progress(f"reading {corpus.name}", statistics.pairs)
    except CorpusError as error:
        statistics.error = error
    return statistics


def _add_block(statistics: Survey, block: Block) -> None:
    codes = Codes.of(block.sources), Codes.of(block.targets)
    statistics.source.add(codes[0], block.sources)
    statistics.target.add(codes[1], block.targets)
    ratio = (codes[1].lengths + 1) / (codes[0].lengths + 1)
    statistics.ratios += np.bincount(
        np.searchsorted(RATIO_EDGES, ratio, "right"), minlength=len(statistics.ratios)
    )
    statistics.offsets += find_offsets(block.start, features(codes[0]), features(codes[1]))
    statistics.sample.add(block.start, block.sources, block.targets)
    statistics.pairs += len(block)


def normalized_blocks(corpus: Corpus) -> Iterator[Block]:
    """Yield blocks of normalized lines, also those before an error."""
    start = 0
    for sources, targets in filter(all, corpus.columns(BLOCK, 0)):
        yield Block(start, list(map(normalize, sources)), list(map(normalize, targets)))
        start += len(sources)


SENTENCE_BYTES = 4096  # about 600 words: more than any sentence has


@dataclass(slots=True)
class OddPairs:
    """The odd pairs of the second pass by kind, and the pairs that each filter would drop."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    dropped: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in FILTERS})

    def add(self, kind: str, block: Block, hits: NDArray[np.bool_]) -> None:
        indices = np.flatnonzero(hits)
        if len(indices):
            self.tallies.setdefault(kind, Tally()).add(block, indices)


def find_odd_pairs(
    corpus: Corpus,
    baseline: LanguageBaseline,
    seen: tuple[Alphabet, Alphabet] | None,
    on_progress: DoctorProgress,
) -> OddPairs:
    """Find odd pairs: the second pass. `seen` are the training set's characters, for a test."""
    odd = OddPairs()
    limits = Limits()
    try:
        for block in normalized_blocks(corpus):
            _apply_filters(block, limits, odd)
            _apply_baseline(block, baseline, seen, odd)
            on_progress(f"checking {corpus.name}", block.start + len(block))
    except CorpusError:
        pass  # the first pass reports it
    return odd


def _apply_filters(block: Block, limits: Limits, odd: OddPairs) -> None:
    dropped: dict[str, list[int]] = {}
    for i, (source, target) in enumerate(zip(block.sources, block.targets, strict=True)):
        name = drop_reason(source, target, limits)
        if name is not None:
            dropped.setdefault(name, []).append(i)
    for name, indices in dropped.items():
        odd.dropped[name].add(block, indices)
        hits = np.zeros(len(block), np.bool_)
        hits[indices] = True
        odd.add(name, block, hits)


def _apply_baseline(
    block: Block,
    baseline: LanguageBaseline,
    seen: tuple[Alphabet, Alphabet] | None,
    odd: OddPairs,
) -> None:
    copies = np.array([s == t for s, t in zip(block.sources, block.targets, strict=True)])
    hits_by_kind: dict[str, NDArray[np.bool_]] = {}

    def mark(kind: str, hits: NDArray[np.bool_]) -> None:
        hits_by_kind[kind] = hits_by_kind.get(kind, np.zeros(len(block), np.bool_)) | hits

    sides = (block.sources, Codes.of(block.sources)), (block.targets, Codes.of(block.targets))
    mark("swapped lines", find_swapped_lines(sides[0][1], sides[1][1]))
    for side, (lines, codes) in enumerate(sides):
        script = baseline.scripts[side]
        foreign = np.zeros(len(lines), np.bool_)
        if script is not None:
            foreign = in_other_script(codes, script)
            mark("wrong script", foreign & ~copies)
        fits_other, fits_neither = baseline.judge(side, codes, lines, sides[1 - side][0])
        judged = ~copies & ~foreign
        mark("other language", judged & fits_other)
        mark("third language", judged & fits_neither)
        mark("damaged text", _damaged(lines))
        mark("too long", np.array([len(line.encode()) > SENTENCE_BYTES for line in lines]))
        if seen is not None:
            mark("unseen characters", codes.count(seen[side].unseen(codes)) > 0)
    for kind, hits in hits_by_kind.items():
        odd.add(kind, block, hits)


def _damaged(lines: list[str]) -> NDArray[np.bool_]:
    hits = np.zeros(len(lines), np.bool_)
    text = "\n".join(lines)
    if not any(sign in text for sign in ("Ã", "Â", "â€", "ï»¿", "ï¿½", "\ufffd")):
        return hits  # a hundred times faster than the regular expression
    starts: list[int] = []
    for match in _DAMAGE.finditer(text):
        if not starts:
            starts = np.cumsum([0] + [len(line) + 1 for line in lines[:-1]]).tolist()
        hits[bisect_right(starts, match.start()) - 1] = True
    return hits
