"""The report on a corpus: tables, histograms and the HTML page."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from regard import html
from regard.data.doctor.examine import Finding, Histogram, Report, Summary
from regard.data.doctor.forecast import Vocabulary
from regard.data.doctor.survey import Example

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


# -- the doctor's report in a terminal, and the texts that it shares with the HTML page ------------


_EXAMPLE_WIDTH = 90  # characters
_COLORS = {"defect": "bold red", "warning": "yellow"}


def verdict(report: Report) -> str:
    """Return the conclusion of a report in one line."""
    defects = sum(finding.severity == "defect" for finding in report.findings)
    warnings = len(report.findings) - defects
    if defects:
        return f"{format_count(defects, 'defect')} found. Fix the corpus before training."
    if warnings:
        return f"No defects, {format_count(warnings, 'warning')}. Ready for training."
    return "No defects or warnings. Ready for training."


def forecast_lines(report: Report) -> list[str]:
    """Return the forecast, one item per line."""
    forecast = report.forecast
    if not forecast.pieces:
        return ["not available: too little text"]
    return [
        f"{forecast.pieces:,} pieces per epoch with a vocabulary of {forecast.size:,}",
        f"{format_bytes(forecast.disk)} on disk for the prepared data",
        f"{format_bytes(forecast.memory)} of memory to find duplicates, plus a constant amount",
        f"{duration(forecast.seconds)} of preparation on one core of this machine",
    ]


def format_bytes(bytes_: int) -> str:
    amount = float(bytes_)
    for unit in ("bytes", "KB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def duration(seconds: float) -> str:
    if seconds < 100:
        return f"{max(1, seconds):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def format_count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def format_percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


CORPUS_HEADS = ("corpus", "pairs", "mean length", "longest", "distinct", "scripts", "languages")
VOCABULARY_HEADS = (
    "vocabulary",
    "pieces per word",
    "words of one piece",
    "byte pieces",
    "pieces per pair",
)


def vocabulary_row(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the table cells of a vocabulary, under VOCABULARY_HEADS."""
    return (
        f"{vocabulary.size:,}",
        f"{vocabulary.pieces_per_word:.2f}",
        format_percent(vocabulary.whole_words),
        format_percent(vocabulary.byte_pieces),
        f"{vocabulary.pieces_per_pair:.1f}",
    )


def corpus_row(summary: Summary) -> tuple[str, ...]:
    """Return the table cells of a corpus, under CORPUS_HEADS, as "source · target"."""
    return (
        summary.name,
        f"{summary.pairs:,}",
        "{:.0f} · {:.0f}".format(*mean_lengths(summary)),
        "{:,} · {:,}".format(*summary.longest),
        "{:,} · {:,}".format(*summary.distinct),
        " · ".join(script or "mixed" for script in summary.scripts),
        " · ".join(language or "?" for language in summary.languages),
    )


def mean_lengths(summary: Summary) -> tuple[float, float]:
    """Return the mean number of characters of source and target lines."""
    source, target = summary.characters
    pairs = max(1, summary.pairs)
    return source / pairs, target / pairs


def print_report(report: Report, console: Console) -> None:
    """Print a report."""
    console.print(_corpora(report), "")
    for finding in report.findings:
        _print_finding(finding, console)
    if any(drop.count for drop in report.drops):
        console.print("[bold]Pairs dropped by filters[/]")
        console.print(_drops(report), "")
    if report.vocabularies:
        console.print("[bold]Vocabulary sizes[/] (joint for source and target)")
        console.print(_vocabularies(report), "")
    console.print("[bold]Forecast[/]")
    for line in forecast_lines(report):
        console.print(f"  {line}", highlight=False)
    color = "green" if report.healthy else "bold red"
    console.print(Text(f"\n{verdict(report)}", color))


def _print_finding(finding: Finding, console: Console) -> None:
    head = Text()
    head.append(f"{finding.severity:8}", _COLORS[finding.severity])
    head.append(f"{finding.corpus}: {finding.kind}", "bold")
    head.append(f"  {format_count(finding.count, 'pair')}, {format_percent(finding.share)}")
    console.print(head)
    message = Text(f"{finding.message} ").append(finding.remedy, "italic")
    console.print(Padding(message, (0, 0, 0, 8)))
    if finding.examples:
        console.print(Padding(_examples(finding.examples), (0, 0, 0, 8)))
    console.print()


def _examples(examples: Sequence[Example]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", style="cyan")
    table.add_column(style="dim")
    for example in examples:
        table.add_row(f"{example.line:,}", Text(_short(example.source)))
        table.add_row("", Text(_short(example.target)))
    return table


def _corpora(report: Report) -> Table:
    table = _table(*CORPUS_HEADS)
    for summary in report.corpora:
        table.add_row(*corpus_row(summary))
    return table


def _drops(report: Report) -> Table:
    table = _table("filter", "pairs", "share")
    pairs = report.corpora[0].pairs
    for drop in report.drops:
        if drop.count:
            table.add_row(drop.filter, f"{drop.count:,}", format_percent(drop.count / pairs))
    return table


def _vocabularies(report: Report) -> Table:
    table = _table(*VOCABULARY_HEADS)
    for vocabulary in report.vocabularies:
        table.add_row(*vocabulary_row(vocabulary))
    return table


def _table(first: str, *further_columns: str) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 3, 0, 0))
    table.add_column(first)
    for name in further_columns:
        table.add_column(name, justify="right")
    return table


def _short(text: str) -> str:
    return text if len(text) <= _EXAMPLE_WIDTH else text[: _EXAMPLE_WIDTH - 1] + "…"


