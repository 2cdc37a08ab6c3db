"""Word links: pairs of positions, their symmetrization, and the alignment error rate.

In Moses' Pharaoh format `i-j` links source word i to target word j, counted from 0, with one line
per sentence pair. Gold links are sure (`i-j`) or possible (`i?j`, also written `ipj`), and some
files count from 1. A link to NULL, written as such or as the number before the first, marks a word
without a counterpart. Such links are dropped on reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

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


# -- symmetrization --------------------------------------------------------------------------------
# Combine the links of two directions into one alignment.


Symmetry = Literal["intersection", "grow-diag"]


def transpose_links(links: Links) -> Links:
    """Swap the source and the target of each link."""
    return Links((j, i) for i, j in links)


def symmetrize(forward: Links, backward: Links, method: Symmetry) -> Links:
    """Combine the links of both directions, each given as (source word, target word).

    `grow-diag` (Koehn et al. 2003) starts from the intersection. It then adds links of either
    direction that neighbour a link, diagonally too, and of which one word is still unaligned.
    """
    links = set(forward & backward)
    if method == "intersection":
        return Links(links)
    union = forward | backward
    sources, targets = {i for i, _ in links}, {j for _, j in links}  # with a link
    latest = sorted(links)
    while latest:  # a link that was refused once stays refused, so only neighbours of new ones
        added = []
        for i, j in latest:
            near = {(i + a, j + b) for a in (-1, 0, 1) for b in (-1, 0, 1)} - links
            for link in sorted(near & union):
                if link[0] not in sources or link[1] not in targets:
                    links.add(link)
                    sources.add(link[0])
                    targets.add(link[1])
                    added.append(link)
        latest = sorted(added)
    return Links(links)


# -- alignment error rate of word links against gold links -----------------------------------------


@dataclass(frozen=True, slots=True)
class AlignmentScores:
    """Scores of links A against sure links S and possible links P (Och and Ney, 2003, section 5).

    precision |A ∩ P| / |A|, recall |A ∩ S| / |S|, and the alignment error rate
    1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|), in per cent, over the links of all sentences together.
    """

    precision: float
    recall: float
    aer: float
    links: int
    sure: int
    possible: int


def score_alignments(
    proposed: Sequence[Iterable[Link]], gold: Sequence[GoldAlignment]
) -> AlignmentScores:
    """Score the links of each sentence pair against its gold links."""
    if len(proposed) != len(gold):
        raise CorpusError(
            f"links: there are links for {len(proposed)} sentence pairs, but gold links for "
            f"{len(gold)}. Pass both for the same pairs."
        )
    links = sure = possible = hit_sure = hit_possible = 0
    for pair_links, expected in zip(proposed, gold, strict=True):
        unique = frozenset(pair_links)
        links += len(unique)
        sure += len(expected.sure)
        possible += len(expected.possible)
        hit_sure += len(unique & expected.sure)
        hit_possible += len(unique & expected.possible)
    return AlignmentScores(
        precision=_percent(hit_possible, links),
        recall=_percent(hit_sure, sure),
        aer=100 - _percent(hit_sure + hit_possible, links + sure),
        links=links,
        sure=sure,
        possible=possible,
    )


def _percent(part: int, total: int) -> float:
    """100 if there are no links: none of them is wrong."""
    return 100 * part / total if total else 100.0
