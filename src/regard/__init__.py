"""regard: train, understand and serve sequence-to-sequence models with attention.

The public names are imported on first use, so that `import regard` does not import torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regard import batch as batch
    from regard.attention import Attention as Attention
    from regard.config.load import load_config as load_config
    from regard.config.model import VocabularySizes as VocabularySizes
    from regard.inference.recording import watch as watch
    from regard.search import beam as beam
    from regard.search import greedy as greedy
    from regard.search import sample as sample
    from regard.tasks.base import load as load
    from regard.tasks.translation.translator import Translator as Translator

__version__ = "0.1.0"

_MODULES = {
    "Attention": "regard.attention",
    "Translator": "regard.tasks.translation.translator",
    "VocabularySizes": "regard.config.model",
    "beam": "regard.search",
    "greedy": "regard.search",
    "load": "regard.tasks.base",
    "load_config": "regard.config.load",
    "sample": "regard.search",
    "watch": "regard.inference.recording",
}

__all__ = [*_MODULES, "batch"]


def __getattr__(name: str) -> Any:
    if name == "batch":
        return import_module("regard.batch")
    if name not in _MODULES:
        raise AttributeError(f"module 'regard' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
