"""`regard train --minutes`: choose the preset and the steps of a run for a given time."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from regard.cli.prepare import show_stages
from regard.config.data import CorpusConfig
from regard.config.load import dump_config, load_config
from regard.data.formats.corpus import read_blocks
from regard.data.ownership import write_file
from regard.tasks.time_budget import MeasuredPreset, choose_preset, fit_steps, measure_cost
from regard.tasks.training import prepare_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from regard.config.run import RunConfig
    from regard.data.formats.corpus import Corpus
    from regard.tasks.time_budget import TimedPlan
    from regard.tasks.training import RunDirectory
    from regard.train.distributed import World

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
