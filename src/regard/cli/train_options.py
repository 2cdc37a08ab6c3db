"""Options of `regard train` that belong together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from regard.cli.corpus_options import files_option


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
