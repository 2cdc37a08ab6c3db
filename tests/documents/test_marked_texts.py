"""Texts with markup: what is not translated is in the translation as it is in the source."""

from __future__ import annotations

import re
from collections import Counter
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.documents.formats.texts import XmlTags
from regard.documents.placeholders import find_placeholders
from regard.documents.terms import Term, TermBase
from regard.errors import DocumentError
from regard.tasks.translation.marked_texts import MarkedTexts, MarkedTranslation, MarkupOptions
from tests.documents.identity import SPOILED, Translator, identity, upper_case, with_links

NAMES = ("b", "i", "p", "x", "par", "title", "x-y", "n:g")
TAG = re.compile(r"<[^>]*>")
PIECES = ("A dog runs.", " ", "\n", "two cats", "x < y & z", "{name}", "%s", "é\u00a0ü", "7", "")

words = st.sampled_from(PIECES).map(lambda text: escape(text, quote=False))
attributes = st.sampled_from(["", ' id="1"', " a='<b>' b=\"two cats\""]).map(
    lambda text: text.replace("'<b>'", "'&lt;b>'")
)
empty = st.builds("<{}{}/>".format, st.sampled_from(NAMES), attributes)
other = st.sampled_from(["<!-- a dog -->", "<![CDATA[a < dog]]>", "<?php a dog ?>"])
xml = st.recursive(
    st.lists(words | empty | other, max_size=4).map("".join),
    lambda inner: st.builds(
        lambda before, name, attribute, inside, after: (
            f"{before}<{name}{attribute}>{inside}</{name}>{after}"
        ),
        inner,
        st.sampled_from(NAMES),
        attributes,
        inner,
        inner,
    ),
    max_leaves=6,
)
names = st.frozensets(st.sampled_from(NAMES), max_size=2)
tags = st.builds(XmlTags, names, names, names, st.booleans(), st.booleans())


def translate(
    text: str, options: MarkupOptions, translator: Translator, terms: TermBase | None = None
) -> MarkedTranslation:
    marked = MarkedTexts([text], options, terms)
    (translation,) = marked.finish({part: translator(part) for part in marked.parts[0]})
    return translation


@given(xml, tags)
def test_xml_returns_from_the_identity(text: str, meaning: XmlTags) -> None:
    assert translate(text, MarkupOptions("xml", xml=meaning), identity).text == text


@given(xml, tags, st.sampled_from(SPOILED), st.integers(0, 3))
def test_no_tag_of_xml_is_lost(text: str, meaning: XmlTags, links: str, seed: int) -> None:
    spoiled = with_links(upper_case, links, seed)
    translated = translate(text, MarkupOptions("xml", xml=meaning), spoiled).text
    assert Counter(TAG.findall(translated)) == Counter(TAG.findall(text))
    assert MarkedTexts([translated], MarkupOptions("xml")).parts is not None  # well-formed
    for content in re.findall(r"<!\[CDATA\[.*?\]\]>|\{name\}", text):
        assert translated.count(content) >= text.count(content)


@given(st.lists(st.sampled_from([*PIECES, "<b>", "</b>", "<br/>", "<", ">", "&amp;"])).map("".join))
def test_lines_return_from_the_identity(text: str) -> None:
    assert translate(text, MarkupOptions(), identity).text == text
    spoiled = translate(text, MarkupOptions(), with_links(upper_case, "shuffled")).text
    assert spoiled.count("{name}") >= text.count("{name}")


@pytest.mark.parametrize(
    ("text", "meaning", "parts"),
    [
        ("Hello <b>my</b> dog.", XmlTags(), ["Hello my dog."]),
        ("<t>One.</t><t>Two.</t>", XmlTags(), ["One.", "Two."]),
        ("<t>One.</t><t>Two.</t>", XmlTags(outline=False), ["One.Two."]),
        ("<t>One</t> <t>two</t>", XmlTags(non_splitting=frozenset("t")), ["One two"]),
        (
            "One <par/> two <b>three</b>",
            XmlTags(splitting=frozenset(["par"])),
            ["One", "two three"],
        ),
        ("One <b>two <p>3 a</p></b>", XmlTags(splitting=frozenset("p")), ["One", "two", "3 a"]),
        ("One\ntwo", XmlTags(), ["One", "two"]),
        ("One\ntwo", XmlTags(lines=False), ["One two"]),
        ("One <i>two\nthree</i>", XmlTags(), ["One two three"]),
        ("See <x>the dog</x> now", XmlTags(ignored=frozenset("x")), ["See K1Z now"]),
        ("<x>the dog</x>", XmlTags(ignored=frozenset("x")), []),
        ("<?xml version='1.0'?><r>One</r>", XmlTags(), ["One"]),
        ("Tom &amp; &#233;", XmlTags(), ["Tom & é"]),
    ],
)
def test_tags_divide_xml_as_they_are_declared(
    text: str, meaning: XmlTags, parts: list[str]
) -> None:
    assert MarkedTexts([text], MarkupOptions("xml", xml=meaning)).parts == [parts]


@pytest.mark.parametrize("text", ["a < b", "<b>x", "x</b>", "&nbsp;", "<!DOCTYPE a><a/>", "\0"])
def test_xml_that_is_not_well_formed_is_refused(text: str) -> None:
    with pytest.raises(DocumentError):
        MarkedTexts([text], MarkupOptions("xml"))


def test_html_keeps_tags_and_translates_attributes() -> None:
    text = "<p>A <b>dog</b> sees <code>print</code> &amp; runs.</p><img alt='a cat'>"
    translated = translate(text, MarkupOptions("html"), upper_case).text
    assert translated == (
        "<p>A <b>DOG</b> SEES <code>print</code> &amp; RUNS.</p><img alt='A CAT'>"
    )


def test_kept_texts_and_terms() -> None:
    terms = TermBase([Term("dog", "Hündin")], ("en", "de"))
    translation = translate(
        "A <b>dog</b> of Acme runs.", MarkupOptions(keep=("Acme",)), upper_case, terms
    )
    assert translation.text == "A <b>Hündin</b> OF Acme RUNS."
    assert [use.by for use in translation.terms] == ["replacement"]
    assert any("Hündin" in note for note in translation.notes)


@given(xml, tags)
def test_options_return_from_json(text: str, meaning: XmlTags) -> None:
    options = MarkupOptions("xml", (text,), meaning)
    assert MarkupOptions.from_json(options.to_json()) == options


@given(st.text(alphabet=st.characters(exclude_characters="{%`@<"), max_size=60))
def test_text_without_signs_has_no_placeholders(text: str) -> None:
    """The server looks for placeholders only in texts that have one of these signs."""
    if "://" not in text and "www." not in text:
        assert find_placeholders(text) == []
