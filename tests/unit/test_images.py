"""Pictures: what is read, how it is turned and fitted, and what is refused."""

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
from regard.data.formats.images import ImageFrame, blend, decode_picture, encode_png, read_picture
from regard.errors import CorpusError

RED = (220, 20, 30)


def half_red(width: int = 8, height: int = 6) -> Image.Image:
    """Red at the left, white at the right."""
    picture = Image.new("RGB", (width, height), "white")
    picture.paste(RED, (0, 0, width // 2, height))
    return picture


def saved(picture: Image.Image, kind: str, **options: object) -> bytes:
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def png_of_size(width: int, height: int) -> bytes:
    """A whole and tiny file that says it has so many pixels."""

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
def test_three_formats_are_read(kind: str, options: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "picture"
    path.write_bytes(saved(half_red(16, 16), kind, **options))
    pixels = read_picture(str(path))
    assert pixels.shape == (16, 16, 3)
    assert np.abs(pixels[8, 2].astype(int) - RED).max() < 12
    assert pixels[8, 13].min() > 243


@pytest.mark.parametrize("kind", ["GIF", "BMP", "TIFF", "PPM", "ICO", "EPS"])
def test_no_other_format_is_read(kind: str) -> None:
    content = saved(half_red(), kind)
    with pytest.raises(CorpusError, match=r"a\.png: is no PNG, JPEG or WebP.*convert"):
        decode_picture(content, "a.png")


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"\x89PNG\r\n\x1a\n", b"<svg/>", bytes(99)])
def test_what_is_no_picture_is_refused(content: bytes) -> None:
    with pytest.raises(CorpusError, match="x"):
        decode_picture(content, "x")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_file_that_was_cut_short_is_refused(kind: str, share: float) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (64, 64, 3), np.uint8)
    content = saved(Image.fromarray(noise), kind)
    with pytest.raises(CorpusError, match="cut"):
        decode_picture(content[: int(len(content) * share)], "cut")


@pytest.mark.parametrize("size", [(9_000, 9_000), (12_000, 12_000), (60_000, 60_000)])
def test_a_file_that_would_unfold_without_end_is_refused_unread(size: tuple[int, int]) -> None:
    with pytest.raises(CorpusError, match=r"bomb\.png: unfolds into more than 67,108,864 pixels"):
        decode_picture(png_of_size(*size), "bomb.png")


def test_a_large_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(images, "MOST_BYTES", 1 << 20)
    path = tmp_path / "large.png"
    path.write_bytes(saved(half_red(), "PNG") + bytes(1 << 20))
    with pytest.raises(CorpusError, match=r"large\.png: is larger than 1 MB"):
        read_picture(str(path))


def test_damage_anywhere_is_a_picture_or_an_error_of_ours() -> None:
    draws = np.random.default_rng(1)
    for kind in ("PNG", "JPEG", "WEBP"):
        whole = np.frombuffer(saved(half_red(40, 40), kind, exif=turned(6)), np.uint8)
        for _ in range(60):
            spoilt = whole.copy()
            places = draws.integers(0, len(spoilt), 3)
            spoilt[places] = draws.integers(0, 256, 3)
            with suppress(CorpusError):
                assert decode_picture(spoilt.tobytes(), "spoilt").ndim == 3


def test_a_missing_file_is_named() -> None:
    with pytest.raises(CorpusError, match=r"nowhere\.png"):
        read_picture("nowhere.png")


def turned(orientation: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif.tobytes()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_photograph_is_turned_as_its_exif_says(kind: str, orientation: int) -> None:
    """The stored picture is such that turning it gives red above and left."""
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
    content = saved(
        Image.fromarray(np.ascontiguousarray(stored)), kind, exif=turned(orientation), **options
    )
    found = decode_picture(content, "photo")
    assert found.shape == upright.shape
    assert np.abs(found.astype(int) - upright).max() < 40


def test_exif_that_nobody_can_read_turns_nothing() -> None:
    content = saved(half_red(), "JPEG", exif=b"Exif\0\0MM\0*\xff\xff\xff\xff")
    assert decode_picture(content, "photo").shape == (6, 8, 3)


def test_what_can_be_seen_through_is_put_on_white() -> None:
    clear = Image.new("RGBA", (4, 4), (0, 0, 0, 0))
    assert decode_picture(saved(clear, "PNG"), "clear").min() == 255
    half = Image.new("RGBA", (4, 4), (0, 0, 0, 128))
    assert decode_picture(saved(half, "PNG"), "half")[0, 0].tolist() == [127, 127, 127]
    assert blend(np.zeros((1, 1, 3), np.uint8), np.full((1, 1, 1), 255, np.uint8), 7).max() == 0


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16", "CMYK"])
def test_every_kind_of_colours_becomes_red_green_blue(mode: str) -> None:
    kind = "JPEG" if mode == "CMYK" else "PNG"
    picture = Image.new("I;16", (4, 4), 30_000) if mode == "I;16" else half_red().convert(mode)
    pixels = decode_picture(saved(picture, kind), mode)
    assert pixels.dtype == np.uint8 and pixels.shape[2] == 3
    if mode == "I;16":
        assert pixels.max() == 30_000 >> 8


def test_a_picture_is_put_into_its_frame_whole() -> None:
    picture = np.zeros((50, 100, 3), np.uint8)
    frame = ImageFrame(64, 64)
    fitted = frame.fit(picture)
    at = frame.placement(50, 100)
    assert fitted.shape == (64, 64, 3)
    assert (at.scale, at.left, at.top) == (0.64, 0, 16)
    assert fitted[16:48].max() == 0 and fitted[:16].min() == fitted[48:].min() == 255
    assert at.place((0.0, 0.0, 100.0, 50.0)) == (0.0, 16.0, 64.0, 48.0)


def test_a_picture_of_one_line_has_a_place_too() -> None:
    assert ImageFrame(32, 32).fit(np.zeros((1, 5_000, 3), np.uint8)).shape == (32, 32, 3)
    same = np.zeros((32, 32, 3), np.uint8)
    assert ImageFrame(32, 32).fit(same) is same


def test_a_png_gives_the_same_pixels_back() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (9, 7, 3), np.uint8)
    assert np.array_equal(decode_picture(encode_png(noise), "noise"), noise)
