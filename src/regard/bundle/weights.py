"""Tensors as safetensors bytes: the weights of a bundle."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from regard.bundle.arrays import check_header
from regard.bundle.bundle import WEIGHTS, Bundle
from regard.errors import ArtifactError


def load_weights(bundle: Bundle) -> dict[str, Tensor]:
    """Return the parameters of a bundle by name."""
    return unpack(bundle.read(WEIGHTS), bundle.path / WEIGHTS)


def pack(weights: Mapping[str, Tensor]) -> bytes:
    """Return the tensors as the bytes of a safetensors file."""
    return save({name: tensor.cpu().contiguous() for name, tensor in weights.items()})


def unpack(data: bytes, path: Path) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file; errors name `path`."""
    check_header(data, path)
    try:
        return load(data)
    except (SafetensorError, KeyError) as error:  # KeyError: a dtype that torch lacks
        raise ArtifactError(f"{path}: cannot be read ({error}). Copy the bundle again") from None
