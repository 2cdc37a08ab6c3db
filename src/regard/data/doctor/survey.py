"""Two passes over a corpus: the first collects statistics, the second finds odd pairs.

Both passes read blocks of normalized lines and keep sums, histograms, 16 bytes a pair, the lines
of odd pairs and a few examples.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from regard.data.doctor.language import LanguageBaseline, PairSample
from regard.data.doctor.profile import Alphabet, Codes, in_other_script
from regard.data.doctor.shift import OffsetRange, features, find_offsets, find_swapped_lines
from regard.data.filters import FILTERS, Limits, drop_reason
from regard.data.formats.corpus import Block, Corpus
from regard.data.preparation.dedupe import hash_texts
from regard.errors import CorpusError
from regard.text.normalize import normalize

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
