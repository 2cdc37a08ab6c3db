"""Shards of token ids and images on disk, and the tokenizers they were made with.

    manifest.json            the shards of each split, the tokenizer, checksums
    tokenizer.model, .json   the tokenizer of the ids; that of the targets may have its own files
    train-00000.source       the ids of all sources, concatenated (uint16 or uint32)
    train-00000.target       the same for the targets
    train-00000.lengths      pairs × 2 uint16: the number of ids of each source and target
    train-00000.json         origin of the shard, dropped pairs, checksums
    valid-00000.source.txt   the normalized texts of held-out sources; .target.txt of their targets

The directory may be in an object store; a shard is then fetched when it is opened.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from regard.bounds import TOKENS
from regard.data import storage
from regard.errors import ArtifactError
from regard.text.tagged_tokenizer import TARGET, read_tokenizers
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, Tokenizer

FORMAT = 1  # version of the files above
MANIFEST = "manifest.json"
PARTS = ("source", "target", "lengths")
MAX_TOKENS = int(TOKENS.high)  # per side: a length is a uint16, with two special tokens


@dataclass(frozen=True, slots=True)
class Shard:
    """The manifest's entry of a shard; `open` maps its arrays."""

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
                f"{paths[2]}: the lengths add up to {ends[-1].tolist()} ids, but {MANIFEST} lists "
                f"{list(self.tokens)}. The file is damaged. Prepare the data again."
            )
        return OpenShard(source, target, lengths, ends[:-1])

    def read_texts(self, side: Literal["source", "target"]) -> tuple[str, ...]:
        """Return the normalized texts of one side, in order; only held-out shards have them.

        A text that is stored as several windows is one text here.
        """
        path = storage.join_path(self.root, f"{self.name}.{side}.txt")
        return tuple(storage.read_bytes(path).decode().split("\n")[:-1])

    def verify(self) -> None:
        """Compare the shard with its checksums. Raises ArtifactError if they differ."""
        for part, checksum in zip(PARTS, self.checksums, strict=True):
            path = storage.join_path(self.root, f"{self.name}.{part}")
            if hashlib.sha256(storage.map_array(path, np.uint8).data).hexdigest() != checksum:
                raise ArtifactError(
                    f"{path}: its SHA-256 differs from the one in {MANIFEST}. The file is damaged. "
                    "Prepare the data again; only damaged files are rewritten."
                )


