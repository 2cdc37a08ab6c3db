"""Corpora as large as wanted, in every format that is read."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

from regard.data.formats.captions import Captions
from regard.data.formats.corpus import (
    Corpus,
    Jsonl,
    ParallelFiles,
    Parquet,
    TextColumn,
    TextLines,
    Tmx,
    Tsv,
)

SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er")]

Lines = list[str]


def word(number: int, language: str) -> str:
    text = language
    while number:
        number, last = divmod(number, len(SYLLABLES))
        text += SYLLABLES[last]
    return text


def make_lines(pairs: int, words: int = 8) -> tuple[Lines, Lines]:
    """Sentences of words that are distributed as in texts: twice the text has more words."""
    draw = random.Random(1)
    numbers = [[int(draw.paretovariate(0.7)) for _ in range(words)] for _ in range(pairs)]
    sources, targets = (
        [" ".join(word(number, side).capitalize() for number in line) + "." for line in numbers]
        for side in "xy"
    )
    return sources, targets


def new_folder() -> Path:
    """A directory that is removed with the temporary directory of the process."""
    return Path(tempfile.mkdtemp())


def parallel_files(sources: Lines, targets: Lines) -> ParallelFiles:
    folder = new_folder()
    paths = [folder / side for side in ("source", "target")]
    for path, lines in zip(paths, (sources, targets), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines))
    return ParallelFiles(str(paths[0]), str(paths[1]))


def _file(name: str, content: str) -> str:
    path = new_folder() / name
    path.write_text(content)
    return str(path)


def _records(sources: Lines, targets: Lines, *names: str) -> str:
    rows = zip(sources, targets, strict=True)
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)


def _tsv(sources: Lines, targets: Lines) -> str:
    rows = zip(sources, targets, strict=True)
    return _file("pairs.tsv", "".join(f"{source}\t{target}\n" for source, target in rows))


def _parquet(sources: Lines, targets: Lines) -> Parquet:
    import pyarrow
    from pyarrow import parquet

    path = new_folder() / "pairs.parquet"
    table = pyarrow.table({"source": sources, "target": targets})
    parquet.write_table(table, path, row_group_size=500)
    return Parquet(str(path))


def _tmx(sources: Lines, targets: Lines) -> Tmx:
    units = "".join(
        f'<tu><tuv xml:lang="en"><seg>{source}</seg></tuv>'
        f'<tuv xml:lang="fr"><seg>{target}</seg></tuv></tu>'
        for source, target in zip(sources, targets, strict=True)
    )
    content = f'<tmx version="1.4"><header srclang="en"/><body>{units}</body></tmx>'
    return Tmx(_file("pairs.tmx", content), source="en", target="fr")


FORMATS: dict[type[Corpus], Callable[[Lines, Lines], Corpus]] = {
    ParallelFiles: parallel_files,
    TextLines: lambda s, t: TextLines(parallel_files(s, t).source),
    TextColumn: lambda s, t: TextColumn(Tsv(_tsv(s, t))),
    Tsv: lambda s, t: Tsv(_tsv(s, t)),
    Jsonl: lambda s, t: Jsonl(_file("pairs.jsonl", _records(s, t, "source", "target"))),
    Parquet: _parquet,
    Tmx: _tmx,
    Captions: lambda s, t: Captions(_file("images.jsonl", _records(s, t, "image", "caption"))),
}
"""Makes a corpus of each class from sources and targets."""
