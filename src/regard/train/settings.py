"""Settings of a training run. Importing them does not import torch.distributed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from regard.train.optim import Adam, Schedule
from regard.train.performance import Performance

Parallel: TypeAlias = Literal["ddp", "fsdp"]
"""Each process holds the whole model (DDP), or a shard of it (FSDP2)."""


@dataclass(frozen=True, slots=True)
class TrainerSettings:
    """Settings of a training run that do not depend on the task."""

    steps: int
    optimizer: Adam
    schedule: Schedule
    metric: str  # the validation score that selects the best weights
    higher_is_better: bool = True  # of the metric
    seed: int = 1
    clip: float = 1.0  # maximum norm of a gradient
    max_loss_rise: float | None = 1.0  # nats per token until a run has diverged; None: no limit
    ema: float = 0.0  # decay of the moving average of the weights; 0: no average
    average: int = 1  # how many of the last validated weights are averaged at the end
    validate_every: int = 500
    patience: int | None = None  # validations without improvement until training stops
    save_every: int = 500
    parallel: Parallel = "ddp"
    performance: Performance = field(default_factory=Performance)
