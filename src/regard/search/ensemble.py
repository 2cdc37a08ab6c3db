"""Several models that speak as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.search.hypothesis import Step

States: TypeAlias = tuple[Any, ...]


def ensemble(steps: Sequence[Step[Any]]) -> Step[States]:
    """p(y) = the mean of p_m(y) over the models m; the state is the tuple of their states."""

    def step(last: Int[Tensor, " N"], states: States) -> tuple[Float[Tensor, "N V"], States]:
        said = [one(last, state) for one, state in zip(steps, states, strict=True)]
        logps = torch.stack([logits.log_softmax(dim=-1) for logits, _ in said])
        return logps.logsumexp(dim=0), tuple(state for _, state in said)

    return step
