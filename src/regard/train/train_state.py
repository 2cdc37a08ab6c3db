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
from regard.train.distributed import World
from regard.train.module import TrainingModule
from regard.train.optim import Adam, allocate_state, optimizer_state


@dataclass(slots=True)
class TrainProgress:
    """Where a run stands, besides its tensors."""

    cursor: dict[str, Any] = field(default_factory=dict)  # in the data
    best: float | None = None  # value of the metric
    best_step: int = 0
    stale: int = 0  # validations since the best
    validated: list[int] = field(default_factory=list)  # the last steps whose weights were kept
    mean: float | None = None  # moving average of the loss
    lowest: float | None = None  # that the average has been
    lr_scale: float = 1.0  # what rates are multiplied by
    rollbacks: int = 0  # how often the run stepped back


class TrainState:
    """The task's tensors, the optimiser's memories, and the moving average of the weights:

    θ̄ ← d θ̄ + (1 − d) θ,  d = min(ema, (1 + t)/(10 + t)): the young average must not remember how
    the weights were drawn.
    """

    def __init__(self, task: TrainingModule[Any], adam: Adam, ema: float) -> None:
        self.task, self.ema, self.progress = task, ema, TrainProgress()
        self.parameters = {n: p for n, p in task.named_parameters() if p.requires_grad}
        self.optimizer = adam.build(self.parameters.values())
        allocate_state(self.optimizer)
        self.moving = {n: p.detach().clone() for n, p in self.parameters.items()} if ema else {}

    @torch.no_grad()
    def update_ema(self, step: int) -> None:
        """Let the average follow the weights."""
        if self.moving:
            keep = min(self.ema, (1 + step) / (10 + step))
            weights = [p.detach() for p in self.parameters.values()]
            torch._foreach_lerp_(list(self.moving.values()), weights, 1 - keep)

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """The moving average, where there is one, in the place of the weights."""
        own = {name: self.parameters[name].detach().clone() for name in self.moving}
        copy_into(self.parameters, self.moving)
        try:
            yield
        finally:
            copy_into(self.parameters, own)

    def weights(self) -> dict[str, Tensor]:
        """All that the model is, each tensor once."""
        return _tensors(self.task.model)

    def tensors(self) -> dict[str, Tensor]:
        """All that the run is, besides its facts."""
        remembered = optimizer_state(self.optimizer, self.parameters)
        return {
            **{f"task.{name}": tensor for name, tensor in _tensors(self.task).items()},
            **{f"moving.{name}": tensor for name, tensor in self.moving.items()},
            **{f"optimizer.{name}": tensor for name, tensor in remembered.items()},
        }

    def save(self, world: World, root: Path, step: int, environment: Mapping[str, Any]) -> Path:
        facts = {"progress": asdict(self.progress), "environment": dict(environment)}
        return checkpoint.save_checkpoint(world, root, step, self.tensors(), facts)

    def load(self, world: World, path: Path) -> None:
        facts = checkpoint.load_checkpoint(world, path, self.tensors())
        self.progress = TrainProgress(**facts["progress"])


class Buffers:
    """What the task remembers besides its parameters, through the batches of a step.

    Each batch finds what the step found, and the mean of what they leave is kept: it must not
    matter which process reads which of them.
    """

    def __init__(self, task: TrainingModule[Any]) -> None:
        self.buffers = list(task.buffers())
        self.found = [buffer.clone() for buffer in self.buffers]
        self.left = [torch.zeros_like(buffer, dtype=torch.float64) for buffer in self.buffers]
        self.batches = 0

    def restore(self) -> None:
        """As the step found them."""
        for buffer, found in zip(self.buffers, self.found, strict=True):
            buffer.copy_(found)

    def record(self) -> None:
        """What a batch left."""
        self.batches += 1
        for left, buffer in zip(self.left, self.buffers, strict=True):
            left.add_(buffer)

    def reduce(self, world: World) -> None:
        """The mean of what all batches of all processes left."""
        for buffer, left in zip(self.buffers, self.left, strict=True):
            told = world.total(torch.cat([left.flatten(), left.new_tensor([self.batches])]))
            buffer.copy_((told[:-1] / told[-1]).view_as(buffer))


@torch.no_grad()
def copy_into(tensors: Mapping[str, Tensor], values: Mapping[str, Tensor]) -> None:
    """Give each tensor the value of its name, where there is one."""
    for name, value in values.items():
        tensors[name].copy_(value)


def _tensors(module: torch.nn.Module) -> dict[str, Tensor]:
    named = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    return {name: tensor.detach() for name, tensor in named.items()}
