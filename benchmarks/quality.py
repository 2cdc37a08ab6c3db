"""Do quality warnings detect damaged translations?

    python -m benchmarks.quality --model MODEL

The model translates the test set, and its translations are damaged in three ways: detached (the
translation of another sentence), looped (a few words repeated) and truncated (without the end). The
figures are the area under the ROC curve of the quality score, damaged against clean, and the share
of clean translations that are flagged. The thresholds are those of the model bundle, calibrated on
its validation set. The last line is a JSON object.
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
from regard.tasks.translation.translator import Translator
from regard.text.words import split_words


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True, help="a model bundle for English to German")
    parser.add_argument("--quick", action="store_true", help="use only 200 sentences")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    sources, _ = read_pairs("test_2016_flickr")
    sources = sources[:200] if options.quick else sources
    translator = Translator.load(options.model, engine="torch")
    clean = [found.text for found in translator.translate(sources)]
    clean_scores = quality_scores(translator, sources, clean)
    damaged = {
        "detached": detached(clean),
        "looped": [looped(text, random.Random(i)) for i, text in enumerate(clean)],
        "truncated": [truncated(text, random.Random(i)) for i, text in enumerate(clean)],
    }
    targets = {"detached": 0.95, "looped": 0.98, "truncated": 0.90}
    figures = [
        Figure(
            f"AUROC, {name}",
            auroc(quality_scores(translator, sources, texts), clean_scores),
            targets[name],
        )
        for name, texts in damaged.items()
    ]
    flagged = float(np.mean(clean_scores >= 1))
    figures.append(Figure("share of clean translations flagged", flagged, 0.05, at_most=True))
    return report("quality", figures, sentences=len(sources))


def quality_scores(
    translator: Translator, sources: Sequence[str], texts: Sequence[str]
) -> np.ndarray:
    assert translator.thresholds is not None
    forced = translator.force_decode(sources, texts)
    return np.array(
        [assess_quality(translator.thresholds, aligned, logps).score for aligned, logps in forced]
    )


def detached(texts: list[str]) -> list[str]:
    """For each sentence the translation of another one of about the same length."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    other = dict(zip(order, [*order[1:], order[0]], strict=True))
    return [texts[other[i]] for i in range(len(texts))]


def looped(text: str, generator: random.Random) -> str:
    """Repeat two to five consecutive words two to five times."""
    spans = split_words(text)
    size = min(generator.randint(2, 5), len(spans))
    first = generator.randrange(len(spans) - size + 1)
    start, end = spans[first][0], spans[first + size - 1][1]
    return text[:end] + f" {text[start:end]}" * generator.randint(2, 5) + text[end:]


def truncated(text: str, generator: random.Random) -> str:
    """Remove the last third to two thirds of the words."""
    spans = split_words(text)
    kept = max(1, round(len(spans) * generator.uniform(1 / 3, 2 / 3)))
    return text[: spans[kept - 1][1]]


def auroc(damaged: np.ndarray, clean: np.ndarray) -> float:
    """The probability that a damaged text scores above a clean one; ties count half."""
    ranks = np.searchsorted(np.sort(clean), damaged, side="left")
    ties = np.searchsorted(np.sort(clean), damaged, side="right") - ranks
    return float(np.mean((ranks + ties / 2) / len(clean)))


if __name__ == "__main__":
    sys.exit(main())
