"""Toy documents: sentences of numbers, and whether one of them says a word of praise or of blame;
and the command that learns to tell them apart."""

from __future__ import annotations

import json
import random
from pathlib import Path

from regard.tasks.training import RunDirectory
from tests.toy_corpus import WORDS, Toy

PRAISE, BLAME = "good", "bad"
SMALL = [
    *("data.vocabulary=300", "data.dedupe=none", "model.embedding_dim=16"),
    *("model.encoder.words.dim=8", "model.encoder.sentences.dim=8"),
    *("train.batch_tokens=512", "train.optimizer.rate=0.02", "train.schedule.warmup=10"),
    *("train.steps=60", "train.validate_every=30", "train.save_every=15"),
]


class Judged(Toy):
    """The same folder as any toy's, whose runs tell documents apart."""

    def arguments(self, preset: str, home: RunDirectory, *settings: str) -> list[str]:
        return arguments(self.folder, home.path, *settings)


def document(chance: random.Random, word: str) -> str:
    """Some sentences, of which one has the word."""
    said = [chance.choices(WORDS, k=chance.randint(2, 5)) for _ in range(chance.randint(1, 5))]
    chance.choice(said).insert(1, word)
    return " ".join(" ".join(words).capitalize() + "." for words in said)


def make_judged(folder: Path) -> Path:
    """The same documents as .jsonl and as .tsv."""
    chance = random.Random(1)
    for name, count in (("train", 200), ("valid", 20)):
        labels = chance.choices([PRAISE, BLAME], k=count)
        found = [(document(chance, label), label) for label in labels]
        records = [json.dumps({"text": text, "label": label}) for text, label in found]
        (folder / f"{name}.jsonl").write_text("\n".join(records) + "\n")
        (folder / f"{name}.tsv").write_text("".join(f"{b}\t{a}\n" for a, b in found))
    return folder


def arguments(folder: Path, out: Path, *settings: str, suffix: str = "jsonl") -> list[str]:
    """Of the command that trains on them."""
    said = [argument for one in (*SMALL, *settings) for argument in ("--set", one)]
    return [
        *("train", "--preset", "han", "--documents", f"{folder}/train.{suffix}"),
        *("--valid-file", f"{folder}/valid.{suffix}", "--out", str(out), "--threads", "1", *said),
    ]
