"""Texts through an engine: nothing is lost, nothing is cut that need not be, the order is kept."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.inference.engine import SearchOptions
from regard.inference.pipeline import Splitting, join_segments, search_texts
from regard.search import Hypothesis
from regard.text.tokenizer import SentencePiece

LINES = [
    "One dog runs away. Two cats sleep.",
    "A man, who is old, sees no dog!",
    "été 你好 . ?",
] * 9
TEXT = "One dog runs away. Two cats sleep. A man, who is old, sees no dog!"


class Echo:
    """An engine that says what it reads, and remembers how much that was."""

    def __init__(self) -> None:
        self.read: list[int] = []

    name = "a test's"

    def search(self, sources, how):
        self.read += [len(source) for source in sources]
        return [[Hypothesis(tuple(source), (0.0,) * (len(source) + 1), 0.0)] for source in sources]


@pytest.fixture(scope="module")
def tokenizer() -> SentencePiece:
    return SentencePiece.train(LINES, size=330)


def echoed(tokenizer: SentencePiece, texts: list[str], splitting: Splitting) -> list[str]:
    found = search_texts(Echo(), tokenizer, splitting, texts, SearchOptions())
    return [
        join_segments(
            text,
            [part.span for part in parts],
            [tokenizer.decode(part.hypotheses[0].tokens) for part in parts],
        )[0]
        for text, parts in zip(texts, found, strict=True)
    ]


def stretches(tokenizer: SentencePiece, text: str, splitting: Splitting) -> list[str]:
    (parts,) = search_texts(Echo(), tokenizer, splitting, [text], SearchOptions())
    return [text[slice(*part.span)] for part in parts]


def test_a_text_of_usual_length_is_taken_whole_though_it_has_several_sentences(tokenizer) -> None:
    assert stretches(tokenizer, TEXT, Splitting(1_000, 1_000)) == [TEXT]


def test_a_longer_one_is_cut_into_its_sentences(tokenizer) -> None:
    whole = ["One dog runs away.", "Two cats sleep.", "A man, who is old, sees no dog!"]
    assert stretches(tokenizer, TEXT, Splitting(10, 1_000)) == whole


def test_a_sentence_longer_than_any_is_cut_between_words_near_its_middle(tokenizer) -> None:
    longest = len(tokenizer.encode(["A man, who is old, sees no dog!"])[0]) - 1
    halves = stretches(tokenizer, TEXT, Splitting(10, longest))[-2:]
    assert halves == ["A man, who is", "old, sees no dog!"]


def test_what_stood_between_the_stretches_stands_between_their_translations(tokenizer) -> None:
    text = "One dog runs away.  Two cats sleep.\n\nA man sees no dog!"
    assert echoed(tokenizer, [text], Splitting(1, 100)) == [text]


def test_empty_texts_stay_empty_and_the_order_is_kept(tokenizer) -> None:
    texts = ["", "Two cats sleep.", "  \t", "One dog runs away.", ""]
    assert echoed(tokenizer, texts, Splitting(50, 50)) == ["", texts[1], "", texts[3], ""]


@settings(deadline=None)
@given(st.text(max_size=60), st.integers(1, 12))
def test_no_character_is_lost_and_nothing_is_longer_than_it_may_be(
    tokenizer, text: str, longest: int
) -> None:
    engine = Echo()
    (parts,) = search_texts(engine, tokenizer, Splitting(longest, longest), [text], SearchOptions())
    covered = {i for part in parts for i in range(*part.span)}
    lost = "".join(c for i, c in enumerate(text) if i not in covered)
    assert tokenizer.normalize(lost) == ""
    alone = max((len(ids) for ids in tokenizer.encode(list(text))), default=0)
    assert max(engine.read, default=0) <= max(longest, alone)


def test_a_word_of_a_hundred_thousand_letters_is_translated_too(tokenizer) -> None:
    engine = Echo()
    search_texts(engine, tokenizer, Splitting(100, 200), ["dog" * 30_000], SearchOptions())
    assert max(engine.read) <= 200