@dataclass(frozen=True, slots=True)
class OpenShard:
    """The arrays of a shard. Pair i starts at starts[i] in the flat ids of source and target."""

    source: NDArray[Any]
    target: NDArray[Any]
    lengths: NDArray[np.uint16]  # pairs × 2
    starts: NDArray[np.int64]  # pairs × 2

    def pair(self, i: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the source and target ids of pair i."""
        (a, b), (m, n) = self.starts[i].tolist(), self.lengths[i].tolist()
        return self.source[a : a + m], self.target[b : b + n]


class _ShardEntry(TypedDict):
    """A shard in the manifest, which also has its origin and its dropped pairs."""

    name: str
    corpus: str
    pairs: int
    tokens: tuple[int, int]
    sha256: dict[str, str]


@dataclass(frozen=True, slots=True)
class PreparedData:
    """A directory of shards, read from its manifest."""

    root: str
    vocabulary: int  # of the source
    target_vocabulary: int
    tokenizer: str  # fingerprint
    splits: dict[str, tuple[Shard, ...]]
    labels: tuple[str, ...] = ()  # names of the target ids if the targets are labels
    read: int = 0  # training records before any was dropped
    dropped: dict[str, int] = field(default_factory=dict)  # how many of them, by reason
    valid_dropped: dict[str, int] = field(default_factory=dict)  # validation records

    @classmethod
    def open(cls, root: str) -> PreparedData:
        path = storage.join_path(root, MANIFEST)
        try:
            manifest = json.loads(storage.read_bytes(path))
        except FileNotFoundError:
            raise ArtifactError(
                f"{path}: no such file. Preparation has not finished; run it again."
            ) from None
        except ValueError as error:
            raise ArtifactError(
                f"{path}: not a manifest: {error}. Prepare the data again."
            ) from error
        if manifest.get("format") != FORMAT:
            raise ArtifactError(
                f"{path}: format {manifest.get('format')} is not supported; this version reads "
                f"format {FORMAT}. Prepare the data again."
            )
        splits = {
            split: tuple(_shard(root, manifest["dtype"], shard) for shard in shards)
            for split, shards in manifest["splits"].items()
        }
        labels = tuple(manifest.get("labels", ()))
        rows = manifest.get("rows", {})
        return cls(
            root,
            manifest["vocabulary"],
            manifest.get("target_vocabulary", manifest["vocabulary"]),
            manifest["tokenizer"],
            splits,
            labels,
            rows.get("read", 0),
            rows.get("dropped", {}),
            rows.get("valid dropped", {}),
        )

    def shards(self, split: str) -> tuple[Shard, ...]:
        """Return the shards of a split. Raises ArtifactError if there is no such split."""
        if split not in self.splits:
            raise ArtifactError(
                f"{self.root}: no split {split!r}. Splits: {', '.join(sorted(self.splits))}."
            )
        return self.splits[split]


def describe_drops(dropped: Mapping[str, int]) -> str:
    """Return the numbers of dropped records by reason, as text."""
    return ", ".join(f"{reason}: {count:,}" for reason, count in dropped.items() if count)


def shards_fingerprint(shards: Sequence[Shard]) -> str:
    """Return a hash of the contents and the order of shards, independent of their location."""
    checksums = [[shard.corpus, *shard.checksums] for shard in shards]
    return hashlib.sha256(json.dumps(checksums).encode()).hexdigest()


def _shard(root: str, dtype: str, entry: _ShardEntry) -> Shard:
    source, target, lengths = (entry["sha256"][part] for part in PARTS)
    return Shard(
        root=root,
        name=entry["name"],
        corpus=entry["corpus"],
        pairs=entry["pairs"],
        tokens=(entry["tokens"][0], entry["tokens"][1]),
        dtype=dtype,
        checksums=(source, target, lengths),
    )


def _view(path: str, dtype: str, size: int) -> NDArray[Any]:
    try:
        content = storage.map_array(path, np.uint8)
    except FileNotFoundError:
        raise ArtifactError(f"{path}: no such file. Prepare the data again.") from None
    if content.nbytes != size * np.dtype(dtype).itemsize:
        raise ArtifactError(
            f"{path}: has {content.nbytes} bytes, but {MANIFEST} lists {size} {dtype}. The file is "
            "truncated or belongs to another manifest. Prepare the data again."
        )
    return content.view(dtype)


# -- prepared images, memory-mapped and looked up by the hashes of their names ---------------------


IMAGE_FORMAT = 1  # of the files that `prepare_images.py` writes
IMAGES_FILE, HASHES_FILE = "images.json", "images.hashes"
HASH_PARTS = 4  # a hash of 64 bits is stored as four token ids of 16 bits


def to_ids(hashes: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Split each hash into four ids, the lowest bits first."""
    return hashes.astype("<u8").view("<u2").reshape(-1, HASH_PARTS)


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
            valid = manifest["format"] == IMAGE_FORMAT and sum(n for _, n in shards) == len(hashes)
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


# -- load the tokenizers of prepared data or of a bundle, from a directory or an object store ------


def load_tokenizers(folder: str) -> tuple[Tokenizer, Tokenizer]:
    """Return the tokenizers of source and target; they are one object if they are the same.

    Raises:
        ArtifactError: There is none, or a file is damaged.
    """
    target = f"{TARGET}{SETTINGS_FILE}"
    names = {target} if storage.path_exists(storage.join_path(folder, target)) else set()
    try:
        return read_tokenizers(
            lambda name: storage.read_bytes(storage.join_path(folder, name)), names, Path(folder)
        )
    except OSError as error:
        raise ArtifactError(f"{folder}: cannot read a tokenizer: {error!r}") from error


def tokenizer_paths(folder: str) -> list[str]:
    """Return the paths of the files of a directory that `load_tokenizers` may read."""
    names = (MODEL_FILE, SETTINGS_FILE, f"{TARGET}{MODEL_FILE}", f"{TARGET}{SETTINGS_FILE}")
    return [storage.join_path(folder, name) for name in names]
