"""Watch where a model looks. Weights exist only while somebody watches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Attention, Glance, Memory


class Trace:
    """The looks of every attention of a model, by its name in the model."""

    def __init__(self) -> None:
        self._glances: dict[str, list[Glance]] = defaultdict(list)

    def hear(self, name: str, glance: Glance) -> None:
        self._glances[name].append(glance)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._glances)

    def __getitem__(self, name: str) -> Float[Tensor, "B H T S"]:
        """The weights of one attention, its steps one after the other.

        Where it looks at a past that grows, what was not yet said has no weight.
        """
        return _one_after_the_other([_of(g.weights) for g in self._glances[name]], 0.0)

    def scores(self, name: str) -> Float[Tensor, "B H T S"]:
        """The same of its scores; what was not yet said could not be seen."""
        return _one_after_the_other([_of(g.scores) for g in self._glances[name]], -torch.inf)

    def asked(self, name: str) -> Float[Tensor, "B H T D"]:
        """Its projected queries."""
        return torch.cat([_of(glance.asked) for glance in self._glances[name]], dim=2)

    def memory(self, name: str) -> Memory:
        """What it looked at last, and so, of a past that grows, all of it."""
        memory = self._glances[name][-1].memory
        assert memory is not None
        return memory


def _of(told: Tensor | None) -> Tensor:
    assert told is not None, "who listens is told everything"
    return told.detach()


def _one_after_the_other(
    looks: list[Float[Tensor, "B H _ _"]], unseen: float
) -> Float[Tensor, "B H T S"]:
    size = max(look.size(-1) for look in looks)
    padded = [nn.functional.pad(look, (0, size - look.size(-1)), value=unseen) for look in looks]
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
