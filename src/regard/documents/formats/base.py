"""The interface of document formats, and the formats of plain files.

A format finds segments: ranges of a file's text that a translation replaces, each with the source
text and its inline elements. All other characters are copied, so they stay as they are.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Protocol, runtime_checkable

from regard.documents.marked_text import MarkedText, render_markup
from regard.errors import DocumentError

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


@dataclass(frozen=True, slots=True)
class DocumentSegment:
    """A text to translate.

    Args:
        start: First character of the range that the translation replaces.
        end: The character after its last one.
        marked: The source text with its inline elements.
        place: Where it is, for reports: a line or a key.
        style: How the format writes the text, for formats with several ways.
        prefix: Written before the translation.
        suffix: Written after it.
        member: The file of an archive.
        in_place: Whether the range holds the source, and not a place for the translation.
        kept: Why the text is not translated, for the report; empty if it is.
        prefixes: Instead of `prefix` for a translation of this state: "check", if a person should
            check it, or "exact" or "fuzzy", if it is from a memory.
        element: For a segment within the range of the one before it: which of the elements of that
            segment it is in.
        offset: Where it begins in the markup of that element.
    """

    start: int
    end: int
    marked: MarkedText
    location: str = ""
    style: str = ""
    prefix: str = ""
    suffix: str = ""
    member: str = ""
    in_place: bool = True
    kept_reason: str = ""
    prefixes: dict[str, str] = field(default_factory=dict)
    element: int = -1
    offset: int = 0


@runtime_checkable
class DocumentFormat(Protocol):
    """Reads and writes one kind of document."""

    @property
    def name(self) -> str: ...

    def extract(self, content: bytes) -> list[DocumentSegment]:
        """Return the segments of a document, in its order. Raises DocumentError."""
        ...

    def escape(self, text: str, style: str) -> str:
        """Return text as it is between the tags of a segment."""
        ...

    def restore(
        self,
        content: bytes,
        segments: Sequence[DocumentSegment],
        translations: Sequence[MarkedText | None],
    ) -> bytes:
        """Return the document with its segments replaced; None leaves a segment as it is."""
        ...

    def unwritable(
        self,
        content: bytes,
        segments: Sequence[DocumentSegment],
        translations: Sequence[MarkedText | None],
    ) -> list[int]:
        """Return the segments whose translation would be read differently in the document."""
        ...


@dataclass(frozen=True, slots=True)
class TextFormat:
    """A format whose documents are one text.

    Args:
        name: Of the format.
        find: Returns the segments of a text.
        render: Writes a translation in the style of its segment.
        escape_text: Writes the text between tags.
        decode: Returns the text of a file, its byte order mark, and its encoding.
    """

    name: str
    find: Callable[[str], list[DocumentSegment]]
    render: Callable[[MarkedText, str], str]
    escape_text: Callable[[str, str], str] = lambda text, style: text
    decode: Callable[[bytes], tuple[str, bytes, str]] = lambda content: decode_document(content)

    def extract(self, content: bytes) -> list[DocumentSegment]:
        text, _, _ = self.decode(content)
        return self.find(text)

    def escape(self, text: str, style: str) -> str:
        return self.escape_text(text, style)

    def restore(
        self,
        content: bytes,
        segments: Sequence[DocumentSegment],
        translations: Sequence[MarkedText | None],
    ) -> bytes:
        text, mark, encoding = self.decode(content)
        restored = replace_segments(text, segments, translations, self.render)
        return mark + restored.encode(encoding)

    def unwritable(
        self,
        content: bytes,
        segments: Sequence[DocumentSegment],
        translations: Sequence[MarkedText | None],
    ) -> list[int]:
        return []


MAX_PAIR_BYTES = 64 * 2**20  # of a file with terms or with a translation memory


def read_file(path: Path, most: int | None = None) -> bytes:
    """The bytes of a file. Raises DocumentError if it cannot be read, or has more than `most`."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read ({error.strerror}).") from None
    if most is not None and len(content) > most:
        raise DocumentError(f"{path}: has more than {most:,} bytes. Divide it.")
    return content


def decode_document(content: bytes) -> tuple[str, bytes, str]:
    """The text of a file, its byte order mark, and its encoding."""
    mark = next((candidate for candidate in _MARKS if content.startswith(candidate)), b"")
    encoding = _MARKS.get(mark, "utf-8")
    try:
        return content[len(mark) :].decode(encoding), mark, encoding
    except UnicodeDecodeError as error:
        raise DocumentError(
            f"byte {len(mark) + error.start} is not {encoding.upper()}. Convert the document to "
            "UTF-8."
        ) from None


def render_escaped(
    escape: Callable[[str, str], str],
) -> Callable[[MarkedText, str], str]:
    """Return a function that writes a translation with its tags, and escapes the text in it."""
    return lambda marked, style: render_markup(marked, lambda text: escape(text, style))


def replace_segments(
    text: str,
    segments: Sequence[DocumentSegment],
    translations: Sequence[MarkedText | None],
    render: Callable[[MarkedText, str], str],
) -> str:
    """Replace the ranges of segments by their translations.

    A segment in the markup of an element of another one is replaced in that markup, wherever the
    translation has the element. Elements of a translation are in the order of those of its source.
    """
    inner = _inner_segments(segments)
    return _Replacement(text, segments, translations, render, inner).write_range(
        0, len(text), inner[-1]
    )


