"""regard: train, understand and serve sequence-to-sequence models with attention.

The public names. Each is looked up when it is asked for, so that `regard --help` needs no torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regard.attention import Attention as Attention
    from regard.explain.watch import watch as watch
    from regard.search import beam as beam
    from regard.search import greedy as greedy
    from regard.search import sample as sample
    from regard.spec.model import Sizes as Sizes
    from regard.spec.read import read_run as read_run
    from regard.tasks.translation.translator import Translator as Translator
    from regard.tasks.use import load as load

__version__ = "0.1.0"

_HOMES = {
    "Attention": "regard.attention",
    "Sizes": "regard.spec.model",
    "Translator": "regard.tasks.translation.translator",
    "beam": "regard.search",
    "greedy": "regard.search",
    "load": "regard.tasks.use",
    "read_run": "regard.spec.read",
    "sample": "regard.search",
    "watch": "regard.explain.watch",
}

__all__ = [
    "Attention",
    "Sizes",
    "Translator",
    "beam",
    "greedy",
    "load",
    "read_run",
    "sample",
    "watch",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'regard' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
