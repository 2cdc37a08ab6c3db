"""Which options each mode of a command uses. An option that would have no effect is refused.

A command with several modes has a table of them, finds out which one it is in, and calls `check`.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from typer.main import get_current_context  # type: ignore[attr-defined]  # typer's own click

from regard.cli.usage import UsageError


@dataclass(frozen=True, slots=True)
class Mode:
    """A way to use a command."""

    name: str  # ends the sentence “--option has no effect …”
    options: frozenset[str]  # the parameters that it uses

    def check(self) -> None:
        """Refuse the first parameter on the command line that this mode does not use."""
        parameters = get_current_context().command.params
        unused = {parameter.name or "" for parameter in parameters} - self.options
        refuse_unused(self.name, *unused)


def is_given(name: str) -> bool:
    """Whether a parameter is on the command line, be it with the value of its default."""
    source = get_current_context().get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def refuse_without(needed: str, *names: str) -> None:
    """Refuse parameters that have an effect only with the option `needed`, which is not given."""
    for parameter in get_current_context().command.params:
        if parameter.name in names and is_given(parameter.name):
            raise UsageError(f"{parameter.opts[0]} needs {needed}.")


def refuse_unused(reason: str, *names: str) -> None:
    """Refuse the first of the parameters on the command line. They would have no effect.

    `reason`: ends the sentence “--option has no effect …”.
    """
    for parameter in get_current_context().command.params:
        name = parameter.name or ""
        if name in names and is_given(name):
            option = parameter.opts[0] if parameter.opts[0].startswith("-") else name.upper()
            raise UsageError(f"{option} has no effect {reason}. Leave it out.")


def make_mode(name: str, *groups: Set[str]) -> Mode:
    """Return a mode that uses the parameters of all groups."""
    return Mode(name, frozenset().union(*groups))
