"""The bottleneck, seen: the same task by length, with one vector for the source and with attention.

    python -m benchmarks.bottleneck [--quick] [--figures docs/figures]

Digits are to be reversed. Three models that differ in a word or two of a run file learn it on
sequences of up to 20: Bahdanau's, the same with `span: last` (one state to see, Cho's bottleneck),
and the same that never asks. Then each length is tried on its own, longer ones than were ever seen
too. Draws the curves, and where the model with attention looked. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "2")

import torch

from benchmarks.toys import FIRST, accuracy, learn, pairs
from regard.config.load import load_config
from regard.config.run import RunConfig
from regard.explain.pictures.curves import curve_chart
from regard.explain.pictures.heatmap import attention_heatmap
from regard.inference.recording import watch

SMALL = [
    "model.embedding_dim=64",
    "model.encoder.dim=64",
    "model.encoder.bidirectional=true",
    "model.decoder.dim=128",
]
LONGEST = 20  # in training


def runs() -> dict[str, RunConfig]:
    last = "model.decoder.attention.span.kind=last"
    never = ["model.decoder.kind=plain", "model.decoder.dim=128"]
    return {
        "attention (Bahdanau)": load_config("bahdanau", SMALL),
        "one state (span: last)": load_config("bahdanau", [*SMALL, last]),
        "first state only (plain)": load_config("bahdanau", [*SMALL[:3], *never]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="under a minute, shorter sequences")
    parser.add_argument("--figures", type=Path, help="write the figures into this folder")
    given = parser.parse_args()
    steps, longest = (250, 10) if given.quick else (1500, LONGEST)
    tried = list(range(2, longest * 3 // 2 + 1, 2))
    series: dict[str, list[tuple[float, float]]] = {}
    for name, run in runs().items():
        print(f"learning to reverse: {name}", flush=True)

        def report(step: int, nll: float) -> None:
            if step % 100 == 0:
                print(f"  step {step:5d} of {steps}   nll {nll:.3f}", flush=True)

        model = learn(run, "reverse", steps=steps, lengths=(1, longest), report=report)
        generator = torch.Generator().manual_seed(1)
        series[name] = [
            (n, accuracy(model, pairs("reverse", torch.full((200,), n), generator))) for n in tried
        ]
        if given.figures and name.startswith("attention"):
            draw_looks(model, given.figures / "reverse.svg")
    if given.figures:
        given.figures.mkdir(parents=True, exist_ok=True)
        (given.figures / "bottleneck.svg").write_text(
            curve_chart(
                series,
                title="Reversing digits: one vector holds only so much",
                x="length of the sequence",
                y="tokens right, by free decoding",
                shaded=(longest, tried[-1], "longer than any seen"),
            )
        )
    at = {name: dict(points)[longest] for name, points in series.items()}
    for name, points in series.items():
        print(f"{name:30s}", " ".join(f"{n}:{right:.2f}" for n, right in points))
    with_, *without = at.values()
    figures = {
        "longest": longest,
        "right": at,
        "gap": round(with_ - max(without), 3),
        "aim": {"attention": 0.99, "gap": 0.2},
    }
    print(json.dumps(figures | {"curves": series}))
    sys.exit(0 if with_ >= 0.99 and with_ - max(without) >= 0.2 else 1)


def draw_looks(model: torch.nn.Module, path: Path) -> None:
    batch = pairs("reverse", torch.tensor([12]), torch.Generator().manual_seed(5))
    with torch.no_grad(), watch(model) as trace:
        model(batch.source, batch.inputs)
    digits = [str(i - FIRST) for i in batch.source.ids[0].tolist()]
    said = [str(i - FIRST) for i in batch.target.ids[0, :-1].tolist()] + ["end"]
    weights = trace["decoder.attention"][0, 0].numpy()
    path.parent.mkdir(parents=True, exist_ok=True)
    title = "Where each digit looked (nobody taught it to)"
    note = "The task: say a row of digits backwards. One attention, as each digit was produced."
    path.write_text(
        attention_heatmap(weights, row_labels=said, column_labels=digits, title=title, note=note)
    )


if __name__ == "__main__":
    main()
