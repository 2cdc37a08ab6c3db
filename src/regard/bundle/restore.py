"""Load the weights of a bundle into a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import torch
from torch import Tensor, nn

from regard.bundle.bundle import WEIGHTS, Bundle
from regard.errors import ArtifactError

M = TypeVar("M", bound=nn.Module)


def build_and_restore(build: Callable[[], M], bundle: Bundle) -> M:
    """Build a model and load the bundle's weights into it.

    The model is first built on the meta device and compared with the weights, because a damaged
    config may describe a model that does not fit into memory.
    """
    weights = bundle.weights()
    try:
        with torch.device("meta"):
            draft = build()
    except (RuntimeError, TypeError, OverflowError) as error:
        raise ArtifactError(
            f"{bundle.path}: the model of its config cannot be built ({error}). Do not use it"
        ) from None
    _check_shapes(draft, weights, bundle)
    model = build()
    _fill(model, weights)
    return model


def restore(model: nn.Module, bundle: Bundle) -> None:
    """Load the bundle's weights into `model`. Names and shapes must match exactly."""
    weights = bundle.weights()
    _check_shapes(model, weights, bundle)
    _fill(model, weights)


def _check_shapes(model: nn.Module, weights: Mapping[str, Tensor], bundle: Bundle) -> None:
    saved, expected = (
        {name: (tensor.shape, tensor.is_floating_point()) for name, tensor in tensors}
        for tensors in (weights.items(), model.named_parameters())
    )
    if saved != expected:
        raise ArtifactError(
            f"{bundle.path / WEIGHTS}: does not match the model of the config. Use the same "
            "`model` settings as the bundle"
        )


@torch.no_grad()
def _fill(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    for name, parameter in model.named_parameters():
        parameter.copy_(weights[name])
