"""Ensembles: several models as one step function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.search.step import Step


def ensemble(steps: Sequence[Step[Any]]) -> Step[tuple[Any, ...]]:
    """p(y) = mean of p_m(y) over the models m; the state is the tuple of their states."""

    def step(
        last: Int[Tensor, " N"], states: tuple[Any, ...]
    ) -> tuple[Float[Tensor, "N V"], tuple[Any, ...]]:
        outputs = [member(last, state) for member, state in zip(steps, states, strict=True)]
        logps = torch.stack([logits.log_softmax(dim=-1) for logits, _ in outputs])
        return logps.logsumexp(dim=0), tuple(state for _, state in outputs)

    return step
