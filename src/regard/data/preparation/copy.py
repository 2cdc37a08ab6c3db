"""Change prepared data in a copy, which replaces them when the block ends without an error."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from regard.data import storage
from regard.data.directory_lock import LOCK_FILE, lock_directory


@contextmanager
def updated_copy(folder: Path) -> Iterator[Path]:
    """Yield a copy of a directory, of hard links, to change its files by renaming.

    The copy replaces the directory if there is no error. Otherwise the directory is as it was. If
    the process is killed, the next call restores it.
    """
    new, old = (folder.with_name(f"{folder.name}.{kind}{storage.TMP}") for kind in ("new", "old"))
    if old.exists() and not folder.exists():
        old.rename(folder)
    for unfinished in (new, old):
        shutil.rmtree(unfinished, ignore_errors=True)
    try:
        with lock_directory(folder):
            ignored = shutil.ignore_patterns(LOCK_FILE, f"*{storage.TMP}")
            shutil.copytree(folder, new, symlinks=True, ignore=ignored, copy_function=_link)
            yield new
        folder.rename(old)
        new.rename(folder)
    finally:
        for unfinished in (new, old):
            if folder.exists():
                shutil.rmtree(unfinished, ignore_errors=True)


def _link(source: str, target: str) -> None:
    """Link a file, or copy it where links are not possible."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
