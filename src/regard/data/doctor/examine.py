"""What is wrong with a corpus, said before anything is trained on it.

`examine` reads the training pairs and the tests and returns a Report: findings with their lines,
histograms, vocabularies and a forecast. A finding is a *defect* where its share of the pairs is so
large that training on them is a mistake, and a *warning* below that; each check has its own limit.

Languages are told apart by the corpus itself: three letters at a time are counted on each side, and
a line that looks like the other side, or like neither, is odd. This finds exchanged sides and lines
of a third language. It cannot find lines shorter than 25 characters, close relatives (Norwegian in
Danish), a third language that fills more than a tenth of a side, or two sides that are exchanged
throughout; nor does it know what the languages are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from regard.data.doctor.forecast import SIZES, Forecast, Vocabulary, measure_vocabularies, predict
from regard.data.doctor.shift import join_offsets
from regard.data.doctor.survey import (
    EXAMPLES,
    LENGTH_EDGES,
    RATIO_EDGES,
    Example,
    LanguageBaseline,
    SideSurvey,
    Survey,
    Tally,
    Tell,
    find_odd_pairs,
    learn_baseline,
    normal_blocks,
    survey,
)
from regard.data.formats.corpus import Corpus, UnequalCountError
from regard.data.preparation.dedupe import hash_pairs
from regard.errors import CorpusError

Severity = Literal["defect", "warning"]


@dataclass(frozen=True, slots=True)
class Check:
    """What is looked for, from what share of the pairs on it is a defect, and what to do then."""

    says: str
    defect_from: float
    remedy: str


FILTERED = "`regard prepare` drops them"

CHECKS: dict[str, Check] = {
    # One broken line moves all that follow: any is too many.
    "unreadable": Check("The file cannot be read to its end", 0.0, "Mend or fetch the file again"),
    "unequal count": Check("The sides have different numbers of lines", 0.0, "Find the lost line"),
    "shifted": Check(
        "The target is out of step with the source", 0.0, "Move one side, or cut here"
    ),
    "unrelated": Check("The sides have nothing in common", 0.0, "Check that the files match"),
    # Damage that comes from a tool, and so seldom alone: one line in a thousand is a habit.
    "empty": Check("A side is empty", 0.001, FILTERED),
    "damaged text": Check("Wrongly decoded text (Ã¤, â€™, �)", 0.001, "Decode it anew, as UTF-8"),
    "exchanged lines": Check(
        "Its number stands in the translation of a neighbour", 0.001, "Exchange them back"
    ),
    # What crawls have of all this and models survive; above it they begin to learn it.
    "other language": Check("A side is in the other's language", 0.005, "Exchange or drop them"),
    "third language": Check("A side looks like neither language", 0.005, "Drop them"),
    "wrong script": Check("A side is in another script", 0.005, "Name the scripts in the run file"),
    "identical": Check("The target is a copy of the source", 0.01, FILTERED),
    "out of ratio": Check("One side is far longer than the other", 0.01, FILTERED),
    "too long": Check("A side is longer than any sentence", 0.01, "Split into sentences"),
    "mostly marks": Check("A side is digits and punctuation", 0.02, FILTERED),
    "duplicate": Check(
        "The pair stands in the corpus before", 0.1, "`regard prepare` keeps the first"
    ),
    # A share of the test: below it a score moves by less than its own confidence interval.
    "overlap": Check("The test's source stands in training", 0.005, "Take them out of training"),
    "unseen characters": Check("Characters that training never saw", 0.02, "Add such text"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    kind: str  # a name in CHECKS
    corpus: str
    severity: Severity
    count: int  # pairs
    share: float
    says: str
    remedy: str
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts between edges; the first is of what lies below them all, the last of what is above."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """A corpus in figures."""

    name: str
    paths: tuple[str, ...]
    pairs: int
    characters: tuple[int, int]
    longest: tuple[int, int]
    distinct: tuple[int, int]  # lines on each side
    scripts: tuple[str | None, str | None]
    lengths: tuple[Histogram, Histogram]
    ratios: Histogram  # characters of the target to one of the source


@dataclass(frozen=True, slots=True)
class Drop:
    """What a filter would drop of the training pairs."""

    filter: str
    count: int
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Report:
    findings: tuple[Finding, ...]  # defects first
    corpora: tuple[Summary, ...]
    drops: tuple[Drop, ...]
    vocabularies: tuple[Vocabulary, ...]
    forecast: Forecast

    @property
    def healthy(self) -> bool:
        return all(finding.severity != "defect" for finding in self.findings)


def examine(
    train: Corpus,
    tests: Sequence[Corpus] = (),
    *,
    sizes: Sequence[int] = SIZES,
    tell: Tell = lambda what, pairs: None,
) -> Report:
    """Read every corpus twice, keeping no more than 16 bytes a pair, and say what is wrong.

    `sizes`: of the vocabularies that are tried; without any, nothing is foretold.
    """
    first = survey(train, tell)
    if not first.pairs:
        raise first.error or CorpusError(f"{', '.join(train.paths)}: there is no pair in it")
    usual = learn_baseline(first, train)
    oddities = find_odd_pairs(train, usual, None, tell)
    oddities.found["duplicate"] = _duplicates(train, first)
    findings = _findings(train, first, oddities.found)
    corpora = [_summarize(train, first, usual)]
    known = first.source.alphabet, first.target.alphabet
    for test in tests:
        second = survey(test, tell)
        found = find_odd_pairs(test, usual, known, tell).found
        found["overlap"] = _overlap(first, test, second)
        findings += _findings(test, second, found)
        corpora.append(_summarize(test, second, usual))
    tell("trying vocabularies", 0)
    vocabularies, seconds = measure_vocabularies(train, first.pairs, sizes)
    return Report(
        tuple(sorted(findings, key=lambda finding: (finding.severity, -finding.share))),
        tuple(corpora),
        tuple(
            Drop(name, tally.count, tuple(tally.examples))
            for name, tally in oddities.dropped.items()
        ),
        tuple(vocabularies),
        predict(first.pairs, vocabularies, seconds),
    )


def _findings(corpus: Corpus, found: Survey, tallies: dict[str, Tally]) -> list[Finding]:
    if any(step.offset for step in found.steps):
        tallies.pop("exchanged lines", None)  # the shift explains them
    findings = [
        _finding(kind, corpus, tally.count, found.pairs, examples=tally.examples)
        for kind, tally in tallies.items()
        if tally.count
    ]
    if found.error:
        kind = "unequal count" if isinstance(found.error, UnequalCountError) else "unreadable"
        findings.append(_finding(kind, corpus, found.pairs, found.pairs, str(found.error)))
    for step in join_offsets(found.steps):
        lines = f"Pairs {step.first + 1:,} to {step.last + 1:,}"
        size = step.last - step.first + 1
        if step.offset is None:
            says = f"{lines}: lengths and punctuation of the two sides do not go together"
            findings.append(_finding("unrelated", corpus, size, found.pairs, says))
        elif step.offset:
            late = "later" if step.offset > 0 else "earlier"
            by = f"{abs(step.offset)} line{'s' * (abs(step.offset) > 1)}"
            says = f"{lines}: the translation stands {by} {late} than its source"
            findings.append(_finding("shifted", corpus, size, found.pairs, says))
    return findings


def _finding(
    kind: str,
    corpus: Corpus,
    count: int,
    pairs: int,
    says: str | None = None,
    examples: Sequence[Example] = (),
) -> Finding:
    check = CHECKS[kind]
    share = count / max(1, pairs)
    severity: Severity = "defect" if share >= check.defect_from else "warning"
    return Finding(
        kind, corpus.name, severity, count, share, says or check.says, check.remedy, tuple(examples)
    )


def _duplicates(corpus: Corpus, found: Survey) -> Tally:
    source, target = _all_hashes(found.source), _all_hashes(found.target)
    mixed = hash_pairs(source, target)
    _, firsts = np.unique(mixed, return_index=True)
    again = np.ones(len(mixed), np.bool_)
    again[firsts] = False
    return _tally(corpus, again)


def _overlap(train: Survey, corpus: Corpus, test: Survey) -> Tally:
    return _tally(corpus, np.isin(_all_hashes(test.source), _all_hashes(train.source)))


def _tally(corpus: Corpus, hits: NDArray[np.bool_]) -> Tally:
    """Count the pairs, and read the first few of them once more."""
    tally = Tally()
    places = np.flatnonzero(hits)
    blocks = normal_blocks(corpus)
    while tally.count < len(places[:EXAMPLES]):
        block = next(blocks)
        within = places[:EXAMPLES] - block.start
        tally.add(block, within[(within >= 0) & (within < len(block))])
    tally.count = len(places)
    return tally


def _all_hashes(side: SideSurvey) -> NDArray[np.uint64]:
    return np.concatenate(side.hashes) if side.hashes else np.zeros(0, np.uint64)


def _summarize(corpus: Corpus, found: Survey, usual: LanguageBaseline) -> Summary:
    sides = found.source, found.target
    source, target = (_histogram(LENGTH_EDGES, side.lengths) for side in sides)
    return Summary(
        corpus.name,
        corpus.paths,
        found.pairs,
        (sides[0].characters, sides[1].characters),
        (sides[0].longest, sides[1].longest),
        (len(np.unique(_all_hashes(sides[0]))), len(np.unique(_all_hashes(sides[1])))),
        usual.scripts,
        (source, target),
        _histogram(RATIO_EDGES, found.ratios),
    )


def _histogram(
    edges: NDArray[np.float64] | NDArray[np.int64], counts: NDArray[np.int64]
) -> Histogram:
    return Histogram(tuple(map(float, edges)), tuple(map(int, counts)))
