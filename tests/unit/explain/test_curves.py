"""Line charts are well-formed, and their labels do not overlap."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

from regard.explain.pictures.charts import curve_chart


def test_chart_is_well_formed_and_labelled() -> None:
    svg = curve_chart(
        {"a < b": [(1, 0.5), (2, 0.7)], "c": [(1, 0.5), (2, 0.7)]},
        title="T",
        x="x",
        y="y",
        shaded=(1.5, 2, "far"),
    )
    texts = [element.text for element in ElementTree.fromstring(svg).iter() if element.text]
    assert "a < b" in texts and "far" in texts


def test_line_labels_do_not_overlap() -> None:
    same = {name: [(0.0, 0.5), (1.0, 0.5)] for name in "abcd"}
    root = ElementTree.fromstring(curve_chart(same, title="", x="", y=""))
    levels = sorted(float(e.get("y")) for e in root.iter() if e.text in same)
    assert all(b - a >= 16 for a, b in pairwise(levels))
