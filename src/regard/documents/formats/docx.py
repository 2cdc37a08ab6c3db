"""DOCX: each paragraph is a segment; runs with another format than most of it are elements.

Runs are divided anywhere by word processors, so neighbours with the same properties are one.
Hyperlinks and insertions are elements; tabs, breaks, notes, bookmarks, deletions and the like are
elements without text; fields keep their text. All other parts of the archive are copied.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape, unescape

from regard.documents.formats.base import DocumentSegment, has_words
from regard.documents.inline_tags import InlineBuilder
from regard.documents.marked_text import MarkedText, render_markup, translated_text
from regard.documents.markup_tokens import MarkupToken, match_tags, tokenize_xml
from regard.errors import DocumentError

MAX_MEMBERS = 5_000
MAX_UNPACKED = 64 * 2**20
MAX_RATIO = 200

_PARTS = re.compile(r"word/(?:document|header\d*|footer\d*|footnotes|endnotes)\.xml")
_CONTAINERS = frozenset(["w:hyperlink", "w:ins", "w:smartTag"])
_RUN_END = "</w:t></w:r>"
_BREAK = re.compile(r"<w:(?:tab|br|cr)\b")
_FIELD_BEGIN = re.compile(r"""<w:fldChar\b[^>]*w:fldCharType=["']begin["']""")
_FIELD_END = re.compile(r"""<w:fldChar\b[^>]*w:fldCharType=["']end["']""")


@dataclass(frozen=True, slots=True)
class _Item:
    """A part of a paragraph: text, raw, empty, open or close."""

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
        with _open(content) as archive:
            for name in archive.namelist():
                if _PARTS.fullmatch(name):
                    found = find_paragraphs(_read(archive, name))
                    segments += [replace(segment, member=name) for segment in found]
        return segments

    def escape(self, text: str, style: str) -> str:
        return escape(text, quote=False)

    def restore(
        self,
        content: bytes,
        segments: Sequence[DocumentSegment],
        translations: Sequence[MarkedText | None],
    ) -> bytes:
        changed: dict[str, list[tuple[DocumentSegment, MarkedText]]] = {}
        for segment, translation in zip(segments, translations, strict=True):
            if translation is not None:
                changed.setdefault(segment.member, []).append((segment, translation))
        if not changed:
            return content
        out = io.BytesIO()
        with _open(content) as archive, zipfile.ZipFile(out, "w") as written:
            for info in archive.infolist():
                data = archive.read(info)
                if info.filename in changed:
                    data = _replace(data.decode(), changed[info.filename]).encode()
                written.writestr(info, data, info.compress_type)
        return out.getvalue()


def _open(content: bytes) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DocumentError(f"not a DOCX file ({error}).") from None
    members = archive.infolist()
    unpacked = sum(info.file_size for info in members)
    if len(members) > MAX_MEMBERS or unpacked > MAX_UNPACKED:
        raise DocumentError(
            f"the archive has {len(members):,} files of {unpacked:,} bytes. At most "
            f"{MAX_MEMBERS:,} of {MAX_UNPACKED:,} bytes are read."
        )
    if unpacked > 2**20 and unpacked > MAX_RATIO * len(content):
        raise DocumentError(f"the archive unpacks to more than {MAX_RATIO} times its size.")
    names = {info.filename for info in members}
    if len(names) < len(members):
        raise DocumentError("a file is twice in the archive.")
    if "word/document.xml" not in names:
        raise DocumentError("not a DOCX file: word/document.xml is missing.")
    if any(name.lower().endswith("vbaproject.bin") for name in names):
        raise DocumentError("documents with macros are not read. Save it as .docx.")
    if any(info.flag_bits & 1 for info in members):
        raise DocumentError("the archive is encrypted. Remove the password.")
    return archive


def _read(archive: zipfile.ZipFile, name: str) -> str:
    try:
        return archive.read(name).decode()
    except (zipfile.BadZipFile, OSError, EOFError, UnicodeDecodeError, ValueError) as error:
        raise DocumentError(f"{name}: cannot be read ({error}).") from None
    except Exception as error:  # zlib.error, and others of damaged archives
        raise DocumentError(f"{name}: cannot be unpacked ({error}).") from None


def _replace(text: str, changed: Sequence[tuple[DocumentSegment, MarkedText]]) -> str:
    parts, cursor = [], 0
    for segment, translation in changed:
        runs = segment.prefix + render_markup(translation, lambda part: escape(part, quote=False))
        runs = (runs + segment.suffix).replace(segment.prefix + segment.suffix, "")
        parts += [text[cursor : segment.start], runs]
        cursor = segment.end
    return "".join([*parts, text[cursor:]])


def find_paragraphs(text: str) -> list[DocumentSegment]:
    """The paragraphs of a part of the archive that have text of their own."""
    tokens = tokenize_xml(text)
    partners = match_tags(tokens)
    segments = []
    starts = [
        index for index, token in enumerate(tokens) if token.kind == "open" and token.name == "w:p"
    ]
    for position, index in enumerate(starts):
        if position + 1 < len(starts) and starts[position + 1] < partners[index]:
            continue  # it holds text boxes, whose paragraphs are segments
        items = _merge(list(_items(text, tokens, partners, index + 1, partners[index])))
        segment = _segment(_trim(items), f"paragraph {position + 1}")
        if segment is not None:
            segments.append(segment)
    return segments


def _items(
    text: str, tokens: Sequence[MarkupToken], partners: dict[int, int], first: int, last: int
) -> Iterator[_Item]:
    index = first
    while index < last:
        token = tokens[index]
        end = partners.get(index, index) if token.kind == "open" else index
        raw = text[token.start : tokens[end].end]
        span = token.start, tokens[end].end
        if token.name in _CONTAINERS and token.kind == "open":
            close = tokens[end]
            yield _Item("open", token.start, token.end, text[token.start : token.end])
            yield from _items(text, tokens, partners, index + 1, end)
            yield _Item("close", close.start, close.end, text[close.start : close.end])
        elif token.name == "w:r" and _FIELD_BEGIN.search(raw):
            depth = 0
            while True:  # to the run that ends the field
                run = text[tokens[index].start : tokens[end].end]
                depth += len(_FIELD_BEGIN.findall(run)) - len(_FIELD_END.findall(run))
                if depth <= 0 or end + 1 >= last:
                    break
                index = end + 1
                end = partners.get(index, index) if tokens[index].kind == "open" else index
            raw = text[token.start : tokens[end].end]
            yield _Item("raw", token.start, tokens[end].end, raw, _plain(raw))
        elif token.name == "w:r" and token.kind == "open":
            yield from _run_items(text, tokens, partners, index, end)
        elif token.name == "w:pPr":
            yield _Item("properties", *span)
        elif token.kind != "text" or raw.strip():
            yield _Item("empty", *span, raw)
        index = end + 1


def _run_items(
    text: str, tokens: Sequence[MarkupToken], partners: dict[int, int], first: int, last: int
) -> Iterator[_Item]:
    """Divide a run into texts and runs of one other child."""
    properties = ""
    index = first + 1
    run_start, run_end = tokens[first].start, tokens[last].end
    while index < last:
        token = tokens[index]
        end = partners.get(index, index) if token.kind == "open" else index
        raw = text[token.start : tokens[end].end]
        if token.name == "w:rPr":
            properties = raw
        elif token.name == "w:t":
            content = unescape(
                "".join(
                    text[each.start : each.end] for each in tokens[index:end] if each.kind == "text"
                )
            )
            yield _Item("text", run_start, run_end, "", content, properties)
        elif token.kind != "text":
            child = f"<w:r>{properties}{raw}</w:r>"
            yield _Item("empty", run_start, run_end, child, properties=properties)
        index = end + 1


def _plain(raw: str) -> str:
    return unescape("".join(re.findall(r"<w:t(?:\s[^>]*)?>([^<]*)</w:t>", raw)))


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
            and item.properties == last.properties
        ):
            merged[-1] = replace(last, end=item.end, text=last.text + item.text)
        else:
            merged.append(item)
    return merged


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


