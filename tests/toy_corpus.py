"""A toy corpus, number words and their reversal, and the command that trains on it."""

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
"""Overrides that make each preset small. Everything else, such as dropout, is unchanged."""

STEPS = 200


@dataclass(frozen=True)
class Toy:
    """A folder with the corpus, its prepared data and its runs."""

    folder: Path

    def run_directory(self, name: str) -> RunDirectory:
        """Create a run directory with prepared data."""
        directory = RunDirectory(self.folder / name)
        shutil.copytree(self.folder / "prepared" / "data", directory.data)
        return directory

    def arguments(self, preset: str, directory: RunDirectory, *settings: str) -> list[str]:
        """Return the arguments of `regard train` for a run directory."""
        files = [str(self.folder / name) for name in ("train.a", "train.b", "valid.a", "valid.b")]
        overrides = (*_settings(preset), *settings)
        options = [argument for override in overrides for argument in ("--set", override)]
        return [
            *("train", "--preset", preset, "--source", files[0], "--target", files[1]),
            *("--valid", *files[2:], "--out", str(directory.path), "--threads", "1", *options),
        ]


def make_toy(folder: Path) -> Toy:
    draws = random.Random(1)
    for name, pairs in (("train", 400), ("valid", 8)):
        sentences = [draws.choices(WORDS, k=draws.randint(2, 7)) for _ in range(pairs)]
        for side, order in (("a", 1), ("b", -1)):
            text = "".join(" ".join(words[::order]) + "\n" for words in sentences)
            (folder / f"{name}.{side}").write_text(text)
    toy = Toy(folder)
    corpora = [
        f'data.train=[{{"files": ["{folder}/train.a", "{folder}/train.b"]}}]',
        f'data.valid={{"files": ["{folder}/valid.a", "{folder}/valid.b"]}}',
    ]
    unguided = "train.guided_alignment=null"
    run = load_config(TRANSFORMER, [*_settings(TRANSFORMER), *corpora, unguided])
    prepare_data(run, RunDirectory(folder / "prepared"), lambda progress: None)
    return toy


def _settings(preset: str) -> list[str]:
    return [
        "data.vocabulary=290",  # 256 of them are bytes
        "model.embedding_dim=16",
        *(f"model.{setting}" for setting in SMALL[preset]),
        "train.batch_tokens=256",
        f"train.steps={STEPS}",
        "train.validate_every=20",
        "train.save_every=5",
        "train.ema=0.9",
        "search.beam_size=1",
    ]
