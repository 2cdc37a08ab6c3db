"""Examine a corpus and report its defects.

`examine` reads the training pairs and the test sets and returns a Report: findings with example
lines, histograms, vocabularies and a forecast. A finding is a *defect* if its share of the pairs
reaches the limit of its check, so that training on them would be a mistake; below the limit it is a
*warning*.

Languages are distinguished by statistics of the corpus itself (see `language`). This finds swapped
sides and lines of a third language. It does not work for lines shorter than 25 characters, closely
related languages (Norwegian in Danish), or a third language in more than a tenth of a side. A side
that is wholly in the wrong language is found by its file name or by the training set (see
`identify`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from regard.data.doctor.forecast import SIZES, Forecast, Vocabulary, measure_vocabularies, predict
from regard.data.doctor.language import (
    LanguageBaseline,
    declared_language,
    differ,
    fit_baseline,
    identify_language,
)
from regard.data.doctor.survey import (
    EXAMPLES,
    LENGTH_EDGES,
    RATIO_EDGES,
    DoctorProgress,
    Example,
    SideSurvey,
    Survey,
    Tally,
    find_odd_pairs,
    join_offsets,
    normalized_blocks,
    survey,
)
from regard.data.formats.corpus import Corpus, UnequalCountError
from regard.data.preparation.fields import hash_pairs
from regard.errors import CorpusError

Severity = Literal["defect", "warning"]


@dataclass(frozen=True, slots=True)
class Check:
    """The message of a finding, the share of pairs from which it is a defect, and the remedy.

    A share below `reported_from` is not reported, because sound corpora have as much.
    """

    message: str
    defect_from: float
    remedy: str
    reported_from: float = 0.0


FILTERED = "`regard prepare` drops these pairs."
RARE_WORDS = 5e-5  # share of sound lines with so many rare words that they seem to be foreign

CHECKS: dict[str, Check] = {
    # One broken line shifts all lines after it, so any number is a defect.
    "unreadable": Check(
        "The file cannot be read to its end.", 0.0, "Repair the file or download it again."
    ),
    "unequal count": Check(
        "Source and target have different numbers of lines.", 0.0, "Find the missing line."
    ),
    "shifted": Check(
        "Source and target lines are shifted against each other.",
        0.0,
        "Shift one side back, or remove these lines.",
    ),
    "unrelated": Check(
        "Source and target do not correspond.", 0.0, "Check that the two files belong together."
    ),
    "wrong language": Check(
        "A whole side is in another language than expected.",
        0.0,
        "Check the order of the files, or rename them if the language is right.",
    ),
    # Typical errors of tools, which affect many lines: one in a thousand is already systematic.
    "empty": Check("The source or the target is empty.", 0.001, FILTERED),
    "damaged text": Check(
        "Text decoded with the wrong encoding (Ã¤, â€™, �).", 0.001, "Decode the file as UTF-8."
    ),
    "swapped lines": Check(
        "The digits of the source occur in the translation of a neighboring line.",
        0.001,
        "Swap the lines back.",
    ),
    # Shares that web crawls have without harm; above them models reproduce these errors.
    "other language": Check(
        "A side is in the language of the other side.",
        0.005,
        "Swap or drop these pairs.",
        RARE_WORDS,
    ),
    "third language": Check(
        "A side is in neither language.", 0.005, "Drop these pairs.", RARE_WORDS
    ),
    "wrong script": Check(
        "A side is in another script.",
        0.005,
        "Run `regard prepare` with --source-script and --target-script.",
    ),
    "identical": Check("The target is a copy of the source.", 0.01, FILTERED),
    "out of ratio": Check("One side is far longer than the other.", 0.01, FILTERED),
    "too long": Check("A side is longer than a sentence.", 0.01, "Split it into sentences."),
    "mostly punctuation": Check(
        "A side consists mostly of digits and punctuation.", 0.02, FILTERED
    ),
    "duplicate": Check(
        "The pair occurs earlier in the corpus.", 0.1, "`regard prepare` keeps the first."
    ),
    # Share of the test set. Below it, the score changes less than its confidence interval.
    "overlap": Check(
        "The source of a test pair occurs in the training set.",
        0.005,
        "Remove it from the training set.",
    ),
    "unseen characters": Check(
        "Characters that do not occur in the training set.",
        0.02,
        "Add training text with these characters.",
    ),
}


@dataclass(frozen=True, slots=True)
class Finding:
    kind: str  # a name in CHECKS
    corpus: str
    severity: Severity
    count: int  # pairs
    share: float
    message: str
    remedy: str
    examples: tuple[Example, ...]
    lines: tuple[int, ...]  # of all pairs, from 1; () if the message names them


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts between edges; the first counts values below all edges, the last values above."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """Statistics of a corpus; tuples are (source, target)."""

    name: str
    paths: tuple[str, ...]
    pairs: int
    characters: tuple[int, int]
    longest: tuple[int, int]
    distinct: tuple[int, int]  # lines
    scripts: tuple[str | None, str | None]
    languages: tuple[str | None, str | None]  # identified codes
    lengths: tuple[Histogram, Histogram]
    ratios: Histogram  # characters of the target to one of the source


@dataclass(frozen=True, slots=True)
class Drop:
    """The training pairs that a filter would drop."""

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
    on_progress: DoctorProgress = lambda stage, pairs: None,
) -> Report:
    """Examine a training corpus and test sets.

    Reads every corpus twice and keeps 16 bytes a pair in memory.

    Args:
        train: the training corpus.
        tests: test and validation sets.
        sizes: vocabulary sizes to measure; if empty, there is no forecast.
        on_progress: called with the stage and the number of pairs processed in it.
    """
    train_survey = survey(train, on_progress)
    if not train_survey.pairs:
        paths = ", ".join(train.paths)
        raise train_survey.error or CorpusError(f"{paths}: contains no pairs.")
    baseline = fit_baseline(train_survey.sample)
    odd = find_odd_pairs(train, baseline, None, on_progress)
    odd.tallies["duplicate"] = _duplicates(train, train_survey)
    findings = _findings(train, train_survey, odd.tallies)
    corpora = [_summarize(train, train_survey, baseline)]
    findings += _wrong_languages(train, corpora[0], None)
    seen = train_survey.source.alphabet, train_survey.target.alphabet
    for test in tests:
        test_survey = survey(test, on_progress)
        tallies = find_odd_pairs(test, baseline, seen, on_progress).tallies
        tallies["overlap"] = _overlap(train_survey, test, test_survey)
        findings += _findings(test, test_survey, tallies)
        corpora.append(_summarize(test, test_survey, baseline))
        findings += _wrong_languages(test, corpora[-1], corpora[0])
    on_progress("measuring vocabularies", 0)
    vocabularies, seconds = measure_vocabularies(train, train_survey.pairs, sizes)
    return Report(
        tuple(sorted(findings, key=lambda finding: (finding.severity, -finding.share))),
        tuple(corpora),
        tuple(
            Drop(name, tally.count, tuple(tally.examples)) for name, tally in odd.dropped.items()
        ),
        tuple(vocabularies),
        predict(train_survey.pairs, vocabularies, seconds),
    )


def _findings(corpus: Corpus, statistics: Survey, tallies: dict[str, Tally]) -> list[Finding]:
    if any(offset.offset for offset in statistics.offsets):
        tallies.pop("swapped lines", None)  # the shift explains them
    findings = [
        _finding(kind, corpus, tally.count, statistics.pairs, tally=tally)
        for kind, tally in tallies.items()
        if tally.count and tally.count >= CHECKS[kind].reported_from * statistics.pairs
    ]
    if statistics.error:
        kind = "unequal count" if isinstance(statistics.error, UnequalCountError) else "unreadable"
        findings.append(
            _finding(kind, corpus, statistics.pairs, statistics.pairs, str(statistics.error))
        )
    for part in join_offsets(statistics.offsets):
        lines = f"Pairs {part.first + 1:,} to {part.last + 1:,}"
        size = part.last - part.first + 1
        if part.offset is None:
            message = f"{lines}: lengths and punctuation of source and target do not correlate."
            findings.append(_finding("unrelated", corpus, size, statistics.pairs, message))
        elif part.offset:
            direction = "later" if part.offset > 0 else "earlier"
            by = f"{abs(part.offset)} line{'s' * (abs(part.offset) > 1)}"
            message = f"{lines}: the translation is {by} {direction} than its source."
            findings.append(_finding("shifted", corpus, size, statistics.pairs, message))
    return findings


def _finding(
    kind: str,
    corpus: Corpus,
    count: int,
    pairs: int,
    message: str | None = None,
    tally: Tally | None = None,
) -> Finding:
    check = CHECKS[kind]
    share = count / max(1, pairs)
    severity: Severity = "defect" if share >= check.defect_from else "warning"
    return Finding(
        kind,
        corpus.name,
        severity,
        count,
        share,
        message or check.message,
        check.remedy,
        () if tally is None else tuple(tally.examples),
        () if tally is None else tuple(sorted(tally.lines)),
    )


def _wrong_languages(corpus: Corpus, summary: Summary, train: Summary | None) -> list[Finding]:
    """Compare the languages of a corpus with its file names, or with the training set."""
    findings = []
    named = [declared_language(path) for path in corpus.paths]
    for index, side in enumerate(("source", "target")):
        language = summary.languages[index]
        declared = named[index] if len(named) == 2 else None
        trained = None if train is None else train.languages[index]
        if differ(language, declared):
            expected = f"the name of {corpus.paths[index]} says {declared}"
        elif differ(language, trained):
            expected = f"that of the training set is {trained}"
        else:
            continue
        message = f"The language of the {side} is {language}, but {expected}."
        findings.append(_finding("wrong language", corpus, summary.pairs, summary.pairs, message))
    return findings


def _duplicates(corpus: Corpus, statistics: Survey) -> Tally:
    hashes = hash_pairs(_all_hashes(statistics.source), _all_hashes(statistics.target))
    _, firsts = np.unique(hashes, return_index=True)
    repeated = np.ones(len(hashes), np.bool_)
    repeated[firsts] = False
    return _tally(corpus, repeated)


def _overlap(train: Survey, corpus: Corpus, test: Survey) -> Tally:
    return _tally(corpus, np.isin(_all_hashes(test.source), _all_hashes(train.source)))


def _tally(corpus: Corpus, hits: NDArray[np.bool_]) -> Tally:
    """Count the pairs, and read the first few again as examples."""
    tally = Tally()
    indices = np.flatnonzero(hits)
    blocks = normalized_blocks(corpus)
    while tally.count < len(indices[:EXAMPLES]):
        block = next(blocks)
        within = indices[:EXAMPLES] - block.start
        tally.add(block, within[(within >= 0) & (within < len(block))])
    tally.lines.extend((indices[EXAMPLES:] + 1).tolist())
    return tally


def _all_hashes(side: SideSurvey) -> NDArray[np.uint64]:
    return np.concatenate(side.hashes) if side.hashes else np.zeros(0, np.uint64)


def _summarize(corpus: Corpus, statistics: Survey, baseline: LanguageBaseline) -> Summary:
    sides = statistics.source, statistics.target
    source, target = (_histogram(LENGTH_EDGES, side.lengths) for side in sides)
    return Summary(
        corpus.name,
        corpus.paths,
        statistics.pairs,
        (sides[0].characters, sides[1].characters),
        (sides[0].longest, sides[1].longest),
        (len(np.unique(_all_hashes(sides[0]))), len(np.unique(_all_hashes(sides[1])))),
        baseline.scripts,
        (
            identify_language(statistics.sample.sources),
            identify_language(statistics.sample.targets),
        ),
        (source, target),
        _histogram(RATIO_EDGES, statistics.ratios),
    )


def _histogram(
    edges: NDArray[np.float64] | NDArray[np.int64], counts: NDArray[np.int64]
) -> Histogram:
    return Histogram(tuple(map(float, edges)), tuple(map(int, counts)))
