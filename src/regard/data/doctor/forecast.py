"""What vocabularies would make of a corpus, and what it will take to prepare it.

Both are measured on a sample of the corpus, on this machine. The vocabularies are
BPE, which is learnt in a second; unigram ones of the same size cut words into about as many pieces.
What is learnt from a sample covers a little less than what is learnt from all.
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
_OTHER_WORK = 1.6  # reading, cleaning, hashing and writing, for each second of encoding


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A joint vocabulary, tried on sentences that it was not learnt from."""

    size: int
    pieces_per_word: float
    whole_words: float  # the share of words that are one piece
    spelt: float  # the share of pieces that are single bytes of unknown characters
    pieces_per_pair: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """For all pairs, as they are now: filters and dedupe will leave less."""

    size: int  # of the vocabulary that it is made for
    pieces: int  # both sides
    disk: int  # bytes of the prepared corpus
    memory: int  # bytes that finding duplicates takes
    seconds: float  # to prepare it on one core of this machine


def measure_vocabularies(
    corpus: Corpus, pairs: int, sizes: Sequence[int]
) -> tuple[list[Vocabulary], float]:
    """Vocabularies of these sizes, and the seconds that encoding takes for each pair."""
    if not sizes:
        return [], 0.0
    sources, targets = _sample(corpus, pairs)
    learnt = [line for side in (sources, targets) for line in _without_fifths(side)]
    tried = sources[::5] + targets[::5]
    found: list[Vocabulary] = []
    for size in sizes:
        try:
            tokenizer = SentencePiece.train(learnt, size=size, kind="bpe")
        except ConfigError:
            continue  # the corpus is too small for so many
        found.append(_try(tokenizer, tried))
    return found, _seconds_per_pair(learnt[:: max(1, len(learnt) // 1_000)], tried)


def _seconds_per_pair(learnt: list[str], tried: list[str]) -> float:
    """Of encoding with a unigram model, whose speed hardly depends on its size."""
    try:
        tokenizer = SentencePiece.train(learnt, size=1_000)
    except ConfigError:
        return 0.0
    start = time.process_time()
    tokenizer.encode(tried)
    return 2 * (time.process_time() - start) / len(tried)


def predict(pairs: int, vocabularies: Sequence[Vocabulary], seconds: float) -> Forecast:
    if not vocabularies:
        return Forecast(0, 0, 0, 16 * pairs, 0.0)
    # Small corpora see rare pieces too seldom to learn them.
    wanted = 8_000 if pairs < 500_000 else 32_000
    chosen = min(vocabularies, key=lambda vocabulary: abs(vocabulary.size - wanted))
    pieces = round(chosen.pieces_per_pair * pairs)
    return Forecast(
        chosen.size,
        pieces,
        disk=2 * pieces + 8 * pairs,  # two bytes a piece, a length for each side
        memory=16 * pairs,
        seconds=pairs * seconds * (1 + _OTHER_WORK),
    )


def _try(tokenizer: SentencePiece, lines: list[str]) -> Vocabulary:
    words = whole = spelt = pieces = 0
    for line in lines:
        names = tokenizer.pieces(line).pieces
        starts = [name.startswith("▁") for name in names] + [True]
        words += sum(starts) - 1
        whole += sum(start and end for start, end in pairwise(starts))
        spelt += sum(name.startswith("<0x") for name in names)
        pieces += len(names)
    return Vocabulary(
        tokenizer.size,
        pieces_per_word=pieces / max(1, words),
        whole_words=whole / max(1, words),
        spelt=spelt / max(1, pieces),
        pieces_per_pair=2 * pieces / len(lines),
    )


def _sample(corpus: Corpus, pairs: int) -> tuple[list[str], list[str]]:
    """Chosen by chance, the same each time: corpora have rhythms (Multi30k one of five lines)."""
    chance = np.random.default_rng(0)
    sources: list[str] = []
    targets: list[str] = []
    try:
        for more_sources, more_targets in corpus.columns(BLOCK, 0):
            kept = chance.random(len(more_sources)) < _SAMPLE / pairs
            sources += compress(more_sources, kept)
            targets += compress(more_targets, kept)
    except CorpusError:
        pass  # the survey has it; what came before is sample enough
    return sources, targets


def _without_fifths(lines: list[str]) -> list[str]:
    return [line for place, line in enumerate(lines) if place % 5]
