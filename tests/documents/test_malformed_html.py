"""Malformed HTML: what browsers show is translated, and everything else stays."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import html5lib
import pytest
from html5lib.constants import tagTokenTypes, tokenTypes

from regard.documents.formats.html import HTML
from regard.documents.formats.strings import mark_string
from regard.documents.marked_text import MarkedText, render_markup
from tests.documents.generated import MAKERS
from tests.documents.identity import real_documents, sample
from tests.documents.malformed_html import INSERTED, PAGE, malformed
from tests.documents.visible_text import Part, read_parts

MOST_EXPLAINED = 0.02  # of the pages
FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())  # noqa: SIM905


def capitals(text: str) -> str:
    """A text in capitals, of the same length."""
    return "".join(c.upper() if len(c.upper()) == 1 else c for c in text)


def in_capitals(marked: MarkedText) -> MarkedText:
    """A text in capitals, except what its elements keep."""
    text = capitals(marked.text)
    for one in marked.elements:
        if one.raw is not None:
            text = text[: one.start] + marked.text[one.start : one.end] + text[one.end :]
    return MarkedText(text, marked.elements)


def translated(page: str) -> str:
    """A page whose segments are in capitals."""
    segments = HTML.find(page)
    return HTML.restore(
        page.encode(), segments, [in_capitals(segment.marked) for segment in segments]
    ).decode()


def parts(page: str) -> list[Part]:
    """What html5lib reads; white space does not count."""
    found = read_parts("html", page.encode())
    found = [replace(part, text=re.sub(r"\s+", "", part.text)) for part in found]
    return [part for part in found if part.text]


def difference(page: str) -> str:
    """What is not in capitals that html5lib reads as text, or what else is changed."""
    expected = [replace(p, text=capitals(p.text)) if p.is_text else p for p in parts(page)]
    found = parts(translated(page))
    for one, other in zip(expected, found, strict=False):
        if one != other:
            return f"expected {one}, found {other}"
    return "" if len(expected) == len(found) else "the page has more or fewer parts"


class TagReader(html5lib.HTMLParser):
    """Remembers the tags that html5lib reads: their names, and whether they end an element."""

    def __init__(self) -> None:
        builder = html5lib.getTreeBuilder("etree")
        super().__init__(builder, namespaceHTMLElements=False)
        self.tags: list[tuple[str, bool]] = []

    def normalizeToken(self, token: dict[str, Any]) -> Any:  # noqa: N802
        if token["type"] in tagTokenTypes:
            self.tags.append((token["name"].lower(), token["type"] == tokenTypes["EndTag"]))
        return super().normalizeToken(token)


def explained(page: str) -> str:
    """Why html5lib may read a page in another way than regard does; empty if there is no reason.

    It implements the standard of 2013: it ignores most tags in `<select>`, and does not know that
    the titles of SVG are special. And browsers open some elements again after they have ended.
    Only what html5lib reads is looked at, so no defect of regard explains itself.
    """
    reader = TagReader()
    tree = reader.parse(page)
    select = title = False
    for name, ends in reader.tags:
        if name == "select":
            select = not ends
        elif name in ("title", "desc"):
            title = not ends
        elif not ends and name not in ("option", "optgroup"):
            if select:
                return "tags in <select>"
            if title and name != "svg":
                return "tags in the title of an SVG"
    opened = sum(not ends and name in FORMATTING for name, ends in reader.tags)
    elements = sum(element.tag in FORMATTING for element in tree.iter())
    return "elements that are opened again" if elements > opened else ""


def check_pages(pages: Iterator[tuple[str, str]]) -> None:
    """All pages are translated as html5lib reads them, except few with a reason."""
    reasons: Counter[str] = Counter()
    different: dict[str, str] = {}
    count = 0
    for label, page in pages:
        count += 1
        if problem := difference(page):
            reason = explained(page)
            reasons[reason] += 1
            if not reason:
                different[label] = problem[:300]
    print(f"{count:,} pages; {dict(reasons)}")
    assert not different, f"{len(different)} differ: {dict(list(different.items())[:8])}"
    assert reasons.total() <= MOST_EXPLAINED * count


def malformed_pages(page: str, seeds: range) -> Iterator[tuple[str, str]]:
    for seed in seeds:
        yield f"seed {seed}", malformed(page, random.Random(seed))


def real_pages(corpora: Path, every: int, mistakes: int, longest: int) -> Iterator[tuple[str, str]]:
    """Real pages, and the same with mistakes."""
    documents = (d for d in real_documents(corpora) if d[1] == "html" and len(d[2]) <= longest)
    for label, _, content in sample(documents, every):
        text = content.decode("utf-8-sig")
        yield label, text
        for seed in range(mistakes):
            yield f"{label}, seed {seed}", malformed(text, random.Random(seed))


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ('<p><img src="a.png"" alt="x">one</p>', '<p><img src="a.png"" alt="X">ONE</p>'),
        ("<p>a <b title=b>c</b> <i title='d \"e\"'>f</i></p>",
         "<p>A <b title=\"B\">C</b> <i title='D \"E\"'>F</i></p>"),
        ("<p>in <select><option>one<option label=two>x</select> now</p>",
         '<p>IN <select><option>ONE<option label="TWO">X</select> NOW</p>'),
        ("<p>a <textarea placeholder=b>c\nd</textarea> e", 
         '<p>A <textarea placeholder="B">C\nD</textarea> E'),
        ("<p>a <noscript>b <img alt=c></noscript> d",
         '<p>A <noscript>B <img alt="C"></noscript> D'),
        ("<input type=submit value=go><input value=no>",
         '<input type=submit value="GO"><input value=no>'),
        ("<meta name=description content='a b'><meta name=x content='a b'>",
         "<meta name=description content='A B'><meta name=x content='a b'>"),
        ("<title>a <b</title>b", "<title>A &lt;B</title>B"),
        ("<p lang=en translate=no title=a>b</p><p class='x notranslate'>c<p>d",
         "<p lang=en translate=no title=a>b</p><p class='x notranslate'>c<p>D"),
        ("<p>a<!-- --> b</br>c</p>", "<p>A<!-- --> B</br>C</p>"),
        ("<iframe title=a>b</iframe>c<xmp>d</xmp>", '<iframe title="A">b</iframe>C<xmp>d</xmp>'),
        ("<p>a <!--b", "<p>A <!--b"),
        ("a <b c='d", "A <b c='d"),
        ("<!-->a<!--->b<!--c--!>d<!--e->f-->g", "<!-->A<!--->B<!--c--!>D<!--e->f-->G"),
        ("<script><!-- <script></script>a --></script>b",
         "<script><!-- <script></script>a --></script>B"),
        ("<svg><![CDATA[a>b]]><p>c</svg>d<![CDATA[e>f]]>",
         "<svg><![CDATA[a>b]]><p>C</svg>D<![CDATA[e>F]]&gt;"),
        ("<?xml version='1.0'?><r><title/><p>a</p></r>",
         "<?xml version='1.0'?><r><title/><p>A</p></r>"),
    ],
)  # fmt: skip
def test_pages(page: str, expected: str) -> None:
    assert translated(page) == expected


def test_an_edit_within_an_element_that_stays() -> None:
    """A segment within another is written whether or not the other has a translation."""
    page = '<p>a <b title="b">c</b></p>'
    segments = HTML.find(page)
    done = [in_capitals(segment.marked) for segment in segments]
    assert HTML.restore(page.encode(), segments, [None, done[1]]) == b'<p>a <b title="B">c</b></p>'
    assert HTML.restore(page.encode(), segments, [done[0], None]) == b'<p>A <b title="b">C</b></p>'


def test_malformed_pages() -> None:
    assert not difference(PAGE)
    check_pages(malformed_pages(PAGE, range(100)))


def test_each_mistake_in_a_sentence() -> None:
    before, place, after = PAGE.partition(" runs <img")
    check_pages((mistake, before + mistake + place + after) for mistake in INSERTED)


def test_generated_pages() -> None:
    for seed in range(20):
        assert not difference(MAKERS["html"](random.Random(seed)).decode())


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("a <b>c</b> <br> d", ["<b>", "<br>"]),
        ("a <b", []),
        ("a < b </", []),
        ("the <title> of <b>a</b>", ["<title>", "<b>"]),
        ("<script>a <b></script> c", ["<script>"]),
        ('<img src="a.png"" alt="x"> a <i>b</i>', ['<img src="a.png"" alt="x">', "<i>"]),
    ],
)
def test_strings_have_the_same_tags(text: str, elements: list[str]) -> None:
    marked = mark_string(text)
    assert [one.opening or one.raw for one in marked.elements][: len(elements)] == elements
    assert bool(elements) == bool(marked.elements)
    assert render_markup(marked) == text


def test_a_sample_of_malformed_real_pages(corpora: Path) -> None:
    check_pages(real_pages(corpora, every=100, mistakes=2, longest=20_000))


@pytest.mark.slow
def test_thousands_of_malformed_pages(corpora: Path) -> None:
    check_pages(malformed_pages(PAGE, range(10_000)))
    check_pages(real_pages(corpora, every=2, mistakes=10, longest=100_000))
