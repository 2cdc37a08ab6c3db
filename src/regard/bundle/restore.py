"""A model as it was sealed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import torch
from torch import Tensor, nn

from regard.bundle.bundle import WEIGHTS, Bundle
from regard.errors import ArtifactError

M = TypeVar("M", bound=nn.Module)


def build_and_restore(build: Callable[[], M], bundle: Bundle) -> M:
    """What `build` makes, with the bundle's weights; it is not made before they are known to fit.

    A run may ask for more memory than there is, in a word. Without numbers it costs none.
    """
    weights = bundle.weights()
    try:
        with torch.device("meta"):
            draft = build()
    except (RuntimeError, TypeError, OverflowError) as error:
        raise ArtifactError(
            f"{bundle.path}: the model of its run cannot be built ({error}); do not use it"
        ) from None
    _check_shapes(draft, weights, bundle)
    model = build()
    _fill(model, weights)
    return model


def restore(model: nn.Module, bundle: Bundle) -> None:
    """Give each parameter of `model` the bundle's value: all of them, and no more."""
    weights = bundle.weights()
    _check_shapes(model, weights, bundle)
    _fill(model, weights)


def _check_shapes(model: nn.Module, weights: Mapping[str, Tensor], bundle: Bundle) -> None:
    theirs, mine = (
        {name: (one.shape, one.is_floating_point()) for name, one in found}
        for found in (weights.items(), model.named_parameters())
    )
    if theirs != mine:
        raise ArtifactError(
            f"{bundle.path / WEIGHTS}: does not fit the model that the run describes; leave the "
            "model's settings as they were sealed"
        )


@torch.no_grad()
def _fill(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    for name, parameter in model.named_parameters():
        parameter.copy_(weights[name])
