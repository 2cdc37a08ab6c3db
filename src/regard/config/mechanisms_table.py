"""The table of mechanisms: every preset as one combination of the same few choices."""

from __future__ import annotations

from regard.config.attention import AttentionUse
from regard.config.load import load_config, presets

HEAD = """# Mechanisms

Attention is a query, keys and values: scores → weights → context. Every mechanism below is one
combination of the same few choices, and differs from its neighbours in a word or two of a run file.
`regard describe PRESET` shows its equations, shapes and parameters. This page is made from the
presets by `scripts/mechanisms`.

| preset | query | memory | score | span | weighing | heads | asked | from |
|---|---|---|---|---|---|---|---|---|
"""


def mechanisms_table() -> str:
    rows = []
    for name in presets():
        run = load_config(name)
        looks = run.model.attention_uses()
        for i, look in enumerate(looks):
            rows.append(_row(name if i == 0 else "", look, run.description if i == 0 else ""))
        if not looks:
            rows.append(
                f"| {name} | – | – | – | – | – | – | never: the source is in the first state "
                f"| {run.description.split(':')[0]} |"
            )
    return HEAD + "\n".join(rows) + "\n"


def _row(name: str, look: AttentionUse, about: str) -> str:
    attention = look.attention
    cells = [
        name,
        look.query,
        look.memory,
        attention.score.kind,
        attention.span.kind,
        attention.normalizer.kind,
        str(attention.score.heads),
        look.when,
        about.split(":")[0],
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(mechanisms_table(), end="")