# -- the doctor's report as one self-contained HTML page, without scripts or network access --------


_STYLE = """
:root { --source: #2f6db3; --target: #d97a1c; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --source: #6ea8e8; --target: #f0a04b;
  --warn: #f2c14e; } }
.verdict { font-size: 1.7rem; line-height: 1.25; margin: .2rem 0 1.5rem; }
.tag.warning { color: var(--warn); } .verdict.defect, .tag.defect { color: var(--bad); }
article { border-left: 4px solid; padding: .8rem 1rem; }
article.defect { border-left-color: var(--bad); }
article.warning { border-left-color: var(--warn); }
article h3 { margin: 0; font-size: 1rem; display: flex; gap: .6rem;
  flex-wrap: wrap; align-items: baseline; }
article h3 small { font-weight: 400; color: var(--soft); margin-left: auto; }
article p { margin: .2rem 0 0; }
.tag { font-size: .78rem; font-weight: 650; }
details { margin-top: .5rem; } summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
dl { gap: .1rem .9rem; margin: .5rem 0 0; font-size: .9rem; }
dt { text-align: right; font-variant-numeric: tabular-nums; }
dd + dd { grid-column: 2; margin-bottom: .4rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1.5rem; }
figcaption { font-size: .9rem; margin-bottom: .3rem; }
svg { width: 100%; display: block; } svg text { fill: var(--soft); font-size: 11px; }
.source { fill: var(--source); } .target { fill: var(--target); } .ratio { fill: var(--soft); }
i.source { background: var(--source); } i.target { background: var(--target); }
em { font-style: normal; color: var(--soft); } code { font-size: .9em; }
.key { display: inline-block; width: .7em; height: .7em; border-radius: 2px;
  margin: 0 .3em 0 .7em; }
.grid { stroke: var(--line); } ul { margin: 0; padding-left: 1.2rem; }
"""

_LENGTHS = [float(n * 10**power) for power in range(5) for n in (1, 2, 5)]
_RATIOS = (1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)


def doctor_page(report: Report) -> str:
    """Return the HTML page of a report."""
    title = "regard doctor: " + ", ".join(summary.name for summary in report.corpora)
    tone = "good" if report.healthy else "defect"
    parts = [
        f'<h1>regard doctor</h1><p class="verdict {tone}">{escape(verdict(report))}</p>',
        _corpora_html(report.corpora),
        "<h2>Findings</h2>" if report.findings else "",
        *map(_finding, report.findings),
        *map(_charts, report.corpora),
        _drops_html(report),
        _vocabularies_html(report),
        "<h2>Forecast</h2><ul>",
        *(f"<li>{escape(line)}</li>" for line in forecast_lines(report)),
        "</ul>",
    ]
    return html.html_page(title, parts, _STYLE)


def _corpora_html(corpora: Sequence[Summary]) -> str:
    rows = [corpus_row(summary) for summary in corpora]
    return html.html_table(CORPUS_HEADS, rows)


def _finding(finding: Finding) -> str:
    pairs = f"{format_count(finding.count, 'pair')}, {format_percent(finding.share)}"
    return (
        f'<article class="{finding.severity}"><h3>'
        f'<span class="tag {finding.severity}">{finding.severity}</span>'
        f"{escape(finding.corpus)}: {escape(finding.kind)}<small>{pairs}</small></h3>"
        f"<p>{_code(finding.message)} <em>{_code(finding.remedy)}</em></p>"
        f"{_samples(finding.examples, 'examples', opened=finding.severity == 'defect')}</article>"
    )


def _samples(examples: Sequence[Example], title: str, *, opened: bool = False) -> str:
    if not examples:
        return ""
    rows = "".join(
        f'<dt>{e.line:,}</dt><dd dir="auto">{escape(e.source[:500]) or "—"}</dd>'
        f'<dd dir="auto">{escape(e.target[:500]) or "—"}</dd>'
        for e in examples
    )
    attribute = " open" if opened else ""
    return f"<details{attribute}><summary>{escape(title)}</summary><dl>{rows}</dl></details>"


def _drops_html(report: Report) -> str:
    pairs = report.corpora[0].pairs
    dropped = [drop for drop in report.drops if drop.count]
    if not dropped:
        return "<h2>Pairs dropped by filters</h2><p>None.</p>"
    rows = [(d.filter, f"{d.count:,}", format_percent(d.count / pairs)) for d in dropped]
    examples = "".join(_samples(d.examples, f"{d.filter}: examples") for d in dropped)
    table = html.html_table(("filter", "pairs", "share"), rows)
    return f"<h2>Pairs dropped by filters</h2>{table}{examples}"


def _vocabularies_html(report: Report) -> str:
    if not report.vocabularies:
        return ""
    rows = [vocabulary_row(vocabulary) for vocabulary in report.vocabularies]
    return f"<h2>Vocabulary sizes</h2>{html.html_table(VOCABULARY_HEADS, rows)}"


def _charts(summary: Summary) -> str:
    source, target = summary.lengths
    lengths = histogram_chart("lengths", [("source", source), ("target", target)], _LENGTHS)
    ratios = histogram_chart("ratios", [("ratio", summary.ratios)], _RATIOS)
    return (
        f'<h2>{escape(summary.name)}</h2><div class="charts">'
        '<figure><figcaption>Characters per line<i class="key source"></i>source'
        f'<i class="key target"></i>target</figcaption>{lengths}</figure>'
        "<figure><figcaption>Length ratio, target to source</figcaption>"
        f"{ratios}</figure></div>"
    )


def _code(text: str) -> str:
    """Escape a text and set the parts between backquotes as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if n % 2 else part for n, part in enumerate(parts))
