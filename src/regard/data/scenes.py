"""Synthetic scenes: a few icons on a plain background, with a caption that describes them.

The box of each object is known, so one can measure whether a captioning model attends to the
objects it names. Objects are named in reading order, each in relation to the previous one, so that
a scene has exactly one caption.

A fifth of all pairs of objects never occur together in training scenes; each test scene contains at
least one such pair.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np
from jaxtyping import UInt8

from regard.data.formats.captions import CaptionedImage, NamedObject, write_captions
from regard.data.formats.images import Pixels, blend, decode_rgba, encode_png, resize_square
from regard.errors import CorpusError

Language = Literal["en", "fr", "de"]
BESIDE: dict[Language, str] = {"en": " to the left of ", "fr": ", à droite ", "de": ", rechts "}
BELOW: dict[Language, str] = {"en": " above ", "fr": ", en dessous ", "de": ", darunter "}
UNCOUNTED = (
    *("bacon", "bread", "broccoli", "butter", "cooking", "custard", "fondue", "garlic", "ice"),
    *("mate", "oden", "popcorn", "sake", "salt", "spaghetti", "sushi"),
)
"""English names without an article; names with a plural s have none either."""

GROUPS = ("Animals & Nature", "Food & Drink")
HELD_OUT = 5  # one in five pairs of objects is held out from training


@dataclass(frozen=True, slots=True)
class Icon:
    """An icon and its name."""

    file: str
    name: str
    rgba: UInt8[np.ndarray, "Y X 4"]


def read_icons(folder: Path, language: Language = "en", max_count: int | None = None) -> list[Icon]:
    """Read the icons of a directory with `names.tsv` (file, group, en, fr, de) and `icons.zip`.

    Returns animals, plants, food and drink with names of one or two words that are unique in every
    language; at most `max_count`, evenly spaced in the list.
    """
    lines = (folder / "names.tsv").read_text("utf-8").splitlines()
    columns, *rows = (line.split("\t") for line in lines)
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    counts = {lang: Counter(record[lang] for record in records) for lang in BESIDE}
    usable = [
        record
        for record in records
        if record["group"] in GROUPS
        and len(record["en"].split()) <= 2
        and all(counts[lang][record[lang]] == 1 for lang in BESIDE)
    ]
    if max_count is not None:
        if max_count > len(usable):
            raise CorpusError(f"{folder}: has {len(usable)} usable icons, fewer than {max_count}.")
        usable = [usable[i * len(usable) // max_count] for i in range(max_count)]
    with zipfile.ZipFile(io.BytesIO((folder / "icons.zip").read_bytes())) as archive:
        return [
            Icon(file, record[language], decode_rgba(archive.read(file), file))
            for record in usable
            for file in (record["file"],)
        ]


@dataclass(frozen=True, slots=True)
class Scene:
    image: Pixels
    caption: str
    objects: tuple[NamedObject, ...]


@dataclass(frozen=True, slots=True)
class Scenes:
    """Generates scenes by number; the same number always gives the same scene."""

    icons: Sequence[Icon]
    language: Language = "en"
    side: int = 96  # of an image, in pixels
    cells: int = 3  # per row and column; a cell holds at most one object
    max_objects: int = 3  # at least two
    seed: int = 1

    def __post_init__(self) -> None:
        pairs = [self._is_held_out(a, b) for a, b in combinations(range(len(self.icons)), 2)]
        if all(pairs) or not any(pairs):
            raise CorpusError(
                f"icons: {len(self.icons)} icons are too few for both training and test pairs. "
                "Add more icons."
            )

    def scene(self, number: int, *, held_out: bool = False) -> Scene:
        """Generate a scene; with `held_out`, a test scene with a pair unseen in training."""
        draws = np.random.default_rng([self.seed, number, held_out])
        chosen = self._choose(draws, held_out)
        cells = np.sort(draws.permutation(self.cells**2)[: len(chosen)])
        background = draws.integers(190, 256, 3).astype(np.uint8)  # light: icons are dark or vivid
        image = np.broadcast_to(background, (self.side, self.side, 3)).copy()
        caption, objects = "", []
        previous_row: int | None = None
        for icon, cell in zip(chosen, cells.tolist(), strict=True):
            row, column = divmod(cell, self.cells)
            if previous_row is not None:
                caption += (BESIDE if row == previous_row else BELOW)[self.language]
            previous_row = row
            x, y, size = self._draw(draws, image, self.icons[icon], row, column)
            caption += self._article(self.icons[icon].name)
            span = len(caption), len(caption) + len(self.icons[icon].name)
            caption += self.icons[icon].name
            objects.append(
                NamedObject(span, ((float(x), float(y), float(x + size), float(y + size)),))
            )
        return Scene(image, caption, tuple(objects))

    def _choose(self, draws: np.random.Generator, held_out: bool) -> list[int]:
        """Draw different objects until they contain a held-out pair, or none."""
        count = int(draws.integers(2, self.max_objects + 1))
        while True:
            chosen: list[int] = draws.permutation(len(self.icons))[:count].tolist()
            if any(self._is_held_out(a, b) for a, b in combinations(chosen, 2)) == held_out:
                return chosen

    def _is_held_out(self, a: int, b: int) -> bool:
        """Whether two objects never occur together in training."""
        names = sorted((self.icons[a].file, self.icons[b].file))
        return hashlib.sha256(" ".join(names).encode()).digest()[0] % HELD_OUT == 0

    def _draw(
        self, draws: np.random.Generator, image: Pixels, icon: Icon, row: int, column: int
    ) -> tuple[int, int, int]:
        """Draw an icon at a random position of its cell; return left, top and size."""
        cell = self.side // self.cells
        size = int(draws.integers(cell * 3 // 4, cell + 1))
        y, x = (int(at * cell + draws.integers(0, cell - size + 1)) for at in (row, column))
        rgba = resize_square(icon.rgba, size)
        background = image[y : y + size, x : x + size]
        background[:] = blend(rgba[..., :3], rgba[..., 3:], background)
        return x, y, size

    def _article(self, name: str) -> str:
        plural = name.endswith("s") and not name.endswith(("ss", "us"))
        if self.language != "en" or plural or name in UNCOUNTED:
            return ""
        return "an " if name[0] in "aeiou" and not name.startswith(("uni", "ewe")) else "a "


def write_scenes(
    path: Path, scenes: Scenes, numbers: range, *, held_out: bool = False
) -> list[CaptionedImage]:
    """Write scenes as a captions file at `path`, with the images in a directory next to it."""
    folder = path.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number in numbers:
        scene = scenes.scene(number, held_out=held_out)
        image = folder / f"{number:06}.png"
        image.write_bytes(encode_png(scene.image))
        written.append(CaptionedImage(image.as_posix(), scene.caption, scene.objects))
    write_captions(path, written)
    return written
