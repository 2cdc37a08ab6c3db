"""The matrix for print: every label whole and apart, every cell right, whatever the words are."""

from __future__ import annotations

import re
from itertools import combinations
from math import cos, radians, sin
from xml.etree import ElementTree

import numpy as np
import pytest

from regard.explain.pictures.heatmap import attention_heatmap
from regard.explain.pictures.label import text_width
from regard.svg import shade, visible

ARABIC = ["رجل", "يرتدي", "قميصا", "أزرق"]
ENGLISH = ["A", "man", "in", "a", "blue", "shirt"]
ODD = [
    "e\u0301a\u0300\u0323", "👩\u200d👩\u200d👧", "L" * 60, "नमस्ते", "中文", "▁an", "", "MWMW" * 9,
    "</text><script>alert(1)</script>", "a\0\x1b[31mb", "\u202eevil", "\ud800", "'\"&",
]  # fmt: skip


def spread(rows: int, columns: int) -> np.ndarray:
    """Sharp around the diagonal, each row a distribution."""
    far = np.abs(np.arange(columns) - np.arange(rows)[:, None] * columns / rows)
    weights = np.exp(-far)
    return (weights / weights.sum(1, keepdims=True)).astype(np.float32)


def draw(said: list[str], read: list[str], **given) -> ElementTree.Element:
    picture = attention_heatmap(
        spread(len(said), len(read)), row_labels=said, column_labels=read, title="T", **given
    )
    return ElementTree.fromstring(picture)


def every(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if element.tag.endswith("}" + name)]


def boxes(root: ElementTree.Element) -> list[tuple[str, int, tuple[float, ...]]]:
    """Each text outside the legend: its angle, and its box in axes turned by that angle."""
    found = []
    matrix, legend = (group for group in every(root, "g") if "scale" not in group.get("transform"))
    down = {id(text): float(matrix.get("transform")[12:-1]) for text in every(matrix, "text")}
    skipped = {id(text) for text in every(legend, "text")}
    for text in every(root, "text"):
        words = text[0].tail if len(text) else text.text
        if id(text) in skipped or not words:
            continue
        x, y, size = (float(text.get(name)) for name in ("x", "y", "font-size"))
        y += down.get(id(text), 0)
        turn = re.match(r"rotate\((-?\d+)", text.get("transform", ""))
        angle = int(turn[1]) if turn else 0
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
def test_no_label_is_cut_and_none_lies_on_another(name: str) -> None:
    root = draw(*MATRICES[name], note="a note that is folded into lines " * 5)
    width, height = float(root.get("width")), float(root.get("height"))
    found = boxes(root)
    for words, angle, (left, top, right, bottom) in found:
        c, s = cos(radians(angle)), sin(radians(angle))
        for along in (left, right):
            for across in (top, bottom):
                x, y = c * along - s * across, s * along + c * across
                assert 0 <= x <= width and 0 <= y <= height, words
    for (one, turned, a), (other, as_turned, b) in combinations(found, 2):
        if turned == as_turned:
            apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
            assert apart, (one, other)


def test_a_cell_has_the_colour_of_its_weight_and_tells_it() -> None:
    weights = np.array([[0.25, 0.75], [1.0, 0.0]], np.float32)
    root = ElementTree.fromstring(
        attention_heatmap(weights, row_labels=["c", "d"], column_labels=["a", "b"], title="")
    )
    told = {rect[0].text: rect.get("fill") for rect in every(root, "rect") if len(rect)}
    assert told == {
        "c ← a 0.250": shade(0.25),
        "c ← b 0.750": shade(0.75),
        "d ← a 1.000": shade(1),
        "d ← b 0.000": shade(0),
    }


@pytest.mark.parametrize("leftward", [False, True])
def test_merged_cells_have_the_same_colours_in_the_same_places(leftward: bool) -> None:
    read = ["שלום" if leftward else "word"] * 60
    weights = spread(60, 60)
    root = ElementTree.fromstring(
        attention_heatmap(weights, row_labels=["a"] * 60, column_labels=read, title="")
    )
    found = np.full((60, 60), "", dtype="<U7")
    for path in every(root, "path"):
        for x, y, many in re.findall(r"M(\d+) (\d+)h(\d+)v", path.get("d")):
            assert (found[int(y), int(x) : int(x) + int(many)] == "").all()
            found[int(y), int(x) : int(x) + int(many)] = path.get("fill")
    shown = weights[:, ::-1] if leftward else weights
    assert found.tolist() == [[shade(weight) for weight in line] for line in shown.tolist()]


