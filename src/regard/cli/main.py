"""`regard VERB …`: the list of verbs, and how an error of ours is told."""

from __future__ import annotations

import sys

import typer

from regard.cli.align import align
from regard.cli.caption import caption
from regard.cli.classify import classify
from regard.cli.compare import compare
from regard.cli.complete import complete
from regard.cli.describe import describe
from regard.cli.doctor import doctor
from regard.cli.evaluate import evaluate
from regard.cli.explain import explain
from regard.cli.export import export
from regard.cli.prepare import prepare
from regard.cli.reproduce import reproduce
from regard.cli.train import train
from regard.cli.translate import translate
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


VERBS = (
    *(align, caption, classify, compare, complete, describe, doctor, evaluate, explain, export),
    *(prepare, reproduce, train, translate),
)
for verb in VERBS:
    app.command()(verb)


def main() -> None:
    try:
        app()
    except RegardError as error:
        print(f"regard: {error}", file=sys.stderr)
        sys.exit(error.code)
