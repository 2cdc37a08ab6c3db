"""The loggers of a training run: `log.jsonl` and those that options choose."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from regard.cli.train_options import LoggerArguments
from regard.errors import ConfigError

if TYPE_CHECKING:
    from regard.tasks.training import RunDirectory
    from regard.train.events import EventHandler


def check_loggers(arguments: LoggerArguments) -> None:
    """Raise ConfigError if a chosen logger is not installed, before the data are prepared."""
    for name in (name for name, is_chosen in vars(arguments).items() if is_chosen):
        try:
            import_module(name)
        except ImportError as error:
            raise ConfigError(
                f"--{name}: {name} cannot be imported ({error}). Run: pip install 'regard[{name}]'"
            ) from error


def make_loggers(directory: RunDirectory, arguments: LoggerArguments) -> list[EventHandler]:
    """Return the loggers; each continues after the last checkpoint."""
    resume_step = directory.last_step
    loggers: list[EventHandler] = [directory.jsonl_logger()]
    if arguments.tensorboard:
        from regard.train.loggers.tensorboard import TensorBoardLogger

        loggers.append(TensorBoardLogger(directory.path / "tensorboard", resume_step=resume_step))
    if arguments.mlflow:
        from regard.train.loggers.mlflow import MLflowLogger

        loggers.append(MLflowLogger(directory.path, resume_step=resume_step))
    if arguments.wandb:
        from regard.train.loggers.wandb import WandbLogger

        loggers.append(WandbLogger(directory.path, resume_step=resume_step))
    return loggers
