"""Every format is read and written in the child process as it is in this one."""

from __future__ import annotations

import random

import pytest

from regard.documents.formats.base import FORMAT_NAMES, load_format
from regard.documents.sandbox import SandboxReader
from regard.errors import DocumentError
from tests.documents.generated import MAKERS, prepare, shuffled


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_the_child_process_gives_the_same(name: str) -> None:
    r = random.Random(7)
    contents = (MAKERS[name](r) for _ in range(100))
    content = next(each for each in contents if len(load_format(name).extract(each)) > 1)
    segments = load_format(name).extract(content)
    assert SandboxReader(name).extract(content) == segments
    translations = [shuffled(prepare(name, segment), r) for segment in segments]
    restored = load_format(name).restore(content, segments, translations)
    assert SandboxReader(name).write(content, segments, translations, None) == (restored, [])


SPELLED = {
    "json": b'{"a": "A dog %b runs"}',
    "yaml": b'a: "A dog %b runs"\n',
    "properties": b"a=A dog %b runs\n",
    "android": b'<resources><string name="a">A dog %b runs</string></resources>',
}


@pytest.mark.parametrize("name", SPELLED)
def test_escapes_of_surrogates(name: str) -> None:
    """A pair is one character, in the child process and in this one; UTF-8 has no lone ones."""
    pair = SPELLED[name] % rb"\ud83d\udc36"
    (segment,) = SandboxReader(name).extract(pair)
    assert segment.marked.text == "A dog \U0001f436 runs"
    assert load_format(name).extract(pair) == [segment]
    for lone in (rb"\ud83d", rb"\udc36", rb"\udc36\ud83d"):
        (segment,) = SandboxReader(name).extract(SPELLED[name] % lone)
        assert segment.marked.text == f"A dog {chr(0xFFFD) * (len(lone) // 6)} runs"


def test_an_error_of_a_parser_is_named() -> None:
    segments = load_format("html").extract(b"<p>words</p>")
    with pytest.raises(DocumentError, match="the parser failed"):
        SandboxReader("html").write(b"<p>words</p>", segments * 2, [segments[0].marked], None)
