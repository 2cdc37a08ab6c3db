"""A bounded cache of translated segments: those that were used last."""

from __future__ import annotations

import json
from collections import OrderedDict
from hashlib import blake2b

from regard.serve.frames import SegmentValues

OVERHEAD = 200  # bytes of an entry beside its JSON, about


class SegmentCache:
    """Keeps the values of segments within `size` bytes, and drops those not used for longest.

    Values are kept as JSON, so that their size is known, and one object is replaced by another
    instead of many small ones. Keys are those of `cache_key`.
    """

    def __init__(self, size: int) -> None:
        self.size, self.used = size, 0  # bytes
        self._values: OrderedDict[bytes, bytes] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: bytes) -> SegmentValues | None:
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        values: SegmentValues = json.loads(self._values[key])
        return values

    def put(self, key: bytes, values: SegmentValues) -> None:
        if not self.size:
            return
        value = json.dumps(values, separators=(",", ":")).encode()
        self.used += len(value) + OVERHEAD
        if (replaced := self._values.pop(key, None)) is not None:
            self.used -= len(replaced) + OVERHEAD
        self._values[key] = value
        while self.used > self.size:
            _, dropped = self._values.popitem(last=False)
            self.used -= len(dropped) + OVERHEAD


def cache_key(*parts: object) -> bytes:
    """A digest of everything that a segment's values depend on."""
    return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()
