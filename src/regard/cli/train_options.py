"""Options of `regard train`, and the loggers that they choose."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.corpus_options import files_option
from regard.errors import ConfigError

if TYPE_CHECKING:
    from regard.tasks.training import RunDirectory
    from regard.train.events import EventHandler


@dataclass(frozen=True)
class ComparisonArguments:
    """What a fine-tuned model and its parent are scored on, and how far scores may fall."""

    test: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="SOURCE TARGET",
            help="With --from: score the model before and after on these pairs; by default on the "
            "validation set.",
        ),
    ] = None
    test_file: Annotated[
        str | None, typer.Option(metavar="FILE", help="The same as --test, in one file.")
    ] = None
    general: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="SOURCE TARGET",
            help="With --from: also score pairs unlike the new data, to see what the model "
            "forgets.",
        ),
    ] = None
    general_file: Annotated[
        str | None, typer.Option(metavar="FILE", help="The same as --general, in one file.")
    ] = None
    gate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC=CHANGE",
            help="With --general: exit with status 3 if a score on these pairs falls by more than "
            "this: bleu=-1. Repeatable.",
        ),
    ] = None

    @property
    def test_files(self) -> list[str] | None:
        return files_option("test", self.test, self.test_file)

    @property
    def general_files(self) -> list[str] | None:
        return files_option("general", self.general, self.general_file)

    @property
    def files(self) -> list[str]:
        return [*(self.test_files or ()), *(self.general_files or ())]


@dataclass(frozen=True)
class LoggerArguments:
    """The loggers that options choose, by the names of their packages."""

    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Log to TensorBoard.")] = False
    mlflow: Annotated[bool, typer.Option("--mlflow", help="Log to MLflow.")] = False
    wandb: Annotated[bool, typer.Option("--wandb", help="Log to Weights & Biases.")] = False


# -- the loggers of a training run -----------------------------------------------------------------
# `log.jsonl` and those that options choose.


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
        from regard.train.loggers.tracker import MLflowLogger

        loggers.append(MLflowLogger(directory.path, resume_step=resume_step))
    if arguments.wandb:
        from regard.train.loggers.tracker import WandbLogger

        loggers.append(WandbLogger(directory.path, resume_step=resume_step))
    return loggers
