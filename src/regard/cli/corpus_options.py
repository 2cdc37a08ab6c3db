"""The corpora that the arguments of a command name, and how it takes one file or two."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from regard.data.formats.corpus import Corpus

Sides = Annotated[
    tuple[str, str] | None,
    typer.Option(help="Source and target in one file: columns (from 0), keys or languages."),
]


def corpus_argument(
    paths: list[str], sides: tuple[str, str] | None, name: str | None = None
) -> Corpus:
    """Two files of lines, or one whose suffix says what it is; named after its first file."""
    from regard.data.formats.corpus import open_corpus

    if len(paths) > 2:
        raise typer.BadParameter(f"{paths[2]}: a corpus has one file or two")
    fields: dict[str, Any] = {"name": name or _stem(paths[0])}
    if sides is not None and len(paths) == 1:
        fields |= dict(zip(("source", "target"), sides_of(sides), strict=True))
    return open_corpus(*paths, **fields)


def sides_of(said: tuple[str, str]) -> list[int | str]:
    """A number counts columns."""
    return [int(side) if side.isdecimal() else side for side in said]


class OneOrTwoCommand(TyperCommand):
    """A command whose options `--valid` and `--mix` take one file or two.

    An option has a fixed number of values; so the second is said to be "" where it is not said.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        said: list[str] = []
        for argument in [*args, "--"]:
            if len(said) > 1 and said[-2] in ("--valid", "--mix") and argument.startswith("--"):
                said.append("")
            said.append(argument)
        return super().parse_args(ctx, said[:-1])


def _stem(path: str) -> str:
    """train of train.en.gz"""
    name = PurePosixPath(path)
    if name.suffix in (".gz", ".xz", ".zst"):
        name = name.with_suffix("")
    return name.stem
