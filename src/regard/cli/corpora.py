"""The corpora that the arguments of a command name."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from regard.data.corpus import Corpus

Sides = Annotated[
    tuple[str, str] | None,
    typer.Option(help="Source and target in one file: columns (from 0), keys or languages."),
]


def corpus(paths: list[str], sides: tuple[str, str] | None, name: str | None = None) -> Corpus:
    """Two files of lines, or one whose suffix says what it is; named after its first file."""
    from regard.data.corpus import corpus_of

    if len(paths) > 2:
        raise typer.BadParameter(f"{paths[2]}: a corpus has one file or two")
    fields: dict[str, Any] = {"name": name or _stem(paths[0])}
    if sides is not None and len(paths) == 1:
        columns = [int(side) if side.isdecimal() else side for side in sides]
        fields |= dict(zip(("source", "target"), columns, strict=True))
    return corpus_of(*paths, **fields)


def _stem(path: str) -> str:
    """train of train.en.gz"""
    name = PurePosixPath(path)
    if name.suffix in (".gz", ".xz", ".zst"):
        name = name.with_suffix("")
    return name.stem
