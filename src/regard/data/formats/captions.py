"""Captioned images on disk: a JSON Lines file and the image files it names.

    {"image": "images/17.png", "caption": "a dog above a fish"}

Paths of images are relative to the directory of the JSON Lines file. An image with several captions
has several lines. A line may give the boxes of the objects in its caption. They serve to evaluate
attention and are not used in training:

    "objects": [{"span": [2, 5], "boxes": [[8, 8, 40, 40]]}, …]

`span` is a character range of the caption. `boxes` are the left, top, right and bottom edges of the
object in pixels of the image, or in regions of a feature grid (grids.py).
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
    """A character range of a caption and the boxes of the object it names."""

    span: tuple[int, int]
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class CaptionedImage:
    image: str  # path
    caption: str
    objects: tuple[NamedObject, ...] = ()


@dataclass(frozen=True, slots=True)
class Captions(SingleFile):
    """A JSON Lines file of captioned images as a corpus: the source is the image's path.

    `source` and `target` are the keys of a line.
    """

    source: str = "image"
    target: str = "caption"

    def columns(self, size: int, skip: int) -> Iterator[Columns]:
        captions = islice(self.read(), skip, None)
        while block := list(islice(captions, size)):
            yield [caption.image for caption in block], [caption.caption for caption in block]

    def read(self) -> Iterator[CaptionedImage]:
        """Yield every line of the file. Raises CorpusError with the number of a damaged line."""
        folder = self.path.rpartition("/")[0]
        number = 0
        for lines in line_blocks(self.path, 10_000):
            for line in lines:
                number += 1
                try:
                    yield self._parse(json.loads(line), folder)
                except (ValueError, TypeError, KeyError, RecursionError) as error:
                    cause = f"missing key {error}" if isinstance(error, KeyError) else str(error)
                    raise CorpusError(
                        f"{self.path}, line {number}: {cause}. Expected "
                        f'{{"{self.source}": path, "{self.target}": text}}.'
                    ) from None

    def _parse(self, line: Any, folder: str) -> CaptionedImage:
        if not isinstance(line, dict):
            raise ValueError("not a JSON object")
        image, caption = line[self.source], line[self.target]
        for name, text in ((self.source, image), (self.target, caption)):
            if not isinstance(text, str) or "\0" in text:
                raise ValueError(f"{name} is not a text")
            text.encode()  # JSON allows lone surrogates, which UTF-8 cannot encode
        absolute = not folder or image.startswith("/") or storage.is_remote(image)
        objects = tuple(_parse_object(value, len(caption)) for value in line.get("objects", ()))
        return CaptionedImage(
            image if absolute else storage.join_path(folder, image), caption, objects
        )


def write_captions(path: Path, captions: Iterable[CaptionedImage]) -> None:
    """Write captions in the format of `Captions`.

    Paths of images below the file's directory are written relative to it.
    """
    with path.open("w", encoding="utf-8") as file:
        for caption in captions:
            name = caption.image.removeprefix(f"{path.parent.as_posix()}/")
            line: dict[str, object] = {"image": name, "caption": caption.caption}
            if caption.objects:
                line["objects"] = [asdict(named) for named in caption.objects]
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _parse_object(value: Any, length: int) -> NamedObject:
    start, end = value["span"]
    boxes = tuple((float(a), float(b), float(c), float(d)) for a, b, c, d in value["boxes"])
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= length):
        raise ValueError(f"the span {[start, end]} is not within the caption")
    if not all(a < c and b < d for a, b, c, d in boxes):
        raise ValueError("a box is left, top, right and bottom, in this order")
    return NamedObject((start, end), boxes)
