"""The doctor's report in a terminal, and the words that every form of it shares."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from regard.data.doctor.examine import Finding, Report, Summary
from regard.data.doctor.survey import Example

_WIDEST = 90  # characters of an example that are shown
_COLOURS = {"defect": "bold red", "warning": "yellow"}


def verdict(report: Report) -> str:
    defects = sum(finding.severity == "defect" for finding in report.findings)
    warnings = len(report.findings) - defects
    if defects:
        return f"{format_count(defects, 'defect')}: do not train on this yet"
    if warnings:
        return f"no defect, {format_count(warnings, 'warning')}: fit to train on"
    return "nothing found: fit to train on"


def forecast_lines(report: Report) -> list[str]:
    forecast = report.forecast
    if not forecast.pieces:
        return ["too little text to foretell anything"]
    return [
        f"{forecast.pieces:,} pieces in an epoch, with a vocabulary of {forecast.size:,}",
        f"{format_bytes(forecast.disk)} on disk once prepared",
        f"{format_bytes(forecast.memory)} to find duplicates in; the rest does not grow with the corpus",
        f"{duration(forecast.seconds)} to prepare, on one core like this one",
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


CORPUS_HEADS = ("corpus", "pairs", "characters", "longest", "distinct", "scripts")


def corpus_row(summary: Summary) -> tuple[str, ...]:
    """A corpus under CORPUS_HEADS; source and target with a point between them."""
    return (
        summary.name,
        f"{summary.pairs:,}",
        "{:.0f} · {:.0f}".format(*mean_lengths(summary)),
        "{:,} · {:,}".format(*summary.longest),
        "{:,} · {:,}".format(*summary.distinct),
        " · ".join(script or "mixed" for script in summary.scripts),
    )


def mean_lengths(summary: Summary) -> tuple[float, float]:
    source, target = summary.characters
    pairs = max(1, summary.pairs)
    return source / pairs, target / pairs


def print_report(report: Report, console: Console) -> None:
    console.print(_corpora(report), "")
    for finding in report.findings:
        _draw_finding(finding, console)
    if any(drop.count for drop in report.drops):
        console.print("[bold]What the filters would drop[/]")
        console.print(_drops(report), "")
    if report.vocabularies:
        console.print("[bold]What vocabularies would do[/] (both sides together)")
        console.print(_vocabularies(report), "")
    console.print("[bold]What it will take[/]")
    for line in forecast_lines(report):
        console.print(f"  {line}", highlight=False)
    colour = "green" if report.healthy else "bold red"
    console.print(Text(f"\n{verdict(report)}", colour))


def _draw_finding(finding: Finding, console: Console) -> None:
    head = Text()
    head.append(f"{finding.severity:8}", _COLOURS[finding.severity])
    head.append(f"{finding.corpus}: {finding.kind}", "bold")
    head.append(f"  {format_count(finding.count, 'pair')}, {format_percent(finding.share)}")
    console.print(head)
    said = Text(f"{finding.says}. ").append(f"{finding.remedy}.", "italic")
    console.print(Padding(said, (0, 0, 0, 8)))
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
    table = _table("pieces", "for a word", "words in one piece", "spelt in bytes", "for a pair")
    for vocabulary in report.vocabularies:
        table.add_row(
            f"{vocabulary.size:,}",
            f"{vocabulary.pieces_per_word:.2f}",
            format_percent(vocabulary.whole_words),
            format_percent(vocabulary.spelt),
            f"{vocabulary.pieces_per_pair:.1f}",
        )
    return table


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 3, 0, 0))
    table.add_column(first)
    for name in others:
        table.add_column(name, justify="right")
    return table


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
