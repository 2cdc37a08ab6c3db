"""Read input lines."""

from __future__ import annotations

import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from regard.errors import CorpusError


@contextmanager
def open_input(path: Path | None) -> Iterator[Iterator[str]]:
    """Yield the lines of a file, or of standard input, without their line ends.

    Raises CorpusError if the file cannot be read or a line is not UTF-8.
    """

    def lines(file: Iterable[bytes]) -> Iterator[str]:
        for number, line in enumerate(file, 1):  # only \n ends a line, unlike in text mode
            if number == 1:
                line = line.removeprefix(BOM_UTF8)
            try:
                yield line.decode().removesuffix("\n").removesuffix("\r")
            except UnicodeDecodeError as error:
                raise CorpusError(
                    f"{path or 'standard input'}, line {number}: is not UTF-8 ({error.reason} at "
                    f"byte {error.start}). Convert it, for instance with iconv."
                ) from None

    if path is None:
        yield lines(sys.stdin.buffer)
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror}). Name a text file.") from None
    with file:
        yield lines(file)


def line_batches(lines: Iterator[str], size: int) -> Iterator[list[str]]:
    """Yield lists of at most `size` lines."""
    while block := list(islice(lines, size)):
        yield block
