"""Markdown says the same after a translation, with other words: conformance suites and dialects.

    python -m pytest -m slow tests/documents/test_markdown.py

has the examples through the whole product; `tests/documents/test_identity.py` has real documents.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from regard.documents.formats.markdown import MARKDOWN
from regard.documents.marked_text import MarkedText
from regard.documents.stand_ins import replace_ranges
from tests.documents.identity import capitals, compare, identity, translate_document, upper_case
from tests.documents.rendered_markdown import (
    commonmark_examples,
    github_examples,
    plugin_examples,
)
from tests.documents.visible_text import Part, read_parts

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


def through_the_format(content: bytes) -> bytes:
    """The document in capitals; every element stays at its characters."""
    segments = MARKDOWN.extract(content)
    same = MARKDOWN.restore(content, segments, [None] * len(segments))
    assert same == content
    translations: list[MarkedText | None] = [_in_capitals(each.marked) for each in segments]
    assert MARKDOWN.unwritable(content, segments, translations) == []
    return MARKDOWN.restore(content, segments, translations)


def _in_capitals(marked: MarkedText) -> MarkedText:
    raw = [(one.start, one.end) for one in marked.elements if one.raw is not None]
    capitals = [
        (place, place + 1, character.upper())
        for place, character in enumerate(marked.text)
        if character != character.upper() and not any(low <= place < high for low, high in raw)
    ]
    return replace_ranges(marked, capitals)


def through_the_product(content: bytes) -> bytes:
    assert translate_document("markdown", content, identity).content == content
    return translate_document("markdown", content, upper_case).content


def check(text: str, readers: tuple[str, ...], translate: Callable[[bytes], bytes]) -> None:
    content = text.encode()
    translated = translate(content)
    for reader in readers:
        if reader == "CommonMark" and text.startswith("---\n"):
            continue  # front matter is a heading there
        parts = [
            Part(capitals(part.text)) if part.is_text else part
            for part in read_parts(reader, content)
        ]
        compare(parts, read_parts(reader, translated))


def check_examples(suite: str, translate: Callable[[bytes], bytes]) -> None:
    examples, readers = SUITES[suite]
    assert len(examples) >= {"CommonMark": 652, "GitHub": 28, "plugins": 250}[suite]
    different = {}
    for name, text in examples:
        try:
            check(text, readers, translate)
        except AssertionError as error:
            different[name] = f"{text!r}: {str(error).splitlines()[0]}"
    print(f"\n{suite}: {len(examples)} examples, {len(different)} differ")
    shown = [f"{name}: {what[:700]}" for name, what in list(different.items())[:20]]
    assert not different, f"{len(different)} differ:\n" + "\n".join(shown)


@pytest.mark.parametrize("suite", SUITES)
def test_examples_of_specifications(suite: str) -> None:
    check_examples(suite, through_the_format)


@pytest.mark.slow
@pytest.mark.xfail(reason="elements inside words are moved to their ends", strict=False)
@pytest.mark.parametrize("suite", SUITES)
def test_examples_through_the_product(suite: str) -> None:
    check_examples(suite, through_the_product)
