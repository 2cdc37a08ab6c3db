"""The table of all presets in docs/mechanisms.md, one row for each attention."""

from __future__ import annotations

from regard.config.load import load_config, presets

HEAD = """# Mechanisms

Attention compares a query with keys (score), turns the scores into weights (normalizer) and
averages the values with them (context). The span determines which positions a query can attend to.
Each preset combines these choices; two presets often differ in a single line of the run file.
`regard describe PRESET` shows equations, shapes and parameter counts.

`scripts/mechanisms` generates this page from the presets.

| preset | query | memory | score | span | normalizer | heads | when | source |
|---|---|---|---|---|---|---|---|---|
"""


def mechanisms_table() -> str:
    """Return docs/mechanisms.md."""
    rows = []
    for name in presets():
        run = load_config(name)
        source = run.description.split(":")[0]
        uses = run.model.attention_uses()
        if not uses:
            rows.append(_row(name, *["–"] * 6, "no attention", source))
        for i, use in enumerate(uses):
            rows.append(
                _row(
                    name if i == 0 else "",
                    use.query,
                    use.memory,
                    use.attention.score.kind,
                    use.attention.span.kind,
                    use.attention.normalizer.kind,
                    str(use.attention.score.heads),
                    use.when,
                    source if i == 0 else "",
                )
            )
    return HEAD + "\n".join(rows) + "\n"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(mechanisms_table(), end="")
