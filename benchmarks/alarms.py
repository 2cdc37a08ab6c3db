"""Whether alarms tell damaged from clean: `python -m benchmarks.alarms --model M`.

From a model's own translations of the test set, three damages are made that users meet: detached
(the translation of another sentence), looped (a few words said over and over) and truncated (the
end is missing). For each, the area under the ROC curve of the alarm's score against the clean ones;
and how many clean ones are flagged. The bounds are those that were sealed with the model, learnt
from its validation set.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence

import numpy as np
import torch

from benchmarks.figures import Figure, report
from benchmarks.multi30k import read_pairs
from regard.evaluate.quality import assess_quality
from regard.tasks.translation.translator import Translator, load_translator
from regard.text.words import split_words


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--model", required=True, help="a sealed model that was trained on en-de")
    options.add_argument("--quick", action="store_true", help="200 sentences instead of all")
    options.add_argument("--threads", type=int, default=1)
    asked = options.parse_args()
    torch.set_num_threads(asked.threads)
    sources, _ = read_pairs("test_2016_flickr")
    sources = sources[:200] if asked.quick else sources
    translator = load_translator(asked.model, engine="torch")
    clean = [found.text for found in translator.translate(sources)]
    usual = scores(translator, sources, clean)
    damaged = {
        "detached": detached(clean),
        "looped": [looped(text, random.Random(i)) for i, text in enumerate(clean)],
        "truncated": [truncated(text, random.Random(i)) for i, text in enumerate(clean)],
    }
    aims = {"detached": 0.95, "looped": 0.98, "truncated": 0.90}
    figures = [
        Figure(f"AUROC, {name}", auroc(scores(translator, sources, texts), usual), aims[name])
        for name, texts in damaged.items()
    ]
    flagged = float(np.mean(usual >= 1))
    figures.append(Figure("share of clean translations flagged", flagged, 0.05, at_most=True))
    return report("alarms", figures, sentences=len(sources))


def scores(translator: Translator, sources: Sequence[str], texts: Sequence[str]) -> np.ndarray:
    assert translator.thresholds is not None
    read = translator.force_decode(sources, texts)
    return np.array(
        [assess_quality(translator.thresholds, aligned, logps).score for aligned, logps in read]
    )


def detached(texts: list[str]) -> list[str]:
    """Each the translation of another sentence, as long as can be: no length gives it away."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    other = dict(zip(order, [*order[1:], order[0]], strict=True))
    return [texts[other[i]] for i in range(len(texts))]


def looped(text: str, chance: random.Random) -> str:
    """Two to five words, said two to five times more, at a place where they stood."""
    spans = split_words(text)
    size = min(chance.randint(2, 5), len(spans))
    first = chance.randrange(len(spans) - size + 1)
    start, end = spans[first][0], spans[first + size - 1][1]
    return text[:end] + f" {text[start:end]}" * chance.randint(2, 5) + text[end:]


def truncated(text: str, chance: random.Random) -> str:
    """Without the last third to two thirds of its words."""
    spans = split_words(text)
    kept = max(1, round(len(spans) * chance.uniform(1 / 3, 2 / 3)))
    return text[: spans[kept - 1][1]]


def auroc(damaged: np.ndarray, clean: np.ndarray) -> float:
    """How often a damaged one scores above a clean one; ties count half."""
    ranks = np.searchsorted(np.sort(clean), damaged, side="left")
    ties = np.searchsorted(np.sort(clean), damaged, side="right") - ranks
    return float(np.mean((ranks + ties / 2) / len(clean)))


if __name__ == "__main__":
    sys.exit(main())
