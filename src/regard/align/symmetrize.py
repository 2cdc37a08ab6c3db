"""Symmetrization: combine the links of two directions into one alignment."""

from __future__ import annotations

from typing import Literal

from regard.align.links import Links

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
    grown = True
    while grown:
        grown = False
        for i, j in sorted(links):
            near = {(i + a, j + b) for a in (-1, 0, 1) for b in (-1, 0, 1)} - links
            for link in sorted(near & union):
                new_source = all(link[0] != other[0] for other in links)
                if new_source or all(link[1] != other[1] for other in links):
                    links.add(link)
                    grown = True
    return Links(links)
