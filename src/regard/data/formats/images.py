"""Pictures: from a file that anyone may have made to pixels of the size that a model reads.

PNG, JPEG and WebP are read, and nothing else, whatever a file is called. A file that is too large,
or would unfold into too many pixels, is refused before it is decoded; one that ends too early is
refused rather than filled up with grey. A photograph is turned as its EXIF says, and what can be
seen through is put on white.
"""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import UInt8
from numpy.typing import NDArray

from regard.data.formats.captions import Box
from regard.data.formats.files import open_binary
from regard.errors import CorpusError

FORMATS = ("PNG", "JPEG", "WEBP")
MAX_BYTES = 32 << 20  # of a file: a photograph of 50 million pixels has about 20
MAX_PIXELS = 1 << 26  # 67 million, 200 MB when decoded
WHITE = 255
_ORIENTATION = 0x0112  # the tag of EXIF that says how the camera was held
_TURNS = {
    2: "FLIP_LEFT_RIGHT",
    3: "ROTATE_180",
    4: "FLIP_TOP_BOTTOM",
    5: "TRANSPOSE",
    6: "ROTATE_270",
    7: "TRANSVERSE",
    8: "ROTATE_90",
}

Pixels = UInt8[np.ndarray, "Y X 3"]


@dataclass(frozen=True, slots=True)
class Placement:
    """Where in a frame a picture was put, and how much it was enlarged."""

    scale: float
    left: int
    top: int

    def place(self, box: Box) -> Box:
        """A box of the picture, in the frame."""
        left, top, right, bottom = (float(edge * self.scale) for edge in box)
        return left + self.left, top + self.top, right + self.left, bottom + self.top


@dataclass(frozen=True, slots=True)
class ImageFrame:
    """The size of picture that a model reads.

    A picture is put into its middle, whole; what that leaves free is white.
    """

    height: int
    width: int
    dtype = "uint8"

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.height, self.width, 3

    @staticmethod
    def file(name: str) -> str:
        """That holds what is named."""
        return name

    @property
    def size(self) -> tuple[int, int]:
        return self.height, self.width

    def read(self, path: str) -> Pixels:
        return self.fit(read_picture(path))

    def shown(self, seen: Pixels) -> Pixels:
        """What was read, for people to look at."""
        return seen

    def framed(self, path: str) -> Placement:
        """Where in the frame a picture is."""
        return self.placement(*read_picture(path).shape[:2])

    def placement(self, height: int, width: int) -> Placement:
        """Of a picture of so many pixels."""
        scale = min(self.height / height, self.width / width)
        free = self.width - _scaled(width, scale), self.height - _scaled(height, scale)
        return Placement(scale, free[0] // 2, free[1] // 2)

    def fit(self, picture: Pixels) -> UInt8[np.ndarray, "height width 3"]:
        height, width = picture.shape[:2]
        if (height, width) == (self.height, self.width):
            return picture
        at = self.placement(height, width)
        size = _scaled(width, at.scale), _scaled(height, at.scale)
        small = _resized(picture, size)
        framed = np.full((self.height, self.width, 3), WHITE, np.uint8)
        framed[at.top : at.top + size[1], at.left : at.left + size[0]] = small
        return framed


def _scaled(length: int, scale: float) -> int:
    return max(1, round(length * scale))


def read_picture(path: str) -> Pixels:
    with open_binary(path) as file:
        return decode_picture(file.read(MAX_BYTES + 1), path)


def decode_picture(content: bytes, where: str) -> Pixels:
    """The picture in the bytes of a file; `where` names it in errors."""
    layers = decode_layers(content, where)
    colours, alpha = layers[..., :3], layers[..., 3:]
    return colours.copy() if alpha.min() == WHITE else blend(colours, alpha, WHITE)


def blend(
    colours: UInt8[np.ndarray, "Y X 3"],
    alpha: UInt8[np.ndarray, "Y X 1"],
    below: UInt8[np.ndarray, "Y X 3"] | int,
) -> Pixels:
    """What is seen where colours that let something through lie on others."""
    wide = colours.astype(np.uint16) * alpha + np.uint16(WHITE - alpha) * below
    return ((wide + WHITE // 2) // WHITE).astype(np.uint8)


def decode_layers(content: bytes, where: str) -> UInt8[np.ndarray, "Y X 4"]:
    """The same with its fourth channel, which says how little can be seen through it."""
    pillow = _pillow()
    if len(content) > MAX_BYTES:
        raise CorpusError(
            f"{where}: is larger than {MAX_BYTES >> 20} MB; make the picture smaller before"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its size, which is looked at below
            image = pillow.open(io.BytesIO(content), formats=FORMATS)
    except pillow.DecompressionBombError:
        raise _too_many(where) from None
    except Exception as error:  # whatever a damaged head makes a decoder say
        raise CorpusError(
            f"{where}: is no PNG, JPEG or WebP picture that can be read ({_said(error)}); "
            "convert it, or leave it out"
        ) from None
    if image.width * image.height > MAX_PIXELS:
        raise _too_many(where)
    try:
        image.load()
        layers = _turned(image, _layers(image))
    except Exception as error:  # and a damaged body
        raise CorpusError(
            f"{where}: is damaged or cut short ({_said(error)}); fetch it again, or leave it out"
        ) from None
    return layers


def encode_png(picture: UInt8[np.ndarray, "Y X C"]) -> bytes:
    file = io.BytesIO()
    _pillow().fromarray(picture).save(file, "PNG", compress_level=1)  # 6 takes four times as long
    return file.getvalue()


def resize_layers(layers: UInt8[np.ndarray, "Y X 4"], side: int) -> UInt8[np.ndarray, "Z Z 4"]:
    """As a square of `side` pixels."""
    return _resized(layers, (side, side))


def _resized(picture: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    pillow = _pillow()
    return np.asarray(pillow.fromarray(picture).resize(size, pillow.Resampling.BILINEAR))


def _layers(image: Any) -> NDArray[np.uint8]:
    if image.mode.startswith(("I", "F")):  # sixteen bits of grey, which Pillow would cut off
        grey = (np.asarray(image).astype(np.int64).clip(0, 65_535) >> 8).astype(np.uint8)
        image = _pillow().fromarray(grey)
    return np.asarray(image.convert("RGBA"))


def _turned(image: Any, layers: NDArray[np.uint8]) -> NDArray[np.uint8]:
    try:
        turn = _TURNS.get(image.getexif().get(_ORIENTATION))
    except Exception:  # many cameras write EXIF that nobody can read: the picture is as it is
        turn = None
    if turn is None:
        return layers
    pillow = _pillow()
    return np.asarray(pillow.fromarray(layers).transpose(pillow.Transpose[turn]))


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise CorpusError("pictures need Pillow; pip install 'regard[images]'") from None
    return Image


def _too_many(where: str) -> CorpusError:
    return CorpusError(
        f"{where}: unfolds into more than {MAX_PIXELS:,} pixels; make the picture smaller before"
    )


def _said(error: Exception) -> str:
    return str(error).partition("\n")[0][:200] or type(error).__name__
