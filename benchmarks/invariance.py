"""Does a translation depend on the other sentences of its batch?

    python -m benchmarks.invariance --model MODEL

The test set is translated in one call, and again in calls of 1, 7 and 32 shuffled sentences. In the
default mode the texts must be equal; in `invariant` mode also the scores and probabilities, bit by
bit. The report includes the cost of that mode. Scores are also compared with those of forced
decoding. The last line is a JSON object.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

import torch

from benchmarks.figures import Figure, report
from benchmarks.multi30k import read_pairs
from regard.hypothesis import Hypothesis
from regard.inference.forced_decoding import force_decode
from regard.inference.torch_engine import TorchEngine
from regard.tasks.translation.translator import Translator


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True, help="a model bundle with English sources")
    parser.add_argument("--quick", action="store_true", help="use only 60 sentences")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    sources = read_pairs("test_2016_flickr")[0][: 60 if options.quick else None]
    translator = Translator.load(options.model, engine="torch")
    ids = translator.tokenizer.encode(sources)
    default, invariant = (TorchEngine(translator.model, invariant=mode) for mode in (False, True))
    engines = {"default": default, "invariant": invariant}
    seconds, expected = {}, {}
    for name, engine in engines.items():
        start = time.perf_counter()
        expected[name] = engine.search(ids, translator.options)
        seconds[name] = time.perf_counter() - start
    figures = []
    for size in (1, 7, 32):
        order = random.Random(size).sample(range(len(ids)), len(ids))
        for name, engine in engines.items():
            found = search_in_batches(engine, translator, ids, order, size)
            pairs = list(zip(found, expected[name], strict=True))
            equal = sum(a[0].tokens == b[0].tokens for a, b in pairs)
            figures.append(Figure(f"{name}, batches of {size}: equal texts", equal / len(ids), 1.0))
            if name == "invariant":
                equal = sum(a == b for a, b in pairs)
                figures.append(
                    Figure(f"{name}, batches of {size}: equal bits", equal / len(ids), 1.0)
                )
    best = [hypotheses[0] for hypotheses in expected["default"]]
    figures.append(
        Figure(
            "largest difference from the forced score",
            forced_gap(translator, ids, best),
            1e-6,
            at_most=True,
        )
    )
    cost = {"cost of invariance": round(seconds["invariant"] / seconds["default"], 2)}
    return report("invariance", figures, sentences=len(ids), **cost)


def search_in_batches(
    engine: TorchEngine, translator: Translator, ids: list[list[int]], order: list[int], size: int
) -> list[list[Hypothesis]]:
    found: dict[int, list[Hypothesis]] = {}
    for start in range(0, len(order), size):
        rows = order[start : start + size]
        hypotheses = engine.search([ids[row] for row in rows], translator.options)
        found |= zip(rows, hypotheses, strict=True)
    return [found[row] for row in range(len(ids))]


def forced_gap(translator: Translator, ids: list[list[int]], best: list[Hypothesis]) -> float:
    """The largest difference from forced scores, of hypotheses that end with EOS."""
    forced = force_decode(
        translator.model, [(a, h.tokens) for a, h in zip(ids, best, strict=True)], ()
    )
    return max(
        abs(
            sum(each.logps) / len(each.logps) ** translator.options.length_penalty
            - hypothesis.score
        )
        for each, hypothesis in zip(forced, best, strict=True)
        if hypothesis.ended
    )


if __name__ == "__main__":
    sys.exit(main())
