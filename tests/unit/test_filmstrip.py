"""A frame for each word, lit where it looked; a look that never moves is called so."""

from __future__ import annotations

import base64
import io
import struct
import zlib
from xml.etree import ElementTree

import numpy as np
import pytest

from regard.explain.pictures.filmstrip import filmstrip, moves, still


def grey_png(width: int, height: int) -> bytes:
    lines = b"".join(b"\0" + bytes(range(width)) for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def looks(*places: int, size: int = 6) -> np.ndarray:
    return np.eye(size, dtype=np.float32)[list(places)]


def draw(weights: np.ndarray, words: list[str], **given) -> str:
    return filmstrip(
        grey_png(8, 4),
        size=(8, 4),
        grid=(2, 3),
        weights=weights,
        words=words,
        probabilities=[0.5] * len(words),
        title="T",
        **given,
    )


def every(picture: str, name: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(picture)
    return [element for element in root.iter() if element.tag.endswith("}" + name)]


def test_the_picture_is_in_the_file_once_and_in_every_frame() -> None:
    picture = draw(looks(0, 1, 2), ["a", "dog", "runs"])
    assert picture.count(base64.b64encode(grey_png(8, 4)).decode()) == 1
    assert len(every(picture, "use")) == 4
    assert len(every(picture, "image")) == 4  # the picture and three veils
    (name,) = {use.get("href") for use in every(picture, "use")}
    assert every(picture, "image")[0].get("id") == name[1:]


def test_a_frame_is_lit_where_the_word_looked() -> None:
    images = pytest.importorskip("PIL.Image")
    for place in range(6):
        coded = every(draw(looks(place), ["a"]), "image")[1].get("href").partition(",")[2]
        veil = np.asarray(images.open(io.BytesIO(base64.b64decode(coded))).convert("LA"))[..., 1]
        clear = np.argwhere(veil == veil.min()).mean(0) / veil.shape
        assert (int(clear[0] * 2), int(clear[1] * 3)) == divmod(place, 3)
        assert veil.max() == round(255 * 0.8) and veil.min() <= 30


def test_an_even_look_dims_nothing() -> None:
    images = pytest.importorskip("PIL.Image")
    even = np.full((1, 6), 1 / 6, np.float32)
    coded = every(draw(even, ["a"]), "image")[1].get("href").partition(",")[2]
    assert np.asarray(images.open(io.BytesIO(base64.b64decode(coded))))[..., 1].max() == 0


def test_words_are_under_their_frames_with_their_numbers() -> None:
    texts = [text.text for text in every(draw(looks(0, 1), ["a", "<dog>"]), "text")]
    assert texts[1:5] == ["a", "p 0.50 · brightest 1.00", "<dog>", "p 0.50 · brightest 1.00"]


def test_frames_are_wrapped_and_none_is_cut() -> None:
    picture = draw(looks(*range(6), *range(6)), ["w" * 60] * 12)
    root = ElementTree.fromstring(picture)
    places = [
        tuple(map(float, group.get("transform")[10:-1].split())) for group in every(picture, "g")
    ]
    assert len(set(places)) == 13
    assert len({y for _, y in places}) == 3
    assert max(x for x, _ in places) + 150 <= float(root.get("width"))


def test_frames_run_the_way_the_caption_is_read() -> None:
    groups = every(draw(looks(0, 1), ["كلب", "يجري"]), "g")
    places = [float(group.get("transform")[10:-1].split()[0]) for group in groups]
    assert places == sorted(places, reverse=True)


def test_moves_is_the_share_that_goes_elsewhere() -> None:
    assert moves(looks(0, 1, 2)) == 1
    assert moves(looks(0, 0, 0)) == 0
    assert moves(looks(0)) == 0
    half = np.array([[1, 0], [0.5, 0.5]], np.float32)
    assert moves(half) == 0.5


def test_a_look_that_never_moves_is_called_so() -> None:
    assert still(looks(0, 1)) == ""
    assert still(looks(0)) == ""
    words = "attention hardly moves: 0.0 % of it from word to word"
    assert still(looks(3, 3)) == words
    assert words in " ".join(text.text for text in every(draw(looks(3, 3), ["a", "b"]), "text"))
