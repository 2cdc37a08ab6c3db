"""Accuracy by sequence length, with attention and with a single source vector.

    python -m benchmarks.bottleneck [--quick] [--figures docs/figures]

Three models learn to reverse sequences of up to 20 digits: Bahdanau's, the same with `span: last`
(attention to the last state only, Cho's bottleneck), and a decoder without attention. Each length
is then tested separately, including lengths beyond those of training. `--figures` writes the curves
and an attention heatmap. The last line is a JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "2")

import torch

from benchmarks.toys import FIRST, accuracy, pairs, train_toy
from regard.config.load import load_config
from regard.config.run import RunConfig
from regard.explain.pictures.charts import curve_chart
from regard.explain.pictures.heatmap import attention_heatmap
from regard.inference.forced_decoding import watch

SMALL = [
    "model.embedding_dim=64",
    "model.encoder.dim=64",
    "model.encoder.bidirectional=true",
    "model.decoder.dim=128",
]
LONGEST = 20  # in training


def runs() -> dict[str, RunConfig]:
    last = "model.decoder.attention.span.kind=last"
    plain = ["model.decoder.kind=plain", "model.decoder.dim=128"]
    return {
        "attention (Bahdanau)": load_config("bahdanau", SMALL),
        "one state (span: last)": load_config("bahdanau", [*SMALL, last]),
        "first state only (plain)": load_config("bahdanau", [*SMALL[:3], *plain]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="shorter sequences, under a minute")
    parser.add_argument("--figures", type=Path, help="directory for the figures")
    options = parser.parse_args()
    steps, longest = (250, 10) if options.quick else (1500, LONGEST)
    lengths = list(range(2, longest * 3 // 2 + 1, 2))
    series: dict[str, list[tuple[float, float]]] = {}
    for name, run in runs().items():
        print(f"training: {name}", flush=True)

        def report(step: int, nll: float) -> None:
            if step % 100 == 0:
                print(f"  step {step:5d} of {steps}   nll {nll:.3f}", flush=True)

        model = train_toy(run, "reverse", steps=steps, lengths=(1, longest), report=report)
        generator = torch.Generator().manual_seed(1)
        series[name] = [
            (n, accuracy(model, pairs("reverse", torch.full((200,), n), generator)))
            for n in lengths
        ]
        if options.figures and name.startswith("attention"):
            draw_attention(model, options.figures / "reverse.svg")
    if options.figures:
        options.figures.mkdir(parents=True, exist_ok=True)
        (options.figures / "bottleneck.svg").write_text(
            curve_chart(
                series,
                title="Reversing digits: accuracy by length",
                x="sequence length",
                y="token accuracy, greedy decoding",
                shaded=(longest, lengths[-1], "longer than in training"),
            )
        )
    at_longest = {name: dict(points)[longest] for name, points in series.items()}
    for name, points in series.items():
        print(f"{name:30s}", " ".join(f"{n}:{value:.2f}" for n, value in points))
    attention, *others = at_longest.values()
    figures = {
        "longest": longest,
        "accuracy": at_longest,
        "gap": round(attention - max(others), 3),
        "target": {"attention": 0.99, "gap": 0.2},
    }
    print(json.dumps(figures | {"curves": series}))
    sys.exit(0 if attention >= 0.99 and attention - max(others) >= 0.2 else 1)


def draw_attention(model: torch.nn.Module, path: Path) -> None:
    batch = pairs("reverse", torch.tensor([12]), torch.Generator().manual_seed(5))
    with torch.no_grad(), watch(model) as trace:
        model(batch.source, batch.inputs)
    digits = [str(i - FIRST) for i in batch.source.ids[0].tolist()]
    output = [str(i - FIRST) for i in batch.target.ids[0, :-1].tolist()] + ["end"]
    weights = trace["decoder.attention"][0, 0].numpy()
    path.parent.mkdir(parents=True, exist_ok=True)
    title = "Attention weights when reversing digits"
    note = "One attention layer, at output."
    path.write_text(
        attention_heatmap(weights, row_labels=output, column_labels=digits, title=title, note=note)
    )


if __name__ == "__main__":
    main()
