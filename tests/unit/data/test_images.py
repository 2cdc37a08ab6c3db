"""Image decoding: formats, orientation, resizing, and files that are refused."""

from __future__ import annotations

import io
import struct
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from regard.data.formats import images
from regard.data.formats.images import ImageFrame, blend, decode_image, encode_png, read_image
from regard.errors import CorpusError

RED = (220, 20, 30)


def half_red(width: int = 8, height: int = 6) -> Image.Image:
    """Return an image that is red on the left and white on the right."""
    image = Image.new("RGB", (width, height), "white")
    image.paste(RED, (0, 0, width // 2, height))
    return image


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def png_of_size(width: int, height: int) -> bytes:
    """Return a small PNG file whose header declares this size."""

    def chunk(name: bytes, content: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(name + content))
        return struct.pack(">I", len(content)) + name + content + check

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(bytes(1000))
    parts = chunk(b"IHDR", head), chunk(b"IDAT", body), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.parametrize(
    ("kind", "options"),
    [("PNG", {}), ("JPEG", {"quality": 95, "subsampling": 0}), ("WEBP", {"lossless": True})],
)
def test_supported_formats_are_read(kind: str, options: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "image"
    path.write_bytes(encoded(half_red(16, 16), kind, **options))
    pixels = read_image(str(path))
    assert pixels.shape == (16, 16, 3)
    assert np.abs(pixels[8, 2].astype(int) - RED).max() < 12
    assert pixels[8, 13].min() > 243


@pytest.mark.parametrize("kind", ["GIF", "BMP", "TIFF", "PPM", "ICO", "EPS"])
def test_other_formats_are_refused(kind: str) -> None:
    content = encoded(half_red(), kind)
    with pytest.raises(CorpusError, match=r"a\.png: not a readable PNG, JPEG or WebP"):
        decode_image(content, "a.png")


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"\x89PNG\r\n\x1a\n", b"<svg/>", bytes(99)])
def test_a_file_that_is_not_an_image_is_refused(content: bytes) -> None:
    with pytest.raises(CorpusError, match=r"^x: "):
        decode_image(content, "x")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_truncated_file_is_refused(kind: str, share: float) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (64, 64, 3), np.uint8)
    content = encoded(Image.fromarray(noise), kind)
    with pytest.raises(CorpusError, match=r"^part: "):
        decode_image(content[: int(len(content) * share)], "part")


@pytest.mark.parametrize("size", [(9_000, 9_000), (12_000, 12_000), (60_000, 60_000)])
def test_a_decompression_bomb_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(CorpusError, match=r"bomb\.png: .*more than 67,108,864 pixels"):
        decode_image(png_of_size(*size), "bomb.png")


def test_a_large_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(images, "MAX_BYTES", 1 << 20)
    path = tmp_path / "large.png"
    path.write_bytes(encoded(half_red(), "PNG") + bytes(1 << 20))
    with pytest.raises(CorpusError, match=r"large\.png: larger than 1 MB"):
        read_image(str(path))


def test_a_damaged_file_gives_an_image_or_a_corpus_error() -> None:
    draws = np.random.default_rng(1)
    for kind in ("PNG", "JPEG", "WEBP"):
        content = np.frombuffer(encoded(half_red(40, 40), kind, exif=exif_of(6)), np.uint8)
        for _ in range(60):
            damaged = content.copy()
            positions = draws.integers(0, len(damaged), 3)
            damaged[positions] = draws.integers(0, 256, 3)
            with suppress(CorpusError):
                assert decode_image(damaged.tobytes(), "damaged").ndim == 3


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"nowhere\.png"):
        read_image("nowhere.png")


def exif_of(orientation: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif.tobytes()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_exif_orientation_is_applied(kind: str, orientation: int) -> None:
    """The stored image is oriented so that the result has red at the upper left."""
    upright = np.full((16, 24, 3), 255, np.uint8)
    upright[:8, :8] = RED
    stored = {
        1: upright,
        2: upright[:, ::-1],
        3: upright[::-1, ::-1],
        4: upright[::-1],
        5: upright.transpose(1, 0, 2),
        6: np.rot90(upright, 1),
        7: np.rot90(upright.transpose(1, 0, 2), 2),
        8: np.rot90(upright, -1),
    }[orientation]
    options = {"JPEG": {"quality": 95, "subsampling": 0}, "WEBP": {"lossless": True}}.get(kind, {})
    content = encoded(
        Image.fromarray(np.ascontiguousarray(stored)), kind, exif=exif_of(orientation), **options
    )
    found = decode_image(content, "photo")
    assert found.shape == upright.shape
    assert np.abs(found.astype(int) - upright).max() < 40


def test_invalid_exif_is_ignored() -> None:
    content = encoded(half_red(), "JPEG", exif=b"Exif\0\0MM\0*\xff\xff\xff\xff")
    assert decode_image(content, "photo").shape == (6, 8, 3)


def test_transparent_pixels_are_blended_with_white() -> None:
    clear = Image.new("RGBA", (4, 4), (0, 0, 0, 0))
    assert decode_image(encoded(clear, "PNG"), "clear").min() == 255
    half = Image.new("RGBA", (4, 4), (0, 0, 0, 128))
    assert decode_image(encoded(half, "PNG"), "half")[0, 0].tolist() == [127, 127, 127]
    assert blend(np.zeros((1, 1, 3), np.uint8), np.full((1, 1, 1), 255, np.uint8), 7).max() == 0


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16", "CMYK"])
def test_every_color_mode_becomes_rgb(mode: str) -> None:
    kind = "JPEG" if mode == "CMYK" else "PNG"
    image = Image.new("I;16", (4, 4), 30_000) if mode == "I;16" else half_red().convert(mode)
    pixels = decode_image(encoded(image, kind), mode)
    assert pixels.dtype == np.uint8 and pixels.shape[2] == 3
    if mode == "I;16":
        assert pixels.max() == 30_000 >> 8


def test_an_image_is_scaled_and_centered_in_its_frame() -> None:
    image = np.zeros((50, 100, 3), np.uint8)
    frame = ImageFrame(64, 64)
    fitted = frame.fit(image)
    at = frame.placement(50, 100)
    assert fitted.shape == (64, 64, 3)
    assert (at.scale, at.x, at.y) == (0.64, 0, 16)
    assert fitted[16:48].max() == 0 and fitted[:16].min() == fitted[48:].min() == 255
    assert at.to_frame((0.0, 0.0, 100.0, 50.0)) == (0.0, 16.0, 64.0, 48.0)


def test_an_image_of_one_row_fits_its_frame() -> None:
    assert ImageFrame(32, 32).fit(np.zeros((1, 5_000, 3), np.uint8)).shape == (32, 32, 3)
    same = np.zeros((32, 32, 3), np.uint8)
    assert ImageFrame(32, 32).fit(same) is same


def test_png_encoding_is_lossless() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (9, 7, 3), np.uint8)
    assert np.array_equal(decode_image(encode_png(noise), "noise"), noise)
