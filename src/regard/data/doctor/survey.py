"""One corpus read through, twice: first to learn what is usual in it, then to find what is not.

Both passes take blocks of normalised lines and keep sums, histograms, 16 bytes a pair and a few
examples, so a corpus of any size fits.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from regard.data.doctor.profile import Alphabet, Codes, Profile, in_other_script, mean_over_lines
from regard.data.doctor.shift import OffsetRange, exchanged, features, find_offsets
from regard.data.filters import FILTERS, Limits, fault
from regard.data.formats.corpus import Block, Corpus
from regard.data.preparation.dedupe import hash_texts
from regard.errors import CorpusError
from regard.text.normalize import normalize

BLOCK = 10_000  # pairs: some 3 MB of text at a time
EXAMPLES = 3  # of each kind
_LEARNT_WHOLE = 20  # blocks; after these every eighth is enough to learn a language from
_LINE = 25  # characters that a line must have for its language to be judged

# UTF-8 that was read as Latin-1 or cp1252, and what a decoder wrote where it could not read.
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
    """How many pairs, and the first few of them."""

    count: int = 0
    examples: list[Example] = field(default_factory=list)

    def add(self, block: Block, places: Sequence[int] | NDArray[np.int64]) -> None:
        self.count += len(places)
        for place in places[: EXAMPLES - len(self.examples)]:
            line = block.start + int(place) + 1
            self.examples.append(Example(line, block.sources[place], block.targets[place]))


@dataclass(slots=True)
class SideSurvey:
    """What one side of a corpus is like."""

    profile: Profile = field(default_factory=Profile)
    alphabet: Alphabet = field(default_factory=Alphabet)
    hashes: list[NDArray[np.uint64]] = field(default_factory=list)
    lengths: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(len(LENGTH_EDGES) + 1, np.int64)
    )
    characters: int = 0
    longest: int = 0

    def learn(self, codes: Codes, lines: list[str], *, language: bool) -> None:
        lengths = codes.lengths
        self.hashes.append(hash_texts(lines))
        self.lengths += np.bincount(
            np.searchsorted(LENGTH_EDGES, lengths, "right"), minlength=len(self.lengths)
        )
        self.characters += int(lengths.sum())
        self.longest = max(self.longest, int(lengths.max()))
        self.alphabet.learn(codes)
        if language:
            self.profile.learn(codes)
            self.alphabet.count(codes)


@dataclass(slots=True)
class Survey:
    """What the first pass learnt of a corpus."""

    pairs: int = 0
    source: SideSurvey = field(default_factory=SideSurvey)
    target: SideSurvey = field(default_factory=SideSurvey)
    ratios: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(len(RATIO_EDGES) + 1, np.int64)
    )
    steps: list[OffsetRange] = field(default_factory=list)
    error: CorpusError | None = None  # why reading stopped before the end


Tell: TypeAlias = Callable[[str, int], None]
"""What is being done, and with how many pairs it was done."""


def survey(corpus: Corpus, tell: Tell) -> Survey:
    """The first pass."""
    found = Survey()
    try:
        for number, block in enumerate(normal_blocks(corpus)):
            _learn(found, block, language=number < _LEARNT_WHOLE or number % 8 == 0)
            tell(f"reading {corpus.name}", found.pairs)
    except CorpusError as error:
        found.error = error
    return found


def _learn(found: Survey, block: Block, *, language: bool) -> None:
    codes = Codes.of(block.sources), Codes.of(block.targets)
    found.source.learn(codes[0], block.sources, language=language)
    found.target.learn(codes[1], block.targets, language=language)
    ratio = (codes[1].lengths + 1) / (codes[0].lengths + 1)
    found.ratios += np.bincount(
        np.searchsorted(RATIO_EDGES, ratio, "right"), minlength=len(found.ratios)
    )
    found.steps += find_offsets(block.start, features(codes[0]), features(codes[1]))
    found.pairs += len(block)


def normal_blocks(corpus: Corpus) -> Iterator[Block]:
    """Blocks of normalised lines; where a side ends early, those before it come first."""
    start = 0
    for sources, targets in filter(all, corpus.columns(BLOCK, 0)):
        yield Block(start, list(map(normalize, sources)), list(map(normalize, targets)))
        start += len(sources)


@dataclass(frozen=True, slots=True)
class LanguageBaseline:
    """What is usual in the training corpus, for each side: its logs, margins and script."""

    logs: tuple[NDArray[np.float32], NDArray[np.float32]]
    fits: tuple[float, float]  # below: a line is not written as this side usually is
    margins: tuple[float, float]  # below: nor does it tell this side from the other
    scripts: tuple[str | None, str | None]


def learn_baseline(found: Survey, corpus: Corpus) -> LanguageBaseline:
    """The limits between usual and not, from the lines of the first blocks."""
    logs = found.source.profile.logs(), found.target.profile.logs()
    block = next(normal_blocks(corpus))
    fits, margins = [], []
    for side, lines in enumerate((block.sources, block.targets)):
        codes = Codes.of(lines)
        judged = codes.lengths >= _LINE
        own, other = (fit[judged] for fit in mean_over_lines(codes, logs[side], logs[1 - side]))
        margin = own - other
        if not len(own):
            own = margin = np.zeros(1, np.float32)
        middle = float(np.median(own))
        fits.append(middle - 2 * 1.4826 * float(np.median(np.abs(own - middle))))
        margins.append(0.3 * float(np.median(margin)))
    scripts = found.source.alphabet.script(), found.target.alphabet.script()
    return LanguageBaseline(logs, (fits[0], fits[1]), (margins[0], margins[1]), scripts)


@dataclass(slots=True)
class OddPairs:
    """What the second pass found, by kind; and what each filter would drop."""

    found: dict[str, Tally] = field(default_factory=dict)
    dropped: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in FILTERS})

    def add(self, kind: str, block: Block, hits: NDArray[np.bool_]) -> None:
        places = np.flatnonzero(hits)
        if len(places):
            self.found.setdefault(kind, Tally()).add(block, places)


def find_odd_pairs(
    corpus: Corpus, usual: LanguageBaseline, known: tuple[Alphabet, Alphabet] | None, tell: Tell
) -> OddPairs:
    """The second pass. `known`: the characters that training has seen, where this is a test."""
    oddities = OddPairs()
    limits = Limits()
    try:
        for block in normal_blocks(corpus):
            _sort_out(block, limits, oddities)
            _judge(block, usual, known, oddities)
            tell(f"judging {corpus.name}", block.start + len(block))
    except CorpusError:
        pass  # the first pass has it
    return oddities


def _sort_out(block: Block, limits: Limits, oddities: OddPairs) -> None:
    dropped: dict[str, list[int]] = {}
    for place, (source, target) in enumerate(zip(block.sources, block.targets, strict=True)):
        name = fault(source, target, limits)
        if name is not None:
            dropped.setdefault(name, []).append(place)
    for name, places in dropped.items():
        oddities.dropped[name].add(block, places)
        hits = np.zeros(len(block), np.bool_)
        hits[places] = True
        oddities.add(name, block, hits)


def _judge(
    block: Block,
    usual: LanguageBaseline,
    known: tuple[Alphabet, Alphabet] | None,
    oddities: OddPairs,
) -> None:
    copies = np.array([s == t for s, t in zip(block.sources, block.targets, strict=True)])
    odd: dict[str, NDArray[np.bool_]] = {}

    def mark(kind: str, hits: NDArray[np.bool_]) -> None:
        odd[kind] = odd.get(kind, np.zeros(len(block), np.bool_)) | hits

    sides = (block.sources, Codes.of(block.sources)), (block.targets, Codes.of(block.targets))
    mark("exchanged lines", exchanged(sides[0][1], sides[1][1]))
    for side, (lines, codes) in enumerate(sides):
        script = usual.scripts[side]
        foreign = np.zeros(len(lines), np.bool_)
        if script is not None:
            foreign = in_other_script(codes, script)
            mark("wrong script", foreign & ~copies)
        own, others = mean_over_lines(codes, usual.logs[side], usual.logs[1 - side])
        margin = own - others
        judged = (codes.lengths >= _LINE) & ~copies & ~foreign
        other = judged & (margin < -0.2)  # 0.2: Europarl's own lines reach it in 0 of 60,000
        strange = (own < usual.fits[side]) & (margin < usual.margins[side])
        mark("other language", other)
        mark("third language", judged & strange & ~other)
        mark("damaged text", _damaged(lines))
        if known is not None:
            mark("unseen characters", codes.count(known[side].unseen(codes)) > 0)
    for kind, hits in odd.items():
        oddities.add(kind, block, hits)


def _damaged(lines: list[str]) -> NDArray[np.bool_]:
    hits = np.zeros(len(lines), np.bool_)
    text = "\n".join(lines)
    if not any(sign in text for sign in ("Ã", "Â", "â€", "ï»¿", "ï¿½", "\ufffd")):
        return hits  # a hundred times faster than the pattern
    starts: list[int] = []
    for match in _DAMAGE.finditer(text):
        if not starts:
            starts = np.cumsum([0] + [len(line) + 1 for line in lines[:-1]]).tolist()
        hits[bisect_right(starts, match.start()) - 1] = True
    return hits
