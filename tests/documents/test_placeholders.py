"""Which parts of a text a translation keeps, and where they become elements."""

from __future__ import annotations

import pytest

from regard.documents.marked_text import InlineElement, MarkedText
from regard.documents.placeholders import (
    add_raw_elements,
    changed_numbers,
    extract_invisible,
    find_placeholders,
    protect_placeholders,
    repeated_placeholders,
)
from tests.documents.identity import identity, translate_document


def found(text: str, *keep: str) -> list[str]:
    return [text[start:end] for start, end in find_placeholders(text, keep)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no placeholder", []),
        ("{name} and ${user.id}, #{x} %{y}", ["{name}", "${user.id}", "#{x}", "%{y}"]),
        ("{n, plural, one {# dog} other {# dogs}}!", ["{n, plural, one {# dog} other {# dogs}}"]),
        ("empty {} and {", []),
        ("{a {b} c", ["{b}"]),
        ("a } b {c}", ["{c}"]),
        ("{}{x}", ["{x}"]),
        ("{ab}{cd}", ["{ab}", "{cd}"]),
        ("%s, %d and %1$s of %(total)05.2f", ["%s", "%d", "%1$s", "%(total)05.2f"]),
        ("%-5lld %% 5% of %@ %NAME%", ["%-5lld", "%@", "%NAME%"]),
        ("100%so", []),
        ("See https://a.b/c?d=(e). Or www.x.de, ftp://y!", ["https://a.b/c?d=(e", "www.x.de", "ftp://y"]),
        ("Write to a.b+c@d-e.co.uk.", ["a.b+c@d-e.co.uk"]),
        ("me@localhost", []),
        ("Call `f(x)` or ``a b`` or :py:func:`g`", ["`f(x)`", "``a b``", ":py:func:`g`"]),
        ("` not code`", []),
    ],
)  # fmt: skip
def test_placeholders_addresses_and_code_are_found(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize("depth", [50, 51])
def test_braces_have_a_bounded_depth(depth: int) -> None:
    text = "{" * depth + "x" + "}" * depth
    assert (found(text) == [text]) == (depth <= 50)


def test_open_braces_take_linear_time() -> None:
    """After fifty braces that are never closed, the rest is plain text."""
    assert found("{a " * 40 + "{b}") == ["{b}"]
    assert found("{a " * 1_000 + "{b}") == []


@pytest.mark.parametrize(
    ("text", "keep", "expected"),
    [
        ("Regard by Regard Ltd", ["Regard"], ["Regard", "Regard"]),
        ("disregard Regards XRegard", ["Regard", "regard"], []),
        ("C++ and +C", ["C++", "+C"], ["C++", "+C"]),
        ("xC++y", ["C++"], []),
        ("aXa", ["Xa"], []),
        ("go: a-b", ["a-b", "", "zz"], ["a-b"]),
        ("New York City", ["York", "New York"], ["New York"]),
        ("ab ab", ["ab ab", "ab"], ["ab ab"]),
        ("東京都", ["東京"], []),
    ],
)
def test_strings_to_keep_are_whole_words(text: str, keep: list[str], expected: list[str]) -> None:
    assert found(text, *keep) == expected


def test_a_placeholder_becomes_an_element_inside_the_innermost_one() -> None:
    text = "ab {x} cd"
    outer, inner = InlineElement(0, 9, "<p>", "</p>"), InlineElement(3, 7, "<i>", "</i>", parent=0)
    for elements, parent in (((outer, inner), 1), ((outer,), 0), ((), None)):
        marked = protect_placeholders(MarkedText(text, elements), str.upper)
        assert marked.text == text and marked.elements[:-1] == elements
        assert marked.elements[-1] == InlineElement(3, 6, parent=parent, raw="{X}")
    # of two elements of the same extent, the later is the inner one
    twice = MarkedText(text, (outer, InlineElement(0, 9, "<b>", "</b>", parent=0)))
    assert protect_placeholders(twice).elements[-1].parent == 1
    same = MarkedText("{x}", (InlineElement(0, 3, "<b>", "</b>"),))
    assert protect_placeholders(same).elements[-1] == InlineElement(0, 3, parent=0, raw="{x}")


@pytest.mark.parametrize(
    ("element", "parts"),
    [
        (InlineElement(0, 4, "<i>", "</i>"), [(3, 4, 0), (4, 6, None)]),
        (InlineElement(4, 8, "<i>", "</i>"), [(3, 4, None), (4, 6, 0)]),
        (InlineElement(4, 5, "<i>", "</i>"), [(3, 4, None), (4, 5, 0), (5, 6, None)]),
        (InlineElement(4, 8, "<i>", "</i>", crosses=True), [(3, 4, None), (4, 6, None)]),
        (InlineElement(0, 5, "<i>", "</i>", crosses=True), [(3, 5, None), (5, 6, None)]),
    ],
    ids=str,
)
def test_each_part_of_a_placeholder_that_an_element_divides_is_protected(
    element: InlineElement, parts: list[tuple[int, int, int | None]]
) -> None:
    text = "ab {x} cd"
    added = protect_placeholders(MarkedText(text, (element,))).elements[1:]
    assert added == tuple(
        InlineElement(start, end, parent=parent, raw=text[start:end])
        for start, end, parent in parts
    )


def test_a_placeholder_in_raw_markup_is_part_of_it() -> None:
    marked = MarkedText("ab {x} cd", (InlineElement(0, 9, raw="<x/>"),))
    assert protect_placeholders(marked) is marked


@pytest.mark.parametrize(
    "element",
    [
        InlineElement(0, 3, "<i>", "</i>"),
        InlineElement(6, 8, "<i>", "</i>"),
        InlineElement(3, 3, "<br>", ""),
        InlineElement(0, 9, "<i>", "</i>", crosses=True),
        InlineElement(3, 6, "<i>", "</i>", crosses=True),
    ],
    ids=str,
)
def test_elements_beside_a_placeholder_are_not_its_parents(element: InlineElement) -> None:
    marked = protect_placeholders(MarkedText("ab {x} cd", (element,)))
    assert marked.elements == (element, InlineElement(3, 6, raw="{x}"))


def test_ranges_are_judged_one_by_one() -> None:
    bold = InlineElement(1, 4, "<b>", "</b>")
    marked = add_raw_elements(
        MarkedText("abcdef", (bold,)), [(0, 2, "x"), (1, 2, "y"), (5, 6, "z")]
    )
    assert marked.elements == (
        bold,
        InlineElement(1, 2, parent=0, raw="y"),
        InlineElement(5, 6, raw="z"),
    )


def test_invisible_characters_become_elements_where_they_were() -> None:
    text = "ab\u00adcd\u200b e\u200bf"
    bold = InlineElement(1, 5, "<b>", "</b>")  # b, the soft hyphen, c and d
    inner = InlineElement(2, 4, "<i>", "</i>", parent=0)
    marked = extract_invisible(MarkedText(text, (bold, inner)))
    assert marked.text == "abcd ef"
    assert marked.elements == (
        InlineElement(1, 4, "<b>", "</b>"),
        InlineElement(2, 3, "<i>", "</i>", parent=0),
        InlineElement(2, 2, parent=1, raw="\u00ad", follows=1),
        InlineElement(4, 4, raw="\u200b", follows=1),
        InlineElement(6, 6, raw="\u200b", follows=1),
    )
    plain = MarkedText("abc def", (bold,))
    assert extract_invisible(plain) is plain


def test_invisible_characters_of_raw_markup_stay_in_it() -> None:
    code = InlineElement(0, 3, raw="a\u200bb")
    marked = extract_invisible(MarkedText("a\u200bb c", (code,)))
    assert marked == MarkedText("ab c", (InlineElement(0, 2, raw="a\u200bb"),))
    crossing = InlineElement(0, 3, "<x>", "</x>", crosses=True)
    marked = extract_invisible(MarkedText("a\u200bb", (crossing,)))
    assert marked.elements[-1] == InlineElement(1, 1, raw="\u200b", follows=0)


def test_placeholders_that_the_model_added_are_named() -> None:
    translation = MarkedText("{x} and {x} KEEP", (InlineElement(0, 3, raw="{x}"),))
    assert repeated_placeholders(translation) == ["{x}"]
    assert repeated_placeholders(translation, ["KEEP"]) == ["{x}", "KEEP"]
    wide = MarkedText("{x} b", (InlineElement(0, 5, raw="..."),))
    assert repeated_placeholders(wide) == []
    parts = (InlineElement(0, 2, raw="{x"), InlineElement(2, 3, raw="}"))  # with a tag between
    assert repeated_placeholders(MarkedText("{x}", parts)) == []
    assert repeated_placeholders(MarkedText("a {x}", (InlineElement(0, 1, raw="a"),))) == ["{x}"]
    assert repeated_placeholders(MarkedText("{x}", (InlineElement(0, 3, "<b>", "</b>"),))) == [
        "{x}"
    ]


@pytest.mark.parametrize(
    ("source", "target", "missing"),
    [
        ("1,234.5 of 12", "12 von 1.234,5", []),
        ("1 234 567", "1\u00a0234\u202f567", []),
        ("3 and 3", "3", ["3"]),
        ("3", "3 and 3", []),
        ("7, 8", "8", ["7"]),
        ("10.", "1", ["10"]),
        ("2 5 9", "", ["259"]),
        ("b 20, a 10", "", ["10", "20"]),
    ],
)
def test_missing_numbers_are_named(source: str, target: str, missing: list[str]) -> None:
    assert changed_numbers(source, target) == missing


@pytest.mark.parametrize("name", ["html", "xliff", "android"])
@pytest.mark.parametrize("character", ["\u00ad", "\u200f", "\u2060"])
def test_invisible_characters_stay_on_their_side_of_elements(name: str, character: str) -> None:
    empty = {"html": "<br>", "xliff": '<ph id="1"/>', "android": "<xliff:g id='1'/>"}[name]
    around = {
        "html": "<p>{}</p>",
        "xliff": '<xliff version="1.2"><file><body><trans-unit id="1"><source>{}</source>'
        "</trans-unit></body></file></xliff>",
        "android": "<resources xmlns:xliff='urn:oasis:names:tc:xliff:document:1.2'>"
        "<string name='a'>{}</string></resources>",
    }[name]
    for text in (
        f"one {character}{empty} two",
        f"one {empty}{character} two",
        f"one{character}{character}{empty}{character} two {character}{empty}",
    ):
        translated = translate_document(name, around.format(text).encode(), identity)
        assert text in translated.content.decode()
