"""Prepared data on disk: token shards that are read by memory map, and the manifest over them.

    manifest.json            what is here: the shards of each split, the tokeniser, the checksums
    tokenizer.model, .json   the tokeniser that the ids belong to
    train-00000.source       the ids of all source sides, one after the other (uint16 or uint32)
    train-00000.target       the same of the target sides
    train-00000.lengths      pairs × 2 uint16: the ids of each source and of each target
    train-00000.json         where this shard came from, what was dropped on the way, checksums

The directory may lie in an object store; a shard there is fetched when its turn comes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.data import storage
from regard.errors import ArtifactError

FORMAT = 1  # of the files above; a reader refuses a number that it does not know
MANIFEST = "manifest.json"
PARTS = ("source", "target", "lengths")
MAX_TOKENS = (1 << 16) - 3  # ids in a side: a length has two bytes, and two marks are set around it


@dataclass(frozen=True, slots=True)
class Shard:
    """Where a shard lies and what the manifest says of it; its numbers are read by `open`."""

    root: str
    name: str
    corpus: str
    pairs: int
    tokens: tuple[int, int]  # of source and target
    dtype: str
    checksums: tuple[str, str, str]  # SHA-256, in the order of PARTS

    def open(self) -> OpenShard:
        paths = [storage.join_path(self.root, f"{self.name}.{part}") for part in PARTS]
        source, target, flat = (
            _view(path, dtype, size)
            for path, dtype, size in zip(
                paths,
                (self.dtype, self.dtype, "uint16"),
                (*self.tokens, 2 * self.pairs),
                strict=True,
            )
        )
        lengths = flat.reshape(-1, 2)
        ends = np.zeros((self.pairs + 1, 2), np.int64)
        np.cumsum(lengths, axis=0, out=ends[1:], dtype=np.int64)
        if tuple(ends[-1]) != self.tokens:
            raise ArtifactError(
                f"{paths[2]}: the lengths add up to {ends[-1].tolist()} ids, and the manifest says "
                f"{list(self.tokens)}: the file is damaged; prepare the data again"
            )
        return OpenShard(source, target, lengths, ends[:-1])

    def verify(self) -> None:
        """Compare every byte with the checksums; reads the shard whole."""
        for part, checksum in zip(PARTS, self.checksums, strict=True):
            path = storage.join_path(self.root, f"{self.name}.{part}")
            if hashlib.sha256(storage.map_array(path, np.uint8).data).hexdigest() != checksum:
                raise ArtifactError(
                    f"{path}: its SHA-256 is not the one in {MANIFEST}: the file is damaged; "
                    "prepare the data again, which rewrites only what is damaged"
                )


@dataclass(frozen=True, slots=True)
class OpenShard:
    """The numbers of a shard. The pair i begins at starts[i] of the flat ids of either side."""

    source: NDArray[Any]
    target: NDArray[Any]
    lengths: NDArray[np.uint16]  # pairs × 2
    starts: NDArray[np.int64]  # pairs × 2

    def pair(self, i: int) -> tuple[NDArray[Any], NDArray[Any]]:
        (a, b), (m, n) = self.starts[i].tolist(), self.lengths[i].tolist()
        return self.source[a : a + m], self.target[b : b + n]


@dataclass(frozen=True, slots=True)
class PreparedData:
    """A directory of shards, as its manifest describes it."""

    root: str
    vocabulary: int
    tokenizer: str  # the fingerprint of the tokeniser
    splits: dict[str, tuple[Shard, ...]]
    labels: tuple[str, ...] = ()  # where targets are labels, what their ids stand for

    @classmethod
    def open(cls, root: str) -> PreparedData:
        path = storage.join_path(root, MANIFEST)
        try:
            facts = json.loads(storage.read_bytes(path))
        except FileNotFoundError:
            raise ArtifactError(
                f"{path}: there is no such file: prepare has not ended here; run it again"
            ) from None
        except ValueError as error:
            raise ArtifactError(f"{path}: not a manifest: {error}; prepare again") from error
        if facts.get("format") != FORMAT:
            raise ArtifactError(
                f"{path}: of format {facts.get('format')}, and this version reads {FORMAT}; "
                "prepare the data again"
            )
        splits = {
            split: tuple(_shard(root, facts["dtype"], shard) for shard in shards)
            for split, shards in facts["splits"].items()
        }
        labels = tuple(facts.get("labels", ()))
        return cls(root, facts["vocabulary"], facts["tokenizer"], splits, labels)

    def shards(self, split: str) -> tuple[Shard, ...]:
        if split not in self.splits:
            raise ArtifactError(
                f"{self.root}: there is no split {split!r}, only {', '.join(sorted(self.splits))}"
            )
        return self.splits[split]


def shards_fingerprint(shards: Sequence[Shard]) -> str:
    """The same for the same ids in the same order, wherever they lie."""
    checksums = [[shard.corpus, *shard.checksums] for shard in shards]
    return hashlib.sha256(json.dumps(checksums).encode()).hexdigest()


def _shard(root: str, dtype: str, facts: dict[str, Any]) -> Shard:
    source, target, lengths = (facts["sha256"][part] for part in PARTS)
    return Shard(
        root=root,
        name=facts["name"],
        corpus=facts["corpus"],
        pairs=facts["pairs"],
        tokens=(facts["tokens"][0], facts["tokens"][1]),
        dtype=dtype,
        checksums=(source, target, lengths),
    )


def _view(path: str, dtype: str, size: int) -> NDArray[Any]:
    try:
        numbers = storage.map_array(path, np.uint8)
    except FileNotFoundError:
        raise ArtifactError(f"{path}: there is no such file; prepare the data again") from None
    if numbers.nbytes != size * np.dtype(dtype).itemsize:
        raise ArtifactError(
            f"{path}: has {numbers.nbytes} bytes, and the manifest says {size} {dtype}: the file "
            "is cut short or belongs to another manifest; prepare the data again"
        )
    return numbers.view(dtype)
