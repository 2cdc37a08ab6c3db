"""Lines in, lines out: how a command reads what it is asked, and where it writes its answers."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TextIO


@contextmanager
def open_input(path: Path | None) -> Iterator[Iterator[str]]:
    """The lines of a file, of standard input where none is named, as they come."""
    from regard.errors import CorpusError

    def lines(file: Iterable[bytes]) -> Iterator[str]:
        for number, line in enumerate(file, 1):  # a line ends at \n alone
            try:
                yield line.decode().removesuffix("\n").removesuffix("\r")
            except UnicodeDecodeError as error:
                raise CorpusError(
                    f"{path or 'standard input'}, line {number}: is not UTF-8 ({error.reason} at "
                    f"byte {error.start}); convert it, for instance with iconv"
                ) from None

    if path is None:
        yield lines(sys.stdin.buffer)
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror}); name a text file") from None
    with file:
        yield lines(file)


@contextmanager
def open_output(path: Path | None) -> Iterator[TextIO]:
    """Where lines go: a file, or standard output."""
    if path is None:
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
        yield sys.stdout
        return
    with path.open("w", encoding="utf-8", newline="\n") as file:
        yield file


def line_batches(lines: Iterator[str], size: int) -> Iterator[list[str]]:
    while block := list(islice(lines, size)):
        yield block
