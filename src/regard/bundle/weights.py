"""Tensors as safetensors bytes, with limits on header size and number of tensors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from regard.errors import ArtifactError

MAX_HEADER = 4 << 20  # bytes
MAX_TENSORS = 20_000  # a Transformer of 500 layers; loading time is quadratic in the number


def pack(weights: Mapping[str, Tensor]) -> bytes:
    """Return the tensors as the bytes of a safetensors file."""
    return save({name: tensor.cpu().contiguous() for name, tensor in weights.items()})


def unpack(data: bytes, where: Path) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file; errors name `where`."""
    header = int.from_bytes(data[:8], "little")
    if header > MAX_HEADER:
        raise ArtifactError(
            f"{where}: not the weights of a model: its header has {header:,} bytes, and the limit "
            f"is {MAX_HEADER:,}. Copy the bundle again"
        )
    # Every tensor has one brace in the header. Braces within names only make the check stricter.
    if data.count(b"{", 8, 8 + header) > MAX_TENSORS:
        raise ArtifactError(f"{where}: has more than {MAX_TENSORS:,} tensors. Use a smaller model")
    try:
        return load(data)
    except (SafetensorError, KeyError) as error:  # KeyError: a dtype that torch lacks
        raise ArtifactError(f"{where}: cannot be read ({error}). Copy the bundle again") from None