@dataclass(frozen=True, slots=True)
class _Replacement:
    text: str
    segments: Sequence[DocumentSegment]
    translations: Sequence[MarkedText | None]
    render: Callable[[MarkedText, str], str]
    inner: dict[int, list[int]]

    def write_range(self, start: int, end: int, within: Sequence[int]) -> str:
        """A range of the text, with the translations of the segments `within` it."""
        parts: list[str] = []
        cursor = start
        for index in within:
            parts += [self.text[cursor : self.segments[index].start], self._write(index)]
            cursor = self.segments[index].end
        return "".join([*parts, self.text[cursor:end]])

    def _write(self, index: int) -> str:
        segment, translation = self.segments[index], self.translations[index]
        within = self.inner.get(index, [])
        if translation is None or segment.kept_reason:
            return self.write_range(segment.start, segment.end, within)
        if within:
            translation = self._write_elements(segment, translation, within)
        return segment.prefix + self.render(translation, segment.style) + segment.suffix

    def _write_elements(
        self, segment: DocumentSegment, translation: MarkedText, within: Sequence[int]
    ) -> MarkedText:
        """A translation with those of the segments in the markup of its elements."""
        elements = list(translation.elements)
        for number, members in groupby(within, key=lambda index: self.segments[index].element):
            source, element = segment.marked.elements[number], elements[number]
            source_markup = source.opening if source.raw is None else source.raw
            parts: list[str] = []
            cursor = 0
            for index in members:
                member = self.segments[index]
                parts += [source_markup[cursor : member.offset], self._write(index)]
                cursor = member.offset + member.end - member.start
            target_markup = "".join([*parts, source_markup[cursor:]])
            elements[number] = (
                replace(element, opening=element.opening.replace(source_markup, target_markup, 1))
                if element.raw is None
                else replace(element, raw=element.raw.replace(source_markup, target_markup, 1))
            )
        return MarkedText(translation.text, tuple(elements))


def _inner_segments(segments: Sequence[DocumentSegment]) -> dict[int, list[int]]:
    """The segments directly within each segment, by its index; those of the text have -1."""
    inner: dict[int, list[int]] = {-1: []}
    around: list[int] = []
    for index, segment in enumerate(segments):
        while around and (segment.element < 0 or segments[around[-1]].end <= segment.start):
            around.pop()
        inner.setdefault(around[-1] if around else -1, []).append(index)
        around.append(index)
    return inner


class LineNumbers:
    """Names the line of a place in a text, for reports."""

    def __init__(self, text: str) -> None:
        self._breaks = [match.start() for match in re.finditer(r"\r\n|\n|\r", text)]

    def __call__(self, index: int) -> str:
        return f"line {bisect_left(self._breaks, index) + 1}"


def trimmed_range(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without white space at its ends."""
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    return start, start + len(part.strip())


def has_words(text: str) -> bool:
    """Whether a text has a letter, so that there is something to translate."""
    return any(map(str.isalpha, text))


# -- the formats by name and by suffix. A module is imported when its format is used ---------------


_FORMATS = {
    "text": ("tables", "PLAIN_TEXT", (".txt", ".text")),
    "html": ("html", "HTML", (".html", ".htm", ".xhtml")),
    "markdown": ("markdown", "MARKDOWN", (".md", ".markdown")),
    "docx": ("docx", "DOCX", (".docx",)),
    "xliff": ("xliff", "XLIFF", (".xlf", ".xliff")),
    "po": ("po", "PO", (".po", ".pot")),
    "json": ("json_strings", "JSON", (".json", ".arb")),
    "yaml": ("yaml_strings", "YAML", (".yaml", ".yml")),
    "android": ("android", "ANDROID", (".xml",)),
    "properties": ("properties", "PROPERTIES", (".properties",)),
    "srt": ("subtitles", "SRT", (".srt",)),
    "vtt": ("subtitles", "VTT", (".vtt",)),
    "csv": ("tables", "CSV", (".csv",)),
    "tsv": ("tables", "TSV", (".tsv",)),
}
FORMAT_NAMES = tuple(_FORMATS)
DOCUMENT_SUFFIXES = {
    suffix: name for name, (_, _, suffixes) in _FORMATS.items() for suffix in suffixes
}


def load_format(name: str) -> DocumentFormat:
    """The format of this name. Raises DocumentError if there is none."""
    if name not in _FORMATS:
        raise DocumentError(
            f"{name!r} is not a document format. The formats are {', '.join(FORMAT_NAMES)}."
        )
    module, attribute, _ = _FORMATS[name]
    document_format: DocumentFormat = getattr(
        import_module(f"regard.documents.formats.{module}"), attribute
    )
    return document_format


def format_of_path(path: str | Path) -> str:
    """The name of the format that a file name ends with. Raises DocumentError if there is none."""
    suffix = Path(path).suffix.lower()
    if suffix in DOCUMENT_SUFFIXES:
        return DOCUMENT_SUFFIXES[suffix]
    raise DocumentError(
        f"{path}: no document format has the suffix {suffix!r}. The formats are "
        f"{', '.join(FORMAT_NAMES)}."
    )
