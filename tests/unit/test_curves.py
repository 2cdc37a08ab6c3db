"""Curves are well-formed, and their names can be read."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

from regard.explain.pictures.curves import curve_chart


def test_curves_are_well_formed_and_named() -> None:
    picture = curve_chart(
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
    root = ElementTree.fromstring(curve_chart(same, title="", x="", y=""))
    levels = sorted(float(e.get("y")) for e in root.iter() if e.text in same)
    assert all(b - a >= 16 for a, b in pairwise(levels))
