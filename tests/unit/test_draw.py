"""Still pictures are well-formed, and nothing in a token can break out of them."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

from regard.explain.draw import curves, heatmap, shade


def test_curves_are_well_formed_and_named() -> None:
    picture = curves(
        {"a < b": [(1, 0.5), (2, 0.7)], "c": [(1, 0.5), (2, 0.7)]},
        title="T",
        x="x",
        y="y",
        shaded=(1.5, 2, "far"),
    )
    texts = [element.text for element in ElementTree.fromstring(picture).iter() if element.text]
    assert "a < b" in texts and "far" in texts


def test_names_at_the_ends_of_lines_do_not_overlap() -> None:
    same = {name: [(0.0, 0.5), (1.0, 0.5)] for name in "abcd"}
    root = ElementTree.fromstring(curves(same, title="", x="", y=""))
    levels = sorted(float(e.get("y")) for e in root.iter() if e.text in same)
    assert all(b - a >= 16 for a, b in pairwise(levels))


def test_a_token_is_text_and_nothing_else() -> None:
    nasty = "</text><script>alert(1)</script>"
    picture = heatmap([[0.2, 0.8]], said=[nasty], read=["'\"&", nasty], title=nasty)
    root = ElementTree.fromstring(picture)
    assert not [element for element in root.iter() if "script" in element.tag]
    assert nasty in [element.text for element in root.iter()]


def test_more_weight_is_darker() -> None:
    levels = [sum(bytes.fromhex(shade(w / 10)[1:])) for w in range(11)]
    assert levels == sorted(levels, reverse=True)
    assert len(set(levels)) == 11
