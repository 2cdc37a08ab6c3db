"""Links between the pieces of training pairs, on disk; found by the pair's own ids.

So nothing that reads, shuffles or batches pairs has to carry them along, and a model of the other
direction finds the same links. A safetensors file: it holds no code, and is mapped rather than
read, so that all processes of a machine share it.

    keys    n uint64, rising: a hash of each pair's ids, whichever of them are the source's
    starts  n + 1 int64: where each pair's links begin, and where the last one's end
    links   m × 2 uint16: a piece of the side whose ids, as bytes, come first; one of the other
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
    keys: Keys
    starts: Starts
    links: Linked
    facts: Mapping[str, str]  # what whoever made them says of them

    @classmethod
    def gathered(
        cls, pairs: Iterable[tuple[Ids, Ids, Collection[Link]]], facts: Mapping[str, str]
    ) -> PieceLinks:
        """Of pairs of ids without marks, in any order; of those that are the same, the first."""
        keys, counts, flat = array("Q"), array("q"), array("H")  # of millions: no object for each
        for source, target, links in pairs:
            key, turned = _key(_bytes(source), _bytes(target))
            keys.append(key)
            counts.append(len(links))
            flat.extend(chain.from_iterable(link[::-1] if turned else link for link in links))
        kept, at = np.unique(np.array(keys, np.uint64), return_index=True)
        sizes = np.array(counts, np.int64)
        _, places = _stretches((np.cumsum(sizes) - sizes)[at], sizes[at])
        starts = np.concatenate([[0], np.cumsum(sizes[at])])
        return cls(kept, starts, np.array(flat, np.uint16).reshape(-1, 2)[places], facts)

    @property
    def fingerprint(self) -> str:
        hashed = xxhash.xxh3_128(repr(sorted(self.facts.items())).encode())
        for numbers in (self.keys, self.starts, self.links):
            hashed.update(np.ascontiguousarray(numbers).data)
        return hashed.hexdigest()

    def write(self, path: Path) -> None:
        arrays: dict[str, NDArray[Any]] = {
            "keys": self.keys,
            "starts": self.starts,
            "links": self.links,
        }
        told = {**self.facts, "format": FORMAT, "fingerprint": self.fingerprint}
        storage.write_bytes(str(path), save(arrays, told))

    @classmethod
    def open(cls, path: Path) -> PieceLinks:
        """Map a file, which may come from anywhere; refused if it is not what `write` wrote."""
        remedy = "write it again by `regard align --prepared`"
        try:
            with safe_open(path, framework="pt") as file:  # which maps; numpy's would copy
                facts = dict(file.metadata() or {})
                keys, starts, links = (
                    file.get_tensor(name).numpy() for name in ("keys", "starts", "links")
                )
        except (SafetensorError, OSError, TypeError) as error:  # TypeError: a type numpy lacks
            raise ArtifactError(f"{path}: holds no links ({error}); {remedy}") from None
        if facts.pop("format", None) != FORMAT:
            raise ArtifactError(f"{path}: holds no links, or those of another version; {remedy}")
        said = facts.pop("fingerprint", None)
        if not _in_order(keys, starts, links):
            raise ArtifactError(f"{path}: its links are in no order; {remedy}")
        found = cls(keys, starts, links, facts)
        if said != found.fingerprint:
            raise ArtifactError(f"{path}: is damaged, or not all that was written; {remedy}")
        return found

    def of(self, batch: Batch) -> tuple[NDArray[np.int64], Linked]:
        """The links of its pairs, marked as translation marks its sides, as source piece and target
        piece, one after the other, and to which row each belongs; a pair that is not here has
        none."""
        if not len(self.keys):
            return np.zeros(0, np.int64), self.links
        sides = zip(
            _rows(batch.source, SOURCE_TOKENS), _rows(batch.target, TARGET_TOKENS), strict=True
        )
        found = [_key(source, target) for source, target in sides]
        keys = np.array([key for key, _ in found], np.uint64)
        turned = np.array([turned for _, turned in found])
        at = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        known = self.keys[at] == keys
        counts = (self.starts[at + 1] - self.starts[at]) * known
        rows, places = _stretches(self.starts[at], counts)
        links = self.links[places]
        return rows, np.where(turned[rows, None], links[:, ::-1], links)


def _key(source: bytes, target: bytes) -> tuple[int, bool]:
    """Of a pair, the same on every platform and in both directions, and whether its target comes
    first."""
    turned = target < source
    first, second = (target, source) if turned else (source, target)
    return xxhash.xxh3_64_intdigest(first + second, len(first)), turned  # a seed: where one ends


def _bytes(ids: Ids) -> bytes:
    return np.array(ids, "<u4").tobytes()


def _rows(tokens: Tokens, marks: SpecialTokens) -> Iterator[bytes]:
    """The ids of each row as bytes, without its marks and its padding."""
    assert tokens.lengths is not None
    ids = tokens.ids.cpu().numpy().astype("<u4")
    flat, width = ids.tobytes(), ids.shape[1]
    for row, length in enumerate(tokens.lengths.tolist()):
        start = row * width
        yield flat[4 * (start + marks.begin) : 4 * (start + length - marks.end)]


def _stretches(
    starts: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places of several stretches, one after the other, and of which stretch each is."""
    rows = np.repeat(np.arange(len(counts)), counts)
    firsts = starts - (np.cumsum(counts) - counts)
    return rows, firsts[rows] + np.arange(len(rows))


def _in_order(keys: NDArray[Any], starts: NDArray[Any], links: NDArray[Any]) -> bool:
    """Whether nothing that is looked up in them can lie outside."""
    return (
        [keys.dtype, starts.dtype, links.dtype] == [np.uint64, np.int64, np.uint16]
        and (keys.ndim, links.ndim, starts.shape) == (1, 2, (len(keys) + 1,))
        and links.shape[1] == 2
        and bool((keys[1:] > keys[:-1]).all() and (starts[1:] >= starts[:-1]).all())
        and (starts[0], starts[-1]) == (0, len(links))
    )
