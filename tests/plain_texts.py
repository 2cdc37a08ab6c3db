"""Toy texts that count in number words, and the command that trains on them."""

from __future__ import annotations

import random
from pathlib import Path

from regard.tasks.training import RunDirectory
from tests.toy_corpus import WORDS, Toy

PRESETS = ["lm-lstmn", "lm-recurrent-attention", "lm-transformer"]
_TRANSFORMER = ("decoder.hidden_dim=32", "decoder.layers=1", "decoder.self_attention.score.heads=2")
SMALL = {
    "lm-lstmn": ["decoder.attention.score.dim=16"],
    "lm-recurrent-attention": [],
    "lm-transformer": [*_TRANSFORMER],
}
WINDOW = 16


class TextToy(Toy):
    """A toy whose runs are language models."""

    def arguments(self, preset: str, directory: RunDirectory, *settings: str) -> list[str]:
        return arguments(self.folder, preset, directory.path, *settings)


def write_texts(folder: Path) -> Path:
    """Write text files. Some lines are longer than a window."""
    draws = random.Random(1)
    for name, count in (("train", 300), ("valid", 12)):
        lines = [
            " ".join(WORDS[(first + i) % 10] for i in range(draws.randint(2, 30)))
            for first in (draws.randrange(10) for _ in range(count))
        ]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
    return folder


def arguments(folder: Path, preset: str, out: Path, *settings: str) -> list[str]:
    """Return the arguments of `regard train`."""
    small = [
        *("data.vocabulary=290", f"data.max_length={WINDOW}", "model.embedding_dim=16"),
        *(f"model.{setting}" for setting in ("decoder.dim=16", *SMALL[preset])),
        *("train.batch_tokens=256", "train.micro_batches=1", "train.optimizer.rate=0.01"),
        *("train.schedule={kind: constant, warmup: 20}", "train.steps=60"),
        *("train.validate_every=30", "train.save_every=15"),
    ]
    options = [argument for one in (*small, *settings) for argument in ("--set", one)]
    return [
        *("train", "--preset", preset, "--text", f"{folder}/train.txt"),
        *("--valid-file", f"{folder}/valid.txt", "--out", str(out), "--threads", "1", *options),
    ]
