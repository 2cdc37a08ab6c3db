"""Every script and every length: nothing overlaps, and words stand in their order."""

from __future__ import annotations

import pytest

from regard.explain.page import explanation_page as page_of

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
    "ended": ("Go!", ""),
}

# The boxes of the letters of each word, line by line; padding and outlines may touch.
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
    """Of each pair of texts, forced through the real tokenizer: its record and its page."""
    folder = tmp_path_factory.mktemp("texts")
    made = {name: translators["bahdanau"].explain(*texts) for name, texts in TEXTS.items()}
    for name, explanation in made.items():
        explanation.save(folder / f"{name}.html")
    return {name: (explanation, folder / f"{name}.html") for name, explanation in made.items()}


@pytest.mark.parametrize("width", [1200, 400])
@pytest.mark.parametrize("name", TEXTS)
def test_no_word_overlaps_another_while_reading(look, saved, name, width) -> None:
    viewer = look(viewport={"width": width, "height": 800}).open(saved[name][1], "reading")
    for pieces in ("words", "pieces"):
        viewer.at(pieces).click()
        for sentence in viewer.ask(WORDS):
            assert all(sentence), "a word that cannot be seen"
            check_apart(sentence)
            assert all(box[0] >= 0 and box[2] <= width for word in sentence for box in word)
    wide = viewer.page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= width, "the page scrolls sideways"


@pytest.mark.parametrize("name", TEXTS)
def test_the_text_reads_as_it_was_written(look, saved, name) -> None:
    viewer = look().open(saved[name][1], "reading")
    texts = viewer.ask("(root) => Array.from(root.querySelectorAll('.text'), (p) => p.textContent)")
    assert [text.strip().removesuffix("‹end›").rstrip() for text in texts] == list(TEXTS[name])


@pytest.mark.parametrize(("name", "place"), [("hebrew", 1), ("arabic", 0)])
def test_words_run_from_right_to_left_where_their_script_does(look, saved, name, place) -> None:
    viewer = look().open(saved[name][1], "reading")
    first = viewer.ask(WORDS)[place]
    lefts = [word[0][0] for word in first]
    assert lefts == sorted(lefts, reverse=True)
    viewer.at("word", side=("columns", "rows")[place], unit=0).focus()
    viewer.page.keyboard.press("ArrowLeft")
    focused = viewer.ask("(root) => root.activeElement.dataset.unit")
    assert focused == "1"


@pytest.mark.parametrize("name", TEXTS)
def test_labels_of_the_matrix_stand_apart_in_the_order_of_the_text(look, saved, name) -> None:
    explanation, path = saved[name]
    viewer = look().open(path, "matrix")
    rows, columns = viewer.ask(LABELS)
    rows = [row for row in rows if row[0] != "coverage"]
    said, read = (
        [text.raw[start:stop] for start, stop in text.words]
        for text in (explanation.target, explanation.source)
    )
    assert [label for label, _ in rows] == [*said, "‹end›"]
    assert [label for label, _ in columns] == [*read, "‹end›"]
    for labels, side in ((rows, 1), (columns, 0)):
        check_apart([[box] for _, box in labels])
        starts = [box[side] for _, box in labels]
        assert starts == sorted(starts)


@pytest.mark.parametrize("name", ["hebrew", "arabic", "chinese", "marks", "emoji", "long", "ended"])
def test_made_up_records_of_odd_shapes_are_shown_in_every_view(look, pages, name) -> None:
    viewer = look(viewport={"width": 500, "height": 800}).open(pages[name])
    for view in viewer.views:
        viewer.turn(view)
        wide = viewer.page.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= 500, f"{view} scrolls sideways"
    assert viewer.trouble == []


@pytest.mark.parametrize("record", ['{"format": "regard.explain/2"}', "{}", "no JSON", "[1]"])
def test_what_is_no_record_is_said_to_be_none(look, tmp_path, record) -> None:
    (tmp_path / "page.html").write_text(page_of([record], "spoilt"), encoding="utf-8")
    viewer = look().open(tmp_path / "page.html")
    assert viewer.page.locator("[role=alert]").inner_text()
    assert viewer.trouble == []


def check_apart(words) -> None:
    """No two boxes of different words share more than a hair's breadth."""
    boxes = [(i, box) for i, word in enumerate(words) for box in word]
    for (i, one), (j, other) in ((a, b) for k, a in enumerate(boxes) for b in boxes[k + 1 :]):
        across = min(one[2], other[2]) - max(one[0], other[0])
        down = min(one[3], other[3]) - max(one[1], other[1])
        assert i == j or across <= 1 or down <= 1, f"words {i} and {j} overlap: {one} {other}"
