"""Load a model bundle of any task."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from regard.bundle.bundle import open_bundle
from regard.inference.engine import EngineName
from regard.tasks.base import task_for
from regard.tasks.bundles import bundle_config

if TYPE_CHECKING:
    from regard.tasks.captioning.captioner import Captioner
    from regard.tasks.classification.document_classifier import DocumentClassifier
    from regard.tasks.language.completer import Completer
    from regard.tasks.translation.translator import Translator

LoadedModel: TypeAlias = "Translator | Captioner | Completer | DocumentClassifier"


def load(
    path: str | Path, *, engine: EngineName = "auto", device: str | None = None
) -> LoadedModel:
    """Load a model bundle; its task determines the class of the result.

    In typed code that expects a translation model, use `Translator.load`.

    Args:
        path: The folder of the bundle.
        engine: For translation models; see `Translator.load`.
        device: Of the PyTorch model; by default a GPU if there is one.
    """
    bundle = open_bundle(Path(path))
    loaded: LoadedModel = task_for(bundle_config(bundle)).load(bundle, engine, device)
    return loaded
