"""Parts of a model bundle that all tasks read: config, model, identity."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import nn

from regard.bundle.bundle import RUN, WEIGHTS, Bundle
from regard.bundle.restore import build_and_restore
from regard.config.describe import run_caption
from regard.config.load import parse_config
from regard.config.run import RunConfig
from regard.errors import ConfigError
from regard.explain.record import ModelIdentity

M = TypeVar("M", bound=nn.Module)


MODEL_NAMES = {
    ("encoder-decoder", "sentences"): "translation model",
    ("encoder-decoder", "images"): "captioning model",
    ("language-model", "nothing"): "language model",
    ("classifier", "documents"): "document classifier",
}
"""What a model is called, by its kind and its input."""


def bundle_config(bundle: Bundle, expected: str | None = None) -> RunConfig:
    """Return the config that the model was trained with.

    Raises ConfigError if it is another model than `expected`, one of MODEL_NAMES.
    """
    run = parse_config(bundle.text(RUN), f"{bundle.path / RUN}")
    name = MODEL_NAMES.get((run.model.kind, run.model.reads), run.model.kind)
    if expected not in (None, name):
        raise ConfigError(f"{bundle.path}: is a {name}. Pass a {expected}.")
    return run


def bundle_model(bundle: Bundle, build: Callable[[], M], device: str | None) -> M:
    """Build a model, load the bundle's weights, and move it to `device` in eval mode.

    The default device is a GPU if there is one.
    """
    model = build_and_restore(build, bundle)
    model.to(device or ("cuda" if torch.cuda.is_available() else "cpu")).eval()
    return model


def bundle_identity(bundle: Bundle, run: RunConfig, model: nn.Module) -> ModelIdentity:
    """Return the description of the model that its explanations include."""
    return ModelIdentity(
        "/".join(bundle.path.resolve().parts[-2:]),  # such as run/model
        run_caption(run),
        bundle.files[WEIGHTS].sha256,
        sum(parameter.numel() for parameter in model.parameters()),
    )
