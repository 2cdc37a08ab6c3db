"""The classes of commands: flags have no type in the help, where typer prints `<bool>`."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup, TyperOption


class _PlainFlags:
    """A command whose flags are shown by their names only, `--help` too."""

    def get_params(self, context: Any) -> list[Any]:
        parameters: list[Any] = super().get_params(context)  # type: ignore[misc]
        for parameter in parameters:
            if isinstance(parameter, TyperOption) and parameter.is_bool_flag:
                parameter.metavar = ""
        return parameters


class Command(_PlainFlags, TyperCommand):
    pass


class Group(_PlainFlags, TyperGroup):
    pass
