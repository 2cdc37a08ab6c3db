"""Hypotheses, and the step function that searches extend them with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from jaxtyping import Float, Int
from torch import Tensor

from regard.search.constraints import Constraint

S = TypeVar("S")

Step: TypeAlias = Callable[[Int[Tensor, " N"], S], tuple[Float[Tensor, "N V"], S]]
"""The last tokens and the state before them, to the logits of the next and the state after."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    tokens: tuple[int, ...]  # without the marks of beginning and end
    logps: tuple[float, ...]  # of each token, and of the end where it was reached
    score: float  # what hypotheses are ranked by: Σ logps / length^alpha

    @property
    def ended(self) -> bool:
        """It came to its end before the limit."""
        return len(self.logps) > len(self.tokens)


def constrained_logps(
    logits: Float[Tensor, "N V"],
    constraints: Sequence[Constraint],
    prefix: Int[Tensor, "N T"],
    sentence: Int[Tensor, " N"],
) -> Float[Tensor, "N V"]:
    logp = logits.log_softmax(dim=-1)
    for rule in constraints:
        logp = rule(prefix[:, 1:], sentence, logp)
    return logp


def tokens_before_eos(tokens: list[int], eos: int) -> tuple[int, ...]:
    return tuple(tokens[: tokens.index(eos)] if eos in tokens else tokens)
