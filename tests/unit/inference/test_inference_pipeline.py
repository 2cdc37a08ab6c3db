"""The text pipeline: no text is lost, only long texts are split, and the order is kept."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.hypothesis import Hypothesis
from regard.inference.engine import (
    SearchOptions,
    Splitting,
    join_segments,
    search_parts,
    search_texts,
    split_texts,
)
from regard.text.tokenizer import SentencePiece

LINES = [
    "One dog runs away. Two cats sleep.",
    "A man, who is old, sees no dog!",
    "été 你好 . ?",
] * 9
TEXT = "One dog runs away. Two cats sleep. A man, who is old, sees no dog!"


class EchoEngine:
    """An engine that returns its sources and records their lengths and other arguments."""

    name = "echo"

    def __init__(self) -> None:
        self.lengths: list[int] = []

    def search(self, sources, options, *, prefixes=(), positions=()):
        self.lengths += [len(source) for source in sources]
        self.prefixes, self.positions = prefixes, positions
        return [[Hypothesis(tuple(source), (), 0.0, ended=True)] for source in sources]


@pytest.fixture(scope="module")
def tokenizer() -> SentencePiece:
    return SentencePiece.train(LINES, size=330)


def echo(tokenizer: SentencePiece, texts: list[str], splitting: Splitting) -> list[str]:
    found = search_texts(EchoEngine(), tokenizer, splitting, texts, SearchOptions())
    return [
        join_segments(
            text,
            [part.span for part in parts],
            [tokenizer.decode(part.hypotheses[0].tokens) for part in parts],
        )[0]
        for text, parts in zip(texts, found, strict=True)
    ]


def segments(tokenizer: SentencePiece, text: str, splitting: Splitting) -> list[str]:
    (parts,) = search_texts(EchoEngine(), tokenizer, splitting, [text], SearchOptions())
    return [text[slice(*part.span)] for part in parts]


def test_a_text_of_usual_length_is_not_split(tokenizer) -> None:
    assert segments(tokenizer, TEXT, Splitting(1_000, 1_000)) == [TEXT]


def test_a_long_text_is_split_into_sentences(tokenizer) -> None:
    sentences = ["One dog runs away.", "Two cats sleep.", "A man, who is old, sees no dog!"]
    assert segments(tokenizer, TEXT, Splitting(10, 1_000)) == sentences


def test_a_long_sentence_is_split_between_words_near_its_middle(tokenizer) -> None:
    max_length = len(tokenizer.encode(["A man, who is old, sees no dog!"])[0]) - 1
    halves = segments(tokenizer, TEXT, Splitting(10, max_length))[-2:]
    assert halves == ["A man, who is", "old, sees no dog!"]


def test_white_space_between_segments_is_kept(tokenizer) -> None:
    text = "One dog runs away.  Two cats sleep.\n\nA man sees no dog!"
    assert echo(tokenizer, [text], Splitting(1, 100)) == [text]


def test_empty_texts_stay_empty_in_their_place(tokenizer) -> None:
    texts = ["", "Two cats sleep.", "  \t", "One dog runs away.", ""]
    assert echo(tokenizer, texts, Splitting(50, 50)) == ["", texts[1], "", texts[3], ""]


@settings(deadline=None)
@given(st.text(max_size=60), st.integers(1, 12))
def test_segments_cover_the_text_and_are_short_enough(
    tokenizer, text: str, max_length: int
) -> None:
    engine = EchoEngine()
    (parts,) = search_texts(
        engine, tokenizer, Splitting(max_length, max_length), [text], SearchOptions()
    )
    covered = {i for part in parts for i in range(*part.span)}
    lost = "".join(c for i, c in enumerate(text) if i not in covered)
    assert tokenizer.normalize(lost) == ""
    alone = max((len(ids) for ids in tokenizer.encode(list(text))), default=0)
    assert max(engine.lengths, default=0) <= max(max_length, alone)


@pytest.mark.parametrize("separator", ["\t", "\xa0", "\u3000", "\u2028", " \t "])
def test_a_long_list_is_split_at_white_space_of_any_kind(tokenizer, separator: str) -> None:
    text = separator.join(["banana"] * 40)
    parts = segments(tokenizer, text, Splitting(10, 30))
    assert len(parts) > 1 and set(separator.join(parts).split(separator)) == {"banana"}
    assert echo(tokenizer, [text], Splitting(10, 30))[0].split() == text.split()


@pytest.mark.parametrize("limit", [5, 30, 1_000])
def test_lines_are_translated_one_by_one_and_stay_lines(tokenizer, limit: int) -> None:
    text = "One dog\nTwo cats sleep.\r\n\n  A man, who is old, sees no dog!\nno"
    assert echo(tokenizer, [text], Splitting(limit, limit)) == [text]
    lines = [line.strip() for line in text.split("\n") if line]
    assert segments(tokenizer, text, Splitting(1_000, 1_000)) == lines


def test_a_very_long_word_is_split(tokenizer) -> None:
    engine = EchoEngine()
    search_texts(engine, tokenizer, Splitting(100, 200), ["dog" * 30_000], SearchOptions())
    assert max(engine.lengths) <= 200


def test_only_first_segments_have_prefixes_and_all_have_positions(tokenizer) -> None:
    engine = EchoEngine()
    prefixes = [[5], [6, 7], [8]]
    texts = ["Two cats sleep.", TEXT, ""]
    parts = split_texts(tokenizer, Splitting(10, 100), texts, tokenizer.encode(texts))
    search_parts(engine, parts, SearchOptions(), prefixes=prefixes)
    assert engine.positions == [(0, 0), (1, 0), (1, 1), (1, 2)]
    assert [list(prefix) for prefix in engine.prefixes] == [[5], [6, 7], [], []]
