"""`regard train --minutes`: choose the preset and the steps of a run for a given time."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import count
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING

from regard.cli.prepare import show_stages
from regard.config.data import CorpusConfig
from regard.config.load import dump_config, load_config
from regard.config.run import AnySchedule, LinearConfig, RunConfig
from regard.data.formats.corpus import read_blocks
from regard.data.ownership import write_file
from regard.errors import ConfigError
from regard.tasks.training import RunDirectory, make_trainer, prepare_data
from regard.train.distributed import World
from regard.train.events import format_duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from regard.data.formats.corpus import Corpus

# -- fit a run into a given time -------------------------------------------------------------------
# Which preset, how many steps, how many validations.
#
# `fit_steps` and `choose_preset` are functions of measured times. `measure_cost` measures them with
# a few steps and a sample of the validation, which do not change the model.


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


# -- train minutes ---------------------------------------------------------------------------------


PLAN_FILE = "plan.json"  # of a run directory: what `--minutes` was
PLANNED = ("train.steps", "train.validate_every", "train.schedule")
"""The settings that `--minutes` chooses."""
QUICK_PRESET = "translate-quick"  # with --minutes, if there is no time for the others
PRESET_SIZES = {"translate-tiny": 300_000, "translate-base": 30_000_000, "translate-big": math.inf}
"""The most training pairs for which each preset is chosen."""


def choose_presets(train: Mapping[str, object], minutes: float | None) -> list[str | None]:
    """Return the translation preset for the number of training pairs.

    With `minutes`, also return the presets for less time before it, the smallest first.
    """
    pairs = count_examples(CorpusConfig.model_validate(train).build("train"))
    by_size = list(PRESET_SIZES)
    preset = next(name for name, most in PRESET_SIZES.items() if pairs <= most)
    if minutes is not None:
        return [QUICK_PRESET, *by_size[: by_size.index(preset) + 1]]
    print(f"{pairs:,} training pairs: preset {preset}. Use --preset for another.", file=sys.stderr)
    return [preset]


def fit_to_time(
    candidates: dict[str, RunConfig],
    directory: RunDirectory,
    world: World,
    deadline: float,
    minutes: float,
) -> RunConfig:
    """Return the candidate and the number of steps with which the command ends in time.

    The choice is saved in the run directory, so that a resumed run keeps it. Candidates are in the
    order of their size.
    """

    def prepare(run: RunConfig) -> None:
        with show_stages("prepared") as report:
            prepare_data(run, directory, report)

    def measure() -> Iterator[MeasuredPreset]:
        for name, run in candidates.items():
            prepare(run)
            print(f"measuring {name} …", file=sys.stderr, flush=True)
            cost = measure_cost(run, directory, world)
            yield MeasuredPreset(name, run.train.steps, cost, deadline - monotonic())

    preset, reason = choose_preset(measure())
    prepare(candidates[preset.name])  # a larger candidate may have replaced the data
    plan = fit_steps(preset.cost, preset.steps, deadline - monotonic())
    run = plan.apply(candidates[preset.name])
    _save_plan(directory, run, minutes, preset.steps)
    _print_plan(preset.name, plan, reason)
    return run


def continue_for(
    minutes: float, run: RunConfig, directory: RunDirectory, world: World, deadline: float
) -> RunConfig:
    """Return a run to resume, with as many further steps as fit if `minutes` has changed."""
    path = directory.path / PLAN_FILE
    saved = json.loads(path.read_text("utf-8")) if path.exists() else {}
    done, most = directory.last_step or 0, saved.get("preset_steps", 0)
    if saved.get("minutes", minutes) == minutes or done >= most:
        print(
            f"{directory.path}: the run resumes with the {run.train.steps:,} steps chosen at its "
            "start.",
            file=sys.stderr,
        )
        return run
    cost = measure_cost(run, directory, world)
    further = fit_steps(cost, most - done, deadline - monotonic())
    plan = replace(further, steps=done + further.steps)
    run = plan.apply(run)
    _save_plan(directory, run, minutes, most)
    reason = f"The run continues from step {done:,}; it was planned for {saved['minutes']:g} min."
    _print_plan(str(directory.path), plan, reason)
    return run


def _save_plan(directory: RunDirectory, run: RunConfig, minutes: float, steps: int) -> None:
    directory.claim()
    facts = {"minutes": minutes, "preset_steps": steps}
    write_file(str(directory.path), directory.config.name, dump_config(run).encode())
    write_file(str(directory.path), PLAN_FILE, json.dumps(facts).encode())


def _print_plan(name: str, plan: TimedPlan, reason: str) -> None:
    print(f"{name}: {plan}. {reason}", file=sys.stderr)
    if plan.shortage is not None:
        print(f"warning: {plan.shortage}", file=sys.stderr, flush=True)


def chosen_before(directory: RunDirectory) -> dict[str, object]:
    """Return the settings that `--minutes` has chosen when the run started."""
    train = load_config(directory.config).train.model_dump(mode="json")
    return {"train": {name.partition(".")[2]: train[name.partition(".")[2]] for name in PLANNED}}


def count_examples(corpus: Corpus) -> int:
    return sum(len(block) for block in read_blocks(corpus, 1 << 16))


def count_characters(corpus: Corpus) -> int:
    """The characters of both sides."""
    return sum(
        sum(map(len, block.sources)) + sum(map(len, block.targets))
        for block in read_blocks(corpus, 1 << 16)
    )
