"""The commands of the program and their options, from typer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from regard.cli.main import app


def all_commands() -> list[tuple[tuple[str, ...], Any]]:
    """Return the words of each command, such as ("key", "add"), and the command."""
    return list(_walk(typer.main.get_command(app), ()))


def _walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield path, getattr(command, "loaded", command)
        return
    for name, each in inner.items():
        yield from _walk(each, (*path, name))
