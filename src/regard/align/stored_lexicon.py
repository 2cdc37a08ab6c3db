"""A lexicon on disk: parts, each of the entries of a range of source words.

A part is small, so the memory of an update depends neither on the size of the lexicon nor on that
of the corpus. Counting a chunk needs the entries of the chunk's own words only: it reads these from
the parts and computes with a small lexicon of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from regard.align.chunks import ChunkWords, load_cells
from regard.align.hmm import FLOOR, JUMPS, LEXICON_TYPES, REACH, Floats, Ids, Lexicon
from regard.data import storage
from regard.data.preparation.runner import Facts, TaskResult, Write

ENTRY_FIELDS = ("rows", "targets", "forward", "backward")  # one file for each part
WORD_FIELDS = ("null_targets", "null_sources", "jumps")
JUMP_PRIOR = 0.5  # added to the count of each jump
FIRST_JUMPS = np.exp(-np.abs(np.arange(JUMPS) - REACH - 1) / 3) + 1e-3  # the next word is likeliest

WordSums: TypeAlias = dict[str, NDArray[Any]]
"""Summed counts of words and of jumps, by name in `WORD_FIELDS`."""
SUM_TYPES: dict[str, DTypeLike] = {
    "null_targets": np.float32,
    "null_sources": np.float32,
    "jumps": np.float64,
}


@dataclass(frozen=True, slots=True)
class LexiconPart:
    """The entries of source words `first` to `stop`. Rows count from the part's first entry."""

    first: int
    stop: int
    rows: NDArray[np.int64]
    targets: Ids
    forward: Floats
    backward: Floats

    @property
    def sources(self) -> Ids:
        """The source word of each entry."""
        return np.repeat(np.arange(self.first, self.stop, dtype=np.int32), np.diff(self.rows))


@dataclass(frozen=True, slots=True)
class StoredLexicon:
    """The files of a lexicon, which a task has written.

    Args:
        root: The directory or URL of the files.
        name: What their names begin with.
        edges: The first source word of each part, and the number of source words.
    """

    root: str
    name: str
    edges: tuple[int, ...]

    @classmethod
    def of(cls, root: str, done: TaskResult) -> StoredLexicon:
        return cls(root, done.name, tuple(done.facts["edges"]))

    def __len__(self) -> int:
        return len(self.edges) - 1

    def part(self, number: int) -> LexiconPart:
        arrays = {name: self._array(f"{number:02}.{name}", name) for name in ENTRY_FIELDS}
        first, stop = self.edges[number : number + 2]
        return LexiconPart(first=first, stop=stop, **arrays)

    def words(self) -> dict[str, NDArray[Any]]:
        """The parameters of words and of jumps."""
        arrays = {name: self._array(f"words.{name}", name) for name in WORD_FIELDS}
        return {**arrays, "jumps": arrays["jumps"].reshape(2, JUMPS)}

    def _array(self, file: str, field: str) -> NDArray[Any]:
        path = storage.join_path(self.root, f"{self.name}-{file}")
        return storage.map_array(path, LEXICON_TYPES[field])


@dataclass(frozen=True, slots=True)
class ChunkLexicon:
    """The part of a lexicon that a chunk needs.

    Args:
        lexicon: The entries of the chunk's cells; its words are those of the chunk, in order.
        entries: The place of each entry in its part of the whole lexicon.
        edges: The first entry of each part, and the number of entries.
    """

    lexicon: Lexicon
    entries: Ids
    edges: list[int]


def load_chunk_lexicon(stored: StoredLexicon, chunk: str, words: ChunkWords) -> ChunkLexicon:
    """Read the entries of a chunk's cells. Cells without an entry have been pruned."""
    rows, cells = load_cells(stored.root, chunk, words)
    sources = words.sources.tolist()
    entries: list[NDArray[np.int64]] = []
    targets, forward, backward = [], [], []
    sizes = np.zeros(len(sources) + 1, np.int64)
    edges = [0]
    for number, (first, stop) in enumerate(pairwise(stored.edges)):
        start, end = np.searchsorted(words.sources, (first, stop))
        part = stored.part(number)
        for i in range(start, end):
            low, high = part.rows[sources[i] - first : sources[i] - first + 2].tolist()
            if low == high:
                continue
            row = part.targets[low:high]
            wanted = cells[rows[i] : rows[i + 1]]
            ids = words.targets[wanted]
            position = np.searchsorted(row, ids)
            position[position == high - low] = 0
            present = row[position] == ids
            position = position[present] + low
            entries.append(position)
            targets.append(wanted[present])
            sizes[i + 1] = len(position)
            forward.append(part.forward[position])
            backward.append(part.backward[position])
        edges.append(sum(map(len, entries)))
    parameters = stored.words()
    lexicon = Lexicon(
        rows=sizes.cumsum(),
        targets=_joined(targets, np.int32),
        forward=_joined(forward, np.float32),
        backward=_joined(backward, np.float32),
        null_targets=parameters["null_targets"][words.targets],
        null_sources=parameters["null_sources"][words.sources],
        jumps=parameters["jumps"],
    )
    return ChunkLexicon(lexicon, _joined(entries, np.int32), edges)


