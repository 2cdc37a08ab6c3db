"""Labels: upper bounds of widths, truncation between letters, text direction."""

from __future__ import annotations

import pytest

from regard.explain.pictures.figure import fold, isolate, runs_left, shorten, text_width

WORDS = [
    "window", "Donaudampfschifffahrtsgesellschaft", "ILLICIT", "MAMMOTH", "wwwmmm", "3,141.59",
    "naïve", "Übermäßigkeit", "слово", "Ωμέγα", "رجل", "קמץ", "…", "—", "→", "_an", "fjord",
]  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_text_width_is_an_upper_bound(word: str) -> None:
    fonts = pytest.importorskip("PIL.ImageFont")
    for name in ("DejaVuSans.ttf", "LiberationSans-Regular.ttf", "arial.ttf"):
        try:
            font = fonts.truetype(name, 100)
        except OSError:
            continue
        assert font.getlength(word) <= text_width(word, 100)


def test_combining_marks_have_no_width_and_wide_characters_have_one_em() -> None:
    assert text_width("e\u0301\u0323", 10) == text_width("e", 10)
    assert text_width("中", 10) == 10
    assert text_width("👍", 10) > 10
    assert text_width("", 10) == 0


def test_shorten_keeps_letters_and_marks_together() -> None:
    assert shorten("short", 100, 10) == "short"
    long = shorten("L" * 60, 100, 10)
    assert long.endswith("…") and text_width(long, 10) <= 100 < text_width("L" + long, 10)
    marked = shorten("e\u0301" * 60, 100, 10)
    assert marked.removesuffix("…").count("e") == marked.count("\u0301")
    family = "👩\u200d👩\u200d👧"
    assert shorten(family * 9, 85, 10).removesuffix("…") == family * 1
    assert shorten("\u0301" * 5 + "W" * 9, 10, 10)[-1] == "…"


def test_shorten_handles_huge_labels() -> None:
    assert len(shorten("a\u0301" * 500_000, 100, 10)) < 40


def test_fold_breaks_between_words() -> None:
    lines = fold("one two three " + "x" * 99, 60, 10)
    assert all(text_width(line, 10) <= 60 for line in lines)
    assert " ".join(lines).startswith("one two three x")
    assert fold("", 60, 10) == []


def test_direction_is_that_of_most_letters() -> None:
    assert runs_left(["رجل", "BBC", "يرتدي"])
    assert runs_left(["שלום"])
    assert not runs_left(["A", "رجل", "shirt"])
    assert not runs_left(["中文", "!"])
    assert not runs_left([])


def test_isolate_wraps_right_to_left_text_and_drops_controls() -> None:
    assert isolate("رجل !") == "\u2068رجل !\u2069"
    assert isolate("word") == "word"
    assert isolate("\u202eevil\u2069") == "evil"
