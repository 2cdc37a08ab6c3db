"""Markdown tables."""

from __future__ import annotations

from collections.abc import Sequence

from regard.studies.study import TrainedRun
from regard.train.events import format_duration


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with the first column left-aligned and the others right-aligned."""
    rule = ["---", *("--:" for _ in heads[1:])]
    return "".join(f"| {' | '.join(row)} |\n" for row in (heads, rule, *rows)) + "\n"


def cost_table(trained: Sequence[TrainedRun]) -> str:
    rows = [
        [
            each.run.name,
            f"{each.cost.parameters:,}",
            f"{each.cost.tokens / 1e6:.1f} M",
            format_duration(each.cost.seconds),
            f"{each.cost.speed:,.0f}",
            f"{each.cost.memory / 1e9:.2f} GB",
        ]
        for each in trained
    ]
    heads = ["run", "parameters", "target tokens", "training time", "tokens/s", "memory"]
    return markdown_table(heads, rows)