def write_first_lexicon(
    name: str,
    keys: Sequence[NDArray[np.int64]],
    edges: Sequence[int],
    sizes: tuple[int, int],
    write: Write,
) -> Facts:
    """Write a lexicon in which all entries of a word are equally likely.

    Args:
        name: Of the lexicon.
        keys: The sorted entries of each part: a source word × 2³² + a target word.
        edges: The first source word of each part, and the number of source words.
        sizes: The numbers of source and of target words.
        write: Writes a file.
    """
    sources, targets = sizes
    target_counts = np.zeros(targets, np.int64)
    for part in keys:
        target_counts += np.bincount(_low_half(part), None, targets)
    for number, part in enumerate(keys):
        first, stop = edges[number : number + 2]
        source, target = (part >> 32).astype(np.int32) - first, _low_half(part)
        counts = np.bincount(source, None, stop - first)
        arrays = LexiconPart(
            first,
            stop,
            np.concatenate([[0], np.cumsum(counts)]),
            target,
            (1 / counts[source]).astype(np.float32),
            (1 / target_counts[target]).astype(np.float32),
        )
        _write_part(arrays, name, number, write)
    jumps = (FIRST_JUMPS / FIRST_JUMPS.sum()).astype(np.float32)
    words = {
        "null_targets": np.full(targets, 1 / targets, np.float32),
        "null_sources": np.full(sources, 1 / sources, np.float32),
        "jumps": np.stack([jumps, jumps]),
    }
    _write_words(words, name, write)
    return {"edges": list(edges), "entries": sum(map(len, keys))}


def write_next_lexicon(
    stored: StoredLexicon,
    counts: Sequence[tuple[Floats, Floats]],
    sums: WordSums,
    name: str,
    write: Write,
) -> Facts:
    """The M-step: normalize the summed counts. Entries without counts are pruned.

    Args:
        stored: The lexicon that was counted with.
        counts: Of the entries of each part, forward and backward.
        sums: The counts of words and of jumps.
        name: Of the next lexicon.
        write: Writes a file.
    """
    totals = np.zeros(len(sums["null_targets"]))
    for number, (forward, backward) in enumerate(counts):
        used = np.flatnonzero((forward > 0) | (backward > 0))
        # In the order of the entries, so that rounding does not depend on the number of parts.
        np.add.at(totals, stored.part(number).targets[used], backward[used].astype(np.float64))
    entries = 0
    for number, (forward, backward) in enumerate(counts):
        old = stored.part(number)
        used = np.flatnonzero((forward > 0) | (backward > 0))
        source, target = old.sources[used] - old.first, old.targets[used]
        size = old.stop - old.first
        new = LexiconPart(
            old.first,
            old.stop,
            np.concatenate([[0], np.cumsum(np.bincount(source, None, size))]),
            target,
            _shares(forward[used], np.bincount(source, forward[used], size)[source]),
            _shares(backward[used], totals[target]),
        )
        _write_part(new, name, number, write)
        entries += len(used)
    jumps = stored.words()["jumps"]
    if sums["jumps"].any():
        smoothed = sums["jumps"] + JUMP_PRIOR
        jumps = (smoothed / smoothed.sum(axis=1, keepdims=True)).astype(np.float32)
    words = {
        "null_targets": _normalized(sums["null_targets"]),
        "null_sources": _normalized(sums["null_sources"]),
        "jumps": jumps,
    }
    _write_words(words, name, write)
    return {"edges": list(stored.edges), "entries": entries}


def _normalized(counts: Floats) -> Floats:
    same = np.zeros(len(counts), np.int32)
    total = np.bincount(same, counts)  # adds one after the other, whatever the processor
    return _shares(counts, total[same])


def _shares(counts: Floats, totals: NDArray[Any]) -> Floats:
    """Counts divided by totals; at least FLOOR."""
    shares = np.divide(counts, totals, out=np.zeros(len(counts)), where=totals > 0)
    return np.maximum(shares, FLOOR).astype(np.float32)


def _write_part(part: LexiconPart, name: str, number: int, write: Write) -> None:
    for field in ENTRY_FIELDS:
        _write_array(f"{name}-{number:02}.{field}", getattr(part, field), field, write)


def _write_words(words: dict[str, NDArray[Any]], name: str, write: Write) -> None:
    for field in WORD_FIELDS:
        _write_array(f"{name}-words.{field}", words[field], field, write)


def _write_array(file: str, array: NDArray[Any], field: str, write: Write) -> None:
    write(file, np.ascontiguousarray(array, LEXICON_TYPES[field]).data.cast("B"))


def _joined(arrays: Sequence[NDArray[Any]], dtype: DTypeLike) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype), *arrays]).astype(dtype, copy=False)


def _low_half(keys: NDArray[np.int64]) -> Ids:
    return (keys & 0xFFFFFFFF).astype(np.int32)
