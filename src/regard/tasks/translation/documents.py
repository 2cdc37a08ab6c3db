"""Translate a document: extract, protect, translate, project the markup, restore, report.

`DocumentJob` has the steps before and after the translation, so that a translator and a server can
share them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from regard.data.formats.tmx import tmx_pairs
from regard.documents.bilingual import PAIR_SUFFIXES, read_bilingual
from regard.documents.formats.base import (
    FORMAT_NAMES,
    DocumentSegment,
    format_of_path,
    read_file,
)
from regard.documents.marked_text import AlignedTranslation, MarkedText, translated_text
from regard.documents.memory import MemoryMatch, TranslationMemory
from regard.documents.placeholders import (
    PLACEHOLDER_CODE,
    changed_numbers,
    extract_invisible,
    hide_kept_texts,
    protect_placeholders,
    repeated_placeholders,
    replace_ranges,
)
from regard.documents.projection import project_markup
from regard.documents.report import DocumentReport, SegmentReport
from regard.documents.sandbox import DocumentReader
from regard.documents.terms import Term, TermBase, agreeing_word, place_terms, read_terms
from regard.errors import ConfigError, DocumentError

if TYPE_CHECKING:
    from regard.align.word_alignment import WordAlignment
    from regard.tasks.translation.result import TranslationResult

# -- open the terms and the translation memory of a document ---------------------------------------


def open_terms(
    terms: str | Path | Mapping[str, str], languages: tuple[str, str] | None
) -> TermBase:
    """Read terms with their translations, from a file unless they are given."""
    codes = languages or (None, None)
    if isinstance(terms, Mapping):
        return TermBase([Term(*pair) for pair in terms.items()], codes)
    return TermBase(read_terms(terms, codes), codes)


def open_memory(
    memory: str | Path | Mapping[str, str], languages: tuple[str, str] | None, min_match: float
) -> TranslationMemory:
    """Read a translation memory, from a TMX, XLIFF or PO file unless it is given."""
    if not 0 < min_match <= 1:
        raise ConfigError(f"min_match: must be above 0 and at most 1, not {min_match}.")
    if isinstance(memory, Mapping):
        return TranslationMemory(memory.items(), min_match)
    if Path(memory).suffix.lower() in PAIR_SUFFIXES:
        return TranslationMemory(read_bilingual(Path(memory), languages), min_match)
    if languages is None:
        raise ConfigError(
            f"{memory}: the languages of the model are not known. Pass them, such as en-fr."
        )
    pairs = (pair for chunk in tmx_pairs(str(memory), *languages) for pair in chunk)
    return TranslationMemory(pairs, min_match)


# -- documents -------------------------------------------------------------------------------------


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
    return path.name, read_file(path), format_name


class DocumentJob:
    """A document while it is translated.

    Args:
        content: Of the file.
        reader: Of its format.
        name: Of the document, for the report.
        keep: Texts that are not translated.
        terms: Prescribed translations.
        memory: Translations to use again.
        language: Code of the target, to write into the document.

    Raises:
        DocumentError: The document cannot be read.
    """

    def __init__(
        self,
        content: bytes,
        reader: DocumentReader,
        *,
        name: str,
        keep: Sequence[str] = (),
        terms: TermBase | None = None,
        memory: TranslationMemory | None = None,
        language: str | None = None,
    ) -> None:
        self.content, self.reader, self.name = content, reader, name
        self.keep, self.terms, self.language = keep, terms, language
        self.segments = reader.extract(content)
        self.prepared = [
            protect_placeholders(extract_invisible(segment.marked), self._escape(segment), keep)
            if not segment.kept_reason
            else MarkedText("")
            for segment in self.segments
        ]
        texts = dict.fromkeys(marked.text for marked in self.prepared if marked.text)
        matches = {} if memory is None else {text: memory.find(text) for text in texts}
        self.remembered = {text: match for text, match in matches.items() if match is not None}
        self.sent = [
            (marked, {}) if marked.text in self.remembered else hide_kept_texts(marked)
            for marked in self.prepared
        ]
        sent = dict.fromkeys(marked.text for marked, _ in self.sent if marked.text)
        self.texts = [text for text in sent if text not in self.remembered]

    def finish(self, results: Mapping[str, AlignedTranslation]) -> TranslatedDocument:
        """Restore the document with a translation for each of `texts` and of `remembered`."""
        translated = [
            _keep(segment)
            if segment.kept_reason
            else self._translate(segment, original, *sent, results[sent[0].text])
            for segment, original, sent in zip(self.segments, self.prepared, self.sent, strict=True)
        ]
        segments = [
            replace(
                segment, prefix=segment.prefixes.get(_state(translation.report), segment.prefix)
            )
            for segment, translation in zip(self.segments, translated, strict=True)
        ]
        restored, unwritable = self.reader.write(
            self.content,
            segments,
            [translation.marked for translation in translated],
            self.language,
        )
        for index in unwritable:
            translated[index] = _without_translation(translated[index])
        elements = [element for marked in self.prepared for element in marked.elements]
        report = DocumentReport(
            self.name,
            self.reader.name,
            tuple(translation.report for translation in translated),
            len(elements),
            sum(translation.unplaced for translation in translated),
            sum(element.raw is not None for element in elements),
        )
        return TranslatedDocument(restored, report)

    def _escape(self, segment: DocumentSegment) -> Callable[[str], str]:
        return lambda text: self.reader.escape(text, segment.style)

    def _translate(
        self,
        segment: DocumentSegment,
        original: MarkedText,
        sent: MarkedText,
        hidden: dict[str, str],
        result: AlignedTranslation,
    ) -> _Translated:
        match = self.remembered.get(original.text)
        language = None if self.terms is None else self.terms.languages[1]
        sources = _Sources(segment, original, sent, hidden, match, language)
        if self.terms is None or result.parts is None or match is not None:
            return _translate_segment(sources, result, self.keep)
        placed = place_terms(sent, result, self.terms, self._escape(segment))
        sources = replace(sources, sent=placed.marked)
        translated = _translate_segment(sources, result, self.keep, placed.written)
        notes = [
            f"{use.target!r} replaces the translation of {use.source!r}: check its form."
            if use.by
            else f"The term {use.source!r} is not translated as {use.target!r}."
            for use in placed.uses
            if use.by != "model"
        ]
        report = replace(
            translated.report, notes=(*translated.report.notes, *notes), terms=placed.uses
        )
        return replace(translated, report=report)


@dataclass(frozen=True, slots=True)
class _Sources:
    """A segment in its forms.

    Args:
        segment: Has the place of the translation.
        original: The text with elements.
        sent: The same with placeholder codes for kept texts; the last elements may be terms.
        hidden: The kept texts by placeholder code.
        match: Where the translation is from, if not from the model.
        language: Code of the language of the terms' translations.
    """

    segment: DocumentSegment
    original: MarkedText
    sent: MarkedText
    hidden: dict[str, str]
    match: MemoryMatch | None
    language: str | None


def _keep(segment: DocumentSegment) -> _Translated:
    """A text that stays, for the report."""
    text = segment.marked.text
    return _Translated(None, SegmentReport(segment.location, text, text, (segment.kept_reason,)), 0)


def _state(report: SegmentReport) -> str:
    """The state of a segment, for formats that write it."""
    if report.match is not None:
        return "exact" if report.match == 1 else "fuzzy"
    return "check" if report.notes else ""


def aligned_result(result: TranslationResult) -> AlignedTranslation:
    """Convert a result to the translation that documents need."""
    alignment = result.alignment
    if alignment is None:
        return AlignedTranslation(result.text, warnings=result.warnings)
    return AlignedTranslation(
        result.text,
        alignment.source.words,
        alignment.target.words,
        alignment.parts,
        result.warnings,
    )


def translate_content(
    translate: Callable[[Sequence[str]], list[TranslationResult]],
    align: Callable[[Sequence[str], Sequence[str]], list[WordAlignment]],
    job: DocumentJob,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> TranslatedDocument:
    """Translate a document.

    Args:
        translate: Translates texts and aligns their words.
        align: Aligns the words of sources and targets.
        job: The document.
        on_progress: Called with the number of translated texts and of all.
    """
    sources = list(job.remembered)
    targets = [match.target for match in job.remembered.values()]
    results = {
        alignment.source.raw: AlignedTranslation(
            alignment.target.raw, alignment.source.words, alignment.target.words, alignment.parts
        )
        for alignment in (align(sources, targets) if sources else [])
    }
    remembered = len(results)
    on_progress(0, len(job.texts))
    for start in range(0, len(job.texts), BLOCK):
        block = job.texts[start : start + BLOCK]
        results.update(zip(block, map(aligned_result, translate(block)), strict=True))
        on_progress(len(results) - remembered, len(job.texts))
    return job.finish(results)


def _translate_segment(
    sources: _Sources, result: AlignedTranslation, keep: Sequence[str], terms: Sequence[str] = ()
) -> _Translated:
    """Project the markup of a source.

    Args:
        sources: The segment.
        result: The translation.
        keep: Texts that are not translated.
        terms: What the last elements are replaced by.
    """
    segment, sent, match = sources.segment, sources.sent, sources.match
    notes = list(result.warnings)
    if match is not None and match.score < 1:
        notes.append(f"From the memory, {match.score:.0%} equal to {match.source[:200]!r}.")
    text = sources.original.text
    if result.parts is None:
        notes.append("It was not translated.")
        return _Translated(None, SegmentReport(segment.location, text, text, tuple(notes)), 0)
    projection = project_markup(sent, result)
    notes += [
        f"{_describe(sent, index)} has no word links: check its place."
        for index in projection.unplaced
    ]
    marked, shown = _show_kept(sources, projection.marked, terms)
    notes += [f"{text!r} is one time too many." for text in repeated_placeholders(marked, keep)]
    missing = changed_numbers(translated_text(sources.original), translated_text(marked))
    notes += [f"The number {number} is missing." for number in missing]
    unchanged = segment.in_place and projection.marked == sent
    report = SegmentReport(
        segment.location, text, shown, tuple(notes), None if match is None else match.score
    )
    return _Translated(None if unchanged else marked, report, len(projection.unplaced))


def _without_translation(translated: _Translated) -> _Translated:
    """A segment that keeps its source, because its translation would be read differently."""
    report = translated.report
    note = f"Its markup cannot be written around {report.target[:200]!r}, so it was not translated."
    report = replace(report, target=report.source, notes=(*report.notes, note))
    return replace(translated, marked=None, report=report)


def _describe(source: MarkedText, index: int) -> str:
    element = source.elements[index]
    return f"{(element.raw or element.opening)[:60]!r}"


def _agreeing_words(
    text: str, ranges: Sequence[tuple[int, int, str]], terms: int, language: str | None
) -> list[tuple[int, int, str]]:
    """The words before terms that have another form there: their ranges, and this form.

    `ranges`: what is replaced in the text; the last ones are those of the `terms`.
    """
    words = []
    for start, _, term in ranges[len(ranges) - terms :]:
        form = agreeing_word(text[:start], term, language)
        if form is None or any(start - form[0] < end <= start for _, end, _ in ranges):
            continue
        words.append((start - form[0], start, form[1]))
    return words


def _show_kept(
    sources: _Sources, target: MarkedText, terms: Sequence[str]
) -> tuple[MarkedText, str]:
    """A translation with its placeholder codes replaced by the kept texts and the terms.

    Also returns its text for the report, including texts whose code the translation lacks.
    """
    sent, hidden = sources.sent, sources.hidden
    first_term = len(sent.elements) - len(terms)
    ranges = []
    for index, (element, placed) in enumerate(zip(sent.elements, target.elements, strict=True)):
        if element.raw is not None and element.start < element.end:
            own = sent.text[element.start : element.end]
            shown = hidden.get(own, own) if index < first_term else terms[index - first_term]
            ranges.append((placed.start, placed.end, shown))
    ranges += _agreeing_words(target.text, ranges, len(terms), sources.language)
    taken = sorted((start, end) for start, end, _ in ranges)
    for match in PLACEHOLDER_CODE.finditer(target.text) if hidden else ():
        previous = bisect_left(taken, (match.end(),)) - 1
        is_free = previous < 0 or taken[previous][1] <= match.start()
        if is_free and match[0] in hidden:  # the model has written it more than once
            ranges.append((*match.span(), hidden[match[0]]))
    ranges.sort()
    covered = [(start, end, text) for start, end, text in ranges if start < end]
    return replace_ranges(target, covered), replace_ranges(MarkedText(target.text), ranges).text
