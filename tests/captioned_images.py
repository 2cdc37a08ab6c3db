"""Toy images, coloured squares with names of animals, and the command that trains on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from regard.data.scenes import Icon, Scenes, write_scenes
from regard.tasks.training import RunDirectory
from tests.toy_corpus import Toy

NAMES = ["dog", "ant", "owl", "ewe", "fox", "pear", "octopus"]
RECURRENT = [
    *("model.decoder.dim=16", "model.decoder.dropout=0", "model.decoder.attention.score.dim=16"),
]
SMALL = {
    "caption-soft": [*RECURRENT, "train.coverage=0.1"],
    "caption-hard": RECURRENT,
    "caption-transformer": [
        *("model.decoder.dim=16", "model.decoder.hidden_dim=32", "model.decoder.layers=2"),
        *(f"model.decoder.{name}.score.heads=2" for name in ("self_attention", "cross_attention")),
    ],
}
ALL = [
    *("data.vocabulary=300", "data.dedupe=none", "model.embedding_dim=16"),
    "model.encoder={kind: image, height: 32, width: 32, channels: [8, 8, 16]}",
    "model.encoder.positional_encoding=true",
    *("train.batch_tokens=128", "train.optimizer.rate=0.01"),
    *("train.schedule={kind: constant, warmup: 20}", "train.steps=60"),
    *("train.validate_every=30", "train.save_every=15", "search.beam_size=2"),
]


class ImageToy(Toy):
    """A toy whose runs caption images."""

    def arguments(self, preset: str, directory: RunDirectory, *settings: str) -> list[str]:
        return arguments(self.folder, preset, directory.path, *settings)


def write_images(folder: Path) -> Path:
    """Write images and their captions."""
    icons = []
    for number, name in enumerate(NAMES):
        layers = np.zeros((8, 8, 4), np.uint8)
        layers[..., :3] = [255 * (number >> bit & 1) for bit in range(3)]  # no colour is white
        layers[..., 3] = 255
        icons.append(Icon(name, name, layers))
    scenes = Scenes(icons, side=33, max_objects=2)
    write_scenes(folder / "train.jsonl", scenes, range(150))
    write_scenes(folder / "valid.jsonl", scenes, range(6), held_out=True)
    return folder


def arguments(folder: Path, preset: str, out: Path, *settings: str) -> list[str]:
    """Return the arguments of `regard train`."""
    overrides = (*ALL, *SMALL[preset], *settings)
    options = [argument for one in overrides for argument in ("--set", one)]
    return [
        *("train", "--preset", preset, "--images", f"{folder}/train.jsonl"),
        *("--valid-file", f"{folder}/valid.jsonl", "--out", str(out), "--threads", "1", *options),
    ]
