"""Words and sentences as spans of the raw text."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.text import Span, pieces_by_word, split_sentences, split_words, words_by_piece
from regard.text.normalize import REMOVED


def visible(text: str) -> str:
    kept = (c for c in text if not (c.isspace() or unicodedata.category(c) == "Cf"))
    return "".join(kept).translate(REMOVED)


def texts_of(spans: list[Span], text: str) -> list[str]:
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  Don't  stop! ", ["Don't", "stop", "!"]),
        ("l’eau (3.14 €, 10,000)", ["l’eau", "(", "3.14", "€", ",", "10,000", ")"]),
        ("well-known.", ["well", "-", "known", "."]),
        ("我爱Python3。", ["我", "爱", "Python3", "。"]),
        ("がカ한국어", ["が", "カ", "한국어"]),
        ("cafe\u0301 क्षेत्र", ["cafe\u0301", "क्षेत्र"]),
        ("👩\u200d👧👍🏽 ok", ["👩\u200d👧", "👍🏽", "ok"]),
        ("اللغة، جميلة", ["اللغة", "،", "جميلة"]),
    ],
)
def test_split_words(text: str, expected: list[str]) -> None:
    assert texts_of(split_words(text), text) == expected


@settings(deadline=None)
@given(st.text())
def test_words_contain_every_character_except_white_space_once(text: str) -> None:
    spans = split_words(text)
    assert all(start < end for start, end in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert visible("".join(texts_of(spans, text))) == visible(text)


@settings(deadline=None)
@given(st.text(st.sampled_from("ab1.,' -\u4f60\u0301\u200d\ufeff\u200f\u200b\xad\0")))
def test_characters_that_normalization_removes_do_not_change_the_words(text: str) -> None:
    clean = text.translate(REMOVED)
    words = [word.translate(REMOVED) for word in texts_of(split_words(text), text)]
    assert words == texts_of(split_words(clean), clean)


@pytest.mark.parametrize("mark", ["\ufeff", "\u200f", "\u200d", "\u2061", "\0"])
def test_an_invisible_character_is_no_word(mark: str) -> None:
    assert texts_of(split_words(f"{mark}A {mark} dog.{mark}"), f"{mark}A {mark} dog.{mark}") in (
        ["A", "dog", "."],
        ["A", "dog", f".{mark}"],
    )


def test_pieces_and_words_are_matched_by_their_spans() -> None:
    spans = [(0, 3), (4, 9)]
    pieces = [(0, 0), (0, 2), (2, 3), (3, 4), (4, 9), (9, 9)]
    assert words_by_piece(pieces, spans) == [[0], [0], [0], [1], [1], [1]]
    assert pieces_by_word(pieces, spans) == [[0, 1, 2], [3, 4, 5]]
    assert words_by_piece([(0, 9)], spans) == [[0, 1]]
    assert words_by_piece([(0, 1)], []) == [[]]


@pytest.mark.parametrize(
    "expected",
    [
        ["Mr. Smith went to Washington.", "He met J. S. Bach!"],
        ['"Really?" she asked.', "It cost 3.5 dollars.", "No. 5 is alive.", "No.", "Never."],
        ["It happened in 1999.", "Then (as we know.)", "It ended."],
        ["Er kam am 3. Mai z. B. nach Berlin, d.h. hierher.", "»Ja.«", "Dann nichts."],
        ["M. Dupont dit : « Oui. »", "Puis il partit…", "Et Mme Curie ?"],
        ["هل أنت بخير؟", "نعم."],
        ["यह ठीक है।", "हाँ।"],
        ["Wait... what?!", "Yes."],
    ],
)
def test_split_sentences(expected: list[str]) -> None:
    text = "  ".join(expected)
    assert texts_of(split_sentences(text), text) == expected


def test_split_sentences_without_spaces() -> None:
    text = "今天天气很好。我们去吧！「好的。」他说。"
    assert texts_of(split_sentences(text), text) == [
        "今天天气很好。",
        "我们去吧！",
        "「好的。」",
        "他说。",
    ]


def test_an_empty_line_ends_a_sentence_but_a_line_break_does_not() -> None:
    text = "A title\n \nThe first\nsentence."
    assert texts_of(split_sentences(text), text) == ["A title", "The first\nsentence."]


@settings(deadline=None)
@given(st.text(st.one_of(st.sampled_from(' .!?。\n"»)a1B'), st.characters())))
def test_sentences_contain_every_character_except_white_space_once(text: str) -> None:
    spans = split_sentences(text)
    assert all(start < end and text[start:end].strip() == text[start:end] for start, end in spans)
    assert "".join("".join(texts_of(spans, text)).split()) == "".join(text.split())


@pytest.mark.parametrize("split", [split_words, split_sentences])
@pytest.mark.parametrize(
    "unit",
    ["a", ". ", "a.b.", '."', "!)", "\n", "\n \n", "。", "' ", "1.", " »", "e\u0301", "\u200d"],
)
def test_splitting_takes_linear_time(split: Callable[[str], list[Span]], unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        split(text)
        return time.process_time() - start

    small, large = (min(seconds(size) for _ in range(3)) for size in (3_000, 12_000))
    assert large < max(12 * small, 0.1)  # linear is 4 ×, quadratic 16 ×
