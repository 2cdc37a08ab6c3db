"""Images and grids, as files and as arrays.

Only PNG, JPEG and WebP are accepted, whatever the file name. Files that are too large, or decode to
too many pixels, are refused before decoding. A truncated file is refused, not padded with grey. The
EXIF orientation is applied. Transparent pixels are blended with white.
"""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import UInt8
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from regard.data.formats.captions import Box
from regard.data.formats.files import open_binary
from regard.errors import CorpusError

FORMATS = ("PNG", "JPEG", "WEBP")
MAX_BYTES = 32 << 20  # of a file; a photograph of 50 million pixels has about 20 MB
MAX_PIXELS = 1 << 26  # 67 million, 200 MB when decoded
WHITE = 255
_ORIENTATION = 0x0112  # EXIF tag
_TRANSPOSES = {
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
    """Scale and offset of an image within a frame, in pixels of the frame."""

    scale: float
    x: int
    y: int

    def to_frame(self, box: Box) -> Box:
        """Convert a box from image to frame coordinates."""
        x1, top, right, bottom = (float(edge * self.scale) for edge in box)
        return x1 + self.x, top + self.y, right + self.x, bottom + self.y


@dataclass(frozen=True, slots=True)
class ImageFrame:
    """The size of images that a model reads.

    An image is scaled to fit, keeping its aspect ratio, and centered on white.
    """

    height: int
    width: int
    dtype = "uint8"

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.height, self.width, 3

    @staticmethod
    def file(name: str) -> str:
        """Return the path of the file that contains the named image: the name itself."""
        return name

    @property
    def size(self) -> tuple[int, int]:
        return self.height, self.width

    def read(self, path: str) -> Pixels:
        """Read an image file and fit it into the frame."""
        return self.fit(read_image(path))

    def to_display(self, pixels: Pixels) -> Pixels:
        """Return the image to display for an input of the model: the input itself."""
        return pixels

    def placement_of(self, path: str) -> Placement:
        """Return the placement of the image in a file."""
        return self.placement(*read_image(path).shape[:2])

    def placement(self, height: int, width: int) -> Placement:
        """Return the placement of an image of this size."""
        scale = min(self.height / height, self.width / width)
        free = self.width - _scaled(width, scale), self.height - _scaled(height, scale)
        return Placement(scale, free[0] // 2, free[1] // 2)

    def fit(self, image: Pixels) -> UInt8[np.ndarray, "height width 3"]:
        """Scale an image and center it on white."""
        height, width = image.shape[:2]
        if (height, width) == (self.height, self.width):
            return image
        at = self.placement(height, width)
        size = _scaled(width, at.scale), _scaled(height, at.scale)
        small = _resized(image, size)
        frame = np.full((self.height, self.width, 3), WHITE, np.uint8)
        frame[at.y : at.y + size[1], at.x : at.x + size[0]] = small
        return frame


def _scaled(length: int, scale: float) -> int:
    return max(1, round(length * scale))


def read_image(path: str) -> Pixels:
    """Read an image file. Raises CorpusError if it is damaged or too large."""
    with open_binary(path) as file:
        return decode_image(file.read(MAX_BYTES + 1), path)


def decode_image(content: bytes, name: str) -> Pixels:
    """Decode an image to RGB, blended with white; `name` is for error messages."""
    rgba = decode_rgba(content, name)
    colors, alpha = rgba[..., :3], rgba[..., 3:]
    return colors.copy() if alpha.min() == WHITE else blend(colors, alpha, WHITE)


def blend(
    colors: UInt8[np.ndarray, "Y X 3"],
    alpha: UInt8[np.ndarray, "Y X 1"],
    background: UInt8[np.ndarray, "Y X 3"] | int,
) -> Pixels:
    """Blend colors with a background by their alpha channel."""
    wide = colors.astype(np.uint16) * alpha + np.uint16(WHITE - alpha) * background
    return ((wide + WHITE // 2) // WHITE).astype(np.uint8)


def decode_rgba(content: bytes, name: str) -> UInt8[np.ndarray, "Y X 4"]:
    """Decode an image to RGBA; `name` is for error messages."""
    pillow = _pillow()
    if len(content) > MAX_BYTES:
        raise CorpusError(f"{name}: larger than {MAX_BYTES >> 20} MB. Shrink the image.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the size is checked below
            image = pillow.open(io.BytesIO(content), formats=FORMATS)
    except pillow.DecompressionBombError:
        raise _too_many_pixels(name) from None
    except Exception as error:  # Pillow raises many types for a damaged header
        raise CorpusError(
            f"{name}: not a readable PNG, JPEG or WebP image ({_cause(error)}). "
            "Convert it or leave it out."
        ) from None
    if image.width * image.height > MAX_PIXELS:
        raise _too_many_pixels(name)
    try:
        image.load()
        rgba = _apply_orientation(image, _to_rgba(image))
    except Exception as error:  # and for damaged data
        raise CorpusError(
            f"{name}: damaged or truncated ({_cause(error)}). Download it again or leave it out."
        ) from None
    return rgba


def encode_png(image: UInt8[np.ndarray, "Y X C"]) -> bytes:
    """Encode an RGB or RGBA image as PNG."""
    file = io.BytesIO()
    _pillow().fromarray(image).save(file, "PNG", compress_level=1)  # 6 takes four times as long
    return file.getvalue()


def resize_square(image: UInt8[np.ndarray, "Y X 4"], side: int) -> UInt8[np.ndarray, "Z Z 4"]:
    """Resize an image to a square of `side` pixels."""
    return _resized(image, (side, side))


def _resized(image: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    pillow = _pillow()
    return np.asarray(pillow.fromarray(image).resize(size, pillow.Resampling.BILINEAR))


def _to_rgba(image: Any) -> NDArray[np.uint8]:
    if image.mode.startswith(("I", "F")):  # Pillow would clip 16-bit grey instead of scaling it
        grey = (np.asarray(image).astype(np.int64).clip(0, 65_535) >> 8).astype(np.uint8)
        image = _pillow().fromarray(grey)
    return np.asarray(image.convert("RGBA"))


def _apply_orientation(image: Any, rgba: NDArray[np.uint8]) -> NDArray[np.uint8]:
    try:
        transpose = _TRANSPOSES.get(image.getexif().get(_ORIENTATION))
    except Exception:  # many cameras write invalid EXIF; keep the stored orientation
        transpose = None
    if transpose is None:
        return rgba
    pillow = _pillow()
    return np.asarray(pillow.fromarray(rgba).transpose(pillow.Transpose[transpose]))


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise CorpusError(
            "Reading images requires Pillow. Install it with `pip install 'regard[images]'`."
        ) from None
    return Image


def _too_many_pixels(name: str) -> CorpusError:
    return CorpusError(f"{name}: has more than {MAX_PIXELS:,} pixels. Shrink the image.")


def _cause(error: Exception) -> str:
    return str(error).partition("\n")[0][:200] or type(error).__name__


# -- feature grids of an external image backbone, stored in safetensors files ----------------------
# The backbone runs once, outside regard; the model reads its features. A file holds any number of
# grids of shape rows × columns × features. `features.safetensors#dog-17` names one of them.


CELL = 32  # pixels of a region when a grid is displayed


@dataclass(frozen=True, slots=True)
class FeatureGrid:
    """The shape of the feature grids that a model reads."""

    rows: int
    columns: int
    features: int
    dtype = "float16"  # of prepared grids; eleven bits of precision suffice

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.rows, self.columns, self.features

    @staticmethod
    def file(name: str) -> str:
        """Return the path of the file that contains the named grid."""
        return name.partition("#")[0]

    @property
    def size(self) -> tuple[int, int]:
        return self.rows, self.columns

    def to_display(self, features: NDArray[Any]) -> Pixels:
        """Return a white image with CELL × CELL pixels per region: features cannot be displayed."""
        return np.full((self.rows * CELL, self.columns * CELL, 3), WHITE, np.uint8)

    def placement_of(self, name: str) -> Placement:
        """Return the identity: boxes of feature grids are given in regions."""
        return Placement(1.0, 0, 0)

    def read(self, name: str) -> NDArray[Any]:
        """Read the grid `file.safetensors#key` as float16."""
        path, _, key = name.partition("#")
        if not key:
            raise CorpusError(f"{name}: not the name of a grid. Use file.safetensors#key.")
        if not Path(path).is_file():
            raise CorpusError(f"{name}: no such file. Check the path before #.")
        try:
            with safe_open(path, framework="numpy") as file:
                if key not in file.keys():  # noqa: SIM118 — not a mapping
                    raise CorpusError(f"{path}: contains no grid {key!r}. Check the name after #.")
                grid = file.get_tensor(key)
        except (SafetensorError, TypeError, ValueError) as error:
            raise CorpusError(f"{path}: cannot be read ({error}). Write the file again.") from None
        expected = " × ".join(map(str, self.shape))
        if grid.shape != self.shape:
            raise CorpusError(
                f"{name}: the shape is {' × '.join(map(str, grid.shape))}, but the model expects "
                f"{expected} (rows × columns × features)."
            )
        if not np.isfinite(grid).all():
            raise CorpusError(f"{name}: contains values that are not finite.")
        features: NDArray[Any] = grid.clip(-60_000, 60_000).astype(np.float16)
        return features


ImageInput = ImageFrame | FeatureGrid
"""The image input of a model: pixels, or the features of an external backbone."""
