"""Fit a run into a given time: which preset, how many steps, how many validations.

`fit_steps` and `choose_preset` are functions of measured times. `measure_cost` measures them with
a few steps and a sample of the validation, which do not change the model.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from math import ceil

from regard.config.run import RunConfig
from regard.config.train import AnySchedule, LinearConfig
from regard.errors import ConfigError
from regard.tasks.training import RunDirectory, make_trainer
from regard.train.distributed import World
from regard.train.events import format_duration

DRY_STEPS = 8  # measured steps of a preset
MARGIN = 0.06  # share of the time that is left over, because steps vary
MAX_VALIDATIONS = 10
VALIDATION_SHARE = 0.1  # of the time, for all validations but the last
CALIBRATION = 1.5  # time of calibration and saving, in validations
USABLE_STEPS = 1_000  # fewer give less than half of the BLEU of the preset (guides/training.md)
MIN_STEPS = 20  # a run of fewer steps is refused
MIN_SHARE = 1 / 3  # of a preset's own steps, without which a smaller preset is better


@dataclass(frozen=True, slots=True)
class RunCost:
    """Measured seconds of a training step and of a validation."""

    step: float
    validation: float
    epochs: float = 0.0  # of the data that a step reads; 0: unknown


@dataclass(frozen=True, slots=True)
class TimedPlan:
    """The steps of a run that ends in time."""

    steps: int
    validations: int
    cost: RunCost

    @property
    def validate_every(self) -> int:
        return -(-self.steps // self.validations)

    @property
    def seconds(self) -> float:
        """The expected duration of training, validation, calibration and saving."""
        return self.steps * self.cost.step + (self.validations + CALIBRATION) * self.cost.validation

    @property
    def shortage(self) -> str | None:
        """A warning if so few steps make a poor model."""
        if self.steps >= USABLE_STEPS:
            return None
        seconds = TimedPlan(USABLE_STEPS, 1, self.cost).seconds
        minutes = next(
            minutes
            for minutes in count(ceil(seconds / 60))
            if fit_steps(self.cost, USABLE_STEPS, 60.0 * minutes).steps == USABLE_STEPS
        )
        epochs = f" ({self.epochs:.1f} epochs)" if self.epochs else ""
        return (
            f"{self.steps:,} steps{epochs} are too few for a usable model: expect poor output. "
            f"{USABLE_STEPS:,} steps need about --minutes {minutes:,} on this machine, and a "
            "smaller preset or batch needs less"
        )

    @property
    def epochs(self) -> float:
        return self.steps * self.cost.epochs

    def apply(self, run: RunConfig) -> RunConfig:
        """Return the run with these steps and a schedule that ends with them.

        1/√t becomes a linear decay to zero, and a warmup in steps at most a tenth of the steps.
        """
        schedule: AnySchedule = run.train.schedule
        warmup = schedule.warmup if schedule.warmup < 1 else min(schedule.warmup, self.steps // 10)
        if schedule.kind == "inverse-sqrt":
            schedule = LinearConfig(warmup=warmup)
        every = self.validate_every
        update = {
            "steps": self.steps,
            "validate_every": every,
            "save_every": every,
            "schedule": schedule.model_copy(update={"warmup": warmup}),
        }
        return run.model_copy(update={"train": run.train.model_copy(update=update)})

    def __str__(self) -> str:
        validations = "1 validation" if self.validations == 1 else f"{self.validations} validations"
        return (
            f"{self.steps:,} steps of {self.cost.step:.2f} s and {validations} of "
            f"{self.cost.validation:.1f} s"
        )


@dataclass(frozen=True, slots=True)
class MeasuredPreset:
    """A preset and its cost on this machine."""

    name: str
    steps: int  # of the preset itself
    cost: RunCost
    seconds_left: float  # when it had been measured

    @property
    def least_seconds(self) -> float:
        """The time without which a smaller preset is better."""
        return TimedPlan(int(MIN_SHARE * self.steps), 1, self.cost).seconds / (1 - MARGIN)


def fit_steps(cost: RunCost, most: int, seconds: float) -> TimedPlan:
    """Return the plan with the most steps, up to `most`, that ends within `seconds`.

    Raises:
        ConfigError: there is no time for MIN_STEPS steps.
    """
    available = seconds * (1 - MARGIN)
    spare = VALIDATION_SHARE * available / max(cost.validation, 1e-3)
    validations = min(MAX_VALIDATIONS, 1 + int(spare))
    remaining = available - (validations + CALIBRATION) * cost.validation
    steps = min(most, int(remaining / cost.step))
    if steps < min(most, MIN_STEPS):
        needed = TimedPlan(min(most, 10 * MIN_STEPS), 1, cost).seconds / (1 - MARGIN)
        raise ConfigError(
            f"--minutes: {format_duration(max(0.0, seconds))} are left for training, and at "
            f"{cost.step:.2f} s per step a run needs at least {format_duration(needed)}. The data "
            "are prepared, so the same command starts sooner. Allow more minutes, or choose a "
            "smaller preset."
        )
    return TimedPlan(steps, min(validations, steps), cost)


def choose_preset(measured: Iterable[MeasuredPreset]) -> tuple[MeasuredPreset, str]:
    """Return the preset that is best in the time that is left, and the reason in one sentence.

    A larger preset is considered if all steps of the smaller one fit, and chosen if at least
    MIN_SHARE of its own steps fit.

    Args:
        measured: presets, the smallest first. It is read only as far as needed, because a large
            preset takes long to measure.
    """
    chosen: MeasuredPreset | None = None
    for preset in measured:
        if chosen is not None and preset.least_seconds > preset.seconds_left:
            needed = format_duration(preset.least_seconds)
            return chosen, f"{preset.name} needs at least {needed} on this machine."
        chosen = preset
        if fit_steps(preset.cost, preset.steps, preset.seconds_left).steps < preset.steps:
            return chosen, f"There is no time for all {preset.steps:,} steps of the preset."
    assert chosen is not None, "there is at least one preset"
    return chosen, "These are all steps of the preset."


def measure_cost(run: RunConfig, directory: RunDirectory, world: World) -> RunCost:
    """Measure a step and a validation of a run on prepared data."""
    _, trainer = make_trainer(run, directory, world)
    step = trainer.dry_run(DRY_STEPS)
    epochs = step.tokens / trainer.module.epoch_tokens
    return RunCost(step.mean_seconds, trainer.module.estimate_validation(), epochs)
