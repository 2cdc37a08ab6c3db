"""Prepared images, memory-mapped and looked up by the hashes of their names."""

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

FORMAT = 1  # of the files that `prepare_images.py` writes
IMAGES_FILE, HASHES_FILE = "images.json", "images.hashes"
PARTS = 4  # a hash of 64 bits is stored as four token ids of 16 bits


def to_ids(hashes: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Split each hash into four ids, the lowest bits first."""
    return hashes.astype("<u8").view("<u2").reshape(-1, PARTS)


def from_ids(ids: NDArray[Any]) -> NDArray[np.uint64]:
    """Invert `to_ids`."""
    return np.ascontiguousarray(ids.astype("<u2")).view("<u8")[:, 0]


@dataclass(frozen=True, slots=True, eq=False)
class ImageShards:
    """A directory of prepared images."""

    root: str
    shape: tuple[int, ...]
    dtype: str
    shards: tuple[tuple[str, int], ...]  # names and counts
    order: NDArray[np.int64]  # index of the image of each hash
    hashes: NDArray[np.uint64]  # sorted

    @classmethod
    def open(cls, root: str) -> ImageShards:
        path = storage.join_path(root, IMAGES_FILE)
        try:
            manifest = json.loads(storage.read_bytes(path))
            hashes = np.frombuffer(storage.read_bytes(storage.join_path(root, HASHES_FILE)), "<u8")
            shards = tuple((shard["name"], shard["count"]) for shard in manifest["shards"])
            valid = manifest["format"] == FORMAT and sum(n for _, n in shards) == len(hashes)
            shape, dtype = tuple(manifest["shape"]), manifest["dtype"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ArtifactError(
                f"{path}: cannot read prepared images ({error}). Prepare the data again."
            ) from None
        if not valid:
            raise ArtifactError(
                f"{path}: incomplete, or written by another version. Prepare the data again."
            )
        order = np.argsort(hashes)
        return cls(root, shape, dtype, shards, order, hashes[order])

    def read(self, hashes: NDArray[np.uint64]) -> NDArray[Any]:
        """Return the images with these hashes: images × shape."""
        at = np.searchsorted(self.hashes, hashes).clip(max=len(self.hashes) - 1)
        if (self.hashes[at] != hashes).any():
            raise ArtifactError(
                f"{self.root}: an image of the batch is missing. Prepare the data again."
            )
        ends = np.cumsum([count for _, count in self.shards])
        images = np.empty((len(hashes), *self.shape), self.dtype)
        for row, index in enumerate(self.order[at].tolist()):
            shard = int(np.searchsorted(ends, index, side="right"))
            name, count = self.shards[shard]
            images[row] = _map_shard(self.root, name, self.dtype, (count, *self.shape))[
                index - int(ends[shard]) + count
            ]
        return images


@lru_cache(maxsize=4_096)  # caches maps, not images; opening a map takes longer than reading
def _map_shard(root: str, name: str, dtype: str, shape: Sequence[int]) -> NDArray[Any]:
    path = storage.join_path(root, f"{name}.pixels")
    content = storage.map_array(path, np.uint8)
    if content.nbytes != np.prod(shape) * np.dtype(dtype).itemsize:
        raise ArtifactError(f"{path}: truncated, or from another run. Prepare the data again.")
    return content.view(dtype).reshape(shape)
