"""Read a JSON record back: its fields, and its packed arrays."""

from __future__ import annotations

import base64
import json
import math
import zlib
from typing import Any

import numpy as np

TYPES = {"u16": "<u2", "f16": "<f2", "f32": "<f4", "i8": "<i1"}


def unpacked(text: str) -> dict[str, Any]:
    """Return the record, with `arrays` a list of NumPy arrays."""
    record = json.loads(text)
    block, offset, arrays = zlib.decompress(base64.b64decode(record.pop("data"))), 0, []
    for header in record.pop("arrays"):
        size = math.prod(header["shape"])
        numbers = np.frombuffer(block, TYPES[header["type"]], size, offset)
        arrays.append(numbers.reshape(header["shape"]))
        offset += arrays[-1].nbytes
    assert offset == len(block)
    return record | {"arrays": arrays}
