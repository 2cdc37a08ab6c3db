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
