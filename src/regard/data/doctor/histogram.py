"""Histograms as inline SVG."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import ceil, floor, log10

from regard.data.doctor.examine import Histogram

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 440, 200, 44, 22  # in SVG user units
_TALL = _HEIGHT - _BOTTOM - 8
_LABEL_DISTANCE = 34  # between labels of the x axis, so that they do not overlap


def histogram_chart(
    label: str, series: Sequence[tuple[str, Histogram]], ticks: Sequence[float]
) -> str:
    """Return a bar chart of the nonempty bins; the CSS class of a bar is the name of its series."""
    edges = series[0][1].edges
    used = [n for _, histogram in series for n, count in enumerate(histogram.counts) if count]
    if not used:
        return "<p>No pairs.</p>"
    first, last = min(used), max(used) + 1
    step = _round_step(max(max(histogram.counts) for _, histogram in series))
    top = step * ceil(max(max(histogram.counts) for _, histogram in series) / step)
    bin_width = (_WIDTH - _LEFT) / (last - first)
    drawn = _grid_lines(step, top)
    for i, (name, histogram) in enumerate(series):
        width = 0.88 * bin_width / len(series)
        for n in range(first, last):
            tall = _TALL * histogram.counts[n] / top
            x = _LEFT + (n - first + 0.06) * bin_width + i * width
            drawn.append(
                f'<rect class="{name}" x="{x:.1f}" y="{_HEIGHT - _BOTTOM - tall:.1f}" '
                f'width="{width:.1f}" height="{tall:.1f}"/>'
            )
    free = 0.0
    for tick in ticks:
        x = _LEFT + (_position(tick, edges) - first) * bin_width
        if max(_LEFT, free) <= x <= _WIDTH - 10:
            drawn.append(
                f'<text x="{x:.1f}" y="{_HEIGHT - 6}" text-anchor="middle">{tick:g}</text>'
            )
            free = x + _LABEL_DISTANCE
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">'
        f"{''.join(drawn)}</svg>"
    )


def _grid_lines(step: int, top: int) -> list[str]:
    drawn = []
    for value in range(0, top + 1, step):
        y = _HEIGHT - _BOTTOM - _TALL * value / top
        drawn.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>')
        at = f'x="{_LEFT - 6}" y="{y + 4:.1f}"'
        drawn.append(f'<text {at} text-anchor="end">{_brief(value)}</text>')
    return drawn


def _position(value: float, edges: Sequence[float]) -> float:
    """Return the position of a value in bins; bin n lies between the edges n − 1 and n."""
    n = bisect_right(edges, value)
    if not 0 < n < len(edges):
        return float(n)
    return n + (value - edges[n - 1]) / (edges[n] - edges[n - 1])


def _round_step(peak: int) -> int:
    """Return 1, 2 or 5 times a power of ten, so that two to four steps reach the peak."""
    scale = 10 ** floor(log10(max(1, peak / 2)))
    return int(max(n * scale for n in (1, 2, 5) if n * scale <= max(1, peak / 2)))


def _brief(value: int) -> str:
    return f"{value / 1000:,.0f} k" if value >= 10_000 else f"{value:,}"
