"""The state of a run that a checkpoint holds."""

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
    """The state of a run except its tensors."""

    cursor: dict[str, Any] = field(default_factory=dict)  # position in the data
    best: float | None = None  # best value of the metric
    best_step: int = 0
    stale: int = 0  # validations since the best
    validated: list[int] = field(default_factory=list)  # last steps whose weights are kept
    mean_loss: float | None = None  # moving average
    loss_variance: float = 0.0  # of the losses around the moving average
    loss_baseline: float | None = None  # lowest upper bound of the moving average
    lr_scale: float = 1.0  # factor of the learning rate
    rollbacks: int = 0


class TrainState:
    """The module's tensors, the optimizer's state, and a moving average of the weights:

    θ̄ ← d θ̄ + (1 − d) θ,  d = min(ema, (1 + t)/(10 + t))

    The smaller decay of the first steps removes the influence of the initial weights.
    """

    def __init__(self, module: TrainingModule[Any], adam: Adam, ema: float) -> None:
        self.module, self.decay, self.progress = module, ema, TrainProgress()
        self.parameters = {n: p for n, p in module.named_parameters() if p.requires_grad}
        self.optimizer = adam.build(self.parameters.values())
        allocate_state(self.optimizer)
        self.ema = {n: p.detach().clone() for n, p in self.parameters.items()} if ema else {}

    @torch.no_grad()
    def update_ema(self, step: int) -> None:
        """Update the moving average after a step."""
        if self.ema:
            decay = min(self.decay, (1 + step) / (10 + step))
            weights = [p.detach() for p in self.parameters.values()]
            torch._foreach_lerp_(list(self.ema.values()), weights, 1 - decay)

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Temporarily replace the weights by their moving average, if there is one."""
        weights = {name: self.parameters[name].detach().clone() for name in self.ema}
        copy_into(self.parameters, self.ema)
        try:
            yield
        finally:
            copy_into(self.parameters, weights)

    def weights(self) -> dict[str, Tensor]:
        """Return the model's parameters and buffers, each tensor once."""
        return _tensors(self.module.model)

    def tensors(self) -> dict[str, Tensor]:
        """Return all tensors of a checkpoint."""
        optimizer = optimizer_state(self.optimizer, self.parameters)
        return {
            **{f"module.{name}": tensor for name, tensor in _tensors(self.module).items()},
            **{f"ema.{name}": tensor for name, tensor in self.ema.items()},
            **{f"optimizer.{name}": tensor for name, tensor in optimizer.items()},
        }

    def save(self, world: World, root: Path, step: int, environment: Mapping[str, Any]) -> Path:
        """Write the checkpoint of `step` and return its directory."""
        facts = {
            "progress": asdict(self.progress),
            "environment": dict(environment),
            "ema": bool(self.ema),
        }
        return checkpoint.save_checkpoint(world, root, step, self.tensors(), facts)

    def load(self, world: World, path: Path) -> None:
        """Read a checkpoint into this state."""
        tensors = self.tensors()
        starts_average = bool(self.ema) and not checkpoint.inspect_checkpoint(path).get("ema", True)
        if starts_average:  # a resumed run may turn the average on
            tensors = {k: v for k, v in tensors.items() if not k.startswith("ema.")}
        facts = checkpoint.load_checkpoint(world, path, tensors)
        if starts_average:
            copy_into(self.ema, {name: p.detach() for name, p in self.parameters.items()})
        progress = dict(facts["progress"])
        if "lowest_mean_loss" in progress:  # 0.2.0
            progress["loss_baseline"] = progress.pop("lowest_mean_loss")
        self.progress = TrainProgress(**progress)


class Buffers:
    """Buffers of a module, updated by all batches of a step.

    Each batch starts from the values before the step, and the step ends with the mean of the
    batches' results. The result therefore does not depend on which process reads which batch.
    """

    def __init__(self, module: TrainingModule[Any]) -> None:
        self.buffers = list(module.buffers())
        self.initial = [buffer.clone() for buffer in self.buffers]
        self.sums = [torch.zeros_like(buffer, dtype=torch.float64) for buffer in self.buffers]
        self.batches = 0

    def restore(self) -> None:
        """Reset the buffers to their values before the step."""
        for buffer, initial in zip(self.buffers, self.initial, strict=True):
            buffer.copy_(initial)

    def record(self) -> None:
        """Add the values after a batch."""
        self.batches += 1
        for total, buffer in zip(self.sums, self.buffers, strict=True):
            total.add_(buffer)

    def reduce(self, world: World) -> None:
        """Set the buffers to the mean over all recorded batches of all processes."""
        for buffer, total in zip(self.buffers, self.sums, strict=True):
            summed = world.total(torch.cat([total.flatten(), total.new_tensor([self.batches])]))
            buffer.copy_((summed[:-1] / summed[-1]).view_as(buffer))


@torch.no_grad()
def copy_into(tensors: Mapping[str, Tensor], values: Mapping[str, Tensor]) -> None:
    """Copy `values` into the tensors of the same names."""
    for name, value in values.items():
        tensors[name].copy_(value)


def _tensors(module: torch.nn.Module) -> dict[str, Tensor]:
    named = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    return {name: tensor.detach() for name, tensor in named.items()}
