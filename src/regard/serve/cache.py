"""A bounded cache of translated segments: those that were used last."""

from __future__ import annotations

import json
from collections import OrderedDict
from hashlib import blake2b

from regard.serve.assembly import SegmentValues

OVERHEAD = 200  # bytes of an entry beside its JSON, about


class SegmentCache:
    """Keeps the values of segments within `size` bytes, and drops those not used for longest.

    Values are kept as JSON, so that their size is known, and one object is replaced by another
    instead of many small ones. Keys are kept as digests.
    """

    def __init__(self, size: int) -> None:
        self.size, self.used = size, 0  # bytes
        self._values: OrderedDict[bytes, bytes] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: tuple[object, ...]) -> SegmentValues | None:
        digest = _digest(key)
        if digest not in self._values:
            return None
        self._values.move_to_end(digest)
        values: SegmentValues = json.loads(self._values[digest])
        return values

    def put(self, key: tuple[object, ...], values: SegmentValues) -> None:
        digest, value = _digest(key), json.dumps(values, separators=(",", ":")).encode()
        self.used += len(value) + OVERHEAD
        if (before := self._values.pop(digest, None)) is not None:
            self.used -= len(before) + OVERHEAD
        self._values[digest] = value
        while self.used > self.size:
            _, dropped = self._values.popitem(last=False)
            self.used -= len(dropped) + OVERHEAD


def _digest(key: tuple[object, ...]) -> bytes:
    return blake2b(repr(key).encode("utf-8", "surrogatepass"), digest_size=16).digest()
