"""Whether a translation depends on its neighbours: `python -m benchmarks.invariance --model M`.

The test set is translated whole, and again in calls of 1, 7 and 32 shuffled sentences. As models
are served, the strings are to be the same; in `invariant` mode scores and probabilities too, to the
last bit, and what that costs is told. Reported scores are compared with those of a forced reading.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

import torch

from benchmarks.figures import Figure, report
from benchmarks.multi30k import read_pairs
from regard.inference.forced_decoding import force_decode
from regard.inference.torch_engine import TorchEngine
from regard.search import Hypothesis
from regard.tasks.translation.translator import Translator, load_translator


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--model", required=True, help="a sealed model that reads English")
    options.add_argument("--quick", action="store_true", help="60 sentences instead of all")
    options.add_argument("--threads", type=int, default=1)
    asked = options.parse_args()
    torch.set_num_threads(asked.threads)
    sources = read_pairs("test_2016_flickr")[0][: 60 if asked.quick else None]
    translator = load_translator(asked.model, engine="torch")
    ids = translator.tokenizer.encode(sources)
    usual, exact = (TorchEngine(translator.model, invariant=mode) for mode in (False, True))
    seconds, whole = {}, {}
    for name, engine in (("usual", usual), ("invariant", exact)):
        begun = time.perf_counter()
        whole[name] = engine.search(ids, translator.options)
        seconds[name] = time.perf_counter() - begun
    figures = []
    for size in (1, 7, 32):
        order = random.Random(size).sample(range(len(ids)), len(ids))
        for name, engine in (("usual", usual), ("invariant", exact)):
            parts = in_parts(engine, translator, ids, order, size)
            strings = sum(
                a[0].tokens == b[0].tokens for a, b in zip(parts, whole[name], strict=True)
            )
            figures.append(
                Figure(
                    f"{name}, by {size}: same strings",
                    strings / len(ids),
                    1.0,
                )
            )
            if name == "invariant":
                bits = sum(a == b for a, b in zip(parts, whole[name], strict=True))
                figures.append(Figure(f"invariant, by {size}: same bits", bits / len(ids), 1.0))
    best = [found[0] for found in whole["usual"]]
    figures.append(
        Figure(
            "reported score − forced score", forced_gap(translator, ids, best), 1e-6, at_most=True
        )
    )
    cost = {"cost of invariance": round(seconds["invariant"] / seconds["usual"], 2)}
    return report("invariance", figures, sentences=len(ids), **cost)


def in_parts(
    engine: TorchEngine, translator: Translator, ids: list[list[int]], order: list[int], size: int
) -> list[list[Hypothesis]]:
    found: dict[int, list[Hypothesis]] = {}
    for start in range(0, len(order), size):
        rows = order[start : start + size]
        answers = engine.search([ids[row] for row in rows], translator.options)
        found |= zip(rows, answers, strict=True)
    return [found[row] for row in range(len(ids))]


def forced_gap(translator: Translator, ids: list[list[int]], best: list[Hypothesis]) -> float:
    """The largest difference of scores; a hypothesis cut at its limit has no end to compare."""
    readings = force_decode(
        translator.model, [(a, h.tokens) for a, h in zip(ids, best, strict=True)], ()
    )
    return max(
        abs(
            sum(reading.logps) / len(reading.logps) ** translator.options.length_penalty
            - hypothesis.score
        )
        for reading, hypothesis in zip(readings, best, strict=True)
        if hypothesis.ended
    )


if __name__ == "__main__":
    sys.exit(main())
