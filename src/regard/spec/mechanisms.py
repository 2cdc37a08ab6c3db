"""The table of mechanisms: every preset as one combination of the same few choices."""

from __future__ import annotations

from regard.spec.attention import Look
from regard.spec.read import presets, read_run

HEAD = """# Mechanisms

Attention is a query, keys and values: scores → weights → context. Every mechanism below is one
combination of the same few choices, and differs from its neighbours in a word or two of a run file.
`regard describe PRESET` shows its equations, shapes and parameters. This page is made from the
presets by `scripts/mechanisms`.

| preset | query | memory | score | span | weighing | heads | asked | from |
|---|---|---|---|---|---|---|---|---|
"""


def table() -> str:
    rows = []
    for name in presets():
        run = read_run(name)
        looks = run.model.looks()
        for i, look in enumerate(looks):
            rows.append(_row(name if i == 0 else "", look, run.about if i == 0 else ""))
        if not looks:
            rows.append(
                f"| {name} | – | – | – | – | – | – | never: the source is in the first state "
                f"| {run.about.split(':')[0]} |"
            )
    return HEAD + "\n".join(rows) + "\n"


def _row(name: str, look: Look, about: str) -> str:
    attention = look.attention
    cells = [
        name,
        look.query,
        look.memory,
        attention.score.kind,
        attention.span.kind,
        attention.weighing.kind,
        str(attention.score.heads),
        look.asked,
        about.split(":")[0],
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(table(), end="")
