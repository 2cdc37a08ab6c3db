"""Events of a training run. Loggers receive them and do not affect the run.

Except for times, a run emits the same events whether or not it was interrupted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True, slots=True)
class TrainingStarted:
    """A run starts, or resumes from a checkpoint."""

    step: int  # steps completed before
    last: int  # maximum number of steps
    epoch_tokens: int  # target tokens per epoch
    plan: dict[str, str]  # description of the run, line by line


@dataclass(frozen=True, slots=True)
class StepCompleted:
    """The optimizer made a step."""

    step: int
    epoch: int
    loss: float  # per target token
    parts: dict[str, float]  # terms of the loss, per target token; "nll" is without smoothing
    rate: float  # learning rate
    norm: float  # of the gradient, before clipping
    tokens: int  # target tokens of the step
    seconds: float  # duration of the step
    waited: float  # part of it spent waiting for data


@dataclass(frozen=True, slots=True)
class SampleAttention:
    """Weights of one attention head for a validation sample, a row for each output token."""

    name: str  # of the attention layer and the head
    weights: Float[Tensor, "T S"]


@dataclass(frozen=True, slots=True)
class ValidationSample:
    """One validation example and the model's output. Each validation shows the same examples."""

    source: str
    reference: str
    output: str
    source_pieces: tuple[str, ...] = ()
    output_pieces: tuple[str, ...] = ()
    attention: tuple[SampleAttention, ...] = ()


@dataclass(frozen=True, slots=True)
class Scores:
    """Validation scores of a model."""

    values: dict[str, float]  # such as {"bleu": 37.1, "chrf": 62.0, "nll": 1.4}
    signatures: dict[str, str] = field(default_factory=dict)  # how each value is computed
    samples: tuple[ValidationSample, ...] = ()


@dataclass(frozen=True, slots=True)
class ValidationCompleted:
    """The model was validated."""

    step: int
    epoch: int
    scores: Scores
    metric: str  # the score that selects the best weights
    improved: bool
    patience: int | None  # validations without improvement until the run stops
    seconds: float


@dataclass(frozen=True, slots=True)
class CheckpointSaved:
    """A checkpoint was written."""

    step: int
    path: str
    seconds: float


@dataclass(frozen=True, slots=True)
class RolledBack:
    """The run diverged and continues from an earlier checkpoint with a smaller learning rate."""

    step: int  # of the checkpoint
    diverged_at: int
    reason: str
    lr_scale: float  # factor of the learning rate from now on


@dataclass(frozen=True, slots=True)
class TrainingEnded:
    """The run is complete or was interrupted."""

    step: int
    reason: str
    best_step: int
    best: Scores | None


Event: TypeAlias = (
    TrainingStarted
    | StepCompleted
    | ValidationCompleted
    | CheckpointSaved
    | RolledBack
    | TrainingEnded
)
EventHandler: TypeAlias = Callable[[Event], None]


def format_duration(seconds: float) -> str:
    """Return a duration as text, such as "47 min" or "2 h 05 min"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min" if minutes else f"{rest} s"
