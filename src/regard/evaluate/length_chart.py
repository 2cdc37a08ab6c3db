"""Scores by length as a picture: a line with its band for each system, and counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor

from regard import svg
from regard.evaluate.bootstrap import Estimate
from regard.evaluate.by_length import Bucket, Evaluation
from regard.evaluate.report import TITLES
from regard.svg import Number

# in the units of the picture
_LEFT, _TOP, _TALL = 64, 64, 240  # of the scores
_STEP = 64  # from one bucket to the next
_BARS_TOP, _BARS_TALL = _TOP + _TALL + 34, 40  # of the counts
_APART = 17  # names beside the lines, so that none touch


@dataclass(frozen=True, slots=True)
class _Axis:
    """The scores from the lowest that is drawn to the highest, and the step between two lines."""

    low: int
    high: int
    step: int

    def level(self, score: Number) -> float:
        return _TOP + _TALL * (self.high - score) / (self.high - self.low)


def chart_by_length(evaluations: Mapping[str, Evaluation], metric: str) -> str:
    """One metric of one or several systems on the same sentences, over the lengths of sources.

    Buckets after the last that has sentences are not drawn.
    """
    lines = [_estimates(each, metric) for each in evaluations.values()]
    buckets = next(iter(evaluations.values())).buckets[: max(lines[0]) + 1]
    axis = _axis([estimate for line in lines for estimate in line.values()])
    right = _LEFT + _STEP * len(buckets)
    parts = [
        svg.svg_text(f"{TITLES[metric]} by length of the source", 24, 28, size=15, weight="bold"),
        svg.svg_text("bands: 95 % bootstrap intervals", 24, 46, size=11, fill=svg.SOFT),
    ]
    for score in range(axis.low, axis.high + 1, axis.step):
        y = axis.level(score)
        parts.append(f"<path d='M{_LEFT} {y:.1f}H{right}' stroke='{svg.FAINT}'/>")
        parts.append(svg.svg_text(f"{score}", _LEFT - 8, y + 4, size=11, anchor="end"))
    for number, line in enumerate(lines):
        parts += _band(line, axis, svg.colour(number))
    for number, line in enumerate(lines):  # above all bands
        points = [(_middle(place), axis.level(each.value)) for place, each in line.items()]
        parts += svg.svg_line(points, number)
    levels = svg.spread_labels([axis.level(line[max(line)].value) for line in lines], _APART)
    for number, (name, level) in enumerate(zip(evaluations, levels, strict=True)):
        parts.append(svg.svg_text(name, right + 4, level + 4, size=12, fill=svg.colour(number)))
    parts += _bars(buckets)
    longest = max(map(len, evaluations))
    return svg.svg_document(right + 28 + 7 * longest, _BARS_TOP + _BARS_TALL + 60, parts)


def _estimates(evaluation: Evaluation, metric: str) -> dict[int, Estimate]:
    """Of each bucket that has sentences, by its place."""
    return {
        place: bucket.scores[metric]
        for place, bucket in enumerate(evaluation.buckets)
        if bucket.sentences
    }


def _axis(estimates: Sequence[Estimate]) -> _Axis:
    """Round numbers around all bands, four to eight lines of them."""
    ends = [end for each in estimates for end in (each.value, *(each.interval or ()))]
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 1000) if (max(ends) - min(ends)) / s <= 6)
    low, high = step * floor(min(ends) / step), step * ceil(max(ends) / step)
    return _Axis(low, max(high, low + step), step)


def _band(estimates: Mapping[int, Estimate], axis: _Axis, colour: str) -> list[str]:
    """Around each run of buckets that have intervals; a bucket alone gets a bar."""
    known = [(place, each.interval) for place, each in estimates.items() if each.interval]
    parts = []
    for _, run in groupby(enumerate(known), key=lambda item: item[1][0] - item[0]):
        ends = [(_middle(place), *map(axis.level, interval)) for _, (place, interval) in run]
        if len(ends) == 1:
            x, low, high = ends[0]
            ends = [(x - 3, low, high), (x + 3, low, high)]
        around = [(x, high) for x, _, high in ends] + [(x, low) for x, low, _ in ends[::-1]]
        parts.append(f"<path d='M{svg.svg_path(around)}z' fill='{colour}' fill-opacity='0.16'/>")
    return parts


def _bars(buckets: Sequence[Bucket]) -> list[str]:
    """How many sentences each bucket has."""
    bottom = _BARS_TOP + _BARS_TALL
    most = max(bucket.sentences for bucket in buckets)
    parts = []
    for place, bucket in enumerate(buckets):
        x, tall = _middle(place), _BARS_TALL * bucket.sentences / most
        parts.append(
            f"<rect x='{x - 18:.1f}' y='{bottom - tall:.1f}' width='36' height='{tall:.1f}' "
            f"fill='#C4CAD0'/>"
        )
        above = bottom - tall - 4
        parts.append(
            svg.svg_text(f"{bucket.sentences:,}", x, above, size=11, anchor="middle", fill=svg.SOFT)
        )
        parts.append(svg.svg_text(str(bucket.lengths), x, bottom + 17, size=11, anchor="middle"))
    middle = _LEFT + _STEP * len(buckets) / 2
    words = "words of the source, and how many sentences have so many"
    parts.append(svg.svg_text(words, middle, bottom + 40, size=12, anchor="middle"))
    return parts


def _middle(place: int) -> float:
    return _LEFT + (place + 0.5) * _STEP
