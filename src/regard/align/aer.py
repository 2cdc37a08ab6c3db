"""Alignment error rate: how well word links agree with gold links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from regard.align.links import GoldAlignment, Link
from regard.errors import CorpusError


@dataclass(frozen=True, slots=True)
class AlignmentScores:
    """Found links against gold ones, in per cent (Och and Ney, 2003, section 5).

    precision |A ∩ P| / |A|, recall |A ∩ S| / |S|, and the alignment error rate
    1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|), over the links of all sentences together.
    """

    precision: float
    recall: float
    aer: float
    links: int
    sure: int
    possible: int


def score_alignments(
    found: Sequence[Iterable[Link]], gold: Sequence[GoldAlignment]
) -> AlignmentScores:
    """How well the links that were found agree with the gold ones, sentence by sentence."""
    if len(found) != len(gold):
        raise CorpusError(
            f"links: of {len(found)} pairs of sentences, and gold ones of {len(gold)}; give both "
            "for the same pairs"
        )
    links = sure = possible = hit_sure = hit_possible = 0
    for some, right in zip(found, gold, strict=True):
        drawn = frozenset(some)
        links += len(drawn)
        sure += len(right.sure)
        possible += len(right.possible)
        hit_sure += len(drawn & right.sure)
        hit_possible += len(drawn & right.possible)
    return AlignmentScores(
        precision=_percent(hit_possible, links),
        recall=_percent(hit_sure, sure),
        aer=100 - _percent(hit_sure + hit_possible, links + sure),
        links=links,
        sure=sure,
        possible=possible,
    )


def _percent(part: int, whole: int) -> float:
    """Of nothing, everything: no link is wrong where there is none."""
    return 100 * part / whole if whole else 100.0
