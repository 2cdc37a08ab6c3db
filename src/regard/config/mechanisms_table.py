"""The table of all presets in docs/mechanisms.md, one row for each attention."""

from __future__ import annotations

import torch

from regard.config.describe import initial_state
from regard.config.load import load_config, presets
from regard.config.model import VocabularySizes

HEAD = """# Mechanisms

Attention compares a query with keys (score), turns the scores into weights (normalizer) and
averages the values with them (context). The span determines which positions a query can attend to.
Each preset combines these choices; two presets often differ in a single line of the run file.
`regard describe PRESET` shows equations, shapes and parameter counts. A recurrent
decoder starts from h_n and c_n, the encoder's final states, from ←h_1, the final backward state, or
from the mean of the memory.

`scripts/mechanisms` generates this page from the presets.

| preset | query | memory | score | span | normalizer | heads | when | initial state | source |
|---|---|---|---|---|---|---|---|---|---|
"""

FIGURES = """
The weights of six mechanisms for the same sentence pair, and the BLEU of eleven on Multi30k after
the same number of steps, a dot for each of three seeds. [Reproduced figures](reproduced.md)
describes the models and what the differences mean.

<img src="figures/attention-additive.svg" width="32%" alt="Weights of the additive score: entlang attends to street">
<img src="figures/attention-scaled-dot.svg" width="32%" alt="Weights of the scaled dot product: entlang attends to down">
<img src="figures/attention-luong.svg" width="32%" alt="Weights of Luong's bilinear score: entlang attends to down">
<img src="figures/attention-dot.svg" width="32%" alt="Weights of the plain dot product: every word attends to one position">
<img src="figures/attention-sparse.svg" width="32%" alt="Weights of sparsemax: two or three words each have a weight, the others none">
<img src="figures/attention-hard.svg" width="32%" alt="Weights of hard attention: each word attends to a single position">

<img src="figures/mechanisms.svg" width="75%" alt="BLEU of eleven mechanisms, a dot for each of three seeds">
"""  # noqa: E501


def mechanisms_table() -> str:
    """Return docs/mechanisms.md."""
    rows = []
    for name in presets():
        run = load_config(name)
        source = run.description.split(":")[0]
        uses = run.model.attention_uses()
        with torch.device("meta"):
            first = initial_state(run.model.build(VocabularySizes(1, 1)))
        s_0 = "–" if first is None else first.formula
        if not uses:
            rows.append(_row(name, *["–"] * 6, "no attention", s_0, source))
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
                    s_0 if i == 0 else "",
                    source if i == 0 else "",
                )
            )
    return HEAD + "\n".join(rows) + "\n" + FIGURES


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(mechanisms_table(), end="")
