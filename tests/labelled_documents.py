"""Toy documents with a word of praise or blame, and the command that trains on them."""

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


class DocumentToy(Toy):
    """A toy whose runs classify documents."""

    def arguments(self, preset: str, directory: RunDirectory, *settings: str) -> list[str]:
        return arguments(self.folder, directory.path, *settings)


def document(draws: random.Random, word: str) -> str:
    """Return some sentences, one of them with `word`."""
    sentences = [draws.choices(WORDS, k=draws.randint(2, 5)) for _ in range(draws.randint(1, 5))]
    draws.choice(sentences).insert(1, word)
    return " ".join(" ".join(words).capitalize() + "." for words in sentences)


def write_documents(folder: Path) -> Path:
    """Write the same documents as .jsonl and as .tsv."""
    draws = random.Random(1)
    for name, count in (("train", 200), ("valid", 20)):
        labels = draws.choices([PRAISE, BLAME], k=count)
        documents = [(document(draws, label), label) for label in labels]
        records = [json.dumps({"text": text, "label": label}) for text, label in documents]
        (folder / f"{name}.jsonl").write_text("\n".join(records) + "\n")
        (folder / f"{name}.tsv").write_text("".join(f"{b}\t{a}\n" for a, b in documents))
    return folder


def arguments(folder: Path, out: Path, *settings: str, suffix: str = "jsonl") -> list[str]:
    """Return the arguments of `regard train`."""
    options = [argument for one in (*SMALL, *settings) for argument in ("--set", one)]
    return [
        *("train", "--preset", "han", "--documents", f"{folder}/train.{suffix}"),
        *(
            "--valid-file",
            f"{folder}/valid.{suffix}",
            "--out",
            str(out),
            "--threads",
            "1",
            *options,
        ),
    ]
