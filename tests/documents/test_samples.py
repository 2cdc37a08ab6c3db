"""Small files of each format, as programs and players write them, in `samples`.

Each comes back byte for byte through an identity translator, in capitals through an upper-casing
one, and has the same segments whatever its line ends are.
"""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from regard.documents.formats.base import FORMAT_NAMES, format_of_path, load_format
from regard.documents.marked_text import AlignedTranslation
from tests.documents.generated import MAKERS
from tests.documents.identity import (
    check_identity,
    check_upper_case,
    translate_document,
    upper_case,
)
from tests.documents.real_docx import write_real_docx

SAMPLES = sorted((Path(__file__).parent / "samples").iterdir())
IDS = [path.name for path in SAMPLES]
LINE_ENDS = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}


@pytest.mark.parametrize("path", SAMPLES, ids=IDS)
def test_identity_in_is_identity_out(path: Path) -> None:
    translated = check_identity(format_of_path(path), path.read_bytes())
    assert translated.report.segments


@pytest.mark.parametrize("path", SAMPLES, ids=IDS)
def test_every_visible_character_becomes_a_capital(path: Path) -> None:
    check_upper_case(format_of_path(path), path.read_bytes())


def documents(name: str) -> Iterator[bytes]:
    """The samples of a format, and generated documents."""
    yield from (path.read_bytes() for path in SAMPLES if format_of_path(path) == name)
    yield from (MAKERS[name](random.Random(seed)) for seed in range(4))
    if name == "docx":
        yield write_real_docx()


def with_line_ends(name: str, content: bytes, end: str) -> bytes:
    def converted(part: bytes) -> bytes:
        return part.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\n", end.encode())

    if name != "docx":
        return converted(content)
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w") as new:
        for info in old.infolist():
            new.writestr(info.filename, converted(old.read(info).replace(b"><", b">\n<")))
    return file.getvalue()


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_line_ends_do_not_change_the_segments(name: str) -> None:
    for content in documents(name):
        found = {
            label: [
                (" ".join(segment.marked.text.split()), segment.location, markup(segment.marked))
                for segment in load_format(name).extract(with_line_ends(name, content, end))
            ]
            for label, end in LINE_ENDS.items()
        }
        assert found["CRLF"] == found["LF"]
        assert found["CR"] == found["LF"]


def markup(marked: object) -> list[str]:
    elements = marked.elements  # type: ignore[attr-defined]
    written = [f"{one.raw}{one.opening}{one.closing}" for one in elements]
    return [re.sub("\0[^\0]*\0", "a text box", " ".join(each.split())) for each in written]


def as_models_write(translate: Callable[[str], AlignedTranslation]) -> Callable[..., object]:
    """The translation without outer white space, as a model writes it."""

    def stripped(text: str) -> AlignedTranslation:
        result = translate(text)
        first = len(result.text) - len(result.text.lstrip())
        words = tuple((start - first, end - first) for start, end in result.target_words)
        return replace(result, text=result.text.strip(), target_words=words)

    return stripped


@pytest.mark.parametrize("path", SAMPLES, ids=IDS)
def test_outer_white_space_of_strings_stays(path: Path) -> None:
    name, content = format_of_path(path), path.read_bytes()
    expected = translate_document(name, content, upper_case).content
    found = translate_document(name, content, as_models_write(upper_case)).content
    assert found == expected
