"""From texts to hypotheses: cut where they are too long, encoded, searched; and joined again.

The one path of raw strings through a model: validation in training, evaluation and translation all
take it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from regard.inference.engine import Engine, SearchOptions
from regard.search import Hypothesis
from regard.text.sentences import split_sentences
from regard.text.tokenizer import Span, Tokenizer


@dataclass(frozen=True, slots=True)
class Splitting:
    """Which texts a model takes whole, in pieces.

    A text of more than `usual`, which few it was taught with had, is cut into its sentences; a
    sentence of more than `longest`, which none had, between words as near to its middle as can be.
    """

    split_above: int
    max_length: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a text, and what was found for it, best first."""

    span: Span  # of the text's characters
    source: tuple[int, ...]  # its ids
    hypotheses: tuple[Hypothesis, ...]


def search_texts(
    engine: Engine,
    tokenizer: Tokenizer,
    splitting: Splitting,
    texts: Sequence[str],
    options: SearchOptions,
) -> list[list[Segment]]:
    """For each text its stretches in order; a text of white space has none."""
    spans = [
        _cut(tokenizer, splitting, text, ids)
        for text, ids in zip(texts, tokenizer.encode(texts), strict=True)
    ]
    flat = [ids for stretches in spans for _, ids in stretches]
    found = iter(engine.search(flat, options))
    return [
        [Segment(span, tuple(ids), tuple(next(found))) for span, ids in stretches]
        for stretches in spans
    ]


def join_segments(
    text: str, spans: Sequence[Span], translations: Sequence[str]
) -> tuple[str, list[Span]]:
    """The translations of a text's stretches, with the white space that stood between these; and
    where in that each of them stands."""
    joined, places = "", []
    for place, (span, translation) in enumerate(zip(spans, translations, strict=True)):
        if place > 0:
            joined += text[spans[place - 1][1] : span[0]] or " "
        places.append((len(joined), len(joined) + len(translation)))
        joined += translation
    return joined, places


_Stretch = tuple[Span, list[int]]


def _cut(tokenizer: Tokenizer, splitting: Splitting, text: str, ids: list[int]) -> list[_Stretch]:
    if not ids:
        return []
    if len(ids) <= splitting.split_above:
        return [((0, len(text)), ids)]
    spans = split_sentences(text)
    encoded = tokenizer.encode([text[start:end] for start, end in spans])
    return [
        part
        for span, own in zip(spans, encoded, strict=True)
        for part in _halve(tokenizer, splitting.max_length, text, span, own)
    ]


def _halve(
    tokenizer: Tokenizer, longest: int, text: str, span: Span, ids: list[int]
) -> list[_Stretch]:
    start, end = span
    if len(ids) <= longest or end - start < 2:
        return [(span, ids)] if ids else []
    middle = (start + end) // 2
    left, right = text.rfind(" ", start + 1, middle), text.find(" ", middle, end - 1)
    spaces = [place for place in (left, right) if place > 0]
    if spaces:
        middle = min(spaces, key=lambda place: abs(place - middle))
    halves = [(start, middle), (middle + bool(spaces), end)]
    encoded = tokenizer.encode([text[a:b] for a, b in halves])
    return [
        part
        for half, own in zip(halves, encoded, strict=True)
        for part in _halve(tokenizer, longest, text, half, own)
    ]
