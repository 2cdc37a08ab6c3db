"""Captioned pictures on disk: a JSON object in each line, and the pictures beside it.

    {"image": "images/17.png", "caption": "a dog above a fish"}

The name of a picture is read from the folder of the file that names it. A picture with several
captions has several lines. A line may also say where things are that its caption names, so that
looks can be held against it; nothing is taught by that:

    "objects": [{"span": [2, 5], "boxes": [[8, 8, 40, 40]]}, …]

`span` are characters of the caption, `boxes` the left, top, right and bottom edges of what they
name, in pixels of the picture; of a grid of features (grids.py), in regions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from regard.data import storage
from regard.data.formats.corpus import Columns, SingleFile
from regard.data.formats.files import line_blocks
from regard.errors import CorpusError

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels from the upper left corner."""


@dataclass(frozen=True, slots=True)
class NamedObject:
    """Characters of a caption, and where the things are that they name."""

    span: tuple[int, int]
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class CaptionedImage:
    image: str  # the path of a picture
    caption: str
    objects: tuple[NamedObject, ...] = ()


@dataclass(frozen=True, slots=True)
class Captions(SingleFile):
    """A file of captioned pictures as a corpus: a picture's name is the source. Other keys than
    `image` and `caption` can be named."""

    source: str = "image"
    target: str = "caption"

    def columns(self, size: int, skip: int) -> Iterator[Columns]:
        found = islice(self.read(), skip, None)
        while some := list(islice(found, size)):
            yield [one.image for one in some], [one.caption for one in some]

    def read(self) -> Iterator[CaptionedImage]:
        """Every line of the file."""
        folder = self.path.rpartition("/")[0]
        number = 0
        for lines in line_blocks(self.path, 10_000):
            for line in lines:
                number += 1
                try:
                    yield self._captioned(json.loads(line), folder)
                except (ValueError, TypeError, KeyError, RecursionError) as error:
                    said = f"has no {error}" if isinstance(error, KeyError) else str(error)
                    raise CorpusError(
                        f"{self.path}, line {number}: {said}; a line is "
                        f'{{"{self.source}": path, "{self.target}": text}}'
                    ) from None

    def _captioned(self, line: Any, folder: str) -> CaptionedImage:
        if not isinstance(line, dict):
            raise ValueError("is no JSON object")
        image, caption = line[self.source], line[self.target]
        for name, text in ((self.source, image), (self.target, caption)):
            if not isinstance(text, str) or "\0" in text:
                raise ValueError(f"{name} is not a text")
            text.encode()  # JSON can write half a character, which no file can hold
        alone = not folder or image.startswith("/") or storage.is_remote(image)
        objects = tuple(_named(one, len(caption)) for one in line.get("objects", ()))
        return CaptionedImage(
            image if alone else storage.join_path(folder, image), caption, objects
        )


def write_captions(path: Path, captions: Iterable[CaptionedImage]) -> None:
    """As `Captions` reads them; pictures in the file's folder are named from there."""
    with path.open("w", encoding="utf-8") as file:
        for one in captions:
            name = one.image.removeprefix(f"{path.parent.as_posix()}/")
            line: dict[str, Any] = {"image": name, "caption": one.caption}
            if one.objects:
                line["objects"] = [asdict(named) for named in one.objects]
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _named(one: Any, length: int) -> NamedObject:
    begin, end = one["span"]
    boxes = tuple((float(a), float(b), float(c), float(d)) for a, b, c, d in one["boxes"])
    if not (isinstance(begin, int) and isinstance(end, int) and 0 <= begin < end <= length):
        raise ValueError(f"the span {[begin, end]} is not within the caption")
    if not all(a < c and b < d for a, b, c, d in boxes):
        raise ValueError("a box is left, top, right and bottom, in this order")
    return NamedObject((begin, end), boxes)
