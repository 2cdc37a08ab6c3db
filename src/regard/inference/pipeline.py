"""The text pipeline: split long texts, encode, search, and join the translations again.

Validation during training, evaluation and translation all use it.
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
    """Lengths in pieces above which a text is split.

    A text of more than `split_above` pieces, longer than nearly all training texts, is split into
    sentences. A sentence of more than `max_length` pieces, longer than all of them, is split
    between words near its middle.
    """

    split_above: int
    max_length: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a text that is translated by itself, and its hypotheses, best first."""

    span: Span  # characters of the text
    source: tuple[int, ...]  # token ids
    hypotheses: tuple[Hypothesis, ...]


def search_texts(
    engine: Engine,
    tokenizer: Tokenizer,
    splitting: Splitting,
    texts: Sequence[str],
    options: SearchOptions,
    *,
    prefixes: Sequence[Sequence[int]] = (),
) -> list[list[Segment]]:
    """Return the segments of each text in order. A text of white space has none.

    `prefixes`: for each text, the tokens that the translation of its first segment begins with.
    """
    parts = [
        _split(tokenizer, splitting, text, ids)
        for text, ids in zip(texts, tokenizer.encode(texts), strict=True)
    ]
    places = [
        (text, segment) for text, segments in enumerate(parts) for segment in range(len(segments))
    ]
    found = iter(
        engine.search(
            [parts[text][segment][1] for text, segment in places],
            options,
            prefixes=[
                prefixes[text] if prefixes and segment == 0 else () for text, segment in places
            ],
            positions=places,
        )
    )
    return [
        [Segment(span, tuple(ids), tuple(next(found))) for span, ids in segments]
        for segments in parts
    ]


def join_segments(
    text: str, spans: Sequence[Span], translations: Sequence[str]
) -> tuple[str, list[Span]]:
    """Join the translations of a text's segments by the white space between the segments.

    Returns the joined text and the characters of each translation in it.
    """
    joined, places = "", []
    for place, (span, translation) in enumerate(zip(spans, translations, strict=True)):
        if place > 0:
            joined += text[spans[place - 1][1] : span[0]] or " "
        places.append((len(joined), len(joined) + len(translation)))
        joined += translation
    return joined, places


_Part = tuple[Span, list[int]]


def _split(tokenizer: Tokenizer, splitting: Splitting, text: str, ids: list[int]) -> list[_Part]:
    if not ids:
        return []
    if len(ids) <= splitting.split_above:
        return [((0, len(text)), ids)]
    spans = split_sentences(text)
    encoded = tokenizer.encode([text[start:end] for start, end in spans])
    return [
        part
        for span, sentence in zip(spans, encoded, strict=True)
        for part in _halve(tokenizer, splitting.max_length, text, span, sentence)
    ]


def _halve(
    tokenizer: Tokenizer, max_length: int, text: str, span: Span, ids: list[int]
) -> list[_Part]:
    start, end = span
    if len(ids) <= max_length or end - start < 2:
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
        for half, half_ids in zip(halves, encoded, strict=True)
        for part in _halve(tokenizer, max_length, text, half, half_ids)
    ]
