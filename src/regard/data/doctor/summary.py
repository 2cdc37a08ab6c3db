"""The doctor's report in a terminal, and the texts that it shares with the HTML page."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from regard.data.doctor.examine import Finding, Report, Summary
from regard.data.doctor.forecast import Vocabulary
from regard.data.doctor.survey import Example

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
