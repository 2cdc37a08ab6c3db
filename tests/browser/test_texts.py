"""Texts of any script and length: no overlaps, and words in order."""

from __future__ import annotations

import pytest

from regard.explain.page import explanation_page

TEXTS = {
    "hebrew": ("The old man reads a book.", "האיש הזקן קורא ספר"),
    "arabic": ("قرأ الرجل العجوز كتابًا", "The old man reads a book."),
    "chinese": ("猫在椅子上睡觉。", "彼は昔の本を読む。"),
    "marks": ("Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́ǫ̵̹̻̝̳͂̌̌͘! é ẹ̀", "नमस्ते क्षत्रिय ก็ที่ é"),
    "emoji": ("a 👩🏽‍🚀 sees 🏴‍☠️ and 🇨🇦", "une 👩🏽‍🚀 voit 🏴‍☠️ et 🇨🇦 👨‍👩‍👧‍👦"),
    "long": (
        "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz ja",
        "Taumatawhakatangihangakoauauotamateaturipukakapikimaungahoronukupo yes",
    ),
    "one": ("Go", "go"),
    "empty-target": ("Go!", ""),
}

# The boxes of each word's text, one for each line; padding and outlines may touch.
WORDS = """(root) => Array.from(root.querySelectorAll(".text"), (text) =>
  Array.from(text.querySelectorAll(".word"), (word) => {
    const range = document.createRange();
    range.selectNodeContents(word);
    return Array.from(range.getClientRects(), ({ left, right, top, bottom }) =>
      [left, top, right, bottom]);
  }))"""

LABELS = """(root) => [".line:not(.heads) > [role=rowheader]", ".heads > .top"].map((which) =>
  Array.from(root.querySelectorAll(which), (label) => {
    const { left, top, right, bottom } = label.getBoundingClientRect();
    return [label.textContent.trim(), [left, top, right, bottom]];
  }))"""


@pytest.fixture(scope="module")
def saved(translators, tmp_path_factory):
    """The explanation and saved page of each pair of texts."""
    folder = tmp_path_factory.mktemp("texts")
    explanations = {name: translators["bahdanau"].explain(*texts) for name, texts in TEXTS.items()}
    for name, explanation in explanations.items():
        explanation.save(folder / f"{name}.html")
    return {
        name: (explanation, folder / f"{name}.html") for name, explanation in explanations.items()
    }


@pytest.mark.parametrize("width", [1200, 400])
@pytest.mark.parametrize("name", TEXTS)
def test_words_do_not_overlap(new_viewer, saved, name, width) -> None:
    viewer = new_viewer(viewport={"width": width, "height": 800}).open(saved[name][1], "text")
    for pieces in ("words", "pieces"):
        viewer.at(pieces).click()
        for sentence in viewer.evaluate(WORDS):
            assert all(sentence), "a word is invisible"
            check_disjoint(sentence)
            assert all(box[0] >= 0 and box[2] <= width for word in sentence for box in word)
    wide = viewer.page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= width, "the page scrolls sideways"


@pytest.mark.parametrize("name", TEXTS)
def test_text_is_shown_unchanged(new_viewer, saved, name) -> None:
    viewer = new_viewer().open(saved[name][1], "text")
    texts = viewer.evaluate(
        "(root) => Array.from(root.querySelectorAll('.text'), (p) => p.textContent)"
    )
    assert [text.strip().removesuffix("‹end›").rstrip() for text in texts] == list(TEXTS[name])


@pytest.mark.parametrize(("name", "side"), [("hebrew", 1), ("arabic", 0)])
def test_right_to_left_scripts_run_from_right_to_left(new_viewer, saved, name, side) -> None:
    viewer = new_viewer().open(saved[name][1], "text")
    first = viewer.evaluate(WORDS)[side]
    lefts = [word[0][0] for word in first]
    assert lefts == sorted(lefts, reverse=True)
    viewer.at("word", side=("columns", "rows")[side], unit=0).focus()
    viewer.page.keyboard.press("ArrowLeft")
    focused = viewer.evaluate("(root) => root.activeElement.dataset.unit")
    assert focused == "1"


@pytest.mark.parametrize("name", TEXTS)
def test_matrix_labels_are_in_order_and_do_not_overlap(new_viewer, saved, name) -> None:
    explanation, path = saved[name]
    viewer = new_viewer().open(path, "matrix")
    rows, columns = viewer.evaluate(LABELS)
    rows = [row for row in rows if row[0] != "coverage"]
    target, source = (
        [text.raw[start:stop] for start, stop in text.words]
        for text in (explanation.target, explanation.source)
    )
    assert [label for label, _ in rows] == [*target, "‹end›"]
    assert [label for label, _ in columns] == [*source, "‹end›"]
    for labels, side in ((rows, 1), (columns, 0)):
        check_disjoint([[box] for _, box in labels])
        starts = [box[side] for _, box in labels]
        assert starts == sorted(starts)


@pytest.mark.parametrize(
    "name", ["hebrew", "arabic", "chinese", "marks", "emoji", "long", "empty-target"]
)
def test_synthetic_records_fit_a_narrow_page_in_every_view(new_viewer, pages, name) -> None:
    viewer = new_viewer(viewport={"width": 500, "height": 800}).open(pages[name])
    for view in viewer.views:
        viewer.show(view)
        wide = viewer.page.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= 500, f"{view} scrolls sideways"
    assert viewer.errors == []


@pytest.mark.parametrize("record", ['{"format": "regard.explain/1"}', "{}", "no JSON", "[1]"])
def test_invalid_record_shows_an_error(new_viewer, tmp_path, record) -> None:
    (tmp_path / "page.html").write_text(explanation_page([record], "invalid"), encoding="utf-8")
    viewer = new_viewer().open(tmp_path / "page.html")
    assert viewer.page.locator("[role=alert]").inner_text()
    assert viewer.errors == []


def check_disjoint(words) -> None:
    """Boxes of different words overlap by at most one pixel."""
    boxes = [(i, box) for i, word in enumerate(words) for box in word]
    for (i, one), (j, other) in ((a, b) for k, a in enumerate(boxes) for b in boxes[k + 1 :]):
        across = min(one[2], other[2]) - max(one[0], other[0])
        down = min(one[3], other[3]) - max(one[1], other[1])
        assert i == j or across <= 1 or down <= 1, f"words {i} and {j} overlap: {one} {other}"
