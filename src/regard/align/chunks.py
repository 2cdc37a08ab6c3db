"""Chunks of a corpus as word ids, and the pairs of words that occur together in them.

    read    a chunk of the corpus → the words of its pairs, as ids of the chunk's own vocabulary
    cells   a chunk               → its cells: the pairs of words that occur together in it
    merge   all chunks            → the cells of one range of source words, without repetitions

The stages run as tasks (see `data.preparation.tasks`). Only the vocabularies are held in memory.
The files of a chunk have the size of the chunk: nothing in them depends on the whole corpus.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from regard.align.hmm import Ids, WordPairs
from regard.align.word_aligner import aligner_words, encode_pairs
from regard.data import storage
from regard.data.formats.corpus import Corpus
from regard.data.loading.shards import PreparedData, Shard, load_tokenizers
from regard.data.preparation.cut import CorpusPiece, read_records
from regard.data.preparation.pipeline import ProgressCallback, cut_into_pieces
from regard.data.preparation.runner import Facts, PreparationTask, Runner, TaskResult, Write

PAIRS = 10_000  # of a chunk
PART_CELLS = 1 << 26  # of all chunks, in a range of source words that is merged at once
MAX_PARTS = 64
MERGED = 1 << 24  # keys that are merged at once: 128 MB, three times that while they are sorted
SIDES = ("source", "target")


class PairReader(ABC):
    """Reads the pairs of one chunk, in any process."""

    @property
    @abstractmethod
    def identity(self) -> Facts:
        """JSON values that change when the pairs do."""

    @abstractmethod
    def read(self) -> tuple[list[str], list[str]]:
        """Return the sources and the targets."""


@dataclass(frozen=True, slots=True)
class PieceReader(PairReader):
    """Pairs of a piece of a corpus."""

    corpus: Facts  # its identity
    piece: CorpusPiece
    copied: bool

    @property
    def identity(self) -> Facts:
        return {**self.corpus, "piece": [self.piece.first_line, self.piece.lines]}

    def read(self) -> tuple[list[str], list[str]]:
        return read_records(self.piece, copied=self.copied)


@dataclass(frozen=True, slots=True)
class ShardReader(PairReader):
    """Pairs of a prepared shard, decoded."""

    shard: Shard
    first: int
    stop: int

    @property
    def identity(self) -> Facts:
        return {"checksums": self.shard.checksums, "pairs": [self.first, self.stop]}

    def read(self) -> tuple[list[str], list[str]]:
        source, target = load_tokenizers(self.shard.root)
        opened = self.shard.open()
        pairs = [opened.pair(i) for i in range(self.first, self.stop)]
        return (
            [source.decode(ids.tolist()) for ids, _ in pairs],
            [target.decode(ids.tolist()) for _, ids in pairs],
        )


def corpus_readers(
    corpus: Corpus,
    work: str,
    runner: Runner,
    on_progress: ProgressCallback = lambda progress: None,
) -> list[PairReader]:
    """Readers of all chunks of a corpus. Compressed files are copied to `work`, decompressed."""
    identity, pieces, copied = cut_into_pieces(corpus, PAIRS, work, runner, on_progress)
    return [PieceReader(identity, piece, copied) for piece in pieces]


def prepared_readers(prepared: PreparedData) -> list[PairReader]:
    """Readers of all chunks of the training pairs of prepared data."""
    return [
        ShardReader(shard, first, min(first + PAIRS, shard.pairs))
        for shard in prepared.shards("train")
        for first in range(0, shard.pairs, PAIRS)
    ]


def read_chunk(task: PreparationTask, write: Write) -> Facts:
    pretokenized, longest = task.parameters["pretokenized"], task.parameters["max_words"]
    words = (
        [aligner_words(text, pretokenized=pretokenized) for text in texts]
        for texts in task.locations["reader"].read()
    )
    pairs = list(zip(*words, strict=True))
    read = len(pairs)
    pairs = [(s, t) for s, t in pairs if s and t and max(len(s), len(t)) <= longest]
    vocabularies = [
        {w: n for n, w in enumerate(dict.fromkeys(w for pair in pairs for w in pair[side]))}
        for side in (0, 1)
    ]
    encoded = encode_pairs(pairs, *vocabularies)
    for name, array in asdict(encoded).items():
        write(f"{task.name}.{name}", array.tobytes())
    for side, vocabulary in zip(SIDES, vocabularies, strict=True):
        write(f"{task.name}.{side}_words", "\n".join(vocabulary).encode())
    return {"read": read, "kept": len(pairs)}


def merge_vocabularies(root: str, chunks: Sequence[TaskResult]) -> Vocabularies:
    """Number the words of all chunks in the order in which they first occur.

    Writes the numbers of each chunk's words to `NAME.source_ids` and `NAME.target_ids`.
    """
    vocabularies: dict[str, dict[str, int]] = {side: {} for side in SIDES}
    checksums = []
    for chunk in chunks:
        digest = hashlib.sha256()
        for side, ids in vocabularies.items():
            path = storage.join_path(root, f"{chunk.name}.{side}")
            text = storage.read_bytes(f"{path}_words").decode()
            words = text.split("\n") if text else []
            numbers = np.fromiter((ids.setdefault(word, len(ids)) for word in words), np.int32)
            storage.write_bytes(f"{path}_ids", numbers.tobytes())
            digest.update(numbers.data)
        checksums.append(digest.hexdigest())
    return Vocabularies(vocabularies["source"], vocabularies["target"], checksums)


@dataclass(frozen=True, slots=True)
class Vocabularies:
    """The words of all chunks.

    Args:
        source: The number of each source word.
        target: The number of each target word.
        checksums: Of the numbers of each chunk's words.
    """

    source: dict[str, int]
    target: dict[str, int]
    checksums: list[str]


@dataclass(frozen=True, slots=True)
class ChunkWords:
    """The words of a chunk: their numbers in the merged vocabularies, ascending."""

    sources: Ids
    targets: Ids


def load_chunk(root: str, name: str) -> tuple[ChunkWords, WordPairs]:
    """The words of a chunk, and its pairs as places in them."""
    path = storage.join_path(root, name)
    words = load_words(root, name)
    texts = []
    for side, ordered in zip(SIDES, (words.sources, words.targets), strict=True):
        numbers = storage.map_array(f"{path}.{side}_ids", np.int32)
        ranks = np.searchsorted(ordered, numbers).astype(np.int32)
        texts.append(np.ascontiguousarray(ranks[storage.map_array(f"{path}.{side}", np.int32)]))
    ends = (storage.map_array(f"{path}.{side}_ends", np.int64) for side in SIDES)
    return words, WordPairs(*texts, *ends)


def load_words(root: str, name: str) -> ChunkWords:
    path = storage.join_path(root, name)
    return ChunkWords(
        *(np.sort(storage.map_array(f"{path}.{side}_ids", np.int32)) for side in SIDES)
    )


def find_cells(task: PreparationTask, write: Write) -> Facts:
    """Write the places of each source word's cells, and the target words of the cells."""
    words, pairs = load_chunk(task.root, task.locations["chunk"])
    keys = [_unique((_wide(s)[:, None] << 32 | _wide(t)).ravel()) for s, t in pairs]
    cells = _unique(np.concatenate([np.zeros(0, np.int64), *keys]))
    rows = np.concatenate([[0], np.cumsum(np.bincount(cells >> 32, None, len(words.sources)))])
    name = task.locations["chunk"]
    write(f"{name}.rows", rows.astype(np.int64).tobytes())
    write(f"{name}.cells", (cells & 0xFFFFFFFF).astype(_cell_type(words)).tobytes())
    return {"cells": len(cells)}


