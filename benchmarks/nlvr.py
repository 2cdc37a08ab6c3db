"""NLVR's scenes with true sentences, as captioned images.

A colour or shape word names all objects with that colour or shape; their boxes are in the scenes.
"""

from __future__ import annotations

import gzip
import json
import re
import zipfile
from pathlib import Path
from typing import Any

from regard.data.formats.captions import CaptionedImage, NamedObject, write_captions

BOX_DISTANCE = 150  # pixels between the left edges of a scene's three boxes
COLOURS = {"yellow": "Yellow", "blue": "#0099ff", "black": "Black"}
SHAPES = {"square": "square", "block": "square", "circle": "circle", "triangle": "triangle"}


def write_nlvr(folder: Path, out: Path) -> tuple[Path, Path, Path]:
    """Write captions for training, validation and test.

    Validation is every tenth sentence of NLVR's dev and hidden splits, training is the rest.
    """
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / "images.zip") as archive:
        archive.extractall(out / "images")
    captions = [one for split in ("dev", "hidden") for one in _read(folder, split, out / "images")]
    parts = {
        "train": [one for index, one in enumerate(captions) if index % 10],
        "valid": captions[::10],
        "test": _read(folder, "test", out / "images"),
    }
    for name, part in parts.items():
        write_captions(out / f"{name}.jsonl", part)
    train, valid, test = (out / f"{name}.jsonl" for name in parts)
    return train, valid, test


def _read(folder: Path, split: str, images: Path) -> list[CaptionedImage]:
    with gzip.open(folder / f"{split}.jsonl.gz", "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return [_captioned(line, images) for line in lines if line["label"] == "true"]


def _captioned(line: dict[str, Any], images: Path) -> CaptionedImage:
    objects = []
    for word in re.finditer(r"[A-Za-z]+", line["sentence"]):
        boxes = _boxes(word.group().lower().removesuffix("s"), line["scene"])
        if boxes:
            objects.append(NamedObject(word.span(), tuple(boxes)))
    return CaptionedImage((images / line["image"]).as_posix(), line["sentence"], tuple(objects))


def _boxes(word: str, scene: list[list[dict[str, Any]]]) -> list[tuple[float, float, float, float]]:
    attributes = {"color": COLOURS.get(word), "type": SHAPES.get(word)}
    found = []
    for index, items in enumerate(scene):
        for item in items:
            if any(value is not None and item[key] == value for key, value in attributes.items()):
                left = item["x_loc"] + BOX_DISTANCE * index
                top, size = item["y_loc"], item["size"]
                found.append((float(left), float(top), float(left + size), float(top + size)))
    return found
