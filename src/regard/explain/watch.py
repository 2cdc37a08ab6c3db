"""Watch where a model looks. Weights exist only while somebody watches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Attention, Glance


class Trace:
    """The looks of every attention of a model, by its name in the model."""

    def __init__(self) -> None:
        self._looks: dict[str, list[Tensor]] = defaultdict(list)

    def hear(self, name: str, glance: Glance) -> None:
        assert glance.weights is not None
        self._looks[name].append(glance.weights.detach())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._looks)

    def __getitem__(self, name: str) -> Float[Tensor, "B H T S"]:
        """The weights of one attention, its steps one after the other.

        Where it looks at a past that grows, what was not yet said has no weight.
        """
        looks = self._looks[name]
        size = max(look.size(-1) for look in looks)
        padded = [nn.functional.pad(look, (0, size - look.size(-1))) for look in looks]
        return torch.cat(padded, dim=2)


@contextmanager
def watch(model: nn.Module, names: Collection[str] | None = None) -> Iterator[Trace]:
    """The looks of all attentions of `model`, or of those named, while the block lasts."""
    trace = Trace()
    with ExitStack() as watching:
        for name, module in model.named_modules():
            if isinstance(module, Attention) and (names is None or name in names):
                watching.enter_context(module.heard_by(partial(trace.hear, name)))
        yield trace
