"""What attention is worth to a classifier of documents, and whether what it attends to matters.

    python -m benchmarks.documents [--quick] [--seeds 3] [--steps 250] [--out runs/documents]

Reviews of films (what was thought of it?) and passages of novels (who wrote this? tested on books
that were never read). Three models with the same parameters: hierarchical attention, the mean of
all words and sentences (`weighing: uniform`), and the last state alone (`span: last`). Then a tenth
of the words is taken from each test document: those attended to most, and as many at random. The
last line is one JSON object.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

os.environ.setdefault("OMP_NUM_THREADS", "2")

from benchmarks.multi30k import DATA
from benchmarks.runs import Taught, prepare_once, spread, teach
from regard.config.load import load_config
from regard.tasks.classification.document_classifier import (
    ClassificationResult,
    DocumentClassifier,
    load_classifier,
)
from regard.tasks.classification.module import score_labels

CORPORA = {
    "movie-reviews": ("movie-reviews/{split}.jsonl.gz", "sentences"),
    "novels-en": ("novels-en/authors.{split}.jsonl.gz", "paragraphs"),
}
MODELS = {
    "attention": [],
    "mean": ["model.encoder.pool.normalizer.kind=uniform"],
    "last state": ["model.encoder.pool.span.kind=last"],
}
SHARE = 0.1  # of the words, that are taken away
DRAWS = 5  # of random words, of which the mean is told


def read(name: str, split: str, most: int | None) -> list[tuple[str, str]]:
    """Text and label of each document; its parts are set apart by empty lines."""
    pattern, key = CORPORA[name]
    path = DATA / pattern.format(split=split)
    if not path.is_file():
        sys.exit(f"{path}: not here; let REGARD_DATA name the folder that holds {name}")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    random.Random(1).shuffle(records)
    return [("\n\n".join(one[key]), one["label"]) for one in records[:most]]


def settings(folder: Path, steps: int, seed: int, quick: bool) -> list[str]:
    every, rise = max(6, steps // 8), max(6, steps // 20)
    small = ["model.embedding_dim=32", "model.encoder.words.dim=16", "model.encoder.sentences.dim=16"]
    return [
        f'data.train=[{{files: ["{folder}/train.jsonl"]}}]',
        f'data.valid={{files: ["{folder}/dev.jsonl"]}}',
        *(["data.vocabulary=600", *small] if quick else ["data.vocabulary=8000"]),
        *("model.encoder.dropout=0.3", "model.dropout=0.5"),
        *(f"train.steps={steps}", f"train.seed={seed}", "train.batch_tokens=8192"),
        "train.optimizer={kind: adam, rate: 0.002}",
        f"train.schedule={{kind: linear, warmup: {rise}}}",
        *(f"train.validate_every={every}", f"train.save_every={every}", "train.patience=null"),
    ]


def accuracy(labeller: DocumentClassifier, texts: Sequence[str], labels: Sequence[str]) -> float:
    return score_labels(labeller.classify(texts), labels, labeller.classes).values["accuracy"]


def without(found: ClassificationResult, chance: random.Random | None) -> str:
    """The text without a tenth of its words: by chance, or those that counted most."""
    words = [
        (sentence.weight * word.weight, word.span)
        for sentence in found.sentences
        for word in sentence.words
        if any(character.isalnum() for character in found.text[slice(*word.span)])
    ]
    count = round(SHARE * len(words))
    if chance is None:
        taken = [span for _, span in sorted(words, reverse=True)[:count]]
    else:
        taken = [span for _, span in chance.sample(words, count)]
    text = found.text
    for start, end in sorted(taken, reverse=True):
        text = text[:start] + text[end:]
    return text


def erasure(
    labeller: DocumentClassifier, texts: Sequence[str], labels: Sequence[str]
) -> dict[str, float]:
    """Accuracy on whole documents, without what counted most, and without as much at random."""
    found = labeller.classify(texts, weights=True)
    drawn = [
        accuracy(
            labeller,
            [without(one, random.Random(f"{draw} {i}")) for i, one in enumerate(found)],
            labels,
        )
        for draw in range(DRAWS)
    ]
    return {
        "whole": score_labels(found, labels, labeller.classes).values["accuracy"],
        "most attended": accuracy(labeller, [without(one, None) for one in found], labels),
        "random": mean(drawn),
    }


def attended(labeller: DocumentClassifier, texts: Sequence[str]) -> list[str]:
    """The words that had most attention in all, and occur more than twice."""
    weights: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for found in labeller.classify(texts, weights=True):
        for sentence in found.sentences:
            for word in sentence.words:
                said = found.text[slice(*word.span)]
                weights[said] += sentence.weight * word.weight
                counts[said] += 1
    mean_of = {word: weights[word] / counts[word] for word in counts if counts[word] > 2}
    return sorted(mean_of, key=mean_of.__getitem__, reverse=True)[:20]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a minute or two: that it runs")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--corpus", choices=CORPORA, action="append", help="by default both")
    parser.add_argument("--out", type=Path, help="keep the runs there; ended ones are not repeated")
    given = parser.parse_args()
    if given.quick:
        given.seeds, given.steps = 1, 6
    told = {}
    with tempfile.TemporaryDirectory() as aside:
        for corpus in given.corpus or CORPORA:
            folder = (given.out or Path(aside)).absolute() / corpus
            told[corpus] = measure(corpus, folder, given.steps, given.seeds, given.quick)
    facts = {
        "benchmark": "documents",
        "quick": given.quick,
        "seeds": given.seeds,
        "steps": given.steps,
    }
    print(json.dumps({**facts, "corpora": told}))


def measure(corpus: str, folder: Path, steps: int, seeds: int, quick: bool) -> dict[str, object]:
    folder.mkdir(parents=True, exist_ok=True)
    most = 40 if quick else None
    splits = {split: read(corpus, split, most) for split in ("train", "dev", "test")}
    for split, found in splits.items():
        lines = [json.dumps({"text": text, "label": label}) for text, label in found]
        if not (folder / f"{split}.jsonl").exists():
            (folder / f"{split}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    prepared = prepare_once(load_config("han", settings(folder, steps, 1, quick)), folder)
    texts, labels = zip(*splits["test"], strict=True)
    dev_texts, dev_labels = zip(*splits["dev"], strict=True)
    table: dict[str, object] = {}
    erased: list[dict[str, float]] = []
    looked: list[str] = []
    for name, own in MODELS.items():
        test, dev, f1 = [], [], []
        taught: Taught | None = None
        for seed in range(1, seeds + 1):
            place = f"{name.replace(' ', '-')}-{seed}"
            said = [*settings(folder, steps, seed, quick), *own]
            taught = teach(place, "han", said, prepared, folder)
            labeller = load_classifier(taught.model)
            scores = score_labels(labeller.classify(texts), labels, labeller.classes).values
            test.append(scores["accuracy"])
            f1.append(scores["f1"])
            dev.append(accuracy(labeller, dev_texts, dev_labels))
            if name == "attention":
                erased.append(erasure(labeller, texts, labels))
                looked = looked or attended(labeller, dev_texts)
        assert taught is not None
        table[name] = {
            "parameters": taught.parameters,
            "accuracy": spread(test),
            "f1": spread(f1),
            "dev accuracy": spread(dev),
        }
        print(f"{corpus}, {name}: accuracy {spread(test)}, on dev {spread(dev)}", flush=True)
    lost = {
        kind: spread([one["whole"] - one[kind] for one in erased])
        for kind in ("most attended", "random")
    }
    print(f"{corpus}, lost without a tenth of the words: {lost}", flush=True)
    return {"models": table, "lost": lost, "attended": looked}


if __name__ == "__main__":
    main()
