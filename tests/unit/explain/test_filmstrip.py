"""Filmstrips: a frame for each word, lit where it attends; a warning if attention is static."""

from __future__ import annotations

import base64
import io
import struct
import zlib
from xml.etree import ElementTree

import numpy as np
import pytest

from regard.explain.pictures.filmstrip import (
    filmstrip,
    mean_movement,
    stillness_warning,
)


def grey_png(width: int, height: int) -> bytes:
    lines = b"".join(b"\0" + bytes(range(width)) for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def one_hot(*regions: int, size: int = 6) -> np.ndarray:
    return np.eye(size, dtype=np.float32)[list(regions)]


def draw(weights: np.ndarray, words: list[str], **options) -> str:
    return filmstrip(
        grey_png(8, 4),
        size=(8, 4),
        grid=(2, 3),
        weights=weights,
        words=words,
        probabilities=[0.5] * len(words),
        title="T",
        **options,
    )


def elements(svg: str, name: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(svg)
    return [element for element in root.iter() if element.tag.endswith("}" + name)]


def test_image_is_embedded_once_and_used_in_every_frame() -> None:
    svg = draw(one_hot(0, 1, 2), ["a", "dog", "runs"])
    assert svg.count(base64.b64encode(grey_png(8, 4)).decode()) == 1
    assert len(elements(svg, "use")) == 4
    assert len(elements(svg, "image")) == 4  # the image and three masks
    (name,) = {use.get("href") for use in elements(svg, "use")}
    assert elements(svg, "image")[0].get("id") == name[1:]


def test_frame_is_lit_at_the_attended_region() -> None:
    images = pytest.importorskip("PIL.Image")
    for region in range(6):
        coded = elements(draw(one_hot(region), ["a"]), "image")[1].get("href").partition(",")[2]
        mask = np.asarray(images.open(io.BytesIO(base64.b64decode(coded))).convert("LA"))[..., 1]
        clear = np.argwhere(mask == mask.min()).mean(0) / mask.shape
        assert (int(clear[0] * 2), int(clear[1] * 3)) == divmod(region, 3)
        assert mask.max() == round(255 * 0.8) and mask.min() <= 30


def test_uniform_attention_dims_nothing() -> None:
    images = pytest.importorskip("PIL.Image")
    uniform = np.full((1, 6), 1 / 6, np.float32)
    coded = elements(draw(uniform, ["a"]), "image")[1].get("href").partition(",")[2]
    assert np.asarray(images.open(io.BytesIO(base64.b64decode(coded))))[..., 1].max() == 0


def test_captions_have_word_probability_and_highest_weight() -> None:
    texts = [text.text for text in elements(draw(one_hot(0, 1), ["a", "<dog>"]), "text")]
    assert texts[1:5] == ["a", "p 0.50 · highest 1.00", "<dog>", "p 0.50 · highest 1.00"]


def test_frames_wrap_within_the_width() -> None:
    svg = draw(one_hot(*range(6), *range(6)), ["w" * 60] * 12)
    root = ElementTree.fromstring(svg)
    places = [
        tuple(map(float, group.get("transform")[10:-1].split())) for group in elements(svg, "g")
    ]
    assert len(set(places)) == 13
    assert len({y for _, y in places}) == 3
    assert max(x for x, _ in places) + 150 <= float(root.get("width"))


def test_frames_follow_the_reading_direction() -> None:
    groups = elements(draw(one_hot(0, 1), ["كلب", "يجري"]), "g")
    places = [float(group.get("transform")[10:-1].split()[0]) for group in groups]
    assert places == sorted(places, reverse=True)


def test_mean_movement_is_a_total_variation_distance() -> None:
    assert mean_movement(one_hot(0, 1, 2)) == 1
    assert mean_movement(one_hot(0, 0, 0)) == 0
    assert mean_movement(one_hot(0)) == 0
    half = np.array([[1, 0], [0.5, 0.5]], np.float32)
    assert mean_movement(half) == 0.5


def test_static_attention_is_reported() -> None:
    assert stillness_warning(one_hot(0, 1)) == ""
    assert stillness_warning(one_hot(0)) == ""
    warning = "attention hardly moves: 0.0 % of it from word to word"
    assert stillness_warning(one_hot(3, 3)) == warning
    assert warning in " ".join(
        text.text for text in elements(draw(one_hot(3, 3), ["a", "b"]), "text")
    )
