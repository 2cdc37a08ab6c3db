"""NLVR's drawn scenes as captioned pictures: those of which the sentence is true.

A word for a colour or a shape names all things that have it; where these are, the scenes tell.
"""

from __future__ import annotations

import gzip
import json
import re
import zipfile
from pathlib import Path
from typing import Any

from regard.data.formats.captions import CaptionedImage, NamedObject, write_captions

BESIDE = 150  # pixels from the left edge of one of a scene's three boxes to that of the next
COLOURS = {"yellow": "Yellow", "blue": "#0099ff", "black": "Black"}
SHAPES = {"square": "square", "block": "square", "circle": "circle", "triangle": "triangle"}


def write_nlvr(folder: Path, out: Path) -> tuple[Path, Path, Path]:
    """Files of captions to learn from and, every tenth, to validate with (dev and hidden), and to
    test with (test)."""
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / "images.zip") as archive:
        archive.extractall(out / "images")
    known = [one for split in ("dev", "hidden") for one in _read(folder, split, out / "images")]
    parts = {
        "train": [one for place, one in enumerate(known) if place % 10],
        "valid": known[::10],
        "test": _read(folder, "test", out / "images"),
    }
    for name, captions in parts.items():
        write_captions(out / f"{name}.jsonl", captions)
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
    wanted = {"color": COLOURS.get(word), "type": SHAPES.get(word)}
    found = []
    for place, things in enumerate(scene):
        for thing in things:
            if any(value is not None and thing[key] == value for key, value in wanted.items()):
                left, top, size = thing["x_loc"] + BESIDE * place, thing["y_loc"], thing["size"]
                found.append((float(left), float(top), float(left + size), float(top + size)))
    return found
