"""Prepared pictures, read by memory map: those of a batch, by the hashes of their names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.data import storage
from regard.errors import ArtifactError

FORMAT = 1  # of what `preparation/pictures.py` writes
IMAGES_FILE, HASHES_FILE = "pictures.json", "pictures.hashes"
PARTS = 4  # of 16 bits, that a hash of 64 is written in: a batch's ids are no wider


def to_ids(hashes: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Of each hash its four parts, the lowest first."""
    return hashes.astype("<u8").view("<u2").reshape(-1, PARTS)


def from_ids(ids: NDArray[Any]) -> NDArray[np.uint64]:
    return np.ascontiguousarray(ids.astype("<u2")).view("<u8")[:, 0]


@dataclass(frozen=True, slots=True, eq=False)
class ImageShards:
    """A folder of prepared pictures."""

    root: str
    shape: tuple[int, ...]
    dtype: str
    shards: tuple[tuple[str, int], ...]  # names and counts
    order: NDArray[np.int64]  # the places of all hashes, in the order of
    hashes: NDArray[np.uint64]

    @classmethod
    def open(cls, root: str) -> ImageShards:
        path = storage.join_path(root, IMAGES_FILE)
        try:
            facts = json.loads(storage.read_bytes(path))
            hashes = np.frombuffer(storage.read_bytes(storage.join_path(root, HASHES_FILE)), "<u8")
            shards = tuple((shard["name"], shard["count"]) for shard in facts["shards"])
            known = facts["format"] == FORMAT and sum(n for _, n in shards) == len(hashes)
            shape, dtype = tuple(facts["shape"]), facts["dtype"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ArtifactError(
                f"{path}: no prepared pictures can be read here ({error}); run it again"
            ) from None
        if not known:
            raise ArtifactError(f"{path}: is not whole, or of another version; prepare it again")
        order = np.argsort(hashes)
        return cls(root, shape, dtype, shards, order, hashes[order])

    def read(self, hashes: NDArray[np.uint64]) -> NDArray[Any]:
        """The pictures with these hashes, one after the other."""
        at = np.searchsorted(self.hashes, hashes).clip(max=len(self.hashes) - 1)
        if (self.hashes[at] != hashes).any():
            raise ArtifactError(f"{self.root}: a picture of the batch is missing; prepare it again")
        ends = np.cumsum([count for _, count in self.shards])
        seen = np.empty((len(hashes), *self.shape), self.dtype)
        for row, place in enumerate(self.order[at].tolist()):
            shard = int(np.searchsorted(ends, place, side="right"))
            name, count = self.shards[shard]
            seen[row] = _mapped(self.root, name, self.dtype, (count, *self.shape))[
                place - int(ends[shard]) + count
            ]
        return seen


@lru_cache(maxsize=4_096)  # maps, not pictures: opening one takes longer than reading from it
def _mapped(root: str, name: str, dtype: str, shape: Sequence[int]) -> NDArray[Any]:
    path = storage.join_path(root, f"{name}.pixels")
    numbers = storage.map_array(path, np.uint8)
    if numbers.nbytes != np.prod(shape) * np.dtype(dtype).itemsize:
        raise ArtifactError(f"{path}: is cut short or belongs to another run; prepare it again")
    return numbers.view(dtype).reshape(shape)
