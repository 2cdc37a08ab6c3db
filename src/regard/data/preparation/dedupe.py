"""Find duplicate pairs in bounded memory, independent of the order in which tasks run.

Each shard writes 16 bytes a pair, its hash and its record number, sorted by hash. A partition is a
range of hashes: its task reads this range of every shard and lists the records whose hash occurs in
a lower record. The duplicate with the lowest record number is kept.

Near duplicates have the same hash of a plain form: lower case, no punctuation, all digits 0.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from string import ascii_lowercase, ascii_uppercase, digits, punctuation
from typing import Any, Literal

import numpy as np
import xxhash
from numpy.typing import NDArray

_REMOVED = 0x110000  # not a code point
_PUNCTUATION = punctuation.encode()
_ASCII = bytes.maketrans((ascii_uppercase + digits).encode(), (ascii_lowercase + "0" * 10).encode())

DedupeMode = Literal["none", "exact", "near"]

RECORD = np.dtype([("hash", "<u8"), ("record", "<u8")])
SLOTS = 256  # maximum number of partitions; shards list where each 1/256 of the hashes starts
PARTITION_PAIRS = 1 << 22  # 64 MB of records, about 200 MB while they are sorted


def hash_texts(texts: Sequence[str]) -> NDArray[np.uint64]:
    digest = xxhash.xxh3_64_intdigest
    return np.fromiter((digest(text.encode()) for text in texts), np.uint64, len(texts))


def hash_plain_forms(texts: Sequence[str]) -> NDArray[np.uint64]:
    """Return hashes that are equal for near duplicates. The texts contain no line breaks."""
    digest = xxhash.xxh3_64_intdigest
    non_ascii = iter(_plain_forms([text for text in texts if not text.isascii()]))
    plain = (
        text.encode().translate(_ASCII, _PUNCTUATION) if text.isascii() else next(non_ascii)
        for text in texts
    )
    return np.fromiter(map(digest, plain), np.uint64, len(texts))


def _plain_forms(texts: Sequence[str]) -> list[bytes]:
    """Return the plain forms of texts of any script, in one pass."""
    block = "".join([f"{text}\n" for text in texts])
    codes = _plain_codes()[np.frombuffer(block.encode("utf-32-le"), np.uint32)]
    plain = codes[codes != _REMOVED].tobytes().decode("utf-32-le")
    return plain.encode().split(b"\n")


def hash_pairs(sources: NDArray[np.uint64], targets: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Combine the hashes of sources and targets; (a, b) and (b, a) differ."""
    golden = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplication is invertible
    return (sources * golden) ^ targets


def sorted_records(hashes: NDArray[np.uint64], first: int) -> tuple[NDArray[Any], list[int]]:
    """Return records numbered from `first`, sorted by hash, and the start of each slot."""
    order = np.argsort(hashes, kind="stable")
    records = np.empty(len(hashes), RECORD)
    records["hash"] = hashes[order]
    records["record"] = order + first
    starts = np.arange(SLOTS, dtype=np.uint64) << np.uint64(56)
    edges = np.searchsorted(records["hash"], starts)
    return records, [*edges.tolist(), len(hashes)]


def count_partitions(pairs: int) -> int:
    """Return a power of two, so that each partition is a whole number of slots."""
    return min(SLOTS, 1 << max(0, -(-pairs // PARTITION_PAIRS) - 1).bit_length())


def find_repeats(shards: Sequence[NDArray[Any]]) -> NDArray[np.uint64]:
    """Return the sorted numbers of the records whose hash occurs in a lower record.

    Records with equal hashes must be in the order of their numbers, as they are if the shards are
    in order.
    """
    hashes = np.concatenate([shard["hash"] for shard in shards])
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    repeated = order[1:][hashes[1:] == hashes[:-1]]
    return np.sort(np.concatenate([shard["record"] for shard in shards])[repeated])


@cache
def _plain_codes() -> NDArray[np.uint32]:
    """Map each character to lower case, digits to 0, punctuation and symbols to _REMOVED.

    Combining marks stay, because some scripts write vowels with them.
    """
    codes = np.arange(0x110000, dtype=np.uint32)
    for code in range(0x20000):  # no character beyond the first two planes changes
        character = chr(code)
        category = unicodedata.category(character)
        if category[0] in "PS":
            codes[code] = _REMOVED
        elif category == "Nd":
            codes[code] = ord("0")
        elif category == "Lu" and len(lower := character.lower()) == 1:
            codes[code] = ord(lower)
    return codes
