"""Documents of every format, as large as wanted: many texts, and one text with many elements."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.documents.hostile_documents import archive

Document = Callable[[int], bytes]

WORD = '<w:r><w:t xml:space="preserve">{} </w:t></w:r>'
BOLD = '<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">{} </w:t></w:r>'
XLIFF = (
    '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" '
    'source-language="en" target-language="fr" datatype="plaintext"><body>{}</body></file></xliff>'
)


def text_of(number: int) -> str:
    return f"The dog number {number} runs home again."


def _lines(form: str, head: str = "", tail: str = "") -> Document:
    """One text in each line; `{0}` is its number and `{1}` the text."""

    def make(size: int) -> bytes:
        lines = (form.format(number, text_of(number)) for number in range(size))
        return (head + "".join(lines) + tail).encode()

    return make


def _docx(size: int, form: Callable[[int], str]) -> bytes:
    body = "".join(map(form, range(size)))
    return archive(
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        f"<w:body>{body}</w:body></w:document>"
    )


MANY_TEXTS: dict[str, Document] = {
    "text": _lines("{1}\n\n"),
    "html": _lines("<p>{1}</p>\n", "<html><body>", "</body></html>"),
    "markdown": _lines("{1}\n\n"),
    "docx": lambda size: _docx(size, lambda n: f"<w:p>{WORD.format(text_of(n))}</w:p>"),
    "xliff": lambda size: XLIFF.format(
        "".join(
            f'<trans-unit id="{n}"><source>{text_of(n)}</source></trans-unit>' for n in range(size)
        )
    ).encode(),
    "po": _lines(
        '#: a.c:{0}\nmsgid "{1}"\nmsgstr ""\n\n', 'msgid ""\nmsgstr ""\n"Language: fr\\n"\n\n'
    ),
    "json": lambda size: json.dumps({f"k{n}": text_of(n) for n in range(size)}, indent=1).encode(),
    "yaml": _lines('k{0}: "{1}"\n'),
    "android": _lines('<string name="k{0}">{1}</string>\n', "<resources>", "</resources>"),
    "properties": _lines("k{0} = {1}\n"),
    "srt": _lines("{0}\n00:00:01,000 --> 00:00:02,000\n{1}\n\n"),
    "vtt": _lines("00:01.000 --> 00:02.000\n{1}\n\n", "WEBVTT\n\n"),
    "csv": _lines("{0},{1}\n", "id,text\n"),
    "tsv": _lines("{0}\t{1}\n", "id\ttext\n"),
}


def _sentences(size: int, form: str) -> str:
    return " ".join(form.format(number) for number in range(size))


PLAIN = "The dog number {0} runs home."
MARKED = "The <b>dog {0}</b> runs home."


def _inside(head: str, tail: str, form: str = PLAIN) -> Document:
    return lambda size: (head + _sentences(size, form) + tail).encode()


ONE_TEXT: dict[str, Document] = {
    "text": _inside("", "\n"),
    "html": _inside("<p>", "</p>", MARKED),
    "markdown": _inside("", "\n", "The **dog {0}** runs home."),
    "docx": lambda size: archive(
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        "<w:body><w:p>"
        + "".join(WORD.format(f"The dog {n}") + BOLD.format("runs.") for n in range(size))
        + "</w:p></w:body></w:document>"
    ),
    "xliff": lambda size: XLIFF.format(
        '<trans-unit id="1"><source>'
        + " ".join(f'The <g id="{n}">dog {n}</g> runs.' for n in range(size))
        + "</source></trans-unit>"
    ).encode(),
    "po": _inside('msgid ""\nmsgstr ""\n"Language: fr\\n"\n\nmsgid "', '"\nmsgstr ""\n', MARKED),
    "json": _inside('{"a": "', '"}', MARKED),
    "yaml": _inside('a: "', '"\n', MARKED),
    "android": _inside('<resources><string name="a">', "</string></resources>", MARKED),
    "properties": _inside("a = ", "\n", MARKED),
    "srt": _inside("1\n00:00:01,000 --> 00:00:02,000\n", "\n\n", "The <i>dog {0}</i> runs home."),
    "vtt": _inside("WEBVTT\n\n00:01.000 --> 00:02.000\n", "\n\n", MARKED),
    "csv": _inside("id,text\n1,", "\n", MARKED),
    "tsv": _inside("id\ttext\n1\t", "\n", MARKED),
}


HOSTILE_HTML = [
    "<", "<a ", "<a b='", "&a", "<!--", "</b>", "<b>x", "<svg><g>", "<i><p>x</i>", "x<object>",
    "<select><option title=x>a",
]  # fmt: skip
"""Repeated, these are pages of one kind of mistake."""
