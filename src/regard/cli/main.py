"""`regard COMMAND …`: the list of commands, and how errors are printed."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import typer

import regard
from regard.cli.align import align
from regard.cli.caption import caption
from regard.cli.classify import classify
from regard.cli.compare import compare
from regard.cli.complete import complete
from regard.cli.demo import demo
from regard.cli.describe import describe
from regard.cli.doctor import doctor
from regard.cli.evaluate import evaluate
from regard.cli.explain import explain
from regard.cli.export import export
from regard.cli.import_model import import_model
from regard.cli.key import key
from regard.cli.plan import plan
from regard.cli.prepare import prepare
from regard.cli.score import score
from regard.cli.serve import serve
from regard.cli.settings import settings
from regard.cli.study import study
from regard.cli.train import train
from regard.cli.translate import translate
from regard.errors import RegardError, StorageError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(requested: bool) -> bool:
    if requested:
        print(f"regard {regard.__version__}")
        raise typer.Exit
    return requested


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Train, understand and serve sequence-to-sequence models with attention."""


class Panel(StrEnum):
    """The groups of commands in the help."""

    START = "First steps"
    DATA = "Data"
    TRAIN = "Training"
    USE = "Using a model"
    MEASURE = "Measuring and explaining"
    DEPLOY = "Serving and other formats"


PANELS: dict[Panel, tuple[Callable[..., None], ...]] = {
    Panel.START: (demo, describe, settings),
    Panel.DATA: (doctor, prepare, align),
    Panel.TRAIN: (train, study),
    Panel.USE: (translate, caption, classify, complete, score),
    Panel.MEASURE: (evaluate, compare, explain),
    Panel.DEPLOY: (serve, plan, export),
}
for panel, commands in PANELS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
COMMANDS = tuple(command for commands in PANELS.values() for command in commands)
app.command("import", rich_help_panel=Panel.DEPLOY)(import_model)
app.add_typer(key, name="key", rich_help_panel=Panel.DEPLOY)


def main() -> None:
    for stream in (sys.stdout, sys.stderr):  # never fail on a character, after all the work
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace", newline="\n")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # here, where an error has a message and an exit status
    except RegardError as error:
        print(f"regard: {error}", file=sys.stderr)
        sys.exit(error.code)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python flushes standard output once more
        print(f"regard: {error.filename or 'output'}: {error.strerror}.", file=sys.stderr)
        sys.exit(StorageError.code)
