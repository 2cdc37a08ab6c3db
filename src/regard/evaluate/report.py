"""Terminal reports of evaluations and comparisons, and the texts that the HTML page shares."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from regard.align.links import AlignmentScores
from regard.evaluate.bootstrap import Difference, Estimate
from regard.evaluate.compare import (
    LOWER_IS_BETTER,
    Candidate,
    Change,
    Comparison,
    ScoreChange,
    Verdict,
)
from regard.evaluate.scores import Evaluation

TITLES = {"bleu": "BLEU", "bleu_lc": "BLEU lc", "chrf": "chrF", "ter": "TER"}
BY_LENGTH = ("bleu", "chrf")  # the metrics of tables by length
_SHOWN = 3  # sentences with the largest gain, and as many with the largest loss

SCORE_HEADS = ("", "system", "score", "95 %", "difference", "95 %", "p")


def score_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """The rows of the table with header SCORE_HEADS: each metric of each system."""
    rows: list[tuple[str, ...]] = []
    for metric, title in TITLES.items():
        baseline = _estimate(comparison.evaluation.scores[metric])
        rows.append((title, comparison.name, *baseline, "", "", ""))
        rows += [
            (
                "",
                candidate.name,
                *_estimate(candidate.evaluation.scores[metric]),
                *_difference(candidate.differences[metric]),
            )
            for candidate in comparison.candidates
        ]
    return rows


LENGTH_HEADS = (
    "words",
    "sentences",
    *(head for metric in BY_LENGTH for head in (TITLES[metric], "95 %")),
)


def length_rows(candidate: Candidate) -> list[tuple[str, ...]]:
    """The rows of the table with header LENGTH_HEADS: differences in each non-empty bucket."""
    return [
        (
            str(bucket.lengths),
            f"{bucket.sentences:,}",
            *(cell for metric in BY_LENGTH for cell in _difference(bucket.differences[metric])[:2]),
        )
        for bucket in candidate.by_length
        if bucket.sentences
    ]


def heading(change: Change) -> str:
    return f"line {change.line:,}: chrF {change.chrf[0]:.1f} → {change.chrf[1]:.1f}"


def signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def verdict_line(verdict: Verdict) -> str:
    """One line that says whether a candidate passes a gate, and why."""
    gate, difference = verdict.gate, verdict.difference
    bound = "highest" if gate.metric in LOWER_IS_BETTER else "lowest"
    value, interval, p = _difference(difference)
    return (
        f"{verdict.candidate} {'passes' if verdict.passed else 'fails'}: {gate.metric} {value}; "
        f"{signed(gate.allowed)} is the {bound} allowed (95 % interval {interval}, p {p})"
    )


def result_line(comparison: Comparison, candidate: Candidate) -> str:
    """One line that says whether a candidate is better than the baseline, in BLEU."""
    difference = candidate.differences["bleu"]
    value, interval, p = _difference(difference)
    if difference.interval is None:
        return f"{candidate.name}: BLEU {value}; too few sentences for an interval"
    low, high = difference.interval
    relation = "better than" if low > 0 else "worse than" if high < 0 else "as good as"
    certainty = "" if low > 0 or high < 0 else ", as far as these sentences show"
    return (
        f"{candidate.name} is {relation} {comparison.name}{certainty}: BLEU {value} "
        f"(95 % interval {interval}, p {p})"
    )


def draw_evaluation(evaluation: Evaluation, console: Console, *, by_length: bool) -> None:
    console.print(Text(f"{evaluation.sentences:,} sentences\n"))
    table = _table("", "score", "95 %")
    for metric, estimate in evaluation.scores.items():
        table.add_row(TITLES[metric], *_estimate(estimate))
    _print_whole(table, console)
    if by_length:
        table = _table(*LENGTH_HEADS)
        for bucket in evaluation.buckets:
            if bucket.sentences:
                cells = [cell for name in BY_LENGTH for cell in _estimate(bucket.scores[name])]
                table.add_row(str(bucket.lengths), f"{bucket.sentences:,}", *cells)
        console.print()
        _print_whole(table, console)
    _draw_signatures(evaluation, console)


def draw_comparison(comparison: Comparison, console: Console) -> None:
    sentences = f"{comparison.evaluation.sentences:,} sentences"
    console.print(Text(f"{sentences}, baseline {comparison.name}\n"))
    _print_whole(_filled_table(SCORE_HEADS, score_rows(comparison)), console)
    for candidate in comparison.candidates:
        changed = f"{candidate.changed:,} sentences differ"
        console.print(Text.assemble("\n", (candidate.name, "bold"), f": {changed}; by length\n"))
        _print_whole(_filled_table(LENGTH_HEADS, length_rows(candidate)), console)
        for title, changes in (("gains", candidate.gained), ("losses", candidate.lost)):
            if changes:
                console.print(Text(f"\nlargest {title}", style="bold"))
            for change in changes[:_SHOWN]:
                _draw_change(change, console)
    _draw_signatures(comparison.evaluation, console)


CHANGE_HEADS = ("", "sentences", "score", "before", "after", "difference", "95 %", "p")


def draw_changes(changes: Sequence[ScoreChange], console: Console) -> None:
    """Print the scores of each set before and after fine-tuning."""
    rows = [
        (
            change.name if first else "",
            f"{change.sentences:,}" if first else "",
            TITLES[metric],
            f"{change.before[metric]:.2f}",
            f"{change.after[metric]:.2f}",
            *_difference(difference),
        )
        for change in changes
        for first, (metric, difference) in zip(
            (True, *[False] * len(change.differences)), change.differences.items(), strict=False
        )
    ]
    _print_whole(_filled_table(CHANGE_HEADS, rows), console)
    console.print()
    for metric, signature in changes[0].signatures.items():
        console.print(Text(f"{TITLES[metric]}: {signature}", style="dim"), soft_wrap=True)


def draw_agreement(agreement: AlignmentScores, console: Console) -> None:
    table = _table("", "%")
    table.add_row("AER", f"{agreement.aer:.2f}")
    table.add_row("precision", f"{agreement.precision:.2f}")
    table.add_row("recall", f"{agreement.recall:.2f}")
    console.print(table)
    console.print(
        Text(
            f"\n{agreement.links:,} links; gold: {agreement.sure:,} sure and "
            f"{agreement.possible:,} possible links (including the sure ones)"
        )
    )


def _draw_change(change: Change, console: Console) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim")
    table.add_column()
    for name in ("source", "reference", "before", "after"):
        table.add_row(name, Text(getattr(change, name)))
    console.print(Text(heading(change), style="cyan"))
    console.print(Padding(table, (0, 0, 0, 2)))


def _draw_signatures(evaluation: Evaluation, console: Console) -> None:
    console.print()
    for metric, signature in evaluation.signatures.items():
        console.print(Text(f"{TITLES[metric]}: {signature}", style="dim"), soft_wrap=True)


def _estimate(estimate: Estimate) -> tuple[str, str]:
    if estimate.interval is None:
        return f"{estimate.value:.2f}", "–"
    low, high = estimate.interval
    return f"{estimate.value:.2f}", f"{low:.2f} to {high:.2f}"


def _difference(difference: Difference) -> tuple[str, str, str]:
    if difference.interval is None:
        return signed(difference.value), "–", "–"
    low, high = difference.interval
    return signed(difference.value), f"{signed(low)} to {signed(high)}", f"{difference.p:.3f}"


def _filled_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = _table(*heads)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _print_whole(table: Table, console: Console) -> None:
    """Print a table with all its characters, also where it is wider than the terminal."""
    unlimited = console.options.update(width=10_000)
    width = Measurement.get(console, unlimited, table).maximum
    wide = Console(
        file=console.file,
        width=max(width, console.width),
        force_terminal=console.is_terminal,
        no_color=console.no_color,
    )
    wide.print(table)


def _table(first: str, *further_columns: str) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column(first, no_wrap=True)
    for name in further_columns:
        table.add_column(name, justify="left" if name == "system" else "right", no_wrap=True)
    return table
