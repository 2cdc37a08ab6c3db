"""The weights of a model bundle, and a model built from its config and weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

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


# -- load the weights of a bundle into a model -----------------------------------------------------


M = TypeVar("M", bound=nn.Module)


def build_and_restore(build: Callable[[], M], bundle: Bundle) -> M:
    """Build a model with the bundle's weights as its parameters.

    The model is built on the meta device and compared with the weights, because a damaged config
    may describe a model that does not fit into memory.
    """
    weights = load_weights(bundle)
    try:
        with torch.device("meta"), SkipInitialization():
            model = build()
    except (RuntimeError, TypeError, OverflowError) as error:
        raise ArtifactError(
            f"{bundle.path}: the model of its config cannot be built ({error}). Do not use it"
        ) from None
    _check_shapes(model, weights, bundle)
    replace_parameters(model, weights)
    return model


def restore(model: nn.Module, bundle: Bundle) -> None:
    """Load the bundle's weights into `model`. Names and shapes must match exactly."""
    weights = load_weights(bundle)
    _check_shapes(model, weights, bundle)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(weights[name])


class SkipInitialization(TorchFunctionMode):
    """Leaves new parameters as they are. On the meta device, drawing numbers imports a compiler."""

    skipped = (
        *(nn.init.uniform_, nn.init.normal_, nn.init.constant_, nn.init.kaiming_uniform_),
        *(Tensor.uniform_, Tensor.normal_),
    )

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        if func in self.skipped:
            return args[0] if args else kwargs["tensor"]
        return func(*args, **(kwargs or {}))


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


def replace_parameters(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Replace each parameter by the saved one; modules that share a parameter still do."""
    dtype = torch.get_default_dtype()
    saved = {
        id(parameter): nn.Parameter(weights[name].to(dtype))
        for name, parameter in model.named_parameters()
    }
    for module in model.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            setattr(module, name, saved[id(parameter)])
