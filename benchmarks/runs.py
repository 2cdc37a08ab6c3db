"""Runs that differ in their model or seed alone, on data that are prepared once."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev

from regard.spec.read import read_run
from regard.spec.run import Run
from regard.tasks.training import Home, prepare_data, train
from regard.train.mesh import World
from regard.train.observers.journal import steps
from regard.train.report import Event, Validated


@dataclass(frozen=True)
class Taught:
    model: Path  # sealed
    parameters: int
    seconds: float  # of steps, those before a stop too


def prepare_once(run: Run, folder: Path) -> Home:
    home = Home(folder / "prepared")
    prepare_data(run, home, lambda progress: None)
    return home


def teach(name: str, preset: str, settings: list[str], prepared: Home, folder: Path) -> Taught:
    """Train a run and seal it; one that was ended before is only opened."""
    run, home = read_run(preset, settings), Home(folder / name)
    if not home.data.exists():
        shutil.copytree(prepared.data, home.data)

    def tell(event: Event) -> None:
        if isinstance(event, Validated):
            value = event.scores.values[event.metric]
            print(f"  {name}, step {event.step:,}: {event.metric} {value:.4g}", flush=True)

    train(run, home, World(), observers=[home.journal(), tell])
    seconds = sum(step["seconds"] for step in steps(home.log))
    from regard.tasks.use import load

    model = load(home.model).model
    return Taught(home.model, sum(p.numel() for p in model.parameters()), seconds)


def spread(values: list[float]) -> dict[str, float]:
    """The mean of several seeds, and how far they lie apart."""
    apart = stdev(values) if len(values) > 1 else 0.0
    return {"mean": round(mean(values), 4), "deviation": round(apart, 4)}
