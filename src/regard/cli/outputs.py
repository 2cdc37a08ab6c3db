"""Output files: checked before the work, written aside and renamed when they are complete."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from regard.cli.usage import UsageError


def check_output(path: Path | None, *inputs: str | Path | None) -> None:
    """Refuse an output file that cannot be written or is also an input, before any work."""
    if path is None:
        return
    if path.is_dir():
        raise UsageError(f"{path}: is a directory. Name a file.")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: the directory {path.parent} does not exist. Create it first.")
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"{path}: the directory {path.parent} is not writable.")
    for other in inputs:
        if other is not None and path.exists() and Path(other).exists() and path.samefile(other):
            raise UsageError(f"{path}: is also an input file. Choose another output file.")


def write_output(path: Path, content: str | bytes) -> None:
    """Write a whole file, or leave the old one as it was."""
    with _written_aside(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def open_output(path: Path | None, *inputs: str | Path | None) -> Iterator[TextIO]:
    """Yield a file to write UTF-8 lines to, or standard output if `path` is None.

    The file replaces an old one when the block ends without an error.
    """
    if path is None:
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
        yield sys.stdout
        return
    check_output(path, *inputs)
    with (
        _written_aside(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as file,
    ):
        yield file


@contextmanager
def _written_aside(path: Path) -> Iterator[Path]:
    if path.exists() and not path.is_file():  # a pipe or a device cannot be replaced
        yield path
        return
    path = path.resolve()
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
