"""Temporary evaluation mode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from weakref import WeakKeyDictionary

from torch import nn


@dataclass(slots=True)
class _Users:
    """How many blocks use a model in eval mode, and the modules to switch back after the last."""

    count: int = 0
    training: list[nn.Module] = field(default_factory=list)


_lock = Lock()
_users: WeakKeyDictionary[nn.Module, _Users] = WeakKeyDictionary()


@contextmanager
def eval_mode(model: nn.Module) -> Iterator[None]:
    """Temporarily switch a model to eval mode.

    Several threads may do so at once: the model returns to its mode when the last one leaves.
    """
    with _lock:
        users = _users.setdefault(model, _Users())
        users.count += 1
        users.training += [module for module in model.modules() if module.training]
        model.eval()
    try:
        yield
    finally:
        with _lock:
            users.count -= 1
            if users.count == 0:
                for module in users.training:
                    module.training = True
                del _users[model]
