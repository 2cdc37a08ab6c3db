"""White space beside tags: no word touches an element that had space on both sides."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from regard.documents.formats.base import FORMAT_NAMES
from regard.documents.marked_text import (
    AlignedTranslation,
    InlineElement,
    MarkedText,
    render_markup,
)
from regard.documents.projection import project_markup
from regard.text.words import split_words
from tests.documents.generated import MAKERS
from tests.documents.identity import identity, translate_document, upper_case, with_links
from tests.documents.visible_text import read_parts


def as_models_write(text: str) -> AlignedTranslation:
    """The text in capitals with single spaces, as models write them, and none around it."""
    normal = " ".join(text.split())
    translated = upper_case(normal)
    return replace(translated, source_words=split_words(text))


TAG = "<x/>"


@pytest.mark.parametrize("before", ["", " ", "\n", "  "])
@pytest.mark.parametrize("after", ["", " ", "\n", "  "])
@pytest.mark.parametrize("links", ["right", "none", "partial", "shuffled", "dense"])
def test_no_word_touches_an_element_with_space_around_it(
    before: str, after: str, links: str
) -> None:
    text = f"one two{before}{after}three four"
    place = len(f"one two{before}")
    source = MarkedText(text, (InlineElement(place, place, raw=TAG),))
    translate = as_models_write if links == "right" else with_links(as_models_write, links)
    written = render_markup(project_markup(source, translate(text)).marked)
    assert written.count(TAG) == 1
    if before and after:
        assert not re.search(rf"\w{TAG}|{TAG}\w", written), written
    if links == "right":
        assert written == text.upper().replace("TWO" + before, f"TWO{before}{TAG}", 1)


@pytest.mark.parametrize("name", [name for name in FORMAT_NAMES if name != "html"])
def test_models_that_write_single_spaces(name: str) -> None:
    """White space beside tags and around strings is that of the source."""
    for seed in range(10):
        content = MAKERS[name](random.Random(seed))
        expected, found = (
            _spaces_at_tags(name, translate_document(name, content, translate).content)
            for translate in (upper_case, as_models_write)
        )
        assert expected == found, seed


def _spaces_at_tags(name: str, content: bytes) -> list[tuple[str, bool, bool]]:
    """The texts between tags: whether they begin and end with white space."""
    return [
        (" ".join(part.text.split()), part.text[:1].isspace(), part.text[-1:].isspace())
        for part in read_parts(name, content)
        if part.is_text and part.text.strip()
    ]


@pytest.mark.parametrize("outer", ["\\n{}", "{}\\n", "\\n{}\\n", " {} ", "\\n\\n{} \\n"])
def test_outer_white_space_of_messages(outer: str, tmp_path: Path) -> None:
    message = outer.format("one <b>%d</b> file\\nin %s")
    plural = message.replace("file", "files")
    content = (
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
        f'"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n#, c-format\nmsgid "{message}"\n'
        f'msgstr ""\n\n#, c-format\nmsgctxt "many"\nmsgid "{message}"\nmsgid_plural "{plural}"\n'
        'msgstr[0] ""\nmsgstr[1] ""\n'
    )
    for translate in (identity, as_models_write, with_links(as_models_write, "shuffled")):
        written = translate_document("po", content.encode(), translate).content.decode()
        written = written.replace('"\n"', "")  # of strings over several lines
        strings = re.findall(r'^msgstr\S* "(.*)"$', written, re.MULTILINE)[1:]
        assert len(strings) == 3
        for string in strings:
            assert re.match(r"[ \\n]*", string)[0] == re.match(r"[ \\n]*", message)[0]
    if shutil.which("msgfmt") is None:
        pytest.skip("msgfmt is not installed: apt-get install gettext")
    path = tmp_path / "a.po"
    path.write_text(translate_document("po", content.encode(), as_models_write).content.decode())
    command = ["msgfmt", "--check-format", "-o", str(tmp_path / "a.mo"), str(path)]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
