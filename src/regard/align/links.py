"""Word links and their Pharaoh files.

In Moses' Pharaoh format `i-j` links source word i to target word j, counted from 0, with one line
per sentence pair. Gold links are sure (`i-j`) or possible (`i?j`, also written `ipj`), and some
files count from 1. A link to NULL, written as such or as the number before the first, marks a word
without a counterpart. Such links are dropped on reading.
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
    """Manually annotated links. `possible` includes the sure links; all other links are wrong."""

    sure: Links
    possible: Links


def read_links(path: str) -> list[Links]:
    """Read a Pharaoh file: a set of links for each line."""
    return [gold.possible for gold in _read(path, first=0, separators="-")]


def parse_links(line: str, origin: str) -> Links:
    """Parse one line of a Pharaoh file; `origin` locates it in error messages."""
    return _parse(line, origin, first=0, separators="-").possible


def read_gold(path: str, *, first: int = 0) -> list[GoldAlignment]:
    """Read gold links from a file that counts words from `first`; the result counts from 0."""
    return list(_read(path, first, separators="-?p"))


def write_links(links: Iterable[Link]) -> str:
    """Format links as a line of a Pharaoh file, sorted by source word."""
    return " ".join(f"{source}-{target}" for source, target in sorted(links))


def check_gold(
    gold: Sequence[GoldAlignment], sources: Sequence[str], targets: Sequence[str], path: str
) -> None:
    """Raise CorpusError if a link is outside its sentences, whose words are split at spaces."""
    if not len(gold) == len(sources) == len(targets):
        raise CorpusError(
            f"{path}: has links for {len(gold)} pairs, but there are {len(sources)} sources and "
            f"{len(targets)} targets. Pass all three for the same pairs."
        )
    for line, (alignment, source, target) in enumerate(zip(gold, sources, targets, strict=True), 1):
        size = len(source.split()), len(target.split())
        for link in sorted(alignment.possible):
            if link[0] >= size[0] or link[1] >= size[1]:
                raise CorpusError(
                    f"{path}, line {line}: link {link[0]}-{link[1]} (counted from 0) is outside "
                    f"sentences of {size[0]} and {size[1]} words. If the file counts from 1, pass "
                    "--one-based."
                )


def _read(path: str, first: int, separators: str) -> Iterator[GoldAlignment]:
    lines = (line for block in line_blocks(path, 10_000) for line in block)
    for number, line in enumerate(lines, 1):
        yield _parse(line, f"{path}, line {number}", first, separators)


def _parse(line: str, origin: str, first: int, separators: str) -> GoldAlignment:
    sure, possible = set(), set()
    for text in line.split():
        match = _LINK.fullmatch(text)
        if match is None or match[2] not in separators:
            raise CorpusError(
                f"{origin}: {text[:40]!r} is not a link such as "
                + " or ".join(f"3{separator}4" for separator in separators)
            )
        if "NULL" in match.groups():
            continue
        link = int(match[1]) - first, int(match[3]) - first
        if link == (-1, -1):  # a word may be linked to the number before the first, NULL never is
            raise CorpusError(f"{origin}: has the link 0-0, so it counts from 0. Omit --one-based.")
        if min(link) < 0:
            continue
        possible.add(link)
        if match[2] == "-":
            sure.add(link)
    return GoldAlignment(frozenset(sure), frozenset(possible))
