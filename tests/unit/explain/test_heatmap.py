"""Heatmaps: no label is cut or overlaps another, and every cell shows its weight."""

from __future__ import annotations

import re
from itertools import combinations
from math import cos, radians, sin
from xml.etree import ElementTree

import numpy as np
import pytest

from regard.explain.pictures.figure import text_width
from regard.explain.pictures.heatmap import attention_heatmap
from regard.svg import shade, visible

ARABIC = ["رجل", "يرتدي", "قميصا", "أزرق"]
ENGLISH = ["A", "man", "in", "a", "blue", "shirt"]
ODD = [
    "e\u0301a\u0300\u0323", "👩\u200d👩\u200d👧", "L" * 60, "नमस्ते", "中文", "▁an", "", "MWMW" * 9,
    "</text><script>alert(1)</script>", "a\0\x1b[31mb", "\u202eevil", "\ud800", "'\"&",
]  # fmt: skip


def diagonal(rows: int, columns: int) -> np.ndarray:
    """Weights with a sharp diagonal; each row sums to 1."""
    distance = np.abs(np.arange(columns) - np.arange(rows)[:, None] * columns / rows)
    weights = np.exp(-distance)
    return (weights / weights.sum(1, keepdims=True)).astype(np.float32)


def draw(rows: list[str], columns: list[str], **options) -> ElementTree.Element:
    weights = diagonal(len(rows), len(columns))
    svg = attention_heatmap(weights, row_labels=rows, column_labels=columns, title="T", **options)
    return ElementTree.fromstring(svg)


def elements(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if element.tag.endswith("}" + name)]


def boxes(root: ElementTree.Element) -> list[tuple[str, int, tuple[float, ...]]]:
    """Each text outside the legend, its angle, and its box in axes rotated by that angle."""
    found = []
    matrix, legend = (
        group for group in elements(root, "g") if "scale" not in group.get("transform")
    )
    offsets = {id(text): float(matrix.get("transform")[12:-1]) for text in elements(matrix, "text")}
    skipped = {id(text) for text in elements(legend, "text")}
    for text in elements(root, "text"):
        words = text[0].tail if len(text) else text.text
        if id(text) in skipped or not words:
            continue
        x, y, size = (float(text.get(name)) for name in ("x", "y", "font-size"))
        y += offsets.get(id(text), 0)
        rotation = re.match(r"rotate\((-?\d+)", text.get("transform", ""))
        angle = int(rotation[1]) if rotation else 0
        c, s = cos(radians(angle)), sin(radians(angle))
        width = text_width(words, size)
        start = {"start": 0, "middle": width / 2, "end": width}[text.get("text-anchor")]
        along, across = c * x + s * y - start, -s * x + c * y
        found.append((words, angle, (along, across - 0.8 * size, along + width, across)))
    return found


MATRICES = {
    "plain": (ENGLISH, ENGLISH),
    "one": (["Hallo"], ["Hello"]),
    "a row": (["Hallo"], [f"word{i}" for i in range(30)]),
    "a column": ([f"word{i}" for i in range(30)], ["x"]),
    "from Arabic": (ENGLISH, ARABIC),
    "to Arabic": (ARABIC, ENGLISH),
    "odd": (ODD, ODD),
    "Chinese": (ENGLISH, list("一个穿着蓝色衬衫的男人")),
    "long words": (["x" * 60] * 3, ["y" * 60] * 3),
    "forty": ([f"word{i}" for i in range(40)], [f"word{i}" for i in range(40)]),
    "two hundred": ([f"word{i}" for i in range(200)], [f"Quelle{i}" for i in range(200)]),
}


@pytest.mark.parametrize("name", MATRICES)
def test_no_label_is_cut_or_overlaps_another(name: str) -> None:
    root = draw(*MATRICES[name], note="a note that is folded into lines " * 5)
    width, height = float(root.get("width")), float(root.get("height"))
    found = boxes(root)
    for words, angle, (left, top, right, bottom) in found:
        c, s = cos(radians(angle)), sin(radians(angle))
        for along in (left, right):
            for across in (top, bottom):
                x, y = c * along - s * across, s * along + c * across
                assert 0 <= x <= width and 0 <= y <= height, words
    for (one, one_angle, a), (other, other_angle, b) in combinations(found, 2):
        if one_angle == other_angle:
            disjoint = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
            assert disjoint, (one, other)


def test_cell_has_the_colour_and_tooltip_of_its_weight() -> None:
    weights = np.array([[0.25, 0.75], [1.0, 0.0]], np.float32)
    root = ElementTree.fromstring(
        attention_heatmap(weights, row_labels=["c", "d"], column_labels=["a", "b"], title="")
    )
    cells = {rect[0].text: rect.get("fill") for rect in elements(root, "rect") if len(rect)}
    assert cells == {
        "c ← a 0.250": shade(0.25),
        "c ← b 0.750": shade(0.75),
        "d ← a 1.000": shade(1),
        "d ← b 0.000": shade(0),
    }


