"""Output files: checked before the work, and written atomically."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TextIO

from regard.cli.options import UsageError
from regard.data.ownership import owner_of
from regard.errors import CorpusError

# -- read input lines ------------------------------------------------------------------------------


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


# -- outputs ---------------------------------------------------------------------------------------


# Characters that end a line or a field of one.
_BREAKS = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029), " ")


def to_line(text: str) -> str:
    """Replace line ends, tabs and other control characters by spaces."""
    return text if text.isprintable() else text.translate(_BREAKS)


def _is_pipe_or_device(path: Path, real: Path) -> bool:
    """Refuse a directory and what is not writable; return whether the output is no regular file."""
    try:
        mode = real.stat().st_mode
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}).") from None
    if stat.S_ISDIR(mode):
        raise UsageError(f"{path}: is a directory. Name a file.")
    if not os.access(real, os.W_OK):
        raise UsageError(f"{path}: is not writable. Choose another output file.")
    return not stat.S_ISREG(mode)


def check_output(path: Path | None, *paths: str | Path | None) -> None:
    """Refuse an output file that cannot be written, before any work.

    `paths`: the input files and the other outputs of the command, which it must not replace.
    """
    if path is None:
        return
    real = Path(os.path.realpath(path))
    if _is_pipe_or_device(path, real):
        return
    if not real.parent.is_dir():
        raise UsageError(f"{path}: the directory {real.parent} does not exist. Create it first.")
    if not os.access(real.parent, os.W_OK):
        raise UsageError(f"{path}: the directory {real.parent} is not writable.")
    if any(_is_same(real, path_in_use) for path_in_use in (*paths, 0) if path_in_use is not None):
        raise UsageError(
            f"{path}: is also an input file or another output. Choose another output file."
        )
    if (owner := owner_of(real)) is not None:
        raise UsageError(
            f"{path}: is a part of {owner}, which regard needs. Choose another output file."
        )


def write_output(path: Path, content: str | bytes) -> None:
    """Write a whole file, or leave the old one as it was."""
    with atomic_write(path) as temporary:
        if isinstance(content, str):
            content = content.encode(errors="backslashreplace")
        temporary.write_bytes(content)


@contextmanager
def open_output(path: Path | None) -> Iterator[TextIO]:
    """Yield a file to write UTF-8 lines to, or standard output if `path` is None.

    The file replaces an old one when the block ends without an error.
    """
    if path is None:
        yield sys.stdout
        return
    with (
        atomic_write(path) as temporary,
        temporary.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file,
    ):
        yield file


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path with the same suffix; it replaces `path` if there is no error."""
    real = Path(os.path.realpath(path))
    if real.exists() and not real.is_file():  # a pipe or a device cannot be replaced
        yield path
        return
    temporary = real.with_name(f".regard-{secrets.token_hex(8)}{real.suffix}")
    try:
        yield temporary
        if real.exists():
            shutil.copymode(real, temporary)
        temporary.replace(real)
    finally:
        temporary.unlink(missing_ok=True)


def _is_same(path: Path, path_in_use: str | Path | int) -> bool:
    """Whether both are one file; 0 is standard input."""
    try:
        return os.path.samestat(path.stat(), os.stat(path_in_use))  # noqa: PTH116  also descriptors
    except OSError:  # one does not exist
        return not isinstance(path_in_use, int) and os.path.realpath(path_in_use) == str(path)
