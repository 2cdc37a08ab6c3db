"""Markdown says the same after a translation, with other words: conformance suites and dialects.

    python -m pytest -m slow tests/documents/test_markdown.py

has the examples through the whole product; `tests/documents/test_identity.py` has real documents.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from string import ascii_lowercase, ascii_uppercase

import pytest

from regard.documents.formats.markdown import MARKDOWN
from regard.documents.marked_text import MarkedText
from regard.documents.placeholders import replace_ranges
from tests.documents.identity import capitals, compare, identity, translate_document, upper_case
from tests.documents.rendered_markdown import (
    commonmark_examples,
    github_examples,
    plugin_examples,
)
from tests.documents.visible_text import Part, read_parts

ROTATED = str.maketrans(
    ascii_lowercase + ascii_uppercase,
    f"{ascii_lowercase[1:]}a{ascii_uppercase[1:]}A",
)
SUITES: dict[str, tuple[list[tuple[str, str]], tuple[str, ...]]] = {
    "CommonMark": (
        [(f"example {n}", text) for n, text in enumerate(commonmark_examples(), 1)],
        ("CommonMark", "markdown of GitHub", "markdown"),
    ),
    "GitHub": (
        [(f"example {n}", text) for n, text in enumerate(github_examples(), 1)],
        ("markdown of GitHub", "markdown"),
    ),
    "plugins": (plugin_examples(), ("markdown",)),
}


def through_the_format(content: bytes, change: Callable[[str], str] = str.upper) -> bytes:
    """The document in capitals, or with other letters; every element stays at its characters."""
    segments = MARKDOWN.extract(content)
    same = MARKDOWN.restore(content, segments, [None] * len(segments))
    assert same == content
    translations: list[MarkedText | None] = [_changed(each.marked, change) for each in segments]
    assert MARKDOWN.unwritable(content, segments, translations) == []
    return MARKDOWN.restore(content, segments, translations)


def _changed(marked: MarkedText, change: Callable[[str], str]) -> MarkedText:
    raw = [(one.start, one.end) for one in marked.elements if one.raw is not None]
    changes = [
        (place, place + 1, change(character))
        for place, character in enumerate(marked.text)
        if character != change(character) and not any(low <= place < high for low, high in raw)
    ]
    return replace_ranges(marked, changes)


def through_the_product(content: bytes) -> bytes:
    assert translate_document("markdown", content, identity).content == content
    return translate_document("markdown", content, upper_case).content


def check(
    text: str,
    readers: tuple[str, ...],
    translate: Callable[[bytes], bytes],
    expected: Callable[[str], str] = capitals,
) -> None:
    content = text.encode()
    translated = translate(content)
    for reader in readers:
        if reader == "CommonMark" and text.startswith("---\n"):
            continue  # front matter is a heading there
        parts = [
            Part(expected(part.text)) if part.is_text else part
            for part in read_parts(reader, content)
        ]
        compare(parts, read_parts(reader, translated))


def check_examples(
    suite: str,
    translate: Callable[[bytes], bytes],
    expected: Callable[[str], str] = capitals,
) -> None:
    examples, readers = SUITES[suite]
    assert len(examples) >= {"CommonMark": 652, "GitHub": 28, "plugins": 250}[suite]
    different = {}
    for name, text in examples:
        try:
            check(text, readers, translate, expected)
        except AssertionError as error:
            different[name] = f"{text!r}: {str(error).splitlines()[0]}"
    print(f"\n{suite}: {len(examples)} examples, {len(different)} differ")
    shown = [f"{name}: {what[:700]}" for name, what in list(different.items())[:20]]
    assert not different, f"{len(different)} differ:\n" + "\n".join(shown)


@pytest.mark.parametrize("suite", SUITES)
def test_examples_of_specifications(suite: str) -> None:
    check_examples(suite, through_the_format)


def other_letters(text: str) -> str:
    return text.translate(ROTATED)


@pytest.mark.parametrize("suite", SUITES)
def test_examples_with_other_letters(suite: str) -> None:
    """Labels, marks of tasks and names of alerts are read in capitals, too: these hide defects."""
    translate = partial(through_the_format, change=other_letters)
    check_examples(suite, translate, partial(capitals, change=other_letters))


@pytest.mark.parametrize("end", ["", "[]", "[two\nthree]", "(/u\n'v')"])
@pytest.mark.parametrize("label", ["two\nthree", "two\n   *three*", "two\n> three"])
def test_links_over_lines_keep_their_destination(label: str, end: str) -> None:
    quote = "> " if ">" in label else ""
    text = f"{quote}one [{label}]{end.replace(chr(10), chr(10) + quote)} four\n\n"
    definitions = "[two three]: /u\n[two *three*]: /w\n"
    translate = partial(through_the_format, change=other_letters)
    readers = ("CommonMark", "markdown of GitHub", "markdown")
    check(text + definitions, readers, translate, partial(capitals, change=other_letters))
    assert b"one" not in translate(text.encode())


def test_a_translation_is_escaped_only_where_it_would_be_read_differently() -> None:
    content = b"one\n\n[two][x]\n\n# three\n\n| four |\n|---|\n\n**five.**\n\n[x]: /u\n"
    after = "a * b_c [y]\n\n[\\[x\\]][x]\n\n# a \\#\n\n| a\\|b |\n|---|\n\n<strong>a。</strong>b\n"
    texts = {"one": "a * b_c [y]", "two": "[x]", "three": "a #", "four": "a|b", "five.": "a。b"}
    segments = MARKDOWN.extract(content)
    translations = [
        MarkedText(
            texts[each.marked.text],
            tuple(
                replace(one, end=len(texts[each.marked.text].removesuffix("b")))
                for one in each.marked.elements
            ),
        )
        for each in segments
    ]
    assert MARKDOWN.unwritable(content, segments, translations) == []
    restored = MARKDOWN.restore(content, segments, translations).decode()
    assert restored == f"{after}\n[x]: /u\n"


STARTS = ["> x", "# x", "- x", "+ x", "1. x", "``` x", "~~~ x", "<div> x", "[x]: y", "::: x", "| x"]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(
    "document",
    [
        "a | b\n--|--\nc | d\ne | f\n",
        "| a | b |\n|--|--|\n| c | d |\n",
        "> a | b\n> --|--\n> c | d\n",
        "- a\n- b\n  c\n",
    ],
)
def test_a_translation_begins_no_block(document: str, start: str) -> None:
    before = MARKDOWN.extract(document.encode())
    after = MARKDOWN.restore(document.encode(), before, [MarkedText(start)] * len(before))
    texts = [segment.marked.text for segment in MARKDOWN.extract(after)]
    assert texts == [start] * len(before)


def test_a_translation_that_cannot_be_written_keeps_its_source_and_is_reported() -> None:
    content = b"one\n\na <div>two</div>\n"
    segments = MARKDOWN.extract(content)
    block = segments[1].marked
    translation = replace(
        block, text="b", elements=tuple(replace(e, start=0, end=1) for e in block.elements)
    )
    assert MARKDOWN.unwritable(content, segments, [None, translation]) == [1]  # a block of HTML


HOSTILE: dict[str, Callable[[int], bytes]] = {
    "brackets": lambda n: b"[" * n + b"a" + b"](" * n,
    "links": lambda n: b"[" * n + b"a" + b"](x)" * n,
    "images": lambda n: b"![" * n + b"a" + b"](x)" * n,
    "footnotes": lambda n: b"^[" * n + b"a" + b"]" * n,
    "references": lambda n: b"".join(b"[a%d]: x\n\n[a%d] b\n\n" % (k, k) for k in range(n)),
    "backticks": lambda n: b"".join(b"a" + b"`" * k for k in range(int((2 * n) ** 0.5))),
    "emphasis": lambda n: b"**a *b " * n,
    "tags": lambda n: b"a</i><b>" * n,
    "math": lambda n: b"$$a $b " * n,
    "roles": lambda n: b"{a}`" * n,
    "shortcodes": lambda n: b"{{< a >}}\n" * n + b"b",
    "quotes": lambda n: b">" * n + b" a",
    "lists": lambda n: b"- " * n + b"a",
    "containers": lambda n: b"::: a\n" * n + b"b",
    "tables": lambda n: b"|a" * n + b"|\n" + b"|-" * n + b"|\n" + b"|a" * n + b"|\n",
    "paragraphs": lambda n: b"some *words* here\n\n" * n,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear(name: str) -> None:
    """Four times the size may take no more than 2.3² times the time."""

    def seconds(size: int) -> float:
        content = HOSTILE[name](size)
        start = time.process_time()
        segments = MARKDOWN.extract(content)
        translations: list[MarkedText | None] = [each.marked for each in segments]
        MARKDOWN.unwritable(content, segments, translations)
        MARKDOWN.restore(content, segments, translations)
        return time.process_time() - start

    small = min(seconds(500) for _ in range(3))
    large = min(seconds(2_000) for _ in range(2))
    assert large <= 2.3**2 * small + 0.05, f"{small:.2f} s, then {large:.2f} s"


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_examples_through_the_product(suite: str) -> None:
    check_examples(suite, through_the_product)
