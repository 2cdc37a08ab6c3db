"""A comparison of translations: a chart by sentence length, and the HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from itertools import groupby
from math import ceil, floor

from regard import html, svg
from regard.evaluate.bootstrap import RESAMPLES, Estimate
from regard.evaluate.compare import Candidate, Change, Comparison, Verdict
from regard.evaluate.report import (
    BY_LENGTH,
    LENGTH_HEADS,
    SCORE_HEADS,
    TITLES,
    heading,
    length_rows,
    result_line,
    score_rows,
    verdict_line,
)
from regard.evaluate.scores import Bucket, Evaluation
from regard.svg import Number

# -- SVG chart of scores by source length ----------------------------------------------------------
# A line and an interval band per system.


# in SVG units
_LEFT, _TOP, _HEIGHT = 64, 64, 240  # plot area of the scores
_STEP = 64  # between buckets
_BARS_TOP, _BARS_HEIGHT = _TOP + _HEIGHT + 34, 40  # plot area of the sentence counts
_MARGIN = 24  # left of texts
_LENGTHS = "source length in words, with the number of sentences"
_LABEL_GAP = 17  # so that the systems' names do not overlap


@dataclass(frozen=True, slots=True)
class _Axis:
    """The range of the score axis and the step between its grid lines."""

    low: int
    high: int
    step: int

    def level(self, score: Number) -> float:
        return _TOP + _HEIGHT * (self.high - score) / (self.high - self.low)


def chart_by_length(evaluations: Mapping[str, Evaluation], metric: str) -> str:
    """Chart one metric of one or several systems on the same sentences by source length.

    Buckets after the last non-empty one are not drawn.
    """
    lines = [_estimates(evaluation, metric) for evaluation in evaluations.values()]
    buckets = next(iter(evaluations.values())).buckets[: max(lines[0]) + 1]
    axis = _axis([estimate for line in lines for estimate in line.values()])
    right = _LEFT + _STEP * len(buckets)
    parts = [
        svg.svg_text(f"{TITLES[metric]} by source length", _MARGIN, 28, size=15, weight="bold"),
        svg.svg_text("bands: 95 % bootstrap intervals", _MARGIN, 46, size=11, fill=svg.SOFT),
    ]
    for score in range(axis.low, axis.high + 1, axis.step):
        y = axis.level(score)
        parts.append(f"<path d='M{_LEFT} {y:.1f}H{right}' stroke='{svg.FAINT}'/>")
        parts.append(svg.svg_text(f"{score}", _LEFT - 8, y + 4, size=11, anchor="end"))
    for number, line in enumerate(lines):
        parts += _band(line, axis, svg.colour(number))
    for number, line in enumerate(lines):  # after all bands, so that none hides a line
        points = [(_center(index), axis.level(estimate.value)) for index, estimate in line.items()]
        parts += svg.svg_line(points, number)
    levels = svg.spread_labels([axis.level(line[max(line)].value) for line in lines], _LABEL_GAP)
    for number, (name, level) in enumerate(zip(evaluations, levels, strict=True)):
        parts.append(svg.svg_text(name, right + 4, level + 4, size=12, fill=svg.colour(number)))
    parts += _bars(buckets)
    longest = max(map(len, evaluations))
    width = max(right + 28 + 7 * longest, _MARGIN + 7 * len(_LENGTHS))  # few buckets are narrow
    return svg.svg_document(width, _BARS_TOP + _BARS_HEIGHT + 60, parts)


def _estimates(evaluation: Evaluation, metric: str) -> dict[int, Estimate]:
    """The estimate of each non-empty bucket, by bucket index."""
    return {
        index: bucket.scores[metric]
        for index, bucket in enumerate(evaluation.buckets)
        if bucket.sentences
    }


def _axis(estimates: Sequence[Estimate]) -> _Axis:
    """An axis with round limits around all bands and four to eight grid lines."""
    ends = [end for estimate in estimates for end in (estimate.value, *(estimate.interval or ()))]
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 1000) if (max(ends) - min(ends)) / s <= 6)
    low, high = step * floor(min(ends) / step), step * ceil(max(ends) / step)
    return _Axis(low, max(high, low + step), step)


def _band(estimates: Mapping[int, Estimate], axis: _Axis, colour: str) -> list[str]:
    """A band for each run of buckets with intervals; a single bucket gets a bar."""
    intervals = [
        (index, estimate.interval) for index, estimate in estimates.items() if estimate.interval
    ]
    parts = []
    for _, run in groupby(enumerate(intervals), key=lambda item: item[1][0] - item[0]):
        ends = [(_center(index), *map(axis.level, interval)) for _, (index, interval) in run]
        if len(ends) == 1:
            x, low, high = ends[0]
            ends = [(x - 3, low, high), (x + 3, low, high)]
        outline = [(x, high) for x, _, high in ends] + [(x, low) for x, low, _ in ends[::-1]]
        parts.append(f"<path d='M{svg.svg_path(outline)}z' fill='{colour}' fill-opacity='0.16'/>")
    return parts


def _bars(buckets: Sequence[Bucket]) -> list[str]:
    """Bars with the number of sentences in each bucket."""
    bottom = _BARS_TOP + _BARS_HEIGHT
    most = max(bucket.sentences for bucket in buckets)
    parts = []
    for index, bucket in enumerate(buckets):
        x, height = _center(index), _BARS_HEIGHT * bucket.sentences / most
        parts.append(
            f"<rect x='{x - 18:.1f}' y='{bottom - height:.1f}' width='36' height='{height:.1f}' "
            f"fill='#C4CAD0'/>"
        )
        above = bottom - height - 4
        parts.append(
            svg.svg_text(f"{bucket.sentences:,}", x, above, size=11, anchor="middle", fill=svg.SOFT)
        )
        parts.append(svg.svg_text(str(bucket.lengths), x, bottom + 17, size=11, anchor="middle"))
    parts.append(svg.svg_text(_LENGTHS, _MARGIN, bottom + 40, size=12))
    return parts


def _center(index: int) -> float:
    return _LEFT + (index + 0.5) * _STEP


# -- comparison page -------------------------------------------------------------------------------


_STYLE = """
:root { --deleted: #fbe3e1; --inserted: #dcf1e3; }
@media (prefers-color-scheme: dark) { :root { --deleted: #4d2523; --inserted: #1d4029; } }
figure { margin: 1.5rem 0 0; } svg { border-radius: 6px; }
article h3 { margin: 0 0 .3rem; font-size: .95rem; font-weight: 600; }
summary { cursor: pointer; font-weight: 600; margin: .75rem 0; }
del { background: var(--deleted); text-decoration: none; border-radius: 3px; }
ins { background: var(--inserted); text-decoration: none; border-radius: 3px; }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem; overflow-wrap: anywhere; }
"""


def comparison_page(comparison: Comparison, verdicts: Sequence[Verdict]) -> str:
    title = "regard compare: " + ", ".join(comparison.evaluations)
    sentences = f"{comparison.evaluation.sentences:,} sentences"
    parts = [
        f"<h1>regard compare: {sentences}, baseline {escape(comparison.name)}</h1>",
        *map(_verdict, verdicts),
        *(_result(comparison, candidate) for candidate in comparison.candidates),
        "<h2>Scores</h2>",
        html.html_table(SCORE_HEADS, score_rows(comparison)),
        *(_chart(comparison, metric) for metric in BY_LENGTH),
        *map(_candidate, comparison.candidates),
        f"<footer>95 % bootstrap intervals from {RESAMPLES:,} resamples of the sentences; p is "
        "two-sided.",
        *(
            f"<br>{TITLES[metric]}: {escape(signature)}"
            for metric, signature in comparison.evaluation.signatures.items()
        ),
        "</footer>",
    ]
    return html.html_page(title, parts, _STYLE)


def _chart(comparison: Comparison, metric: str) -> str:
    chart = chart_by_length(comparison.evaluations, metric)
    return f"<figure>{svg.inline_svg(chart, soft='var(--soft)', faint='var(--line)')}</figure>"


def _verdict(verdict: Verdict) -> str:
    tone = "good" if verdict.passed else "bad"
    return f'<p class="verdict {tone}">{escape(verdict_line(verdict))}</p>'


def _result(comparison: Comparison, candidate: Candidate) -> str:
    return f'<p class="verdict">{escape(result_line(comparison, candidate))}</p>'


def _candidate(candidate: Candidate) -> str:
    """What differs, folded: a reader opens what the verdict makes interesting."""
    return "\n".join(
        [
            f"<h2>{escape(candidate.name)}: {candidate.changed:,} sentences differ</h2>",
            _folded(
                "Differences by length", [html.html_table(LENGTH_HEADS, length_rows(candidate))]
            ),
            _folded(f"Largest gains ({len(candidate.gained)})", map(_change, candidate.gained)),
            _folded(f"Largest losses ({len(candidate.lost)})", map(_change, candidate.lost)),
        ]
    )


def _folded(title: str, parts: Iterable[str]) -> str:
    body = "\n".join(parts)
    return f"<details><summary>{title}</summary>{body}</details>" if body else ""


def _change(change: Change) -> str:
    old_text, new_text = _marked(change.before, change.after)
    rows = [
        ("source", escape(change.source)),
        ("reference", escape(change.reference)),
        ("before", old_text),
        ("after", new_text),
    ]
    body = "".join(f'<dt>{name}</dt><dd dir="auto">{text or "—"}</dd>' for name, text in rows)
    return f"<article><h3>{heading(change)}</h3><dl>{body}</dl></article>"


def _marked(old_text: str, new_text: str) -> tuple[str, str]:
    """Both texts, escaped, with deleted and inserted words marked."""
    old, new = old_text.split(" "), new_text.split(" ")
    marked_old, marked_new = [], []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        deleted, inserted = escape(" ".join(old[a:b])), escape(" ".join(new[c:d]))
        if kind == "equal":
            marked_old.append(deleted)
            marked_new.append(inserted)
            continue
        if deleted:
            marked_old.append(f"<del>{deleted}</del>")
        if inserted:
            marked_new.append(f"<ins>{inserted}</ins>")
    return " ".join(marked_old), " ".join(marked_new)
