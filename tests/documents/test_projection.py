"""Projection: every element exactly once, nested as in the source, at the translation's words."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.documents.marked_text import (
    AlignedTranslation,
    InlineElement,
    MarkedText,
    render_markup,
)
from regard.documents.placeholders import (
    changed_numbers,
    extract_invisible,
    find_placeholders,
    protect_placeholders,
    repeated_placeholders,
)
from regard.documents.projection import project_markup
from regard.text.words import split_words
from tests.documents.generated import shuffled, words
from tests.documents.identity import identity


def marked(markup: str) -> MarkedText:
    """Parse <b>…</b> and <br/>."""
    from benchmarks.markup import parse_xml

    found = parse_xml(markup)
    assert found is not None
    return found


def project(source: str, target: str, links: str) -> str:
    parsed = marked(source)
    rows, columns = split_words(target), split_words(parsed.text)
    weights = np.zeros((len(rows), len(columns) + 1), np.float32)
    for link in links.split():
        i, j = map(int, link.split("-"))
        weights[j, i] = 1
    translation = AlignedTranslation(target, columns, rows, [weights])
    return render_markup(project_markup(parsed, translation).marked)


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        ("the <b>red</b> car", "la voiture rouge", "0-0 1-2 2-1", "la voiture <b>rouge</b>"),
        # a stray link does not widen the range
        ("<b>a b</b> c d e", "a b c d e", "0-0 1-1 2-2 3-3 4-4 0-4", "<b>a b</b> c d e"),
        # words without links between linked ones are inside, others outside
        ("see <b>bank act</b> now", "voir la loi sur les banques", "0-0 2-2 1-5",
         "voir la <b>loi sur les banques</b>"),
        ("<b>x <i>y</i></b> z", "z y x", "0-2 1-1 2-0", "z <b><i>y</i> x</b>"),
        ("a<br/> b", "A b", "0-0 1-1", "A<br/> b"),
        ("<b></b>a <i>b</i>", "b a", "0-1 1-0", "<b></b><i>b</i> a"),
        ("<b>a</b><i>b</i>", "a b", "0-0 1-1", "<b>a</b> <i>b</i>"),
        # punctuation is outside unless it is inside in the source
        ("<b>yes</b>, no", "oui, non", "0-0 1-1 2-2", "<b>oui</b>, non"),
        ("<b>yes,</b> no", "oui, non", "0-0 1-1 2-2", "<b>oui,</b> non"),
        # an elided article stays outside
        ("the <b>water</b>", "l'eau", "1-0", "l'<b>eau</b>"),
        # markup inside a word stays inside the word
        ("<b>m<i>2</i></b> is", "est m2", "0-1 1-0", "est <b>m<i>2</i></b>"),
        ("<i>un</i>happy", "unglücklich", "0-0", "<i>un</i>glücklich"),
        ("air<br/>port now", "Airport jetzt", "0-0 1-1", "Air<br/>port jetzt"),
        ("10<i>th</i>", "10e", "0-0", "10<i>e</i>"),
        # equal words need no links
        ("run <b>grep_x</b> now", "exécutez maintenant grep_x", "0-0 2-1",
         "exécutez maintenant <b>grep_x</b>"),
    ],
)  # fmt: skip
def test_elements_follow_their_words(source: str, target: str, links: str, expected: str) -> None:
    assert project(source, target, links) == expected


def test_an_element_without_links_is_reported_and_kept() -> None:
    source = marked("one <b>two</b> three")
    found = project_markup(
        source,
        AlignedTranslation(
            "un trois", split_words(source.text), [(0, 2), (3, 8)],
            [np.array([[1, 0, 0, 0], [0, 0, 1, 0]], np.float32)],
        ),
    )  # fmt: skip
    assert found.unplaced == (0,)
    assert render_markup(found.marked).count("<b>") == 1


def test_crossing_elements_are_independent() -> None:
    elements = (
        InlineElement(0, 3, "<sc1/>", "<ec1/>", crosses=True),
        InlineElement(2, 5, "<sc2/>", "<ec2/>", crosses=True),
    )
    source = MarkedText("a b c", elements)
    found = project_markup(source, identity("a b c"))
    assert found.marked.elements == elements
    assert render_markup(found.marked) == "<sc1/>a <sc2/>b<ec1/> c<ec2/>"


@given(st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_every_element_is_in_the_translation_once(seed: int) -> None:
    r = random.Random(seed)
    source = random_marked(r)
    target = shuffled(source, r)  # MarkedText checks the nesting
    assert len(target.elements) == len(source.elements)
    for one, placed in zip(source.elements, target.elements, strict=True):
        assert (one.opening, one.closing, one.parent) == (
            placed.opening,
            placed.closing,
            placed.parent,
        )
        assert (one.raw is None) == (placed.raw is None)
        assert placed.raw is None or placed.raw.strip() == (one.raw or "").strip()
    rendered = render_markup(target)
    assert all(rendered.count(one.opening) == 1 for one in source.elements if one.opening)
    assert all(rendered.count(one.closing) == 1 for one in source.elements if one.closing)
    ordered = [placed.start for placed in target.elements if placed.ordered]
    assert ordered == sorted(ordered)


def random_marked(r: random.Random) -> MarkedText:
    """A random forest of elements with distinct tags."""
    text = words(r, 0, 12)
    elements: list[InlineElement] = []

    def fill(parent: int | None, low: int, high: int, depth: int) -> None:
        cursor = low
        while cursor <= high and r.random() < 0.7 and len(elements) < 8:
            start = r.randint(cursor, high)
            end = r.choice([start, r.randint(start, high)])
            n = len(elements)
            kind = r.randrange(4)
            if kind == 0:
                raw = f"{{{n}}}"
                elements.append(InlineElement(start, end, parent=parent, raw=raw))
            else:
                ordered = parent is None and start == end and kind == 1
                tags = (f"<{n}>", f"</{n}>")
                elements.append(InlineElement(start, end, *tags, parent, ordered=ordered))
                if depth < 3:
                    fill(n, start, end, depth + 1)
            cursor = end

    fill(None, 0, len(text), 0)
    if r.random() < 0.3:
        start = r.randint(0, len(text))
        end = r.randint(start, len(text))
        elements.append(InlineElement(start, end, "<sc>", "<ec>", crosses=True))
    return MarkedText(text, tuple(elements))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello {name}, %s of %1$d ({0})", ["{name}", "%s", "%1$d", "{0}"]),
        ("100% of 5% off", []),
        ("see https://a.example/b?c=(d).", ["https://a.example/b?c=(d"]),
        ("mail a.b@c.example now", ["a.b@c.example"]),
        ("{n, plural, one {# file} other {# files}} left",
         ["{n, plural, one {# file} other {# files}}"]),
        ("${x} #{y} %{z} {{ a }}", ["${x}", "#{y}", "%{z}", "{{ a }}"]),
        ("run `ls -l` or ``a``", ["`ls -l`", "``a``"]),
        ("{ unclosed", []),
    ],
)  # fmt: skip
def test_placeholders_are_found(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in find_placeholders(text)] == expected


def test_kept_texts_are_whole_words() -> None:
    text = "Acme and Acmes, Acme."
    assert find_placeholders(text, ["Acme"]) == [(0, 4), (16, 20)]


def test_placeholders_stay_whatever_the_model_writes() -> None:
    source = protect_placeholders(MarkedText("Hello {name}!"))
    spans = split_words(source.text)
    target = "Bonjour {nom}!"
    weights = np.eye(5, 6, dtype=np.float32)
    translation = AlignedTranslation(target, spans, split_words(target), [weights])
    found = project_markup(source, translation)
    assert render_markup(found.marked) == "Bonjour {name}!"
    assert repeated_placeholders(found.marked) == []
    assert repeated_placeholders(MarkedText("{name} {name}", found.marked.elements[:0])) == [
        "{name}",
        "{name}",
    ]


def test_invisible_characters_become_elements() -> None:
    found = extract_invisible(MarkedText("a\u200eb c", (InlineElement(0, 3, "<b>", "</b>"),)))
    assert found.text == "ab c"
    assert render_markup(found) == "<b>a\u200eb</b> c"


def test_changed_numbers_ignore_separators() -> None:
    assert changed_numbers("10,000 and 3", "10 000 et 4") == ["3"]
