"""Set the language of a document, and its direction, where the format has a place for them."""

from __future__ import annotations

import re
from collections.abc import Callable

from regard.documents.formats.base import decode_document
from regard.documents.formats.docx_language import set_docx_language
from regard.documents.formats.text_direction import direction
from regard.documents.html_tokenizer import tokenize_html
from regard.documents.markup_tokens import MarkupToken, tokenize_xml

_PO_HEADER = re.compile(r'^(msgid ""\s+msgstr ""\r?\n)((?:".*"\r?\n?)*)', re.MULTILINE)
_PO_LANGUAGE = re.compile(r'"Language:[^"\r\n]*\\n"')
_ARB_LOCALE = re.compile(r'("@@locale"\s*:\s*)"[^"\r\n]*"')
_VTT_LANGUAGE = re.compile(r"\A(WEBVTT[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*?Language:[ \t]*)[^\r\n]*")


def set_language(content: bytes, format_name: str, language: str) -> bytes:
    """Return a document with the language of its translation.

    Args:
        content: Of the translated document.
        format_name: A format without a place for a language leaves the document as it is.
        language: A code such as fr or pt-BR.
    """
    if format_name == "docx":
        return set_docx_language(content, language)
    write = _WRITERS.get(format_name)
    if write is None:
        return content
    text, mark, encoding = decode_document(content)
    return mark + write(text, language).encode(encoding)


def set_attribute(tag: str, name: str, value: str) -> str:
    """A tag with an attribute, which is replaced if it has one."""
    match = re.search(rf"""(\s{re.escape(name)}\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>/]+)""", tag, re.I)
    if match is not None:
        return f'{tag[: match.start()]}{match[1]}"{value}"{tag[match.end() :]}'
    end = len(tag) - (2 if tag.endswith("/>") else 1)
    return f'{tag[:end].rstrip()} {name}="{value}"{tag[end:]}'


def has_attribute(tag: str, name: str) -> bool:
    return re.search(rf"\s{re.escape(name)}\s*=", tag, re.I) is not None


def _write_html(text: str, language: str) -> str:
    for token in tokenize_html(text):
        if token.kind == "open" and token.name == "html":
            tag = set_attribute(text[token.start : token.end], "lang", language)
            if has_attribute(tag, "xml:lang"):
                tag = set_attribute(tag, "xml:lang", language)
            if direction(language) == "rtl" or has_attribute(tag, "dir"):
                tag = set_attribute(tag, "dir", direction(language))
            return text[: token.start] + tag + text[token.end :]
        if token.kind == "open" and token.name not in ("html", "head"):
            break
    return text


def _write_xliff(text: str, language: str) -> str:
    def write(token: MarkupToken) -> str:
        tag = text[token.start : token.end]
        local = token.name.rpartition(":")[2]
        if token.kind == "open" and local == "xliff" and has_attribute(tag, "srcLang"):
            return set_attribute(tag, "trgLang", language)
        if token.kind == "open" and local == "file" and has_attribute(tag, "source-language"):
            return set_attribute(tag, "target-language", language)
        return tag

    return "".join(map(write, tokenize_xml(text)))


def _write_po(text: str, language: str) -> str:
    def write(match: re.Match[str]) -> str:
        line = f'"Language: {language}\\n"'
        if _PO_LANGUAGE.search(match[2]):
            return match[1] + _PO_LANGUAGE.sub(lambda _: line, match[2], count=1)
        return match[1] + line + ("\r\n" if "\r\n" in match[1] else "\n") + match[2]

    return _PO_HEADER.sub(write, text, count=1)


def _write_json(text: str, language: str) -> str:
    code = language.replace("-", "_")
    return _ARB_LOCALE.sub(lambda match: f'{match[1]}"{code}"', text, count=1)


def _write_vtt(text: str, language: str) -> str:
    return _VTT_LANGUAGE.sub(lambda match: match[1] + language, text, count=1)


_WRITERS: dict[str, Callable[[str, str], str]] = {
    "html": _write_html,
    "xliff": _write_xliff,
    "po": _write_po,
    "json": _write_json,
    "vtt": _write_vtt,
}
