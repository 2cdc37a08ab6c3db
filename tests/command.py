"""Runs `regard` commands in this process."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from unittest.mock import patch

import pytest
from typer.testing import CliRunner

from regard.cli.main import app, main


def run_cli(arguments: Sequence[str], text: str | None = None) -> str:
    """Run a command with `text` as standard input and return its standard output.

    Exceptions of the command are raised; a nonzero exit code fails the test.
    """
    result = CliRunner().invoke(app, arguments, input=text)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


class Stream(io.TextIOWrapper):
    """A standard stream in memory."""

    name, mode = "stream", "w"

    def __init__(self, content: bytes = b"") -> None:
        super().__init__(io.BytesIO(content), "ascii")

    def getvalue(self) -> bytes:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue()


@dataclass(frozen=True)
class Finished:
    status: int
    stdout: bytes
    stderr: str


def run_main(arguments: Sequence[str], stdin: bytes = b"") -> Finished:
    """Run the program. An exception other than SystemExit is a traceback, and fails the test."""
    out, err = Stream(), Stream()
    with (
        patch.object(sys, "argv", ["regard", *arguments]),
        patch.object(sys, "stdin", Stream(stdin)),
        patch.object(sys, "stdout", out),
        patch.object(sys, "stderr", err),
        pytest.raises(SystemExit) as finished,
    ):
        main()
    return Finished(int(finished.value.code or 0), out.getvalue(), err.getvalue().decode())
