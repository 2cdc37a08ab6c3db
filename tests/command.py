"""Runs `regard` commands in this process."""

from __future__ import annotations

from collections.abc import Sequence

from typer.testing import CliRunner

from regard.cli.main import app


def run_cli(arguments: Sequence[str], text: str | None = None) -> str:
    """Run a command with `text` as standard input and return its standard output.

    Exceptions of the command are raised; a nonzero exit code fails the test.
    """
    result = CliRunner().invoke(app, arguments, input=text)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout
