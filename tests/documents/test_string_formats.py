"""Escapes and tags of formats of strings and subtitles, as their specifications write them."""

from __future__ import annotations

import csv
import io

import pytest

from regard.documents.formats.base import load_format
from regard.documents.formats.properties import escape_property
from regard.documents.marked_text import MarkedText


@pytest.mark.parametrize(
    ("text", "style", "written"),
    [
        ("é", "ascii", r"\u00e9"),
        ("😀", "ascii", r"\ud83d\ude00"),  # Java's characters are UTF-16
        ("a\\b\tc\nd", "ascii", r"a\\b\tc\nd"),
        ("é😀", "", "é😀"),
    ],
)
def test_properties_escape_as_java_does(text: str, style: str, written: str) -> None:
    assert escape_property(text, style) == written


@pytest.mark.parametrize("name", ["srt", "vtt"])
def test_tags_of_subtitles_are_elements_around_their_text(name: str) -> None:
    header = "WEBVTT\n\n" if name == "vtt" else "1\n"
    point = "." if name == "vtt" else ","
    times = f"00:00:01{point}000 --> 00:00:02{point}000"
    content = f"{header}{times}\nA <i>small</i> dog.\n"
    (segment,) = load_format(name).extract(content.encode())
    assert segment.marked.text == "A small dog."
    (element,) = segment.marked.elements
    assert (element.start, element.end, element.raw) == (2, 7, None)


@pytest.mark.parametrize("translation", ["Hund.", "Hund. Katze."])
def test_a_translation_without_a_second_line_has_no_empty_line(translation: str) -> None:
    content = (
        b"1\n00:00:01,000 --> 00:00:02,000\nA dog\nand cat.\n\n"
        b"2\n00:00:03,000 --> 00:00:04,000\nB\n"
    )
    document = load_format("srt")
    first, second = document.extract(content)
    (line_break,) = first.marked.elements
    moved = type(line_break)(
        len(translation), len(translation), raw=line_break.raw, separates=line_break.separates
    )
    marked = MarkedText(translation, (moved,))
    restored = document.restore(content, [first, second], [marked, None]).decode()
    assert restored.split("\n\n")[0].splitlines()[2:] == [translation]
    assert restored.count("\n\n") == 1


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_cells_of_every_dialect_of_csv_are_segments(delimiter: str) -> None:
    rows = [
        ["name", "text", "note"],
        ["a, b; c", 'He said "yes".', "1,5"],
        ["d|e", "two\nlines", "f;g\th"],
    ]
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter).writerows(rows)
    segments = load_format("csv").extract(file.getvalue().encode())
    cells = [cell for row in rows for cell in row if any(map(str.isalpha, cell))]
    assert [segment.marked.text.split() for segment in segments] == [x.split() for x in cells]


XLIFF = '<xliff version="1.2"><file><body>{}</body></file></xliff>'


@pytest.mark.parametrize(
    ("units", "texts"),
    [
        (
            '<trans-unit id="1"><note/><source>A dog</source><target/></trans-unit>'
            '<trans-unit id="2"><source>Cats</source><alt-trans/></trans-unit>',
            ["A dog", "Cats"],
        ),
        (
            '<trans-unit id="0"/>'
            '<group translate="no"><trans-unit id="1"><source>A</source></trans-unit></group>'
            '<trans-unit id="2" translate="no"><source>B</source></trans-unit>'
            '<trans-unit id="3"><source>Cats</source></trans-unit>',
            ["Cats"],
        ),
    ],
)
def test_xliff_has_a_segment_for_each_unit_to_translate(units: str, texts: list[str]) -> None:
    segments = load_format("xliff").extract(XLIFF.format(units).encode())
    assert [segment.marked.text for segment in segments] == texts
