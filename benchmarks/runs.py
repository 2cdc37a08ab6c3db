"""Train runs that differ only in model or seed, on data that is prepared once."""

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
class TrainedModel:
    model: Path  # the bundle
    parameters: int
    seconds: float  # of training steps


def prepare_once(run: RunConfig, folder: Path) -> RunDirectory:
    directory = RunDirectory(folder / "prepared")
    prepare_data(run, directory, lambda progress: None)
    return directory


def train_model(
    name: str, preset: str, settings: list[str], prepared: RunDirectory, folder: Path
) -> TrainedModel:
    """Train a run and save its bundle; a completed run is reused."""
    run, directory = load_config(preset, settings), RunDirectory(folder / name)
    if not directory.data.exists():
        shutil.copytree(prepared.data, directory.data)

    def log_validation(event: Event) -> None:
        if isinstance(event, ValidationCompleted):
            value = event.scores.values[event.metric]
            print(f"  {name}, step {event.step:,}: {event.metric} {value:.4g}", flush=True)

    train_run(run, directory, World(), loggers=[directory.jsonl_logger(), log_validation])
    seconds = sum(step["seconds"] for step in read_steps(directory.log))
    from regard.tasks.loading import load

    model = load(directory.model).model
    return TrainedModel(directory.model, sum(p.numel() for p in model.parameters()), seconds)


def spread(values: list[float]) -> dict[str, float]:
    """The mean and standard deviation over seeds."""
    deviation = stdev(values) if len(values) > 1 else 0.0
    return {"mean": round(mean(values), 4), "deviation": round(deviation, 4)}
