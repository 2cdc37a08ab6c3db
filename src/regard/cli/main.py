"""`regard COMMAND …`: the list of commands, and how errors are printed.

The module of a command is imported when the command runs.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from typing import Annotated, Any

import typer

import regard
from regard.cli.command_classes import Command, Group
from regard.cli.key import key
from regard.errors import RegardError, StorageError


class HelpPanel(StrEnum):
    """The groups of commands in the help."""

    START = "First steps"
    DATA = "Data"
    TRAIN = "Training"
    USE = "Using a model"
    MEASURE = "Measuring and explaining"
    DEPLOY = "Serving and other formats"


PANELS = {
    HelpPanel.START: {
        "demo": "Train a model with attention and one without, and compare them. Needs no data.",
        "describe": "Show the model of a preset or run file, or the contents of a model bundle.",
        "settings": "List all settings with their values, defaults and meaning.",
    },
    HelpPanel.DATA: {
        "doctor": "Check a corpus for defects before training. Exit status 3 if there are any.",
        "prepare": "Clean corpora, train a tokenizer and write token shards.",
        "align": "Print word links i-j for each sentence pair: source word i, target word j, "
        "from 0.",
    },
    HelpPanel.TRAIN: {
        "train": "Train a model and save the best weights as a model bundle.",
        "study": "Train the models of a study, and write a table, a figure and all numbers.",
    },
    HelpPanel.USE: {
        "translate": "Translate text line by line, or a document. An empty line stays empty.",
        "caption": "Print a caption for each image, one per line.",
        "classify": "Print a label and its probability for each document, separated by a tab.",
        "complete": "Continue each prompt, one per line.",
        "score": "Score sentence pairs, one line for each; a higher score is better.",
        "join": "Join the shares that --part has computed to the output file of a job.",
    },
    HelpPanel.MEASURE: {
        "evaluate": "Score translations (BLEU, chrF, TER) or word alignments (AER) with confidence "
        "intervals.",
        "compare": "Compare translations of the same sentences. Exit status 3 if a gate fails.",
        "explain": "Show attention, probabilities and search of a model for one input, in one "
        "file.",
    },
    HelpPanel.DEPLOY: {
        "serve": "Serve translation models over HTTP.",
        "mcp": "Offer a translation model to agents, by the Model Context Protocol over stdio.",
        "plan": "Plan machines, time and cost, from times that are measured on this machine.",
        "export": "Add a CTranslate2 export to a model bundle, or write a Hugging Face MarianMT "
        "folder.",
        "import": "Import a pretrained translation model as a model bundle.",
    },
}
"""The commands of each group, and the first lines of their help."""

COMMANDS = {name: text for commands in PANELS.values() for name, text in commands.items()}


class LazyCommand(Command):
    """A command whose module is imported when it runs: the list of commands needs none."""

    @cached_property
    def loaded(self) -> Command:
        """The command with its parameters."""
        module = "import_model" if self.name == "import" else self.name
        function = getattr(import_module(f"regard.cli.{module}"), str(module))
        program = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        program.command(self.name, cls=Command)(function)
        command = typer.main.get_command(program)
        assert isinstance(command, Command)
        return command

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        return self.loaded.make_context(*arguments, **options)


class CommandGroup(Group):
    """All commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        lazy = {
            name: LazyCommand(name, help=text, rich_help_panel=panel)
            for panel, commands in PANELS.items()
            for name, text in commands.items()
        }
        self.commands = {**lazy, **self.commands}


app = typer.Typer(
    cls=CommandGroup,
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


app.add_typer(key, name="key", rich_help_panel=HelpPanel.DEPLOY)


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
