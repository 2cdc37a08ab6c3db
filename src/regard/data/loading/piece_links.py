"""Alignment links between the pieces of training pairs, stored by a hash of the pair's ids.

Loading and batching need not carry the links along, and a model of the opposite direction finds the
same links. The safetensors file contains no code and is memory-mapped, so that all processes of a
machine share it.

    keys    n uint64, ascending: a hash of each pair's ids, independent of the direction
    starts  n + 1 int64: index of each pair's first link; the last entry is the number of links
    links   m × 2 uint16: a piece of the side with the smaller ids (as bytes), a piece of the other
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from regard.batch import Batch, Tokens
from regard.data import storage
from regard.data.loading.shard_pool import SOURCE_TOKENS, TARGET_TOKENS, SpecialTokens
from regard.errors import ArtifactError

FORMAT = "piece links, 2"
Ids = Sequence[int]
Link = tuple[int, int]  # source piece, target piece
Keys = NDArray[np.uint64]
Starts = NDArray[np.int64]
Linked = NDArray[np.uint16]  # m × 2


@dataclass(frozen=True, slots=True, eq=False)
class PieceLinks:
    """The alignment links of many pairs, with the arrays of the module docstring."""

    keys: Keys
    starts: Starts
    links: Linked
    facts: Mapping[str, str]  # metadata of the program that wrote them

    @classmethod
    def from_pairs(
        cls, pairs: Iterable[tuple[Ids, Ids, Collection[Link]]], facts: Mapping[str, str]
    ) -> PieceLinks:
        """Build from (source ids, target ids, links), without special tokens, in any order.

        Of duplicate pairs, the first is kept.
        """
        keys, counts, flat = array("Q"), array("q"), array("H")  # compact: there are millions
        for source, target, links in pairs:
            key, swapped = _key(_bytes(source), _bytes(target))
            keys.append(key)
            counts.append(len(links))
            flat.extend(chain.from_iterable(link[::-1] if swapped else link for link in links))
        unique_keys, at = np.unique(np.array(keys, np.uint64), return_index=True)
        sizes = np.array(counts, np.int64)
        _, indices = _expand_ranges((np.cumsum(sizes) - sizes)[at], sizes[at])
        starts = np.concatenate([[0], np.cumsum(sizes[at])])
        return cls(unique_keys, starts, np.array(flat, np.uint16).reshape(-1, 2)[indices], facts)

    @property
    def fingerprint(self) -> str:
        digest = xxhash.xxh3_128(repr(sorted(self.facts.items())).encode())
        for array_ in (self.keys, self.starts, self.links):
            digest.update(np.ascontiguousarray(array_).data)
        return digest.hexdigest()

    def write(self, path: Path) -> None:
        arrays: dict[str, NDArray[Any]] = {
            "keys": self.keys,
            "starts": self.starts,
            "links": self.links,
        }
        metadata = {**self.facts, "format": FORMAT, "fingerprint": self.fingerprint}
        storage.write_bytes(str(path), save(arrays, metadata))

    @classmethod
    def open(cls, path: Path) -> PieceLinks:
        """Memory-map a file. Raises ArtifactError if it is damaged or not written by `write`."""
        remedy = "Prepare the data again."
        try:
            with safe_open(path, framework="pt") as file:  # maps the file; "numpy" would copy it
                facts = dict(file.metadata() or {})
                keys, starts, links = (
                    file.get_tensor(name).numpy() for name in ("keys", "starts", "links")
                )
        except (SafetensorError, OSError, TypeError) as error:  # TypeError: dtype unknown to numpy
            raise ArtifactError(f"{path}: cannot read links ({error}). {remedy}") from None
        if facts.pop("format", None) != FORMAT:
            raise ArtifactError(f"{path}: contains no links, or is of another version. {remedy}")
        fingerprint = facts.pop("fingerprint", None)
        if not _is_valid(keys, starts, links):
            raise ArtifactError(f"{path}: the arrays of the links are inconsistent. {remedy}")
        opened = cls(keys, starts, links, facts)
        if fingerprint != opened.fingerprint:
            raise ArtifactError(f"{path}: damaged; the fingerprint does not match. {remedy}")
        return opened

    def of(self, batch: Batch) -> tuple[NDArray[np.bool_], NDArray[np.int64], Linked]:
        """Return the links of a translation batch.

        Returns which rows are stored, the row of each link, and the links as (source piece, target
        piece), without counting special tokens. A stored pair may have no links.
        """
        if not len(self.keys):
            return np.zeros(len(batch.source.ids), bool), np.zeros(0, np.int64), self.links
        sides = zip(
            _rows(batch.source, SOURCE_TOKENS), _rows(batch.target, TARGET_TOKENS), strict=True
        )
        pair_keys = [_key(source, target) for source, target in sides]
        keys = np.array([key for key, _ in pair_keys], np.uint64)
        swapped = np.array([swapped for _, swapped in pair_keys])
        at = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        stored = self.keys[at] == keys
        counts = (self.starts[at + 1] - self.starts[at]) * stored
        rows, indices = _expand_ranges(self.starts[at], counts)
        links = self.links[indices]
        return stored, rows, np.where(swapped[rows, None], links[:, ::-1], links)


def _key(source: bytes, target: bytes) -> tuple[int, bool]:
    """Return a hash of a pair, equal for both directions, and whether the target comes first."""
    swapped = target < source
    first, second = (target, source) if swapped else (source, target)
    # The seed distinguishes pairs with the same concatenation.
    return xxhash.xxh3_64_intdigest(first + second, len(first)), swapped


def _bytes(ids: Ids) -> bytes:
    return np.array(ids, "<u4").tobytes()


def _rows(tokens: Tokens, special: SpecialTokens) -> Iterator[bytes]:
    """Yield the ids of each row as bytes, without special tokens and padding."""
    assert tokens.lengths is not None
    ids = tokens.ids.cpu().numpy().astype("<u4")
    flat, width = ids.tobytes(), ids.shape[1]
    for row, length in enumerate(tokens.lengths.tolist()):
        start = row * width
        yield flat[4 * (start + special.begin) : 4 * (start + length - special.end)]


def _expand_ranges(
    starts: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Concatenate the ranges starts[i] … starts[i] + counts[i] − 1.

    Returns the range i of each index, and the indices.
    """
    rows = np.repeat(np.arange(len(counts)), counts)
    firsts = starts - (np.cumsum(counts) - counts)
    return rows, firsts[rows] + np.arange(len(rows))


def _is_valid(keys: NDArray[Any], starts: NDArray[Any], links: NDArray[Any]) -> bool:
    """Whether types and shapes match and every lookup stays within the arrays."""
    return (
        [keys.dtype, starts.dtype, links.dtype] == [np.uint64, np.int64, np.uint16]
        and (keys.ndim, links.ndim, starts.shape) == (1, 2, (len(keys) + 1,))
        and links.shape[1] == 2
        and bool((keys[1:] > keys[:-1]).all() and (starts[1:] >= starts[:-1]).all())
        and (starts[0], starts[-1]) == (0, len(links))
    )
