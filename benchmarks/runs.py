"""Runs that differ in their model or seed alone, on data that are prepared once."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev

from regard.config.load import load_config
from regard.config.run import RunConfig
from regard.tasks.training import RunDirectory, prepare_data, train_run
from regard.train.distributed import World
from regard.train.events import Event, ValidationCompleted
from regard.train.loggers.jsonl import read_steps


@dataclass(frozen=True)
class Taught:
    model: Path  # sealed
    parameters: int
    seconds: float  # of steps, those before a stop too


def prepare_once(run: RunConfig, folder: Path) -> RunDirectory:
    home = RunDirectory(folder / "prepared")
    prepare_data(run, home, lambda progress: None)
    return home


def teach(
    name: str, preset: str, settings: list[str], prepared: RunDirectory, folder: Path
) -> Taught:
    """Train a run and seal it; one that was ended before is only opened."""
    run, home = load_config(preset, settings), RunDirectory(folder / name)
    if not home.data.exists():
        shutil.copytree(prepared.data, home.data)

    def tell(event: Event) -> None:
        if isinstance(event, ValidationCompleted):
            value = event.scores.values[event.metric]
            print(f"  {name}, step {event.step:,}: {event.metric} {value:.4g}", flush=True)

    train_run(run, home, World(), loggers=[home.journal(), tell])
    seconds = sum(step["seconds"] for step in read_steps(home.log))
    from regard.tasks.base import load

    model = load(home.model).model
    return Taught(home.model, sum(p.numel() for p in model.parameters()), seconds)


def spread(values: list[float]) -> dict[str, float]:
    """The mean of several seeds, and how far they lie apart."""
    apart = stdev(values) if len(values) > 1 else 0.0
    return {"mean": round(mean(values), 4), "deviation": round(apart, 4)}
