"""`regard key`: the keys that a server accepts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from regard.cli.command_classes import Command, Group

key = typer.Typer(cls=Group, no_args_is_help=True, help="Add, list and revoke keys of a server.")

KeyFilePath = Annotated[
    Path, typer.Option("--keys", metavar="FILE", help="The key file of the server.")
]
Name = Annotated[str, typer.Argument(help="Name of the key.")]


@key.command(cls=Command)
def add(
    name: Name,
    keys: KeyFilePath = Path("keys.json"),
    budget: Annotated[
        int | None,
        typer.Option(min=1, max=1 << 53, help="Pieces × beam size per minute. Default: no bound."),
    ] = None,
    admin: Annotated[
        bool, typer.Option("--admin", help="The key may reload models and read corrections.")
    ] = False,
) -> None:
    """Make a key and print it. Only its digest is stored, so it cannot be shown again.

    Example: regard key add website --keys keys.json --budget 100000
    """
    from regard.serve.keys import add_key

    print(add_key(keys, name, budget=budget, admin=admin))
    print(f"Restart the server, or send it SIGHUP, to use {keys}.", file=sys.stderr)


@key.command("list", cls=Command)
def list_keys(keys: KeyFilePath = Path("keys.json")) -> None:
    """List the names of all keys, with the first digits of their digests.

    Example: regard key list --keys keys.json
    """
    from regard.serve.keys import read_keys

    for key in read_keys(keys).keys:
        budget = "no budget" if key.budget is None else f"{key.budget} per minute"
        admin = ", admin" if key.admin else ""
        print(f"{key.name}\t{key.digest[:8]}\t{key.created}\t{budget}{admin}")


@key.command(cls=Command)
def revoke(name: Name, keys: KeyFilePath = Path("keys.json")) -> None:
    """Remove a key.

    Example: regard key revoke website --keys keys.json
    """
    from regard.serve.keys import revoke_key

    revoke_key(keys, name)
    print(f"Restart the server, or send it SIGHUP, to use {keys}.", file=sys.stderr)
