"""Tables of bars: every number is written, and bars have the lengths of their values."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from regard.explain.pictures.charts import BarRow, bar_table


def bars(svg: str) -> list[tuple[float, float]]:
    """Return top and height of each bar."""
    found = re.findall(r"y='([\d.]+)' width='24' height='([\d.]+)'", svg)
    return [(float(top), float(height)) for top, height in found]


def test_bars_have_the_lengths_of_their_values() -> None:
    svg = bar_table(["a", "b"], [BarRow("weight", [0.25, 0.75], highest=1)], title="T")
    (_, low), (_, high) = bars(svg)
    assert high == pytest.approx(3 * low)
    texts = [element.text for element in ElementTree.fromstring(svg).iter() if element.text]
    assert {"a", "b", "weight", "0.250", "0.750"} <= set(texts)


def test_negative_bars_hang_below_the_base_line() -> None:
    svg = bar_table(["a", "b"], [BarRow("score", [1.0, -1.0])], title="T")
    (top, height), (other_top, other_height) = bars(svg)
    assert other_top == pytest.approx(top + height)
    assert other_height == height
    assert "−1.000" in svg


def test_names_are_escaped() -> None:
    svg = bar_table(["<b>"], [BarRow("&", [0.0])], title="<i>", result="c = <0>")
    assert "<b>" not in svg
    ElementTree.fromstring(svg)
