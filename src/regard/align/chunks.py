"""Chunks of a corpus as word ids, and the pairs of words that occur together in them.

    read      a chunk of the corpus → the words of its pairs, as ids of the chunk's own vocabulary
    cooccur   a chunk               → the sorted pairs of words that occur together in it
    merge     all chunks            → the pairs of one range of source words, without repetitions

The stages run as tasks (see `data.preparation.tasks`). Only the vocabularies are held in memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.align.hmm import Ids, WordPairs
from regard.align.word_aligner import aligner_words, encode_pairs
from regard.data import storage
from regard.data.formats.corpus import Corpus
from regard.data.loading.shards import PreparedData, Shard
from regard.data.loading.tokenizers import load_tokenizers
from regard.data.preparation.cut import CorpusPiece, read_records
from regard.data.preparation.pipeline import ProgressCallback, cut_into_pieces
from regard.data.preparation.runner import Runner
from regard.data.preparation.tasks import Facts, PreparationTask, TaskResult, Write

PAIRS = 10_000  # of a chunk
PARTITIONS = 16  # ranges of source words that are merged independently
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
        for texts in task.where["reader"].read()
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


def merge_vocabularies(root: str, chunks: Sequence[TaskResult]) -> dict[str, dict[str, int]]:
    """Number the words of all chunks in the order in which they first occur.

    Writes the numbers of each chunk's words to `NAME.source_ids` and `NAME.target_ids`.
    """
    vocabularies: dict[str, dict[str, int]] = {side: {} for side in SIDES}
    for chunk in chunks:
        for side, ids in vocabularies.items():
            path = storage.join_path(root, f"{chunk.name}.{side}")
            text = storage.read_bytes(f"{path}_words").decode()
            words = text.split("\n") if text else []
            numbers = np.fromiter((ids.setdefault(word, len(ids)) for word in words), np.int32)
            storage.write_bytes(f"{path}_ids", numbers.tobytes())
    return vocabularies


def load_pairs(root: str, name: str) -> WordPairs:
    """The pairs of a chunk as ids of the merged vocabularies."""
    path = storage.join_path(root, name)

    def ids(side: str) -> Ids:
        numbers = storage.map_array(f"{path}.{side}_ids", np.int32)
        return np.ascontiguousarray(numbers[storage.map_array(f"{path}.{side}", np.int32)])

    ends = (storage.map_array(f"{path}.{side}_ends", np.int64) for side in SIDES)
    return WordPairs(ids("source"), ids("target"), *ends)


def cooccurring_words(task: PreparationTask, write: Write) -> Facts:
    pairs = load_pairs(task.root, task.where["chunk"])
    keys = [_unique((_wide(s)[:, None] << 32 | _wide(t)).ravel()) for s, t in pairs]
    found = _unique(np.concatenate(keys)) if keys else np.zeros(0, np.int64)
    write(f"{task.name}.keys", found.tobytes())
    edges = np.searchsorted(found, [word << 32 for word in task.parameters["edges"]])
    return {"edges": edges.tolist()}


def merge_partition(task: PreparationTask, write: Write) -> Facts:
    parts = []
    for name, start, stop in task.where["ranges"]:
        raw = storage.read_bytes(task.path(f"{name}.keys"), 8 * start, 8 * stop)
        parts.append(np.frombuffer(raw, np.int64))
    write(f"{task.name}.keys", _unique(np.concatenate(parts)).tobytes())
    return {}


def _unique(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    ordered = np.sort(keys)
    return ordered[np.diff(ordered, prepend=-1) > 0]


def _wide(ids: Ids) -> NDArray[Any]:
    return ids.astype(np.int64)
