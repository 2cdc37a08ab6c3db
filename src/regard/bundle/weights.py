"""Tensors as bytes, by safetensors: no code in them, and no more of them than a model has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from regard.errors import ArtifactError

LONGEST_HEADER = 4 << 20  # bytes
MOST_TENSORS = 20_000  # a Transformer of 500 layers; the time to read them grows with the square


def pack(weights: Mapping[str, Tensor]) -> bytes:
    return save({name: tensor.cpu().contiguous() for name, tensor in weights.items()})


def unpack(data: bytes, where: Path) -> dict[str, Tensor]:
    header = int.from_bytes(data[:8], "little")
    if header > LONGEST_HEADER:
        raise ArtifactError(
            f"{where}: not the weights of a model: a header of {header:,} bytes, and "
            f"{LONGEST_HEADER:,} are the most; seal the model again"
        )
    # Each tensor's entry opens a brace; those within names are counted too, and do no harm.
    if data.count(b"{", 8, 8 + header) > MOST_TENSORS:
        raise ArtifactError(
            f"{where}: has more than {MOST_TENSORS:,} tensors; seal a model that has fewer"
        )
    try:
        return load(data)
    except (SafetensorError, KeyError) as error:  # KeyError: a type that torch lacks
        raise ArtifactError(
            f"{where}: no weights can be read from it ({error}); copy or seal the model again"
        ) from None
