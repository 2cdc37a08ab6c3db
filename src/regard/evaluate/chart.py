"""Scores by length as a picture, in plain SVG: a line with its band for each system, and counts.

Colours can be told apart by those who see few of them (Okabe and Ito's), each with its own mark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from math import ceil, floor

from regard.evaluate.bootstrap import Estimate
from regard.evaluate.lengths import Bucket, Evaluation
from regard.evaluate.report import TITLES

Number = float | int

_LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",  # a disc
    "M-3.5-3.5h7v7h-7z",  # a square
    "M0-4.5L4.5 3.5h-9z",  # a triangle
    "M0-5L5 0L0 5L-5 0z",  # a diamond
)
_INK, _SOFT, _FAINT = "#222222", "#666666", "#DDDDDD"
_FONT = "font-family='Helvetica, Arial, sans-serif'"
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
        _text(f"{TITLES[metric]} by length of the source", 24, 28, size=15, weight="bold"),
        _text("bands: 95 % bootstrap intervals", 24, 46, size=11, fill=_SOFT),
    ]
    for score in range(axis.low, axis.high + 1, axis.step):
        y = axis.level(score)
        parts.append(f"<path d='M{_LEFT} {y:.1f}H{right}' stroke='{_FAINT}'/>")
        parts.append(_text(f"{score}", _LEFT - 8, y + 4, size=11, anchor="end"))
    colours = [_LINES[number % len(_LINES)] for number in range(len(lines))]
    for line, colour in zip(lines, colours, strict=True):
        parts += _band(line, axis, colour)
    for number, line in enumerate(lines):  # above all bands
        parts += _line(line, axis, colours[number], _MARKS[number % len(_MARKS)])
    levels = _apart([axis.level(line[max(line)].value) for line in lines], _APART)
    for name, level, colour in zip(evaluations, levels, colours, strict=True):
        parts.append(_text(name, right + 4, level + 4, size=12, fill=colour))
    parts += _bars(buckets)
    longest = max(map(len, evaluations))
    return _svg(right + 28 + 7 * longest, _BARS_TOP + _BARS_TALL + 60, parts)


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
        parts.append(f"<path d='M{_path(around)}z' fill='{colour}' fill-opacity='0.16'/>")
    return parts


def _line(estimates: Mapping[int, Estimate], axis: _Axis, colour: str, mark: str) -> list[str]:
    points = [(_middle(place), axis.level(each.value)) for place, each in estimates.items()]
    return [
        f"<path d='M{_path(points)}' fill='none' stroke='{colour}' stroke-width='2'/>",
        *(
            f"<path d='{mark}' transform='translate({x:.1f} {y:.1f})' fill='{colour}'/>"
            for x, y in points
        ),
    ]


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
        parts.append(_text(f"{bucket.sentences:,}", x, above, size=11, anchor="middle", fill=_SOFT))
        parts.append(_text(str(bucket.lengths), x, bottom + 17, size=11, anchor="middle"))
    middle = _LEFT + _STEP * len(buckets) / 2
    words = "words of the source, and how many sentences have so many"
    parts.append(_text(words, middle, bottom + 40, size=12, anchor="middle"))
    return parts


def _middle(place: int) -> float:
    return _LEFT + (place + 0.5) * _STEP


def _path(points: Sequence[tuple[Number, Number]]) -> str:
    return "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _apart(levels: Sequence[Number], gap: Number) -> list[Number]:
    """The same levels, moved down where two would be closer than `gap`."""
    placed: dict[int, Number] = dict.fromkeys(range(len(levels)), 0)
    last: Number = float("-inf")
    for i in sorted(range(len(levels)), key=levels.__getitem__):
        last = placed[i] = max(levels[i], last + gap)
    return list(placed.values())


def _svg(width: Number, height: Number, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:.0f} {height:.0f}' "
        f"width='{width:.0f}' height='{height:.0f}' {_FONT}>\n"
        f"<rect width='100%' height='100%' fill='#FFFFFF'/>\n{body}\n</svg>\n"
    )


def _text(
    words: str,
    x: Number,
    y: Number,
    *,
    size: int,
    anchor: str = "start",
    fill: str = _INK,
    weight: str = "normal",
) -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' text-anchor='{anchor}' fill='{fill}' "
        f"font-weight='{weight}'>{escape(words, quote=True)}</text>"
    )
