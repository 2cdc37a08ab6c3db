"""Errors of commands: options that are missing or contradict each other, missing packages."""

from __future__ import annotations

import typer

from regard.errors import ConfigError


class UsageError(typer.BadParameter):
    """Prints its message and the usage of the command; exit status 2."""

    def format_message(self) -> str:
        return self.message  # without the prefix "Invalid value:"


def check_assignments(settings: list[str] | None) -> None:
    """Refuse `--set KEY VALUE`, whose value would be read as an argument of the command."""
    for setting in settings or ():
        if "=" not in setting:
            raise UsageError(f"--set {setting}: no value given. Write --set {setting}=VALUE.")


def server_not_installed(error: ImportError) -> ConfigError:
    """Return the error of a command that needs the server's packages."""
    return ConfigError(
        f"The server needs another package ({error}). Install it with "
        "`pip install 'regard[serve]'`."
    )
