"""Symmetrization: one alignment from the links of two directions."""

from __future__ import annotations

from typing import Literal

from regard.align.links import Links

Symmetry = Literal["intersection", "grow-diag"]


def transpose_links(links: Links) -> Links:
    """Seen from the other side."""
    return Links((j, i) for i, j in links)


def symmetrize(forth: Links, back: Links, method: Symmetry) -> Links:
    """Links of both directions as one alignment; `back` as (source word, target word) too.

    `grow-diag` (Koehn et al. 2003) begins with those that both have, and takes in neighbours of
    links, diagonal ones too, that one has and of whose words one has no link yet.
    """
    links = set(forth & back)
    if method == "intersection":
        return Links(links)
    either = forth | back
    grown = True
    while grown:
        grown = False
        for i, j in sorted(links):
            near = {(i + a, j + b) for a in (-1, 0, 1) for b in (-1, 0, 1)} - links
            for link in sorted(near & either):
                new_source = all(link[0] != other[0] for other in links)
                if new_source or all(link[1] != other[1] for other in links):
                    links.add(link)
                    grown = True
    return Links(links)
