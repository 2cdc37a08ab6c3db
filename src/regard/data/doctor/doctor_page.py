"""The doctor's report as one self-contained HTML page, without scripts or network access."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from regard import html
from regard.data.doctor.examine import Finding, Report, Summary
from regard.data.doctor.histogram import histogram_chart
from regard.data.doctor.summary import (
    CORPUS_HEADS,
    VOCABULARY_HEADS,
    corpus_row,
    forecast_lines,
    format_count,
    format_percent,
    verdict,
    vocabulary_row,
)
from regard.data.doctor.survey import Example

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
        _corpora(report.corpora),
        "<h2>Findings</h2>" if report.findings else "",
        *map(_finding, report.findings),
        *map(_charts, report.corpora),
        _drops(report),
        _vocabularies(report),
        "<h2>Forecast</h2><ul>",
        *(f"<li>{escape(line)}</li>" for line in forecast_lines(report)),
        "</ul>",
    ]
    return html.html_page(title, parts, _STYLE)


def _corpora(corpora: Sequence[Summary]) -> str:
    rows = [corpus_row(summary) for summary in corpora]
    return html.html_table(CORPUS_HEADS, rows)


def _finding(finding: Finding) -> str:
    pairs = f"{format_count(finding.count, 'pair')}, {format_percent(finding.share)}"
    return (
        f'<article class="{finding.severity}"><h3>'
        f'<span class="tag {finding.severity}">{finding.severity}</span>'
        f"{escape(finding.corpus)}: {escape(finding.kind)}<small>{pairs}</small></h3>"
        f"<p>{_code(finding.message)} <em>{_code(finding.remedy)}</em></p>"
        f"{_examples(finding.examples, 'examples', opened=finding.severity == 'defect')}</article>"
    )


def _examples(examples: Sequence[Example], title: str, *, opened: bool = False) -> str:
    if not examples:
        return ""
    rows = "".join(
        f'<dt>{e.line:,}</dt><dd dir="auto">{escape(e.source[:500]) or "—"}</dd>'
        f'<dd dir="auto">{escape(e.target[:500]) or "—"}</dd>'
        for e in examples
    )
    attribute = " open" if opened else ""
    return f"<details{attribute}><summary>{escape(title)}</summary><dl>{rows}</dl></details>"


def _drops(report: Report) -> str:
    pairs = report.corpora[0].pairs
    dropped = [drop for drop in report.drops if drop.count]
    if not dropped:
        return "<h2>Pairs dropped by filters</h2><p>None.</p>"
    rows = [(d.filter, f"{d.count:,}", format_percent(d.count / pairs)) for d in dropped]
    examples = "".join(_examples(d.examples, f"{d.filter}: examples") for d in dropped)
    table = html.html_table(("filter", "pairs", "share"), rows)
    return f"<h2>Pairs dropped by filters</h2>{table}{examples}"


def _vocabularies(report: Report) -> str:
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
