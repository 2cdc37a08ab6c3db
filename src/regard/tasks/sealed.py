"""What every use takes out of a sealed model: its run, its tokeniser, its weights, who it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import torch
from torch import nn

from regard.bundle.bundle import RUN, WEIGHTS, Bundle
from regard.bundle.restore import restored
from regard.explain.record import Identity
from regard.spec.read import parse_run
from regard.spec.run import Run
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, SentencePiece

M = TypeVar("M", bound=nn.Module)


def sealed_run(bundle: Bundle, overrides: Iterable[str] = ()) -> Run:
    return parse_run(bundle.text(RUN), f"{bundle.path / RUN}", overrides)


def sealed_tokenizer(bundle: Bundle) -> SentencePiece:
    return SentencePiece.parse(bundle.read(MODEL_FILE), bundle.read(SETTINGS_FILE), bundle.path)


def sealed_model(bundle: Bundle, build: Callable[[], M], device: str | None) -> M:
    """The model that `build` makes, with the bundle's weights, ready to be asked on `device`; by
    default a GPU where there is one."""
    model = restored(build, bundle)
    model.to(device or ("cuda" if torch.cuda.is_available() else "cpu")).eval()
    return model


def identity_of(bundle: Bundle, run: Run, model: nn.Module) -> Identity:
    """Whose explanations those of a sealed model are."""
    return Identity(
        "/".join(bundle.path.resolve().parts[-2:]),  # run/model: enough to tell two apart
        run.about,
        bundle.files[WEIGHTS].sha256,
        sum(parameter.numel() for parameter in model.parameters()),
    )
