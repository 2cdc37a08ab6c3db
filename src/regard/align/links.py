"""Word links, and how well they agree with those that people drew.

Links are written as in Moses' Pharaoh format: `i-j` links word i of the source with word j of the
target, counted from 0, a line for each pair of sentences. Gold links may be sure (`i-j`) or only
possible (`i?j`, also written `ipj`), and are counted from 1 in some files. A link to NULL, written
so or as the number before the first, says that a word has no counterpart. It is read and left out:
what has no link has no counterpart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from regard.data.formats.files import line_blocks
from regard.errors import CorpusError

Link = tuple[int, int]
Links = frozenset[Link]

_LINK = re.compile(r"(\d{1,9}|NULL)([-?p])(\d{1,9}|NULL)", re.ASCII)


@dataclass(frozen=True, slots=True)
class GoldAlignment:
    """Links that people drew: those they were sure of, and all that are possible, these included.

    What is not possible is wrong.
    """

    sure: Links
    possible: Links


def read_links(path: str) -> list[Links]:
    """The links of a Pharaoh file, a set for each line."""
    return [gold.possible for gold in _read(path, first=0, marks="-")]


def parse_links(line: str, where: str) -> Links:
    """The same of one line; `where` it stood is said if it is wrong."""
    return _parse(line, where, first=0, marks="-").possible


def read_gold(path: str, *, first: int = 0) -> list[GoldAlignment]:
    """The gold links of a file that counts words from `first`, here counted from 0."""
    return list(_read(path, first, marks="-?p"))


def write_links(links: Iterable[Link]) -> str:
    """The line of a Pharaoh file, in the order of the source."""
    return " ".join(f"{source}-{target}" for source, target in sorted(links))


def check_gold(
    gold: Sequence[GoldAlignment], sources: Sequence[str], targets: Sequence[str], path: str
) -> None:
    """Refuse links of words that the sentences, whose words stand between spaces, do not have."""
    if not len(gold) == len(sources) == len(targets):
        raise CorpusError(
            f"{path}: links of {len(gold)} pairs, for {len(sources)} sources and {len(targets)} "
            "targets; give all for the same pairs"
        )
    for line, (each, source, target) in enumerate(zip(gold, sources, targets, strict=True), 1):
        size = len(source.split()), len(target.split())
        for link in sorted(each.possible):
            if link[0] >= size[0] or link[1] >= size[1]:
                raise CorpusError(
                    f"{path}, line {line}: links word {link[0]} with {link[1]}, counted from 0, of "
                    f"sentences of {size[0]} and {size[1]} words; does the file count from 1?"
                )


def _read(path: str, first: int, marks: str) -> Iterator[GoldAlignment]:
    lines = (line for block in line_blocks(path, 10_000) for line in block)
    for number, line in enumerate(lines, 1):
        yield _parse(line, f"{path}, line {number}", first, marks)


def _parse(line: str, where: str, first: int, marks: str) -> GoldAlignment:
    sure, possible = set(), set()
    for written in line.split():
        read = _LINK.fullmatch(written)
        if read is None or read[2] not in marks:
            raise CorpusError(
                f"{where}: {written[:40]!r} is not a link such as "
                + " or ".join(f"3{mark}4" for mark in marks)
            )
        if "NULL" in read.groups():
            continue
        link = int(read[1]) - first, int(read[3]) - first
        if min(link) < 0:
            continue
        possible.add(link)
        if read[2] == "-":
            sure.add(link)
    return GoldAlignment(frozenset(sure), frozenset(possible))
