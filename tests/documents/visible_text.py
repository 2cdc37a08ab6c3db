"""The text of documents as other readers see it: html5lib, markdown-it, PyYAML, ElementTree, csv.

`read_parts` divides a document into texts and markup, without the formats of regard. A text is what
a translation may change; everything else must stay. To add a format, add its reader to `READERS`.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any
from xml.etree import ElementTree

import yaml


@dataclass(frozen=True, slots=True)
class Part:
    """A text that is translated, or markup."""

    text: str
    is_text: bool = True


Reader = Callable[[bytes], Iterable[Part]]

_SPACES = re.compile(r"[ \t\r\n\f]+")
_STRING_MARKUP = re.compile(
    r"(?P<code>``[^`]+``|`[^`\s][^`]*`)|</?[A-Za-z][^<>]*>|<!--.*?-->", re.DOTALL
)


def read_parts(name: str, content: bytes) -> list[Part]:
    """The parts of a document; neighbouring texts are one."""
    parts: list[Part] = []
    for part in READERS[name](content):
        if part.is_text and parts and parts[-1].is_text:
            parts[-1] = Part(parts[-1].text + part.text)
        elif part.text:
            parts.append(part)
    if name in COLLAPSED:
        parts = [Part(_SPACES.sub(" ", p.text)) if p.is_text else p for p in parts]
    return [part for part in parts if part.text]


def kept(text: str) -> Part:
    return Part(text, is_text=False)


def read_text(content: bytes) -> Iterator[Part]:
    yield Part(decoded(content))


def decoded(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16")
    return content.decode("utf-8-sig")


# HTML

HTML_KEPT = frozenset(
    "script style code pre kbd samp tt var math svg iframe template acronym dir plaintext xmp "  # noqa: SIM905
    "noembed noframes".split()
)
HTML_ATTRIBUTES = frozenset(
    "alt title placeholder aria-label aria-description aria-placeholder aria-roledescription "  # noqa: SIM905
    "aria-valuetext".split()
)
META = frozenset(
    "description og:title og:description og:image:alt twitter:title twitter:description "  # noqa: SIM905
    "twitter:image:alt".split()
)


def read_html(content: bytes) -> Iterator[Part]:
    import html5lib

    tree = html5lib.parse(decoded(content), treebuilder="etree", namespaceHTMLElements=False)
    yield from _html_element(tree, False)


def _html_element(element: Any, keeps: bool) -> Iterator[Part]:
    if not isinstance(element.tag, str):
        yield kept(f"<!--{element.text}-->")
    else:
        classes = (element.get("class") or "").split()
        translate = (element.get("translate") or "").strip().lower()
        forbids = keeps or translate == "no" or "notranslate" in classes
        own = forbids or element.tag.rpartition("}")[2] in HTML_KEPT  # without its namespace
        yield kept(f"<{element.tag}")
        for name, value in sorted(element.attrib.items(), key=str):
            if not forbids and _is_text_attribute(element, name):
                yield from (kept(f"{name}="), Part(value))
            else:
                yield kept(f"{name}={value}")
        yield kept(">")
        yield Part(element.text or "", not own)
        for child in element:
            yield from _html_element(child, own)
        yield kept(f"</{element.tag}>")
    yield Part(element.tail or "", not keeps)


def _is_text_attribute(element: Any, name: str) -> bool:
    if element.tag in ("script", "style"):
        return False
    kind = (element.get("type") or "").strip().lower()
    names = [(element.get(key) or "").strip().lower() for key in ("name", "property", "itemprop")]
    return (
        name in HTML_ATTRIBUTES
        or (name == "label" and element.tag in ("option", "optgroup", "track"))
        or (name == "value" and element.tag == "input" and kind in ("submit", "button", "reset"))
        or (name == "content" and element.tag == "meta" and not META.isdisjoint(names))
    )


# Markdown

FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)", re.DOTALL)
TOML_FRONT_MATTER = re.compile(r"\+\+\+[ \t]*\r?\n(.*?\n)?\+\+\+[ \t]*(?:\r?\n|$)", re.DOTALL)
FRONT_TEXTS = frozenset(["title", "linktitle", "description", "summary"])


def read_markdown(content: bytes) -> Iterator[Part]:
    """CommonMark, what GitHub adds, and the dialects of the plugins."""
    yield from _markdown(content, "extended")


def read_github(content: bytes) -> Iterator[Part]:
    """CommonMark and what GitHub adds."""
    yield from _markdown(content, "github")


def read_commonmark(content: bytes) -> Iterator[Part]:
    yield from _markdown(content, "commonmark")


def _markdown(content: bytes, dialect: str) -> Iterator[Part]:
    from tests.documents.rendered_markdown import PARSERS, read_document

    text = decoded(content)
    for pattern, load in ((FRONT_MATTER, yaml.safe_load), (TOML_FRONT_MATTER, tomllib.loads)):
        if front := pattern.match(text):
            yield from _front_matter(front[1] or "", load)
            text = text[front.end() :]
            break
    before = Part("")
    for item, is_text in read_document(text, PARSERS[dialect]()):
        if before.is_text and item.startswith("html_inline") and "<br" in item:
            before = Part(before.text.rstrip(" \n"))  # no white space is visible before a break
        yield before
        before = Part(item, is_text)
    yield before


def _front_matter(text: str, load: Callable[[str], Any]) -> Iterator[Part]:
    try:
        values = load(text)
    except (yaml.YAMLError, tomllib.TOMLDecodeError):
        yield kept(text)
        return
    for key, value in (values if isinstance(values, dict) else {}).items():
        yield kept(str(key))
        yield Part(str(value), isinstance(value, str) and str(key).lower() in FRONT_TEXTS)
        yield kept(";")


# Strings of software


def read_string(text: str) -> Iterator[Part]:
    """A string with the tags in it. Those in code, between backticks, are text."""
    cursor = 0
    for found in _STRING_MARKUP.finditer(text):
        if found["code"] is None:
            yield from (Part(text[cursor : found.start()]), kept(found[0]))
            cursor = found.end()
    yield Part(text[cursor:])


def read_json(content: bytes) -> Iterator[Part]:
    yield from _json_value(json.loads(decoded(content), strict=False))


def _json_value(value: Any, keeps: bool = False) -> Iterator[Part]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield kept(f"{{{key}:")
            yield from _json_value(item, keeps or key.startswith("@"))
    elif isinstance(value, list):
        for item in value:
            yield kept("[")
            yield from _json_value(item, keeps)
    elif isinstance(value, str) and not keeps:
        yield from read_string(value)
    else:
        yield kept(json.dumps(value))
    yield kept(";")


def read_yaml(content: bytes) -> Iterator[Part]:
    text = decoded(content)
    for event in yaml.parse(text):
        names = (getattr(event, "anchor", None), getattr(event, "tag", None))
        yield kept(f"{type(event).__name__} {names}")
    seen: set[int] = set()
    for document in yaml.compose_all(text, yaml.SafeLoader):
        yield from _yaml_node(document, seen)


def _yaml_node(node: Any, seen: set[int]) -> Iterator[Part]:
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield kept(f"{{{key.value}:")
            yield from _yaml_node(value, seen)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield kept("[")
            yield from _yaml_node(value, seen)
    elif node is not None and node.tag == "tag:yaml.org,2002:str":
        yield from read_string(node.value)
    elif node is not None:
        yield kept(f"{node.tag} {node.value}")
    yield kept(";")


_PO_STRING = re.compile(
    r'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)?\s*("(?:[^"\\]|\\.)*")\s*$'
)


def read_po(content: bytes) -> Iterator[Part]:
    """Messages; the text of one without a translation is its source. A translation stays."""
    for block in re.split(r"\n[ \t]*\r?\n", decoded(content)):
        strings: dict[str, str] = {}
        keyword = ""
        for line in block.splitlines():
            if line.startswith("#~"):
                yield kept(line)
            elif not line.startswith("#") and (found := _PO_STRING.match(line.strip())):
                keyword = found[1] or keyword
                value = json.loads(re.sub(r"\\(.)", _po_escape, found[2]), strict=False)
                strings[keyword] = strings.get(keyword, "") + value
        filled = [key for key in strings if key.startswith("msgstr")]
        for key, value in strings.items():
            if key not in filled or not strings.get("msgid"):
                yield kept(f"{key} {value}")
                continue
            source = strings["msgid"]
            if key not in ("msgstr", "msgstr[0]"):
                source = strings.get("msgid_plural", source)
            yield kept(f"{key}")
            parts = read_string(value or source)
            yield from (kept(part.text) for part in parts) if value else parts
            yield kept(";")


def _po_escape(found: re.Match[str]) -> str:
    return found[0] if found[1] in 'nrtbf"\\' else found[1]


def read_properties(content: bytes) -> Iterator[Part]:
    try:
        text = decoded(content)
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    lines = re.split(r"\r\n|\n|\r", text)
    number = 0
    while number < len(lines):
        line = lines[number].lstrip(" \t\f")
        number += 1
        if not line or line[0] in "#!":
            yield kept(line + "\n")
            continue
        while re.search(r"(?<!\\)(?:\\\\)*\\$", line) and number < len(lines):
            line = line[:-1] + lines[number].lstrip(" \t\f")
            number += 1
        found = re.match(r"((?:[^\\=: \t\f]|\\.)*)[ \t\f]*[=:]?[ \t\f]*(.*)", line, re.DOTALL)
        assert found is not None
        yield kept(found[1] + "=")
        yield from read_string(re.sub(r"\\(u[0-9a-fA-F]{4}|.)", _property_escape, found[2]))
        yield kept("\n")


def _property_escape(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] == "u" and len(code) == 5:
        return chr(int(code[1:], 16))
    return {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}.get(code, code)


def read_csv(content: bytes) -> Iterator[Part]:
    lines = decoded(content).splitlines()
    named = re.fullmatch("sep=(.)", lines[0]) if lines else None
    bare = re.sub('"[^"]*"', "", decoded(content)).lstrip("\r\n").partition("\n")[0]
    yield from _rows(content, named[1] if named else max(",;\t|", key=bare.count))


def read_tsv(content: bytes) -> Iterator[Part]:
    yield from _rows(content, "\t")


def _rows(content: bytes, separator: str) -> Iterator[Part]:
    for row in csv.reader(io.StringIO(decoded(content), newline=""), delimiter=separator):
        for cell in row:
            is_kept = cell.lstrip().startswith(("=", "+", "-", "@")) or cell == "sep="
            yield from [kept(cell)] if is_kept else read_string(cell)
            yield kept("|")
        yield kept("\n")


# XML


def read_android(content: bytes) -> Iterator[Part]:
    yield from _android_element(ElementTree.fromstring(content), False)


def _android_element(element: Any, keeps: bool, parent: str = "") -> Iterator[Part]:
    is_text = element.tag == "string" or (
        element.tag == "item" and parent in ("string-array", "plurals")
    )
    in_text = is_text or parent == "text"
    is_alone = is_text and len(element) == 0
    reference = is_alone and re.fullmatch(r"\s*(@\w|\?)[\w:./]*\s*", element.text or "")
    own = keeps or element.get("translatable") == "false" or "}g" in element.tag or bool(reference)
    yield kept(f"<{element.tag} {sorted(element.attrib.items())}>")
    yield Part(_android_text(element.text), in_text and not own)
    for child in element:
        yield from _android_element(child, own, "text" if in_text else element.tag)
    yield kept(f"</{element.tag}>")
    yield Part(_android_text(element.tail), parent == "text" and not keeps)


def _android_text(text: str | None) -> str:
    return re.sub(r'\\u([0-9a-fA-F]{4})|\\(.)|"', _android_escape, text or "")


def _android_escape(found: re.Match[str]) -> str:
    if found[1]:
        return chr(int(found[1], 16))
    return {None: "", "n": "\n", "t": "\t"}.get(found[2], found[2])


def read_xliff(content: bytes) -> Iterator[Part]:
    """Units; the text of one without a target is its source. A translation stays."""
    for unit in ElementTree.fromstring(content).iter():
        name = unit.tag.rpartition("}")[2]
        if name not in ("trans-unit", "segment"):
            continue
        children = {child.tag.rpartition("}")[2]: child for child in unit}
        if unit.get("translate") == "no":
            continue
        source, target = children["source"], children.get("target")
        marks = {} if target is None else {mark.get("mid"): mark for mark in target}
        is_translated = False
        if target is None or not (len(target) or (target.text or "").strip()):
            target = source
        elif "seg-source" in children and None not in marks:
            for mark in children["seg-source"]:
                if not "".join(marks[mark.get("mid")].itertext()):
                    marks[mark.get("mid")].text = mark.text
                    marks[mark.get("mid")].extend(list(mark))
        else:
            is_translated = True
        parts = _xliff_content(target)
        yield from (kept(part.text) for part in parts) if is_translated else parts
        yield kept(";")


def _xliff_content(element: Any) -> Iterator[Part]:
    yield Part(element.text or "")
    for child in element:
        name = child.tag.rpartition("}")[2]
        yield kept(f"<{name} {sorted(child.attrib.items())}>")
        if name in ("g", "pc", "sm", "mrk") and child.get("mtype") != "protected":
            yield from _xliff_content(child)
        else:
            yield kept("".join(child.itertext()))
        yield kept(f"</{name}>")
        yield Part(child.tail or "")


def read_docx(content: bytes) -> Iterator[Part]:
    """The texts of paragraphs. Runs may be divided elsewhere, so they are no parts."""
    w = "{urn:w}"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            if not re.fullmatch(
                r"word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml", name
            ):
                yield kept(f"{name} {archive.read(name)!r}")
                continue
            root = ElementTree.fromstring(archive.read(name))
            w = root.tag.rpartition("}")[0] + "}"
            for element in root.iter():
                if element.tag == f"{w}t":
                    yield Part(element.text or "")
                elif element.tag == f"{w}p":
                    yield kept("paragraph")


def read_srt(content: bytes) -> Iterator[Part]:
    """Blocks of a number, times and lines; SubRip has no character references.

    An empty line does not end a cue for all players, so the next times do.
    """
    yield from _read_captions(content, str, ends_at_empty_line=False)


def read_vtt(content: bytes) -> Iterator[Part]:
    yield from _read_captions(content, unescape)


def _read_captions(
    content: bytes, decode: Callable[[str], str], ends_at_empty_line: bool = True
) -> Iterator[Part]:
    in_cue = False
    for line in re.split(r"(\r\n|\n|\r)", decoded(content)):
        if "-->" in line or not line.strip("\r\n"):
            in_cue = "-->" in line or (in_cue and not (ends_at_empty_line and line == ""))
            yield kept(line)
        elif not in_cue or not line.strip():  # a header, a note, a style, an identifier
            yield kept(line)
        else:
            for number, part in enumerate(re.split(r"(<[/\w][^<>]*>|\{\\[^{}]*\})", line)):
                yield Part(decode(part), number % 2 == 0)


READERS: dict[str, Reader] = {
    "text": read_text,
    "html": read_html,
    "markdown": read_markdown,
    "markdown of GitHub": read_github,
    "CommonMark": read_commonmark,
    "docx": read_docx,
    "xliff": read_xliff,
    "po": read_po,
    "json": read_json,
    "yaml": read_yaml,
    "android": read_android,
    "properties": read_properties,
    "srt": read_srt,
    "vtt": read_vtt,
    "csv": read_csv,
    "tsv": read_tsv,
}
COLLAPSED = frozenset(
    ["html", "markdown", "markdown of GitHub", "CommonMark", "android", "srt", "vtt"]
)
"""Formats in which a run of white space is one space."""
