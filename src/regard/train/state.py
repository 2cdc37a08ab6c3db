"""All that a run is at one moment: tensors and facts, as a checkpoint holds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.train import checkpoint
from regard.train.mesh import World
from regard.train.optim import Adam, begin, memories
from regard.train.task import Task


@dataclass(slots=True)
class Progress:
    """Where a run stands, besides its tensors."""

    place: dict[str, Any] = field(default_factory=dict)  # in the data
    best: float | None = None  # value of the metric
    best_step: int = 0
    stale: int = 0  # validations since the best
    validated: list[int] = field(default_factory=list)  # the last steps whose weights were kept
    mean: float | None = None  # moving average of the loss
    lowest: float | None = None  # that the average has been
    caution: float = 1.0  # what rates are multiplied by
    falls: int = 0  # how often the run stepped back


class State:
    """The task's tensors, the optimiser's memories, and the moving average of the weights:

    θ̄ ← d θ̄ + (1 − d) θ,  d = min(ema, (1 + t)/(10 + t)): the young average must not remember how
    the weights were drawn.
    """

    def __init__(self, task: Task[Any], adam: Adam, ema: float) -> None:
        self.task, self.ema, self.progress = task, ema, Progress()
        self.parameters = {n: p for n, p in task.named_parameters() if p.requires_grad}
        self.optimizer = adam.build(self.parameters.values())
        begin(self.optimizer)
        self.moving = {n: p.detach().clone() for n, p in self.parameters.items()} if ema else {}

    @torch.no_grad()
    def follow(self, step: int) -> None:
        """Let the average follow the weights."""
        if self.moving:
            keep = min(self.ema, (1 + step) / (10 + step))
            weights = [p.detach() for p in self.parameters.values()]
            torch._foreach_lerp_(list(self.moving.values()), weights, 1 - keep)

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """The moving average, where there is one, in the place of the weights."""
        own = {name: self.parameters[name].detach().clone() for name in self.moving}
        fill(self.parameters, self.moving)
        try:
            yield
        finally:
            fill(self.parameters, own)

    def weights(self) -> dict[str, Tensor]:
        """All that the model is, each tensor once."""
        return _tensors(self.task.model)

    def tensors(self) -> dict[str, Tensor]:
        """All that the run is, besides its facts."""
        remembered = memories(self.optimizer, self.parameters)
        return {
            **{f"task.{name}": tensor for name, tensor in _tensors(self.task).items()},
            **{f"moving.{name}": tensor for name, tensor in self.moving.items()},
            **{f"optimizer.{name}": tensor for name, tensor in remembered.items()},
        }

    def save(self, world: World, root: Path, step: int, circumstances: Mapping[str, Any]) -> Path:
        facts = {"progress": asdict(self.progress), "circumstances": dict(circumstances)}
        return checkpoint.save(world, root, step, self.tensors(), facts)

    def load(self, world: World, path: Path) -> None:
        facts = checkpoint.load(world, path, self.tensors())
        self.progress = Progress(**facts["progress"])


class Buffers:
    """What the task remembers besides its parameters, through the batches of a step.

    Each batch finds what the step found, and the mean of what they leave is kept: it must not
    matter which process reads which of them.
    """

    def __init__(self, task: Task[Any]) -> None:
        self.buffers = list(task.buffers())
        self.found = [buffer.clone() for buffer in self.buffers]
        self.left = [torch.zeros_like(buffer, dtype=torch.float64) for buffer in self.buffers]
        self.batches = 0

    def restore(self) -> None:
        """As the step found them."""
        for buffer, found in zip(self.buffers, self.found, strict=True):
            buffer.copy_(found)

    def note(self) -> None:
        """What a batch left."""
        self.batches += 1
        for left, buffer in zip(self.left, self.buffers, strict=True):
            left.add_(buffer)

    def settle(self, world: World) -> None:
        """The mean of what all batches of all processes left."""
        for buffer, left in zip(self.buffers, self.left, strict=True):
            told = world.total(torch.cat([left.flatten(), left.new_tensor([self.batches])]))
            buffer.copy_((told[:-1] / told[-1]).view_as(buffer))


@torch.no_grad()
def fill(tensors: Mapping[str, Tensor], values: Mapping[str, Tensor]) -> None:
    """Give each tensor the value of its name, where there is one."""
    for name, value in values.items():
        tensors[name].copy_(value)


def _tensors(module: torch.nn.Module) -> dict[str, Tensor]:
    named = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    return {name: tensor.detach() for name, tensor in named.items()}
