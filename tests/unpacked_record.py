"""A written record read back: its fields, and its numbers as arrays."""

from __future__ import annotations

import base64
import json
import math
import zlib
from typing import Any

import numpy as np

TYPES = {"u16": "<u2", "f16": "<f2", "f32": "<f4"}


def unpacked(written: str) -> dict[str, Any]:
    """The record, with `arrays` holding what its places name."""
    told = json.loads(written)
    block, place, arrays = zlib.decompress(base64.b64decode(told.pop("data"))), 0, []
    for kind in told.pop("arrays"):
        size = math.prod(kind["shape"])
        read = np.frombuffer(block, TYPES[kind["type"]], size, place)
        arrays.append(read.reshape(kind["shape"]))
        place += arrays[-1].nbytes
    assert place == len(block)
    return told | {"arrays": arrays}
