"""Read the arrays of Marian's files: `.npz`, and `.bin` as Marian and Bergamot write it.

    .bin    u64 version, u64 n; n × (u64 name length, type, shape length, data length);
            names; i32 shapes; u64 padding length; padding; data

Quantized matrices (intgemm8) are int8 values, transposed except for embeddings, and one float32
multiplier m after them: w = q / m. All sizes are checked before memory is allocated.
"""

from __future__ import annotations

import io
import math
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.bundle.arrays import MAX_TENSORS
from regard.errors import ArtifactError, ConfigError

Arrays = dict[str, NDArray[Any]]

MAX_NAME, MAX_RANK = 1_000, 8
FLOAT32, INT8, UINT8, INTGEMM8 = 0x404, 0x101, 0x201, 0x4101
_TYPES: dict[int, Any] = {
    FLOAT32: np.float32,
    0x402: np.float16,
    INT8: np.int8,
    UINT8: np.uint8,
    INTGEMM8: np.int8,
}
_EMBEDDINGS = ("Wemb", "encoder_Wemb", "decoder_Wemb")


def read_npz(data: bytes, path: Path) -> Arrays:
    """Return the arrays of an .npz file, without pickled objects and compressed data."""
    arrays: Arrays = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_TENSORS:
                raise _damaged(path, f"it has {len(entries):,} arrays")
            if sum(entry.file_size for entry in entries) > 4 * len(data) + (1 << 20):
                raise _damaged(path, "it is compressed more than fourfold")
            for entry in entries:
                name = entry.filename.removesuffix(".npy")
                with archive.open(entry) as file:
                    content = file.read(entry.file_size + 1)
                arrays[name] = _read_npy(content, path, name)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise _damaged(path, str(error)) from None
    return arrays


def _read_npy(content: bytes, path: Path, name: str) -> NDArray[Any]:
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    if version != (1, 0):
        raise _damaged(path, f"{name!r:.60} has .npy version {version}")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=10_000)
    if dtype.kind not in "fiu" or dtype.hasobject:
        raise _damaged(path, f"{name!r:.60} has type {dtype}")
    body = content[file.tell() :]
    if math.prod(shape) * dtype.itemsize != len(body):
        raise _damaged(path, f"{name!r:.60} does not have the size of its shape")
    return np.frombuffer(body, dtype).reshape(shape, order="F" if fortran else "C")


def read_bin(data: bytes, path: Path) -> Arrays:
    """Return the arrays of a Marian .bin file, dequantized."""
    try:
        return _read_bin(data, path)
    except (ValueError, struct.error) as error:
        raise _damaged(path, str(error)) from None


def _read_bin(data: bytes, path: Path) -> Arrays:
    if len(data) < 16:
        raise _damaged(path, "it is too short")
    version, count = struct.unpack_from("<QQ", data)
    if version != 1 or count > MAX_TENSORS or 16 + 32 * count > len(data):
        raise _damaged(path, f"its version is {version} and it names {count:,} arrays")
    headers = [struct.unpack_from("<QQQQ", data, 16 + 32 * i) for i in range(count)]
    offset = 16 + 32 * count
    names, shapes = [], []
    for name_length, *_ in headers:
        if not 0 < name_length <= MAX_NAME or offset + name_length > len(data):
            raise _damaged(path, f"a name has {name_length:,} bytes")
        names.append(data[offset : offset + name_length].rstrip(b"\0").decode("utf-8", "replace"))
        offset += name_length
    for _, _, rank, _ in headers:
        if rank > MAX_RANK or offset + 4 * rank > len(data):
            raise _damaged(path, f"a shape has {rank:,} dimensions")
        shapes.append(struct.unpack_from(f"<{rank}i", data, offset))
        offset += 4 * rank
    if offset + 8 > len(data):
        raise _damaged(path, "it is too short")
    (padding,) = struct.unpack_from("<Q", data, offset)
    offset += 8 + padding
    arrays: Arrays = {}
    for name, shape, (_, kind, _, length) in zip(names, shapes, headers, strict=True):
        if offset + length > len(data) or min(shape, default=1) < 0:
            raise _damaged(path, f"{name!r:.60} does not have the size of its shape")
        if not name.endswith("QuantMultA"):  # scales of activations, for integer arithmetic
            arrays[name] = _read_array(data[offset : offset + length], name, shape, kind, path)
        offset += length
    return arrays


def _read_array(
    data: bytes, name: str, shape: tuple[int, ...], kind: int, path: Path
) -> NDArray[Any]:
    if kind not in _TYPES:
        raise ConfigError(
            f"{path}: {name!r:.60} has the type {kind:#x}, which regard cannot read. Supported: "
            f"{', '.join(f'{code:#x}' for code in _TYPES)}. Convert the model with marian-conv."
        )
    dtype, size = np.dtype(_TYPES[kind]), math.prod(shape)
    needed = size * dtype.itemsize + (4 if kind == INTGEMM8 else 0)
    if needed > len(data):
        raise _damaged(path, f"{name!r:.60} does not have the size of its shape")
    values = np.frombuffer(data, dtype, size)
    if kind != INTGEMM8:
        return values.reshape(shape)
    (multiplier,) = struct.unpack_from("<f", data, size)
    if not math.isfinite(multiplier) or multiplier == 0 or len(shape) != 2:
        raise _damaged(path, f"{name!r:.60} has the multiplier {multiplier}")
    matrix = values.reshape(shape) if name in _EMBEDDINGS else values.reshape(shape[::-1]).T
    return matrix.astype(np.float32) / np.float32(multiplier)


def _damaged(path: Path, reason: str) -> ArtifactError:
    return ArtifactError(f"{path}: is not a file of Marian: {reason}. Use another copy.")
