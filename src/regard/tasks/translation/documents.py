"""Translate a document: extract, protect, translate, project the markup, restore, report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from regard.documents.formats.base import DocumentSegment
from regard.documents.formats.registry import FORMAT_NAMES, format_of_path, load_format
from regard.documents.marked_text import MarkedText, translated_text
from regard.documents.placeholders import (
    changed_numbers,
    extract_invisible,
    protect_placeholders,
    repeated_placeholders,
)
from regard.documents.projection import project_markup
from regard.documents.report import DocumentReport, SegmentReport
from regard.documents.sandbox import extract_segments, restore_document
from regard.errors import DocumentError

if TYPE_CHECKING:
    from regard.tasks.translation.result import TranslationResult

BLOCK = 100  # segments that are translated at once


@dataclass(frozen=True, slots=True)
class TranslatedDocument:
    """A translated document and the report on it."""

    content: bytes
    report: DocumentReport


@dataclass(frozen=True, slots=True)
class _Translated:
    marked: MarkedText | None  # None: as in the source
    report: SegmentReport
    unplaced: int


def read_document(document: str | Path | bytes, format_name: str | None) -> tuple[str, bytes, str]:
    """The name, the content and the format of a document. Raises DocumentError."""
    if isinstance(document, bytes):
        if format_name is None:
            raise DocumentError(
                f"format: name the format of the bytes, one of {', '.join(FORMAT_NAMES)}."
            )
        return "document", document, format_name
    path = Path(document)
    format_name = format_name or format_of_path(path)
    try:
        return path.name, path.read_bytes(), format_name
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read ({error.strerror}).") from None


def translate_content(
    translate: Callable[[Sequence[str]], list[TranslationResult]],
    content: bytes,
    format_name: str,
    *,
    name: str,
    keep: Sequence[str] = (),
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> TranslatedDocument:
    """Translate the content of a document.

    Args:
        translate: Translates texts and aligns their words.
        content: Of the file.
        format_name: Of `FORMAT_NAMES`.
        name: Of the document, for the report.
        keep: Texts that are not translated.
        on_progress: Called with the number of translated texts and of all.
    """
    segments = extract_segments(content, format_name)
    document_format = load_format(format_name)
    prepared = [
        protect_placeholders(
            extract_invisible(segment.marked),
            lambda text, style=segment.style: document_format.escape(text, style),  # type: ignore[misc]
            keep,
        )
        for segment in segments
    ]
    texts = list(dict.fromkeys(marked.text for marked in prepared))
    results: dict[str, TranslationResult] = {}
    on_progress(0, len(texts))
    for start in range(0, len(texts), BLOCK):
        block = texts[start : start + BLOCK]
        found = translate(block)
        results.update(zip(block, found, strict=True))
        on_progress(len(results), len(texts))
    translated = [
        _translate_segment(segment, marked, results[marked.text], keep)
        for segment, marked in zip(segments, prepared, strict=True)
    ]
    elements = [one for marked in prepared for one in marked.elements]
    report = DocumentReport(
        name,
        format_name,
        tuple(each.report for each in translated),
        len(elements),
        sum(each.unplaced for each in translated),
        sum(one.raw is not None for one in elements),
    )
    restored = restore_document(
        content, format_name, segments, [each.marked for each in translated]
    )
    return TranslatedDocument(restored, report)


def _translate_segment(
    segment: DocumentSegment, source: MarkedText, result: TranslationResult, keep: Sequence[str]
) -> _Translated:
    notes = list(result.warnings)
    alignment = result.alignment
    if alignment is None:  # the translation is empty
        notes.append("It was not translated.")
        report = SegmentReport(segment.place, source.text, source.text, tuple(notes))
        return _Translated(None, report, 0)
    projection = project_markup(
        source,
        alignment.source.words,
        result.text,
        alignment.target.words,
        alignment.weights,
    )
    notes += [
        f"{_describe(source, index)} has no word links: check its place."
        for index in projection.unplaced
    ]
    notes += [
        f"{text!r} is one time too many." for text in repeated_placeholders(projection.marked, keep)
    ]
    missing = changed_numbers(translated_text(source), translated_text(projection.marked))
    notes += [f"The number {number} is missing." for number in missing]
    unchanged = segment.in_place and projection.marked == source
    report = SegmentReport(
        segment.place, source.text, _shown(source, projection.marked), tuple(notes)
    )
    return _Translated(None if unchanged else projection.marked, report, len(projection.unplaced))


def _describe(source: MarkedText, index: int) -> str:
    one = source.elements[index]
    return f"{(one.raw or one.opening)[:60]!r}"


def _shown(source: MarkedText, target: MarkedText) -> str:
    """The text of a translation, with the texts that it keeps."""
    text = target.text
    kept = [
        (placed, source.text[one.start : one.end])
        for one, placed in zip(source.elements, target.elements, strict=True)
        if one.raw is not None and one.start < one.end
    ]
    for placed, content in sorted(kept, key=lambda each: -each[0].start):
        text = text[: placed.start] + content + text[placed.end :]
    return text
