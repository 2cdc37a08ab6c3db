"""Engines: what searches for translations, from texts to texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal, Protocol, runtime_checkable

import xxhash

from regard.bounds import (
    BEAM_SIZE,
    LENGTH_PENALTY,
    MIN_LENGTH,
    NGRAM,
    POSITION,
    SEED,
    TEMPERATURE,
    TOP_K,
    TOP_P,
)
from regard.data.loading.shards import MAX_TOKENS
from regard.errors import ConfigError
from regard.hypothesis import Hypothesis
from regard.text.sentences import BY_RULES, SentenceSplitter
from regard.text.tokenizer import Span, Tokenizer

EngineName = Literal["auto", "torch", "invariant", "ctranslate2", "ctranslate2-int8"]

STRIDE = 8  # lengths are rounded up to it, so that batches pad little and few batches are small


@dataclass(frozen=True, slots=True)
class SamplingOptions:
    """Draw tokens at random from the model's distribution instead of searching for the best.

    A draw depends only on `seed`, the number of the text and the text itself. A program that
    translates a file in blocks passes the number of texts before each block as `offset`, so that
    no two lines share random numbers; a program that splits texts itself passes the number of the
    first segment as `segment`. One that continues completions passes the number of tokens that it
    already has.
    """

    seed: int = 1
    temperature: float = 1.0  # below 1: sharper than the model's distribution
    top_k: int | None = None  # draw from the k most likely tokens
    top_p: float = 1.0  # draw from the fewest tokens that together have this probability
    offset: int = 0
    segment: int = 0

    def __post_init__(self) -> None:
        SEED.check("seed", self.seed)
        TEMPERATURE.check("temperature", self.temperature)
        if self.top_k is not None:
            TOP_K.check("top_k", self.top_k)
        TOP_P.check("top_p", self.top_p)
        POSITION.check("offset", self.offset)
        POSITION.check("segment", self.segment)


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What an engine searches for. A beam size of 1 is greedy search."""

    beam_size: int = 5  # also the number of hypotheses returned; with `sampling`, of draws
    length_penalty: float = 1.0  # α of Σ log p / length^α
    sampling: SamplingOptions | None = None
    min_length: int = 0  # tokens before the end may follow
    no_repeat_ngram: int = 0  # no n-gram of this size occurs twice; 0: no constraint
    forbidden: tuple[tuple[int, ...], ...] = ()  # token sequences that must not occur

    def __post_init__(self) -> None:
        BEAM_SIZE.check("beam_size", self.beam_size)
        LENGTH_PENALTY.check("length_penalty", self.length_penalty)
        MIN_LENGTH.check("min_length", self.min_length)
        NGRAM.check("no_repeat_ngram", self.no_repeat_ngram)

    def check_default(self) -> None:
        """Check options that a model applies by default.

        Raises:
            ConfigError: Another option than the beam size or the length penalty is set.
        """
        if self.sampling is not None or self.constrained:
            raise ConfigError(
                "options: only beam_size and length_penalty can be a model's defaults. Pass "
                "sampling and constraints with each call."
            )

    @property
    def constrained(self) -> bool:
        return bool(self.min_length or self.no_repeat_ngram or self.forbidden)

    @property
    def summary(self) -> str:
        if self.sampling is not None:
            return f"sampling, seed {self.sampling.seed}"
        if self.beam_size == 1:
            return "greedy search"
        return f"beam search, beam size {self.beam_size}, length penalty {self.length_penalty:g}"


@runtime_checkable
class Engine(Protocol):
    """Finds hypotheses for encoded sources. A result does not depend on the other sources."""

    name: str

    def search(
        self,
        sources: Sequence[Sequence[int]],
        options: SearchOptions,
        *,
        prefixes: Sequence[Sequence[int]] = (),
        positions: Sequence[tuple[int, int]] = (),
    ) -> list[list[Hypothesis]]:
        """Return up to `beam_size` hypotheses for each source, best first.

        Args:
            sources: Token ids without special tokens.
            options: The same for all sources.
            prefixes: For each source, the tokens that its hypotheses begin with. They take
                precedence over the constraints in `options`. Empty: no prefixes.
            positions: For each source, the number of its text and of its segment in the text.
                They select the random numbers of sampling. Default: (row, 0).
        """


def max_target_length(width: int, at_least: int = 0, max_positions: int | None = None) -> int:
    """Return the most tokens that a hypothesis may have, the end token counted.

    Args:
        width: Tokens of the source, the end token counted.
        at_least: Tokens that the hypothesis must have: its prefix or its minimum length.
        max_positions: Tokens that the decoder can read; None: no bound.

    The limit is twice the source and ten. Of 20,000 references each from descriptions, debates,
    everyday sentences and legislation (English to and from German or French, 8,000 pieces), 0 to
    0.005 % are longer, and 0.2 % of the legislation. With a factor of one and a half, up to 1 %
    are longer.
    """
    strides = max(2 * ceil(width / STRIDE), ceil(at_least / STRIDE))
    length = cap_length(strides * STRIDE + 10, max_positions)
    if length <= at_least:
        raise ConfigError(
            f"prefix, min_length: {at_least} tokens are too many for the {max_positions} learned "
            "positions of the decoder. Use fewer."
        )
    return length


def cap_length(length: int, max_positions: int | None) -> int:
    """Bound the length of a hypothesis by what a decoder can read.

    It reads the start token and all tokens. The last one is read only by forced decoding.
    """
    return length if max_positions is None else min(length, max_positions - 1)


def mix_seed(*parts: int) -> int:
    """Return a 64-bit seed that depends on all parts and is the same in every process."""
    return xxhash.xxh3_64_intdigest(",".join(map(str, parts)).encode())


# -- the text pipeline -----------------------------------------------------------------------------
# Split long texts, encode, search, and join the translations again.
#
# Validation during training, evaluation and translation all use it.


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
