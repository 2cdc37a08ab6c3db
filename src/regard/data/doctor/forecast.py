"""Measure vocabulary sizes and forecast the cost of preparation, on a sample of the corpus.

The vocabularies are BPE, which trains in a second; unigram vocabularies of the same size have about
as many pieces per word. A vocabulary trained on a sample covers slightly less than one trained on
the whole corpus.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, pairwise

import numpy as np

from regard.data.doctor.survey import BLOCK
from regard.data.formats.corpus import Corpus
from regard.errors import ConfigError, CorpusError
from regard.text.tokenizer import SentencePiece

SIZES = (4_000, 8_000, 16_000, 32_000)
_SAMPLE = 5_000  # pairs
_OTHER_WORK = 1.6  # seconds of reading, cleaning, hashing and writing per second of encoding


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Measurements of a joint vocabulary on sentences it was not trained on."""

    size: int
    pieces_per_word: float
    whole_words: float  # share of words that are one piece
    byte_pieces: float  # share of pieces that are single bytes of unknown characters
    pieces_per_pair: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """Cost of preparing all pairs, before filters and deduplication."""

    size: int  # of the vocabulary
    pieces: int  # of both sides
    disk: int  # bytes of the prepared corpus
    memory: int  # bytes to find duplicates
    seconds: float  # on one core of this machine


def measure_vocabularies(
    corpus: Corpus, pairs: int, sizes: Sequence[int]
) -> tuple[list[Vocabulary], float]:
    """Measure vocabularies of these sizes; also return the seconds to encode a pair."""
    if not sizes:
        return [], 0.0
    sources, targets = _sample(corpus, pairs)
    train = [line for side in (sources, targets) for line in _without_fifths(side)]
    test = sources[::5] + targets[::5]
    vocabularies: list[Vocabulary] = []
    for size in sizes:
        try:
            tokenizer = SentencePiece.train(train, size=size, kind="bpe")
        except ConfigError:
            continue  # the corpus is too small for this size
        vocabularies.append(_measure(tokenizer, test))
    return vocabularies, _seconds_per_pair(train[:: max(1, len(train) // 1_000)], test)


def _seconds_per_pair(train: list[str], test: list[str]) -> float:
    """Time the encoding with a unigram model, whose speed hardly depends on its size."""
    try:
        tokenizer = SentencePiece.train(train, size=1_000)
    except ConfigError:
        return 0.0
    start = time.process_time()
    tokenizer.encode(test)
    return 2 * (time.process_time() - start) / len(test)


def predict(pairs: int, vocabularies: Sequence[Vocabulary], seconds: float) -> Forecast:
    """Return the forecast for the vocabulary closest to the recommended size."""
    if not vocabularies:
        return Forecast(0, 0, 0, 16 * pairs, 0.0)
    # In small corpora, rare pieces occur too seldom to train their embeddings.
    wanted = 8_000 if pairs < 500_000 else 32_000
    chosen = min(vocabularies, key=lambda vocabulary: abs(vocabulary.size - wanted))
    pieces = round(chosen.pieces_per_pair * pairs)
    return Forecast(
        chosen.size,
        pieces,
        disk=2 * pieces + 8 * pairs,  # two bytes a piece, and the lengths
        memory=16 * pairs,
        seconds=pairs * seconds * (1 + _OTHER_WORK),
    )


def _measure(tokenizer: SentencePiece, lines: list[str]) -> Vocabulary:
    words = whole_words = byte_pieces = pieces = 0
    for line in lines:
        names = tokenizer.pieces(line).pieces
        starts = [name.startswith("▁") for name in names] + [True]
        words += sum(starts) - 1
        whole_words += sum(start and end for start, end in pairwise(starts))
        byte_pieces += sum(name.startswith("<0x") for name in names)
        pieces += len(names)
    return Vocabulary(
        tokenizer.size,
        pieces_per_word=pieces / max(1, words),
        whole_words=whole_words / max(1, words),
        byte_pieces=byte_pieces / max(1, pieces),
        pieces_per_pair=2 * pieces / len(lines),
    )


def _sample(corpus: Corpus, pairs: int) -> tuple[list[str], list[str]]:
    """Sample pairs at random with a fixed seed.

    Every n-th pair would be biased: Multi30k repeats a pattern of five lines.
    """
    generator = np.random.default_rng(0)
    sources: list[str] = []
    targets: list[str] = []
    try:
        for more_sources, more_targets in corpus.columns(BLOCK, 0):
            chosen = generator.random(len(more_sources)) < _SAMPLE / pairs
            sources += compress(more_sources, chosen)
            targets += compress(more_targets, chosen)
    except CorpusError:
        pass  # the survey reports the error; the pairs before it suffice as a sample
    return sources, targets


def _without_fifths(lines: list[str]) -> list[str]:
    return [line for i, line in enumerate(lines) if i % 5]
