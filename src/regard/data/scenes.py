"""Synthetic scenes: a few pictograms on a plain ground, and a sentence that says which and where.

Nobody drew or wrote them; they serve to see whether a model that learns to describe them looks at
what it names, since the true place of each thing is known. Things are named in reading order, each
in relation to the one before it, so that a scene has exactly one caption.

A fifth of all pairs of things never stand together in a scene to learn from; scenes to test with
hold at least one such pair.
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
from regard.data.formats.images import Pixels, blend, decode_layers, encode_png, resize_layers
from regard.errors import CorpusError

Language = Literal["en", "fr", "de"]
BESIDE: dict[Language, str] = {"en": " to the left of ", "fr": ", à droite ", "de": ", rechts "}
BELOW: dict[Language, str] = {"en": " above ", "fr": ", en dessous ", "de": ", darunter "}
UNCOUNTED = (
    *("bacon", "bread", "broccoli", "butter", "cooking", "custard", "fondue", "garlic", "ice"),
    *("mate", "oden", "popcorn", "sake", "salt", "spaghetti", "sushi"),
)
"""English names without an article; those that end in a plural s have none either."""

GROUPS = ("Animals & Nature", "Food & Drink")
HELD_OUT = 5  # one pair of things in so many is kept from training


@dataclass(frozen=True, slots=True)
class Icon:
    """A pictogram and what it is called."""

    file: str
    name: str
    layers: UInt8[np.ndarray, "Y X 4"]


def read_icons(folder: Path, language: Language = "en", most: int | None = None) -> list[Icon]:
    """The pictograms of a folder with `names.tsv` (file, group, en, fr, de) and `icons.zip`.

    Animals, plants, food and drink with names of one or two words that no other has in any
    language; `most` of them, taken evenly from all.
    """
    lines = (folder / "names.tsv").read_text("utf-8").splitlines()
    columns, *rows = (line.split("\t") for line in lines)
    called = [dict(zip(columns, row, strict=True)) for row in rows]
    taken = {lang: Counter(names[lang] for names in called) for lang in BESIDE}
    plain = [
        names
        for names in called
        if names["group"] in GROUPS
        and len(names["en"].split()) <= 2
        and all(taken[lang][names[lang]] == 1 for lang in BESIDE)
    ]
    if most is not None:
        if most > len(plain):
            raise CorpusError(f"{folder}: has {len(plain)} pictograms, and not {most}")
        plain = [plain[i * len(plain) // most] for i in range(most)]
    with zipfile.ZipFile(io.BytesIO((folder / "icons.zip").read_bytes())) as archive:
        return [
            Icon(file, names[language], decode_layers(archive.read(file), file))
            for names in plain
            for file in (names["file"],)
        ]


@dataclass(frozen=True, slots=True)
class Scene:
    picture: Pixels
    caption: str
    objects: tuple[NamedObject, ...]


@dataclass(frozen=True, slots=True)
class Scenes:
    """A number gives a scene, the same one at all times."""

    icons: Sequence[Icon]
    language: Language = "en"
    side: int = 96  # of a picture, in pixels
    cells: int = 3  # in a row, and in a column; a cell holds one thing at most
    most: int = 3  # things; two at the least
    seed: int = 1

    def __post_init__(self) -> None:
        pairs = [self._kept(a, b) for a, b in combinations(range(len(self.icons)), 2)]
        if all(pairs) or not any(pairs):
            raise CorpusError(
                f"icons: of {len(self.icons)} none stand together in training alone, or in tests "
                "alone; give more of them"
            )

    def scene(self, number: int, *, held_out: bool = False) -> Scene:
        """To learn from, or to test with: then at least one pair was never seen together."""
        draws = np.random.default_rng([self.seed, number, held_out])
        chosen = self._choose(draws, held_out)
        places = np.sort(draws.permutation(self.cells**2)[: len(chosen)])
        ground = draws.integers(190, 256, 3).astype(np.uint8)  # light: pictograms are dark or vivid
        picture = np.broadcast_to(ground, (self.side, self.side, 3)).copy()
        caption, objects = "", []
        before: int | None = None
        for icon, place in zip(chosen, places.tolist(), strict=True):
            row, column = divmod(place, self.cells)
            if before is not None:
                caption += (BESIDE if row == before else BELOW)[self.language]
            before = row
            left, top, size = self._put(draws, picture, self.icons[icon], row, column)
            caption += self._article(self.icons[icon].name)
            span = len(caption), len(caption) + len(self.icons[icon].name)
            caption += self.icons[icon].name
            objects.append(
                NamedObject(
                    span, ((float(left), float(top), float(left + size), float(top + size)),)
                )
            )
        return Scene(picture, caption, tuple(objects))

    def _choose(self, draws: np.random.Generator, held_out: bool) -> list[int]:
        """Different things; drawn again until their pairs are those wanted."""
        count = int(draws.integers(2, self.most + 1))
        while True:
            chosen: list[int] = draws.permutation(len(self.icons))[:count].tolist()
            if any(self._kept(a, b) for a, b in combinations(chosen, 2)) == held_out:
                return chosen

    def _kept(self, a: int, b: int) -> bool:
        """Whether two things are never seen together in training."""
        names = sorted((self.icons[a].file, self.icons[b].file))
        return hashlib.sha256(" ".join(names).encode()).digest()[0] % HELD_OUT == 0

    def _put(
        self, draws: np.random.Generator, picture: Pixels, icon: Icon, row: int, column: int
    ) -> tuple[int, int, int]:
        """Draw it somewhere in its cell; where, and how large."""
        cell = self.side // self.cells
        size = int(draws.integers(cell * 3 // 4, cell + 1))
        top, left = (int(at * cell + draws.integers(0, cell - size + 1)) for at in (row, column))
        layers, ground = (
            resize_layers(icon.layers, size),
            picture[top : top + size, left : left + size],
        )
        ground[:] = blend(layers[..., :3], layers[..., 3:], ground)
        return left, top, size

    def _article(self, name: str) -> str:
        plural = name.endswith("s") and not name.endswith(("ss", "us"))
        if self.language != "en" or plural or name in UNCOUNTED:
            return ""
        return "an " if name[0] in "aeiou" and not name.startswith(("uni", "ewe")) else "a "


def write_scenes(
    path: Path, scenes: Scenes, numbers: range, *, held_out: bool = False
) -> list[CaptionedImage]:
    """Draw them into a folder beside `path`, a file of captions."""
    folder = path.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number in numbers:
        scene = scenes.scene(number, held_out=held_out)
        image = folder / f"{number:06}.png"
        image.write_bytes(encode_png(scene.picture))
        written.append(CaptionedImage(image.as_posix(), scene.caption, scene.objects))
    write_captions(path, written)
    return written
