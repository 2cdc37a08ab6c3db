"""Multi30k in the directory of corpora (REGARD_DATA)."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

DATA = Path(os.environ.get("REGARD_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))


def read_pairs(name: str, source: str = "en", target: str = "de") -> tuple[list[str], list[str]]:
    """The sources and targets of a split such as `test_2016_flickr`."""
    sides = []
    for language in (source, target):
        path = DATA / "multi30k" / f"{name}.{language}.gz"
        if not path.is_file():
            sys.exit(
                f"{path}: no such file. Set REGARD_DATA to the directory that contains multi30k."
            )
        with gzip.open(path, "rt", encoding="utf-8") as file:
            sides.append(file.read().removesuffix("\n").split("\n"))
    return sides[0], sides[1]
