"""A toy language pair, numbers and the same said backwards; and the command that learns it."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from pathlib import Path

from regard.config.load import load_config
from regard.tasks.training import RunDirectory, prepare_data

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
TRANSFORMER, RECURRENT = "translate-tiny", "translate-rnn-tiny"
_TRANSFORMER = ("dim=16", "hidden_dim=32", "layers=1")
SMALL = {
    TRANSFORMER: [f"{part}.{to}" for part in ("encoder", "decoder") for to in _TRANSFORMER],
    RECURRENT: ["encoder.dim=16", "decoder.dim=16"],
}
"""What is small of each preset; all else, dropout above all, is its own."""

STEPS = 200


@dataclass(frozen=True)
class Toy:
    """A folder with the corpus, its shards, and the runs that were made from them."""

    folder: Path

    def home(self, name: str) -> RunDirectory:
        """A new run's folder, whose data are prepared."""
        home = RunDirectory(self.folder / name)
        shutil.copytree(self.folder / "prepared" / "data", home.data)
        return home

    def arguments(self, preset: str, home: RunDirectory, *settings: str) -> list[str]:
        """Of the command that trains there."""
        files = [str(self.folder / name) for name in ("train.a", "train.b", "valid.a", "valid.b")]
        said = [argument for one in (*_settings(preset), *settings) for argument in ("--set", one)]
        return [
            *("train", "--preset", preset, "--source", files[0], "--target", files[1]),
            *("--valid", *files[2:], "--out", str(home.path), "--threads", "1", *said),
        ]


def make_toy(folder: Path) -> Toy:
    chance = random.Random(1)
    for name, pairs in (("train", 400), ("valid", 8)):
        said = [chance.choices(WORDS, k=chance.randint(2, 7)) for _ in range(pairs)]
        for side, way in (("a", 1), ("b", -1)):
            text = "".join(" ".join(words[::way]) + "\n" for words in said)
            (folder / f"{name}.{side}").write_text(text)
    toy = Toy(folder)
    corpora = [
        f'data.train=[{{"files": ["{folder}/train.a", "{folder}/train.b"]}}]',
        f'data.valid={{"files": ["{folder}/valid.a", "{folder}/valid.b"]}}',
    ]
    run = load_config(TRANSFORMER, [*_settings(TRANSFORMER), *corpora])
    prepare_data(run, RunDirectory(folder / "prepared"), lambda progress: None)
    return toy


def _settings(preset: str) -> list[str]:
    return [
        "data.vocabulary=290",  # 256 of them are bytes
        "model.embedding_dim=16",
        *(f"model.{said}" for said in SMALL[preset]),
        "train.batch_tokens=256",
        f"train.steps={STEPS}",
        "train.validate_every=20",
        "train.save_every=5",
        "train.ema=0.9",
        "search.beam_size=1",
    ]
