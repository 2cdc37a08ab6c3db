"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[str]) -> str:
    return "\n".join([table_row(*head), table_row(*["---"] * len(head)), *rows])


def table_row(*cells: str) -> str:
    """Return a row whose cells may contain vertical bars."""
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"
