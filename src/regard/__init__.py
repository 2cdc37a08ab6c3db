"""regard: train, understand and serve sequence-to-sequence models with attention.

The public names are imported on first use, so that `import regard` does not import torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regard import batch as batch
    from regard.attention import Attention as Attention
    from regard.client import Client as Client
    from regard.config.load import load_config as load_config
    from regard.config.model import VocabularySizes as VocabularySizes
    from regard.config.registry import register as register
    from regard.inference.engine import SamplingOptions as SamplingOptions
    from regard.inference.forced_decoding import watch as watch
    from regard.search import beam as beam
    from regard.search import greedy as greedy
    from regard.search import sample as sample
    from regard.tasks.captioning.captioner import Captioner as Captioner
    from regard.tasks.classification.document_classifier import (
        DocumentClassifier as DocumentClassifier,
    )
    from regard.tasks.language.completer import Completer as Completer
    from regard.tasks.loading import load as load
    from regard.tasks.translation.options import TranslateOptions as TranslateOptions
    from regard.tasks.translation.translator import Translator as Translator

__version__ = "0.2.0"

_MODULES = {
    "Attention": "regard.attention",
    "Captioner": "regard.tasks.captioning.captioner",
    "Client": "regard.client",
    "Completer": "regard.tasks.language.completer",
    "DocumentClassifier": "regard.tasks.classification.document_classifier",
    "SamplingOptions": "regard.inference.engine",
    "TranslateOptions": "regard.tasks.translation.options",
    "Translator": "regard.tasks.translation.translator",
    "VocabularySizes": "regard.config.model",
    "beam": "regard.search",
    "greedy": "regard.search",
    "load": "regard.tasks.loading",
    "load_config": "regard.config.load",
    "register": "regard.config.model",  # which also imports the families of mechanisms
    "sample": "regard.search",
    "watch": "regard.inference.forced_decoding",
}

__all__ = [*_MODULES, "batch"]

if not TYPE_CHECKING:  # a type checker would accept any name

    def __getattr__(name):
        if name == "batch":
            return import_module("regard.batch")
        if name not in _MODULES:
            raise AttributeError(f"module 'regard' has no attribute {name!r}")
        return getattr(import_module(_MODULES[name]), name)
