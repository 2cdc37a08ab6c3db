"""The state of a decoder, as a tree of tensors in which the batch always comes first.

A decoder state is a frozen dataclass. What was read is in its field `source`, one row a sentence
and the same for every hypothesis of it; all the rest is what was said so far, one row a hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from jaxtyping import Int
from torch import Tensor

S = TypeVar("S")


def reorder(state: S, rows: Int[Tensor, " N"], sentences: Int[Tensor, " B"] | None = None) -> S:
    """Give each row the past of another: to spread, to reorder and to drop hypotheses.

    What was read stays as it is, unless `sentences` says which of them are still of interest.
    """

    def said(x: Tensor) -> Tensor:
        return x.index_select(0, rows)

    def read(x: Tensor) -> Tensor:
        return x if sentences is None else x.index_select(0, sentences)

    return _map(said, read, state)


def _map(said: Callable[[Tensor], Tensor], read: Callable[[Tensor], Tensor], tree: S) -> S:
    if isinstance(tree, Tensor):
        return cast(S, said(tree))
    if isinstance(tree, tuple):
        return cast(S, tuple(_map(said, read, branch) for branch in tree))
    if is_dataclass(tree) and not isinstance(tree, type):
        changed: dict[str, Any] = {
            field.name: _map(
                read if field.name == "source" else said, read, getattr(tree, field.name)
            )
            for field in fields(tree)
        }
        return cast(S, replace(cast(Any, tree), **changed))
    return tree
