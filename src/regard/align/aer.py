"""Alignment error rate of word links against gold links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from regard.align.links import GoldAlignment, Link
from regard.errors import CorpusError


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