def _segment(items: Sequence[_Item], place: str) -> DocumentSegment | None:
    counts: Counter[str] = Counter()
    for item in items:
        if item.kind == "text":
            counts[item.properties] += len(item.text)
    if not counts:
        return None
    base = counts.most_common(1)[0][0]
    run = f'<w:r>{base}<w:t xml:space="preserve">'
    builder = InlineBuilder()
    for item in items:
        if item.kind == "text" and item.properties == base:
            builder.add_text(item.text)
        elif item.kind == "text":
            other = f'<w:r>{item.properties}<w:t xml:space="preserve">'
            builder.open(_RUN_END + other)
            builder.add_text(item.text)
            builder.close(_RUN_END + run)
        elif item.kind == "raw":
            builder.add_raw(_RUN_END + item.raw + run, item.text)
        elif item.kind == "empty" and _BREAK.search(item.raw):
            builder.add_break(_RUN_END + item.raw + run)
        elif item.kind == "empty":
            builder.add_empty(_RUN_END + item.raw + run)
        elif item.kind == "open":
            builder.open(_RUN_END + item.raw + run)
        elif item.kind == "close":
            builder.close(_RUN_END + item.raw + run)
    marked = builder.build()
    if not has_words(translated_text(marked)):
        return None
    return DocumentSegment(items[0].start, items[-1].end, marked, place, "", run, _RUN_END)


DOCX = DocxFormat()
