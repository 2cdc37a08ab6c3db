"""The text pipeline: split long texts, encode, search, and join the translations again.

Validation during training, evaluation and translation all use it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from regard.data.loading.shards import MAX_TOKENS
from regard.hypothesis import Hypothesis
from regard.inference.engine import Engine, SearchOptions
from regard.text.sentences import BY_RULES, SentenceSplitter
from regard.text.tokenizer import Span, Tokenizer


@dataclass(frozen=True, slots=True)
class Splitting:
    """Lengths in pieces above which a text is split.

    Every line of a text is translated by itself. A line of more than `split_above` pieces, longer
    than nearly all training texts, is split into sentences. A sentence of more than `max_length`
    pieces, longer than all of them, is split at white space near its middle.
    """

    split_above: int
    max_length: int
    sentences: SentenceSplitter = BY_RULES  # of models without a record, as before 0.3

    def __post_init__(self) -> None:
        if not 0 <= self.split_above <= self.max_length or not 1 <= self.max_length <= MAX_TOKENS:
            raise ValueError(
                f"split_above {self.split_above} and max_length {self.max_length} must satisfy "
                f"0 <= split_above <= max_length and 1 <= max_length <= {MAX_TOKENS}"
            )


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a text that is translated by itself, and its hypotheses, best first."""

    span: Span  # characters of the text
    source: tuple[int, ...]  # token ids
    hypotheses: tuple[Hypothesis, ...]


EncodedPart = tuple[Span, list[int]]
"""A part of a text: its characters and its token ids."""


def search_texts(
    engine: Engine,
    tokenizer: Tokenizer,
    splitting: Splitting,
    texts: Sequence[str],
    options: SearchOptions,
) -> list[list[Segment]]:
    """Return the segments of each text in order. A text of white space has none."""
    parts = split_texts(tokenizer, splitting, texts, tokenizer.encode(texts))
    return search_parts(engine, parts, options)


def search_parts(
    engine: Engine,
    parts: Sequence[Sequence[EncodedPart]],
    options: SearchOptions,
    *,
    prefixes: Sequence[Sequence[int]] = (),
    positions: Sequence[tuple[int, int]] = (),
) -> list[list[Segment]]:
    """Return the segments of each text in order.

    Args:
        engine: Searches for hypotheses.
        parts: Of each text, by `split_texts`.
        options: The same for all parts.
        prefixes: For each text, the tokens that the translation of its first segment begins with.
        positions: For each text, that of its first segment, as for `Engine.search`; by default its
            number among the texts and 0.
    """
    positions = positions or [(text, 0) for text in range(len(parts))]
    rows = [(text, index) for text, segments in enumerate(parts) for index in range(len(segments))]
    hypotheses = iter(
        engine.search(
            [parts[text][index][1] for text, index in rows],
            options,
            prefixes=[prefixes[text] if prefixes and index == 0 else () for text, index in rows],
            positions=[(positions[text][0], positions[text][1] + index) for text, index in rows],
        )
    )
    return [
        [Segment(span, tuple(ids), tuple(next(hypotheses))) for span, ids in segments]
        for segments in parts
    ]


def split_texts(
    tokenizer: Tokenizer, splitting: Splitting, texts: Sequence[str], encoded: Sequence[list[int]]
) -> list[list[EncodedPart]]:
    """Return the segments of each text: their characters and their token ids.

    `encoded`: the token ids of each whole text.
    """
    return [
        _split(tokenizer, splitting, text, ids) for text, ids in zip(texts, encoded, strict=True)
    ]


def join_segments(
    text: str, spans: Sequence[Span], translations: Sequence[str]
) -> tuple[str, list[Span]]:
    """Join the translations of a text's segments by the white space between the segments.

    Returns the joined text and the characters of each translation in it.
    """
    joined, joined_spans = "", []
    for number, (span, translation) in enumerate(zip(spans, translations, strict=True)):
        if number > 0:
            joined += text[spans[number - 1][1] : span[0]] or " "
        joined_spans.append((len(joined), len(joined) + len(translation)))
        joined += translation
    return joined, joined_spans


_LINE, _SPACE = re.compile(r"[^\n]+"), re.compile(r"\s")


def _split(
    tokenizer: Tokenizer, splitting: Splitting, text: str, ids: list[int]
) -> list[EncodedPart]:
    lines = [((0, len(text)), ids)]
    if "\n" in text:
        lines = _encode(tokenizer, text, [line.span() for line in _LINE.finditer(text)])
    return [part for line in lines for part in _split_line(tokenizer, splitting, text, line)]


def _split_line(
    tokenizer: Tokenizer, splitting: Splitting, text: str, line: EncodedPart
) -> list[EncodedPart]:
    (start, end), ids = line
    if len(ids) <= splitting.split_above:
        return [line] if ids else []
    sentences = [(start + a, start + b) for a, b in splitting.sentences.split(text[start:end])]
    return [
        part
        for sentence in _encode(tokenizer, text, sentences)
        for part in _halve(tokenizer, splitting.max_length, text, sentence)
    ]


def _halve(
    tokenizer: Tokenizer, max_length: int, text: str, part: EncodedPart
) -> list[EncodedPart]:
    (start, end), ids = part
    if len(ids) <= max_length or end - start < 2:
        return [part] if ids else []
    middle = (start + end) // 2
    spaces = (space.start() for space in _SPACE.finditer(text, start, end))
    cut = min(spaces, key=lambda space: abs(space - middle), default=middle)
    return [
        shorter
        for half in _encode(tokenizer, text, [(start, cut), (cut, end)])
        for shorter in _halve(tokenizer, max_length, text, half)
    ]


def _encode(tokenizer: Tokenizer, text: str, spans: Sequence[Span]) -> list[EncodedPart]:
    """Return the spans without the white space around them, and their ids."""
    trimmed = []
    for start, end in spans:
        part = text[start:end]
        start += len(part) - len(part.lstrip())
        trimmed.append((start, start + len(part.strip())))
    return list(zip(trimmed, tokenizer.encode([text[a:b] for a, b in trimmed]), strict=True))