@pytest.mark.parametrize("leftward", [False, True])
def test_merged_cells_have_the_colours_of_their_weights(leftward: bool) -> None:
    columns = ["שלום" if leftward else "word"] * 60
    weights = diagonal(60, 60)
    root = ElementTree.fromstring(
        attention_heatmap(weights, row_labels=["a"] * 60, column_labels=columns, title="")
    )
    found = np.full((60, 60), "", dtype="<U7")
    for path in elements(root, "path"):
        for x, y, width in re.findall(r"M(\d+) (\d+)h(\d+)v", path.get("d")):
            assert (found[int(y), int(x) : int(x) + int(width)] == "").all()
            found[int(y), int(x) : int(x) + int(width)] = path.get("fill")
    shown = weights[:, ::-1] if leftward else weights
    assert found.tolist() == [[shade(weight) for weight in line] for line in shown.tolist()]


def test_file_of_two_hundred_words_is_small_even_if_no_cells_merge() -> None:
    noise = np.random.default_rng(0).random((200, 200))
    svg = attention_heatmap(
        noise, row_labels=["word"] * 200, column_labels=["Wort"] * 200, title="", coverage=True
    )
    assert len(svg.encode()) < 1_000_000
    assert "one label in 4 is shown" in svg


def test_file_of_fifty_escaped_words_is_small() -> None:
    nasty = ["'\"&<>" * 12] * 50
    assert (
        len(
            attention_heatmap(
                diagonal(50, 50), row_labels=nasty, column_labels=nasty, title=""
            ).encode()
        )
        < 1_000_000
    )


def test_columns_follow_the_reading_direction_of_the_source() -> None:
    def first_row(root: ElementTree.Element) -> list[float]:
        first = [rect for rect in elements(root, "rect") if len(rect)][: len(ARABIC)]
        return [float(rect.get("x")) for rect in first]

    leftward = first_row(draw(ENGLISH, ARABIC))
    assert leftward == sorted(leftward, reverse=True)
    rightward = first_row(draw(ARABIC, ENGLISH))
    assert rightward == sorted(rightward)


def test_row_labels_stand_where_lines_of_the_target_begin() -> None:
    for rows, right in ((ARABIC, True), (ENGLISH, False)):
        root = draw(rows, ["1", "2", "3"])
        cells = [float(rect.get("x")) for rect in elements(root, "rect") if len(rect)]
        labels = [text for text in elements(root, "text") if visible(rows[1]) in (text.text or "")]
        assert (float(labels[0].get("x")) > max(cells)) is right


def test_links_are_dotted_and_gold_links_outlined() -> None:
    root = draw(ENGLISH, ENGLISH, links={(1, 2), (0, 0)}, gold=[(3, 4)])
    assert len(elements(root, "circle")) == 3  # one in the legend
    cell = next(rect for rect in elements(root, "rect") if len(rect) and "blue ← a" in rect[0].text)
    outlines = [rect for rect in elements(root, "rect") if rect.get("stroke")]
    assert float(outlines[0].get("x")) == float(cell.get("x")) + 0.5
    assert float(outlines[0].get("y")) == float(cell.get("y")) + 0.5
    texts = [text.text for text in elements(root, "text")]
    assert "link" in texts and "gold link" in texts
    assert "link" not in [text.text for text in elements(draw(ENGLISH, ENGLISH), "text")]


def test_coverage_is_the_sum_of_each_column() -> None:
    root = draw(ENGLISH, ["one", "two"], coverage=True)
    bars = [rect[0].text for rect in elements(root, "rect") if len(rect)][-2:]
    sums = diagonal(len(ENGLISH), 2).sum(0)
    assert bars == [f"one {sums[0]:.3f}", f"two {sums[1]:.3f}"]


def test_shortened_label_has_a_tooltip() -> None:
    root = draw(["x" * 60], ["y"])
    label = next(text for text in elements(root, "text") if len(text))
    assert label[0].text == "x" * 60 and label[0].tail.endswith("…")


def test_labels_cannot_add_elements() -> None:
    root = draw(ODD, ODD, note=ODD[-5])
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "rect", "text", "title", "g", "circle", "path"}


def test_empty_matrix_has_a_message() -> None:
    empty = attention_heatmap(
        np.zeros((2, 0), np.float32), row_labels=["a", "b"], column_labels=[], title="T", note="n"
    )
    assert "no words" in "".join(ElementTree.fromstring(empty).itertext())


def test_output_is_deterministic() -> None:
    links = [(i, j) for i in range(6) for j in range(6)]
    options = {"row_labels": ENGLISH, "column_labels": ENGLISH, "title": "T"}
    one = attention_heatmap(diagonal(6, 6), links=links, gold=frozenset(links), **options)
    assert one == attention_heatmap(
        diagonal(6, 6), links=frozenset(links[::-1]), gold=links[::-1], **options
    )
