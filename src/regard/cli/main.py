"""`regard VERB …`: the list of verbs, and how an error of ours is told."""

from __future__ import annotations

import sys

import typer

from regard.cli.describe import describe
from regard.cli.doctor import doctor
from regard.cli.prepare import prepare
from regard.cli.train import train
from regard.errors import RegardError

app = typer.Typer(
    help="Train, understand and serve sequence-to-sequence models with attention.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def verbs() -> None:
    """Train, understand and serve sequence-to-sequence models with attention."""


for verb in (describe, doctor, prepare, train):
    app.command()(verb)


def main() -> None:
    try:
        app()
    except RegardError as error:
        print(f"regard: {error}", file=sys.stderr)
        sys.exit(error.code)
