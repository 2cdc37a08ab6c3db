"""Pairs of ids with links, and their batches."""

from __future__ import annotations

from collections.abc import Sequence

from torch import nn

from regard.batch import Batch, Tokens, pad
from regard.data.loading.piece_links import Link, PieceLinks
from regard.text.tokenizer import BOS, EOS

Pair = tuple[Sequence[int], Sequence[int]]

PAIRS: list[tuple[Pair, list[Link]]] = [
    (((11, 12, 13), (21, 22)), [(0, 0), (2, 0), (1, 1)]),
    (((11,), (12, 13, 21, 22)), [(0, 3)]),
    (((11, 12), (13, 21, 22)), []),
    (((14, 15, 16, 17), (24, 25, 26)), [(3, 0), (0, 2)]),
]


def batch_of(pairs: Sequence[Pair], *, padding: int = 0) -> Batch:
    """Add the special tokens of translation, and `padding` positions."""
    sides = (
        pad([[*source, EOS] for source, _ in pairs]),
        pad([[BOS, *target, EOS] for _, target in pairs]),
    )
    return Batch(*(Tokens(nn.functional.pad(s.ids, (0, padding)), s.lengths) for s in sides))


def make_links(**facts: str) -> PieceLinks:
    return PieceLinks.from_pairs(((*pair, links) for pair, links in PAIRS), facts)
