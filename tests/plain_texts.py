"""A toy language, numbers in words that count on; and the command that learns to foresee it."""

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
LONGEST = 16


class Prose(Toy):
    """The same folder as any toy's, whose runs foresee texts."""

    def arguments(self, preset: str, home: RunDirectory, *settings: str) -> list[str]:
        return arguments(self.folder, preset, home.path, *settings)


def make_prose(folder: Path) -> Path:
    """Some lines are longer than a window."""
    chance = random.Random(1)
    for name, lines in (("train", 300), ("valid", 12)):
        said = [
            " ".join(WORDS[(first + i) % 10] for i in range(chance.randint(2, 30)))
            for first in (chance.randrange(10) for _ in range(lines))
        ]
        (folder / f"{name}.txt").write_text("\n".join(said) + "\n")
    return folder


def arguments(folder: Path, preset: str, out: Path, *settings: str) -> list[str]:
    """Of the command that trains on them."""
    small = [
        *("data.vocabulary=290", f"data.max_length={LONGEST}", "model.embedding_dim=16"),
        *(f"model.{said}" for said in ("decoder.dim=16", *SMALL[preset])),
        *("train.batch_tokens=256", "train.micro_batches=1", "train.optimizer.rate=0.01"),
        *("train.schedule={kind: constant, warmup: 20}", "train.steps=60"),
        *("train.validate_every=30", "train.save_every=15"),
    ]
    said = [argument for one in (*small, *settings) for argument in ("--set", one)]
    return [
        *("train", "--preset", preset, "--text", f"{folder}/train.txt"),
        *("--valid-file", f"{folder}/valid.txt", "--out", str(out), "--threads", "1", *said),
    ]
