"""The sentences of Multi30k that benchmarks translate, from the folder of corpora."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

DATA = Path(os.environ.get("REGARD_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))


def read_pairs(name: str, source: str = "en", target: str = "de") -> tuple[list[str], list[str]]:
    """A split such as `test_2016_flickr`, its two sides."""
    sides = []
    for language in (source, target):
        path = DATA / "multi30k" / f"{name}.{language}.gz"
        if not path.is_file():
            sys.exit(f"{path}: not here; let REGARD_DATA name the folder that holds multi30k")
        with gzip.open(path, "rt", encoding="utf-8") as file:
            sides.append(file.read().removesuffix("\n").split("\n"))
    return sides[0], sides[1]