def test_two_hundred_words_fit_into_a_file_even_if_no_two_cells_agree() -> None:
    noise = np.random.default_rng(0).random((200, 200))
    picture = attention_heatmap(
        noise, row_labels=["word"] * 200, column_labels=["Wort"] * 200, title="", coverage=True
    )
    assert len(picture.encode()) < 1_000_000
    assert "one name in 4 is shown" in picture


def test_forty_odd_words_fit_as_well() -> None:
    nasty = ["'\"&<>" * 12] * 50
    assert (
        len(
            attention_heatmap(
                spread(50, 50), row_labels=nasty, column_labels=nasty, title=""
            ).encode()
        )
        < 1_000_000
    )


def test_columns_run_the_way_the_source_is_read() -> None:
    def places(root: ElementTree.Element) -> list[float]:
        first = [rect for rect in every(root, "rect") if len(rect)][: len(ARABIC)]
        return [float(rect.get("x")) for rect in first]

    leftward = places(draw(ENGLISH, ARABIC))
    assert leftward == sorted(leftward, reverse=True)
    rightward = places(draw(ARABIC, ENGLISH))
    assert rightward == sorted(rightward)


def test_the_names_of_rows_stand_where_a_reader_begins() -> None:
    for said, right in ((ARABIC, True), (ENGLISH, False)):
        root = draw(said, ["1", "2", "3"])
        cells = [float(rect.get("x")) for rect in every(root, "rect") if len(rect)]
        names = [text for text in every(root, "text") if visible(said[1]) in (text.text or "")]
        assert (float(names[0].get("x")) > max(cells)) is right


def test_links_are_dotted_and_those_by_hand_outlined() -> None:
    root = draw(ENGLISH, ENGLISH, links={(1, 2), (0, 0)}, gold=[(3, 4)])
    assert len(every(root, "circle")) == 3  # one in the legend
    cell = next(rect for rect in every(root, "rect") if len(rect) and "blue ← a" in rect[0].text)
    outlines = [rect for rect in every(root, "rect") if rect.get("stroke")]
    assert float(outlines[0].get("x")) == float(cell.get("x")) + 0.5
    assert float(outlines[0].get("y")) == float(cell.get("y")) + 0.5
    texts = [text.text for text in every(root, "text")]
    assert "linked" in texts and "linked by hand" in texts
    assert "linked" not in [text.text for text in every(draw(ENGLISH, ENGLISH), "text")]


def test_coverage_is_the_sum_of_each_column() -> None:
    root = draw(ENGLISH, ["one", "two"], coverage=True)
    told = [rect[0].text for rect in every(root, "rect") if len(rect)][-2:]
    sums = spread(len(ENGLISH), 2).sum(0)
    assert told == [f"one {sums[0]:.3f}", f"two {sums[1]:.3f}"]


def test_a_shortened_name_is_told_in_full() -> None:
    root = draw(["x" * 60], ["y"])
    label = next(text for text in every(root, "text") if len(text))
    assert label[0].text == "x" * 60 and label[0].tail.endswith("…")


def test_a_token_is_text_and_nothing_else() -> None:
    root = draw(ODD, ODD, note=ODD[-5])
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "rect", "text", "title", "g", "circle", "path"}


def test_without_words_it_says_so() -> None:
    empty = attention_heatmap(
        np.zeros((2, 0), np.float32), row_labels=["a", "b"], column_labels=[], title="T", note="n"
    )
    assert "no words" in "".join(ElementTree.fromstring(empty).itertext())


def test_the_same_weights_give_the_same_bytes() -> None:
    links = [(i, j) for i in range(6) for j in range(6)]
    given = {"said": ENGLISH, "read": ENGLISH, "title": "T"}
    one = attention_heatmap(spread(6, 6), links=links, gold=frozenset(links), **given)
    assert one == attention_heatmap(
        spread(6, 6), links=frozenset(links[::-1]), gold=links[::-1], **given
    )
