"""The demo: a model with attention and one with a fixed context vector, on generated pairs.

Both models are Bahdanau's. The second sees the last encoder state at every step instead of all of
them, as the model of Cho et al. (2014) does. This is their only difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from regard.config.load import load_config
from regard.data import storage
from regard.data.formats.corpus import read_parallel
from regard.evaluate.by_length import length_buckets
from regard.studies.demo_pairs import Pair, generate_dates, generate_sentences
from regard.studies.runs import Entry, StudyRun, TrainedRun
from regard.tasks.training import RunDirectory

SENTENCE = "the small black cat follows two white horses and a big dog watches the red car"
"""The sentence that the demo explains."""

PRESET = "translate-rnn-tiny"
ENTRIES = (
    Entry("attention", "attention", PRESET),
    Entry("fixed vector", "fixed-vector", PRESET, ("model.decoder.attention.span.kind=last",)),
)
SAVE_EVERY = 100  # steps
EDGES = (5, 10, 15, 20, 25, 30)  # last length, in words, of each row of the table but the last


@dataclass(frozen=True, slots=True)
class DemoSize:
    """Numbers of generated pairs and of training steps."""

    sentences: int  # to train on
    dates: int
    test_sentences: int
    test_dates: int
    steps: int


FULL = DemoSize(sentences=7_000, dates=4_000, test_sentences=600, test_dates=100, steps=720)
QUICK = DemoSize(sentences=60, dates=20, test_sentences=20, test_dates=5, steps=2)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of test sentences that each model translates exactly."""

    kind: str  # such as "6–10 words" or "dates"
    sentences: int
    shares: Mapping[str, float]  # by the name of the model


def write_pairs(folder: Path, size: DemoSize) -> None:
    """Write the training, validation and test pairs, which have no source in common."""
    sentences, dates = generate_sentences(1), generate_dates(1)
    counts = {
        "test": (size.test_sentences, size.test_dates),
        "valid": (size.test_sentences // 4, size.test_dates // 4),
        "train": (size.sentences, size.dates),
    }
    for split, (sentence_count, date_count) in counts.items():
        pairs = [*islice(sentences, sentence_count), *islice(dates, date_count)]
        for side, path in enumerate(pair_files(folder, split)):
            text = "".join(f"{pair[side]}\n" for pair in pairs)
            storage.write_bytes(path, text.encode())


def pair_files(folder: Path, split: str) -> tuple[str, str]:
    """Return the source and target file of a split."""
    return str(folder / "pairs" / f"{split}.source"), str(folder / "pairs" / f"{split}.target")


def demo_runs(folder: Path, size: DemoSize) -> list[StudyRun]:
    """Return the runs of both models on the pairs in `folder`."""
    runs = []
    for entry in ENTRIES:
        settings = {
            "data": {
                "train": [{"files": list(pair_files(folder, "train"))}],
                "valid": {"files": list(pair_files(folder, "valid"))},
                "vocabulary": 450,  # 256 of them are bytes
                "dedupe": "exact",  # near duplicates differ in digits only, as dates do
                "max_punctuation": 1.0,
            },
            "model": {
                "embedding_dim": 64,
                "encoder": {"dim": 96, "dropout": 0.0},
                "decoder": {"dim": 96, "dropout": 0.0},
            },
            "train": {
                "steps": size.steps,
                "validate_every": size.steps,
                "save_every": min(size.steps, SAVE_EVERY),
                "schedule": {"kind": "linear", "warmup": 0.1},
                "batch_tokens": 1_024,  # learns from fewer tokens than larger batches
                "optimizer": {"rate": 0.005},
                "label_smoothing": 0.0,
            },
            "search": {"beam_size": 3},
        }
        config = load_config(entry.preset, [settings, *entry.settings])
        directory = RunDirectory(folder / entry.stem)
        runs.append(StudyRun(entry, 1, config, directory, pair_files(folder, "test")))
    return runs


def example_pairs(folder: Path) -> list[Pair]:
    """Return a short test sentence and a test date with their references."""
    pairs = list(zip(*read_parallel(*pair_files(folder, "test")), strict=True))
    sentences = [pair for pair in pairs if not pair[1][0].isdigit()]
    dates = [pair for pair in pairs if pair[1][0].isdigit()]
    return [min(sentences, key=lambda pair: abs(len(pair[0].split()) - 4)), dates[0]]


def measure_accuracy(trained: Sequence[TrainedRun]) -> list[Accuracy]:
    """Return the accuracy of the models by the length of the source, and on dates."""
    sources, references = read_parallel(*trained[0].run.test)
    outputs = {run.run.entry.name: run.outputs for run in trained}
    dates = [row for row, reference in enumerate(references) if reference[0].isdigit()]
    sentences = sorted(set(range(len(sources))) - set(dates))
    texts = [sources[row] for row in sentences]
    groups = {
        f"{lengths} words": [sentences[i] for i in rows]
        for lengths, rows in length_buckets(texts, texts, EDGES).items()
    }
    return [
        Accuracy(
            kind,
            len(rows),
            {
                name: sum(lines[row] == references[row] for row in rows) / len(rows)
                for name, lines in outputs.items()
            },
        )
        for kind, rows in {**groups, "dates": dates}.items()
        if rows
    ]
