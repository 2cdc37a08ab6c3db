"""Reordering decoder states.

A decoder state is a tree of tensors (frozen dataclasses and tuples) whose first dimension is the
batch. Its field `source` has one row per sentence, shared by the hypotheses of the sentence. All
other tensors have one row per hypothesis.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from jaxtyping import Int
from torch import Tensor

S = TypeVar("S")


def reorder(state: S, rows: Int[Tensor, " N"], sentences: Int[Tensor, " B"] | None = None) -> S:
    """Select `rows` of the state: to copy, reorder or drop hypotheses.

    `source` stays as it is, unless `sentences` selects the sentences to keep.
    """
    if isinstance(state, Tensor):
        return cast(S, state.index_select(0, rows))
    if isinstance(state, tuple):
        return cast(S, tuple(reorder(part, rows, sentences) for part in state))
    if state is None or isinstance(state, int):
        return state
    if not is_dataclass(state) or isinstance(state, type):
        raise TypeError(f"a decoder state consists of tensors, tuples, dataclasses, not {state!r}")
    changed: dict[str, Any] = {}
    for field in fields(state):
        value = getattr(state, field.name)
        if field.name != "source":
            changed[field.name] = reorder(value, rows, sentences)
        elif sentences is not None:
            changed[field.name] = reorder(value, sentences, sentences)
    return cast(S, replace(cast(Any, state), **changed))
