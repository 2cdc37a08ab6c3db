"""What happens in a training run, as facts; observers are told of them and change nothing.

The trainer knows no observer. Whoever wants to draw, print or store what happens takes an event;
what the events of a run say, its times aside, is the same after any interruption.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True, slots=True)
class TrainingStarted:
    """A run begins, or goes on from a checkpoint."""

    step: int  # made before
    last: int  # the step that ends it at the latest
    epoch_tokens: int  # that an epoch predicts
    plan: dict[str, str]  # what it will do, in words, line by line


@dataclass(frozen=True, slots=True)
class StepCompleted:
    """A step of the optimiser was made."""

    step: int
    epoch: int
    loss: float  # per target token, as is all that follows
    parts: dict[str, float]  # of the loss, such as the plain negative log-likelihood, "nll"
    rate: float
    norm: float  # of the gradient, before it was clipped
    tokens: int  # that the step predicted
    seconds: float  # that the step took
    waited: float  # of them, for data


@dataclass(frozen=True, slots=True)
class SampleAttention:
    """Where one attention looked while a sentence was said: rows are what was said."""

    name: str  # of the attention in the model, with its head
    weights: Float[Tensor, "T S"]


@dataclass(frozen=True, slots=True)
class ValidationSample:
    """One validation sentence, the same each time."""

    source: str
    reference: str
    output: str
    source_pieces: tuple[str, ...] = ()
    output_pieces: tuple[str, ...] = ()
    attention: tuple[SampleAttention, ...] = ()


@dataclass(frozen=True, slots=True)
class Scores:
    """How good a model is: what a validation found."""

    values: dict[str, float]  # such as {"bleu": 37.1, "chrf": 62.0, "nll": 1.4}
    signatures: dict[str, str] = field(default_factory=dict)  # how a value was computed
    samples: tuple[ValidationSample, ...] = ()


@dataclass(frozen=True, slots=True)
class ValidationCompleted:
    step: int
    epoch: int
    scores: Scores
    metric: str  # which of the values decides
    improved: bool
    patience: int | None  # validations without improvement until the run stops
    seconds: float


@dataclass(frozen=True, slots=True)
class CheckpointSaved:
    """A checkpoint lies on disk, whole."""

    step: int
    path: str
    seconds: float


@dataclass(frozen=True, slots=True)
class RolledBack:
    """The run went wrong and goes on from an earlier checkpoint, with a smaller rate."""

    step: int  # that it goes on from
    diverged_at: int  # the step that was wrong
    why: str
    lr_scale: float  # what rates are multiplied by from now on


@dataclass(frozen=True, slots=True)
class TrainingEnded:
    step: int
    why: str
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
    """As one says it: 47 min, 2 h 05 min."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min" if minutes else f"{rest} s"
