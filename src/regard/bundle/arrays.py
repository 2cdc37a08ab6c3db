"""NumPy arrays as safetensors bytes, with limits on header size and number of arrays.

Free of torch; `weights` reads and writes tensors with the same limits.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from regard.errors import ArtifactError

MAX_HEADER = 4 << 20  # bytes
MAX_TENSORS = 20_000  # a Transformer of 500 layers; loading time is quadratic in the number


def pack_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return contiguous arrays as the bytes of a safetensors file."""
    return save(dict(arrays))


def unpack_arrays(data: bytes, path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of a safetensors file; errors name `path`."""
    check_header(data, path)
    try:
        return load(data)
    except (SafetensorError, KeyError) as error:  # KeyError: a dtype that NumPy lacks
        raise ArtifactError(f"{path}: cannot be read ({error}). Copy the bundle again") from None


def check_header(data: bytes, path: Path) -> None:
    """Raise ArtifactError if a safetensors file has a huge header or too many tensors."""
    header = int.from_bytes(data[:8], "little")
    if header > MAX_HEADER:
        raise ArtifactError(
            f"{path}: not the weights of a model: its header has {header:,} bytes, and the limit "
            f"is {MAX_HEADER:,}. Copy the bundle again"
        )
    # Every tensor has one brace in the header. Braces within names only make the check stricter.
    if data.count(b"{", 8, 8 + header) > MAX_TENSORS:
        raise ArtifactError(f"{path}: has more than {MAX_TENSORS:,} tensors. Use a smaller model")
