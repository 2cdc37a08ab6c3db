"""DOCX: each paragraph is a segment; runs with another format than most of it are elements.

Runs are divided anywhere by word processors, so neighbours with the same properties are one.
Hyperlinks, insertions and content controls are elements; tabs, breaks, notes, bookmarks, deletions,
text boxes and the like are elements without text. Fields keep their text, except links. All other
parts of the archive are copied. Texts that are not translated are segments with a reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape, unescape

from regard.documents.formats.base import DocumentSegment, has_words
from regard.documents.formats.languages import open_archive, read_member, rewrite_archive
from regard.documents.inline_tags import (
    InlineBuilder,
    MarkupToken,
    element_end,
    match_tags,
    tokenize_xml,
)
from regard.documents.marked_text import MarkedText, render_markup, translated_text
from regard.text.tokenizer import Span

_PARTS = re.compile(r"word/(?:document|header\d*|footer\d*|footnotes|endnotes)\.xml")
_OTHER_PARTS = re.compile(r"word/.+\.xml")
_CONTAINERS = frozenset(
    ["w:hyperlink", "w:ins", "w:moveTo", "w:smartTag", "w:customXml", "w:sdt", "w:dir", "w:bdo"]
)
_HEADS = frozenset(["w:smartTagPr", "w:customXmlPr", "w:sdtPr", "w:sdtEndPr", "w:sdtContent"])
_TEXT = re.compile(r"<w:t(?:\s[^>]*)?>([^<]*)</w:t>")
_KEPT = "is not translated: "
_KEPT_FIELD = f"A field {_KEPT}update the fields in the word processor."
_KEPT_MOVED = f"Text that was moved away {_KEPT}accept the change."
_KEPT_OTHER = f"Text within other markup {_KEPT}check it."
_KEPT_PART = f"This part of the document {_KEPT}check whether readers see it."
_MAX_SHOWN = 500  # characters of a part that is not translated
_RUN_END = "</w:t></w:r>"
_RANGE = re.compile("\0([0-9]+)-([0-9]+)\0")  # stands for a part of the file; not valid in XML
_PARAGRAPH = re.compile(r"<w:p[ />]")
_LANGUAGE = re.compile(r"<w:lang\b[^>]*/>")
_BREAK = re.compile(r"<w:(?:tab|br|cr)\b")
_FIELD = re.compile(r"""<w:fldChar\b[^>]*w:fldCharType=["'](begin|separate|end)["']""")
_SIMPLE_LINK = re.compile(r"""\bw:instr\s*=\s*["']\s*HYPERLINK\b""")
_FIELD_LINK = re.compile(r"<w:instrText\b[^>]*>\s*HYPERLINK\b")


@dataclass(frozen=True, slots=True)
class _Item:
    """A part of a paragraph: text, raw, empty, open, close or properties."""

    kind: str
    start: int
    end: int
    raw: str = ""
    text: str = ""
    properties: str = ""


@dataclass(frozen=True, slots=True)
class DocxFormat:
    """Word documents."""

    name: str = "docx"

    def extract(self, content: bytes) -> list[DocumentSegment]:
        segments = []
        with open_archive(content) as archive:
            for name in archive.namelist():
                if _PARTS.fullmatch(name):
                    paragraphs = find_paragraphs(read_member(archive, name))
                    part = name.removeprefix("word/").removesuffix(".xml")
                    prefix = "" if part == "document" else f"{part}, "
                    segments += [
                        replace(segment, member=name, location=prefix + segment.location)
                        for segment in paragraphs
                    ]
                elif _OTHER_PARTS.fullmatch(name):
                    text = _plain(read_member(archive, name))[:_MAX_SHOWN]
                    if has_words(text):
                        part = name.removeprefix("word/").removesuffix(".xml")
                        segments.append(
                            DocumentSegment(
                                0, 0, MarkedText(text), part, member=name, kept_reason=_KEPT_PART
                            )
                        )
        return segments

    def escape(self, text: str, style: str) -> str:
        return escape(text, quote=False)

    def unwritable(
        self,
        content: bytes,
        segments: Sequence[DocumentSegment],
        translations: Sequence[MarkedText | None],
    ) -> list[int]:
        return []

    def restore(
        self,
        content: bytes,
        segments: Sequence[DocumentSegment],
        translations: Sequence[MarkedText | None],
    ) -> bytes:
        changed: dict[str, list[tuple[DocumentSegment, MarkedText]]] = {}
        for segment, translation in zip(segments, translations, strict=True):
            if translation is not None and not segment.kept_reason:
                changed.setdefault(segment.member, []).append((segment, translation))
        if not changed:
            return content
        return rewrite_archive(
            content,
            {name: partial(_replace, part_changes) for name, part_changes in changed.items()},
        )


def _replace(
    changed: Sequence[tuple[DocumentSegment, MarkedText]],
    text: str,
    start: int = 0,
    end: int | None = None,
) -> str:
    """The text of a range with its segments replaced; those of text boxes are within others."""
    end = len(text) if end is None else end
    parts = []
    for segment, translation in sorted(
        changed, key=lambda change: (change[0].start, -change[0].end)
    ):
        if segment.start < start or segment.end > end:
            continue
        runs = render_markup(translation, lambda part: escape(part, quote=False))
        runs = segment.prefix + runs + segment.suffix
        runs = runs.replace(segment.prefix + segment.suffix, "")
        parts += [
            text[start : segment.start],
            _RANGE.sub(lambda match: _replace(changed, text, int(match[1]), int(match[2])), runs),
        ]
        start = segment.end
    return "".join([*parts, text[start:end]])


def find_paragraphs(text: str) -> list[DocumentSegment]:
    """The paragraphs of a part of the archive that have text of their own."""
    tokens = tokenize_xml(text)
    partners = match_tags(tokens)
    segments = []
    number = 0
    for index, token in enumerate(tokens):
        if token.kind == "open" and token.name == "w:p":
            number += 1
            items = _merge(list(_items(text, tokens, partners, index + 1, partners[index])))
            location = f"paragraph {number}"
            segment = _segment(_trim(items), location)
            if segment is not None:
                segments.append(segment)
            segments += _kept_texts(items, location)
    return segments


def _items(
    text: str, tokens: Sequence[MarkupToken], partners: dict[int, int], first: int, last: int
) -> Iterator[_Item]:
    index = first
    while index < last:
        token = tokens[index]
        end = element_end(tokens, partners, index)
        raw = _raw(text, token.start, tokens[end].end)
        if token.name in _CONTAINERS and token.kind == "open":
            content = _content(tokens, partners, index, end)
            yield from _items_inside(text, tokens, partners, (index, end), content)
        elif token.name == "w:r" and "begin" in _FIELD.findall(raw):
            separator, closing = _field_parts(text, tokens, partners, index, last)
            end = partners[separator if closing is None else closing]
            yield from _field_items(text, tokens, partners, index, separator, closing)
        elif token.name == "w:fldSimple" and token.kind == "open":
            if _SIMPLE_LINK.search(text, token.start, token.end):
                yield from _items_inside(text, tokens, partners, (index, end), (index + 1, end))
            else:
                yield _item("raw", text, tokens, index, end, _plain(raw))
        elif token.name == "w:r" and token.kind == "open":
            yield from _run_items(text, tokens, partners, index, end)
        elif token.name == "w:pPr":
            yield _item("properties", text, tokens, index, end)
        elif token.kind != "text" or raw.strip():
            yield _item("empty", text, tokens, index, end)
        index = end + 1


def _item(
    kind: str, text: str, tokens: Sequence[MarkupToken], first: int, last: int, content: str = ""
) -> _Item:
    """The tokens from `first` to `last` as one item."""
    start, end = tokens[first].start, tokens[last].end
    return _Item(kind, start, end, _raw(text, start, end), content)


def _items_inside(
    text: str,
    tokens: Sequence[MarkupToken],
    partners: dict[int, int],
    element: Span,
    content: Span,
) -> Iterator[_Item]:
    """An element with the items of its content.

    `element`: its first and last token. `content`: the first token, and that after the last one.
    """
    yield _item("open", text, tokens, element[0], content[0] - 1)
    yield from _items(text, tokens, partners, *content)
    yield _item("close", text, tokens, content[1], element[1])


def _field_items(
    text: str,
    tokens: Sequence[MarkupToken],
    partners: dict[int, int],
    first: int,
    separator: int,
    closing: int | None,
) -> Iterator[_Item]:
    """A field that begins at a run; `_field_parts` gives its other runs."""
    if closing is None:  # it ends in another paragraph, as a table of contents does
        yield _item("empty", text, tokens, first, partners[separator])
        return
    start, end = tokens[first].start, partners[closing]
    if separator < closing and _FIELD_LINK.search(text, start, tokens[separator].start):
        content = partners[separator] + 1, closing
        yield from _items_inside(text, tokens, partners, (first, end), content)
    else:
        plain = _plain(text[start : tokens[end].end])
        yield _item("raw", text, tokens, first, end, plain)


def _content(
    tokens: Sequence[MarkupToken], partners: dict[int, int], index: int, end: int
) -> tuple[int, int]:
    """The tokens of the content of a container: without its properties and its inner element."""
    first, last = index + 1, end
    while first < last and (tokens[first].kind == "text" or tokens[first].name in _HEADS):
        if tokens[first].name == "w:sdtContent" and tokens[first].kind == "open":
            return first + 1, partners[first]
        first = partners.get(first, first) + 1 if tokens[first].kind == "open" else first + 1
    return first, last


def _field_parts(
    text: str, tokens: Sequence[MarkupToken], partners: dict[int, int], index: int, last: int
) -> tuple[int, int | None]:
    """The runs before the content of a field and after it, by index.

    The first is the first run of the field if nothing divides it, the second None if it is not in
    the paragraph.
    """
    depth, separator = 0, index
    while index < last:
        end = element_end(tokens, partners, index)
        if tokens[index].name == "w:r" and end > index:
            for kind in _FIELD.findall(_raw(text, tokens[index].start, tokens[end].end)):
                depth += {"begin": 1, "separate": 0, "end": -1}[kind]
                if kind == "separate" and depth == 1:
                    separator = index
            if depth <= 0:
                return separator, index
        index = end + 1
    return separator, None


def _raw(text: str, start: int, end: int) -> str:
    """Markup as it is in the file, or the place of markup that has paragraphs."""
    has_paragraphs = _PARAGRAPH.search(text, start, end) is not None
    return f"\0{start}-{end}\0" if has_paragraphs else text[start:end]


def _run_items(
    text: str, tokens: Sequence[MarkupToken], partners: dict[int, int], first: int, last: int
) -> Iterator[_Item]:
    """Divide a run into texts and runs of one other child."""
    properties = ""
    index = first + 1
    run_start, run_end = tokens[first].start, tokens[last].end
    while index < last:
        token = tokens[index]
        end = element_end(tokens, partners, index)
        raw = _raw(text, token.start, tokens[end].end)
        if token.name == "w:rPr":
            properties = raw
        elif token.name == "w:t":
            content = unescape(
                "".join(
                    text[child_token.start : child_token.end]
                    for child_token in tokens[index:end]
                    if child_token.kind == "text"
                )
            )
            yield _Item("text", run_start, run_end, "", content, properties)
        elif token.kind != "text":
            child = f"<w:r>{properties}{raw}</w:r>"
            yield _Item("empty", run_start, run_end, child, properties=properties)
        index = end + 1


def _plain(raw: str) -> str:
    return unescape("".join(_TEXT.findall(raw)))


def _kept_texts(items: Sequence[_Item], location: str) -> Iterator[DocumentSegment]:
    """Texts of a paragraph that are not translated, for the report."""
    for item in items:
        if item.kind in ("raw", "empty") and has_words(_plain(item.raw)):
            reason = _KEPT_FIELD if item.kind == "raw" else _KEPT_OTHER
            reason = _KEPT_MOVED if item.raw.startswith("<w:moveFrom ") else reason
            marked = MarkedText(_plain(item.raw))
            yield DocumentSegment(item.start, item.start, marked, location, kept_reason=reason)


def _merge(items: Sequence[_Item]) -> list[_Item]:
    """Join neighbouring texts with the same properties; leave out marks of the spelling."""
    merged: list[_Item] = []
    for item in items:
        last = merged[-1] if merged else None
        if item.raw.startswith("<w:proofErr"):
            continue
        if (
            last is not None
            and item.kind == last.kind == "text"
            and _same_format(item.properties, last.properties)
        ):
            merged[-1] = replace(last, end=item.end, text=last.text + item.text)
        else:
            merged.append(item)
    return merged


def _same_format(first: str, second: str) -> bool:
    """Whether the properties of two runs differ at most in their language."""
    return _properties_without_language(first) == _properties_without_language(second)


def _properties_without_language(properties: str) -> str:
    """The properties of a run without its language, which a translation changes."""
    remaining = _LANGUAGE.sub("", properties)
    return "" if remaining == "<w:rPr></w:rPr>" else remaining


def _trim(items: list[_Item]) -> list[_Item]:
    """Leave out what is before the first and after the last text, and containers of everything."""
    while items:
        first, last = items[0], items[-1]
        shared = len(items) > 1 and items[1].start == first.start  # parts of one run
        if first.kind in ("empty", "properties") and not shared:
            items = items[1:]
        elif last.kind == "empty" and not (len(items) > 1 and items[-2].end == last.end):
            items = items[:-1]
        elif first.kind == "open" and _closes(items) == len(items) - 1:
            items = items[1:-1]
        else:
            break
    return items


def _closes(items: Sequence[_Item]) -> int:
    depth = 0
    for index, item in enumerate(items):
        depth += (item.kind == "open") - (item.kind == "close")
        if depth == 0:
            return index
    return -1


def _segment(items: Sequence[_Item], location: str) -> DocumentSegment | None:
    base = _main_properties([item for item in items if item.kind == "text"])
    if base is None:
        return None
    builder = InlineBuilder()
    for item in items:
        _add_item(builder, item, base)
    marked = builder.build()
    if not has_words(translated_text(marked)):
        return None
    run = _run_start(base)
    return DocumentSegment(items[0].start, items[-1].end, marked, location, "", run, _RUN_END)


def _main_properties(texts: Sequence[_Item]) -> str | None:
    """The properties of most characters, with the language of the first text that has them."""
    counts: Counter[str] = Counter()
    first_properties: dict[str, str] = {}
    for item in texts:
        properties = _properties_without_language(item.properties)
        counts[properties] += len(item.text)
        first_properties.setdefault(properties, item.properties)
    return first_properties[max(counts, key=counts.__getitem__)] if counts else None


def _run_start(properties: str) -> str:
    return f'<w:r>{properties}<w:t xml:space="preserve">'


def _add_item(builder: InlineBuilder, item: _Item, base: str) -> None:
    """Add an item to text in runs with the properties `base`; its markup is between two of them."""
    run = _run_start(base)
    markup = _RUN_END + item.raw + run
    match item.kind:
        case "text" if _same_format(item.properties, base):
            builder.add_text(item.text)
        case "text":
            builder.open(_RUN_END + _run_start(item.properties))
            builder.add_text(item.text)
            builder.close(_RUN_END + run)
        case "raw":
            builder.add_raw(markup, item.text)
        case "empty" if _BREAK.search(item.raw):
            builder.add_break(markup)
        case "empty":
            builder.add_empty(markup)
        case "open":
            builder.open(markup)
        case "close":
            builder.close(markup)


DOCX = DocxFormat()
