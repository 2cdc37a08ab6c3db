"""Document classification with and without attention, and the importance of attended words.

    python -m benchmarks.documents [--quick] [--seeds 3] [--steps 250] [--out runs/documents]

The corpora are movie reviews (sentiment) and passages of novels (author; the test books are not in
training). Three models have the same number of parameters: hierarchical attention, uniform weights
(`normalizer: uniform`), and the last state alone (`span: last`). Then a tenth of the words is
removed from each test document: those with the largest weights, or random ones. The last line is a
JSON object.
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
from benchmarks.runs import TrainedModel, prepare_once, spread, train_model
from regard.config.load import load_config
from regard.tasks.classification.document_classifier import (
    ClassificationResult,
    DocumentClassifier,
    load_classifier,
)
from regard.tasks.classification.task import score_labels

CORPORA = {
    "movie-reviews": ("movie-reviews/{split}.jsonl.gz", "sentences"),
    "novels-en": ("novels-en/authors.{split}.jsonl.gz", "paragraphs"),
}
MODELS = {
    "attention": [],
    "mean": ["model.encoder.pool.normalizer.kind=uniform"],
    "last state": ["model.encoder.pool.span.kind=last"],
}
SHARE = 0.1  # of the words, to remove
DRAWS = 5  # random removals to average


def read_documents(name: str, split: str, limit: int | None) -> list[tuple[str, str]]:
    """The text and label of each document; its parts are separated by empty lines."""
    pattern, key = CORPORA[name]
    path = DATA / pattern.format(split=split)
    if not path.is_file():
        sys.exit(f"{path}: no such file. Set REGARD_DATA to the directory that contains {name}.")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    random.Random(1).shuffle(records)
    return [("\n\n".join(one[key]), one["label"]) for one in records[:limit]]


def settings(folder: Path, steps: int, seed: int, quick: bool) -> list[str]:
    every, warmup = max(6, steps // 8), max(6, steps // 20)
    small = [
        "model.embedding_dim=32",
        "model.encoder.words.dim=16",
        "model.encoder.sentences.dim=16",
    ]
    return [
        f'data.train=[{{files: ["{folder}/train.jsonl"]}}]',
        f'data.valid={{files: ["{folder}/dev.jsonl"]}}',
        *(["data.vocabulary=600", *small] if quick else ["data.vocabulary=8000"]),
        *("model.encoder.dropout=0.3", "model.dropout=0.5"),
        *(f"train.steps={steps}", f"train.seed={seed}", "train.batch_tokens=8192"),
        "train.optimizer={kind: adam, rate: 0.002}",
        f"train.schedule={{kind: linear, warmup: {warmup}}}",
        *(f"train.validate_every={every}", f"train.save_every={every}", "train.patience=null"),
    ]


def accuracy(classifier: DocumentClassifier, texts: Sequence[str], labels: Sequence[str]) -> float:
    return score_labels(classifier.classify(texts), labels, classifier.classes).values["accuracy"]


def erased(result: ClassificationResult, generator: random.Random | None) -> str:
    """The text without a tenth of its words: random ones, or those with the largest weights."""
    words = [
        (sentence.weight * word.weight, word.span)
        for sentence in result.sentences
        for word in sentence.words
        if any(character.isalnum() for character in result.text[slice(*word.span)])
    ]
    count = round(SHARE * len(words))
    if generator is None:
        removed = [span for _, span in sorted(words, reverse=True)[:count]]
    else:
        removed = [span for _, span in generator.sample(words, count)]
    text = result.text
    for start, end in sorted(removed, reverse=True):
        text = text[:start] + text[end:]
    return text


def erasure(
    classifier: DocumentClassifier, texts: Sequence[str], labels: Sequence[str]
) -> dict[str, float]:
    """Accuracy on full documents, without the most attended words, and without random words."""
    results = classifier.classify(texts, weights=True)
    random_accuracies = [
        accuracy(
            classifier,
            [erased(one, random.Random(f"{draw} {i}")) for i, one in enumerate(results)],
            labels,
        )
        for draw in range(DRAWS)
    ]
    return {
        "full": score_labels(results, labels, classifier.classes).values["accuracy"],
        "most attended": accuracy(classifier, [erased(one, None) for one in results], labels),
        "random": mean(random_accuracies),
    }


def most_attended(classifier: DocumentClassifier, texts: Sequence[str]) -> list[str]:
    """The words with the largest mean weight among those that occur more than twice."""
    weights: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for found in classifier.classify(texts, weights=True):
        for sentence in found.sentences:
            for word in sentence.words:
                text = found.text[slice(*word.span)]
                weights[text] += sentence.weight * word.weight
                counts[text] += 1
    means = {word: weights[word] / counts[word] for word in counts if counts[word] > 2}
    return sorted(means, key=means.__getitem__, reverse=True)[:20]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few steps, to test the setup")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--corpus", choices=CORPORA, action="append", help="default: both")
    parser.add_argument("--out", type=Path, help="keep the runs here; completed ones are reused")
    options = parser.parse_args()
    if options.quick:
        options.seeds, options.steps = 1, 6
    results = {}
    with tempfile.TemporaryDirectory() as temporary:
        for corpus in options.corpus or CORPORA:
            folder = (options.out or Path(temporary)).absolute() / corpus
            results[corpus] = measure(corpus, folder, options.steps, options.seeds, options.quick)
    facts = {
        "benchmark": "documents",
        "quick": options.quick,
        "seeds": options.seeds,
        "steps": options.steps,
    }
    print(json.dumps({**facts, "corpora": results}))


def measure(corpus: str, folder: Path, steps: int, seeds: int, quick: bool) -> dict[str, object]:
    folder.mkdir(parents=True, exist_ok=True)
    limit = 40 if quick else None
    splits = {split: read_documents(corpus, split, limit) for split in ("train", "dev", "test")}
    for split, found in splits.items():
        lines = [json.dumps({"text": text, "label": label}) for text, label in found]
        if not (folder / f"{split}.jsonl").exists():
            (folder / f"{split}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    prepared = prepare_once(load_config("han", settings(folder, steps, 1, quick)), folder)
    texts, labels = zip(*splits["test"], strict=True)
    dev_texts, dev_labels = zip(*splits["dev"], strict=True)
    table: dict[str, object] = {}
    erasures: list[dict[str, float]] = []
    attended: list[str] = []
    for name, model_settings in MODELS.items():
        test, dev, f1 = [], [], []
        trained: TrainedModel | None = None
        for seed in range(1, seeds + 1):
            run = f"{name.replace(' ', '-')}-{seed}"
            overrides = [*settings(folder, steps, seed, quick), *model_settings]
            trained = train_model(run, "han", overrides, prepared, folder)
            classifier = load_classifier(trained.model)
            scores = score_labels(classifier.classify(texts), labels, classifier.classes).values
            test.append(scores["accuracy"])
            f1.append(scores["f1"])
            dev.append(accuracy(classifier, dev_texts, dev_labels))
            if name == "attention":
                erasures.append(erasure(classifier, texts, labels))
                attended = attended or most_attended(classifier, dev_texts)
        assert trained is not None
        table[name] = {
            "parameters": trained.parameters,
            "accuracy": spread(test),
            "f1": spread(f1),
            "dev accuracy": spread(dev),
        }
        print(f"{corpus}, {name}: accuracy {spread(test)}, on dev {spread(dev)}", flush=True)
    lost = {
        kind: spread([one["full"] - one[kind] for one in erasures])
        for kind in ("most attended", "random")
    }
    print(f"{corpus}, accuracy lost without a tenth of the words: {lost}", flush=True)
    return {"models": table, "lost": lost, "attended": attended}


if __name__ == "__main__":
    main()
