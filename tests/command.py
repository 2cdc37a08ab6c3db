"""`regard`, said as on a command line."""

from __future__ import annotations

from collections.abc import Sequence

from typer.testing import CliRunner

from regard.cli.main import app


def run_cli(arguments: Sequence[str], text: str | None = None) -> str:
    """What it says of it, where `text` comes in; an error is raised as it is."""
    answer = CliRunner().invoke(app, arguments, input=text)
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        raise answer.exception
    assert answer.exit_code == 0, answer.output
    return answer.stdout
