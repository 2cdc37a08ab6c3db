"""Duplicate pairs, found in bounded memory and whatever the order of the work.

Each shard writes 16 bytes a pair, its hash and its record number, sorted by hash. A partition is a
range of hashes: its task reads that range of every shard and names the records that repeat the hash
of a lower record. So the first of equal pairs is kept, by number, not by who came first.

Near duplicates have the same hash of a plainer form: lower case, no punctuation, digits blanked.
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

_GONE = 0x110000  # no character's code
_SIGNS = punctuation.encode()
_ASCII = bytes.maketrans((ascii_uppercase + digits).encode(), (ascii_lowercase + "0" * 10).encode())

Sameness = Literal["none", "exact", "near"]

RECORD = np.dtype([("hash", "<u8"), ("record", "<u8")])
SLOTS = 256  # the finest partitions: shards say where each 1/256 of the hashes begins
PARTITION_PAIRS = 1 << 22  # 64 MB of records, some 200 MB while they are sorted


def hash_texts(texts: Sequence[str]) -> NDArray[np.uint64]:
    digest = xxhash.xxh3_64_intdigest
    return np.fromiter((digest(text.encode()) for text in texts), np.uint64, len(texts))


def hash_plain_forms(texts: Sequence[str]) -> NDArray[np.uint64]:
    """The hash of what near duplicates have in common. The texts hold no line breaks."""
    digest = xxhash.xxh3_64_intdigest
    others = iter(_plain_forms([text for text in texts if not text.isascii()]))
    plain = (
        text.encode().translate(_ASCII, _SIGNS) if text.isascii() else next(others)
        for text in texts
    )
    return np.fromiter(map(digest, plain), np.uint64, len(texts))


def _plain_forms(texts: Sequence[str]) -> list[bytes]:
    """The plain forms of texts of any script, all in one pass."""
    block = "".join([f"{text}\n" for text in texts])
    codes = _plain_codes()[np.frombuffer(block.encode("utf-32-le"), np.uint32)]
    plain = codes[codes != _GONE].tobytes().decode("utf-32-le")
    return plain.encode().split(b"\n")


def hash_pairs(sources: NDArray[np.uint64], targets: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One hash out of those of the two sides, which are not alike: (a, b) is not (b, a)."""
    golden = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplying loses nothing
    return (sources * golden) ^ targets


def sorted_records(hashes: NDArray[np.uint64], first: int) -> tuple[NDArray[Any], list[int]]:
    """The records from number `first` on by hash, and where each slot of hashes begins."""
    order = np.argsort(hashes, kind="stable")
    records = np.empty(len(hashes), RECORD)
    records["hash"] = hashes[order]
    records["record"] = order + first
    begins = np.arange(SLOTS, dtype=np.uint64) << np.uint64(56)
    edges = np.searchsorted(records["hash"], begins)
    return records, [*edges.tolist(), len(hashes)]


def count_partitions(pairs: int) -> int:
    """A power of two, so that each partition is a whole number of slots."""
    return min(SLOTS, 1 << max(0, -(-pairs // PARTITION_PAIRS) - 1).bit_length())


def find_repeats(shards: Sequence[NDArray[Any]]) -> NDArray[np.uint64]:
    """The numbers, in order, of the records whose hash a lower record has.

    Records must come in the order of their numbers wherever their hashes are equal, as they do in
    shards that are given in their order.
    """
    hashes = np.concatenate([shard["hash"] for shard in shards])
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    again = order[1:][hashes[1:] == hashes[:-1]]
    return np.sort(np.concatenate([shard["record"] for shard in shards])[again])


@cache
def _plain_codes() -> NDArray[np.uint32]:
    """What becomes of each character: lower case, digits 0, punctuation and symbols gone.

    Marks stay, for in some scripts they are the vowels.
    """
    codes = np.arange(0x110000, dtype=np.uint32)
    for code in range(0x20000):  # beyond the first two planes there is nothing to change
        character = chr(code)
        category = unicodedata.category(character)
        if category[0] in "PS":
            codes[code] = _GONE
        elif category == "Nd":
            codes[code] = ord("0")
        elif category == "Lu" and len(lower := character.lower()) == 1:
            codes[code] = ord(lower)
    return codes