def load_cells(
    root: str, name: str, words: ChunkWords
) -> tuple[NDArray[np.int64], NDArray[np.integer]]:
    """The first cell of each source word of a chunk, and the target word of each cell."""
    path = storage.join_path(root, name)
    cells = storage.map_array(f"{path}.cells", _cell_type(words))
    return storage.map_array(f"{path}.rows", np.int64), cells


def choose_edges(root: str, chunks: Sequence[TaskResult], sources: int) -> list[int]:
    """Ranges of source words with about the same number of cells in all chunks."""
    cells = np.zeros(sources, np.int64)
    for chunk in chunks:
        path = storage.join_path(root, chunk.name)
        numbers = np.sort(storage.map_array(f"{path}.source_ids", np.int32))
        cells[numbers] += np.diff(storage.map_array(f"{path}.rows", np.int64))
    ends = cells.cumsum()
    total = int(cells.sum())
    parts = min(MAX_PARTS, 1 + total // PART_CELLS)
    inner = np.searchsorted(ends, [total * n // parts for n in range(1, parts)]) + 1
    return sorted({0, *inner.tolist(), sources})


def merge_part(task: PreparationTask, write: Write) -> Facts:
    """Write the cells of a range of source words as keys: source word × 2³² + target word."""
    first, stop = task.parameters["range"]
    merged = np.zeros(0, np.int64)
    waiting: list[NDArray[np.int64]] = []
    size = 0  # of all arrays in `waiting`
    for name in task.locations["chunks"]:
        words = load_words(task.root, name)
        rows, cells = load_cells(task.root, name, words)
        start, end = np.searchsorted(words.sources, (first, stop))
        source = np.repeat(_wide(words.sources[start:end]), np.diff(rows[start : end + 1]))
        target = words.targets[cells[rows[start] : rows[end]]]
        waiting.append(source << 32 | target)
        size += len(source)
        if size > max(MERGED, len(merged)):  # merging seldom keeps the time linear
            merged, waiting, size = _unique(np.concatenate([merged, *waiting])), [], 0
    merged = _unique(np.concatenate([merged, *waiting]))
    write(f"{task.name}.keys", merged.tobytes())
    return {"keys": len(merged)}


def _cell_type(words: ChunkWords) -> DTypeLike:
    return np.uint16 if len(words.targets) <= 1 << 16 else np.int32


def _unique(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    ordered = np.sort(keys)
    return ordered[np.diff(ordered, prepend=-1) > 0]


def _wide(ids: Ids) -> NDArray[Any]:
    return ids.astype(np.int64)
