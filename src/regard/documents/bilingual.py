"""Files with sources and translations for translation tools: XLIFF 1.2, PO and TMX."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

from regard.documents.report import DocumentReport, SegmentReport
from regard.errors import DocumentError

BILINGUAL_SUFFIXES = (".xlf", ".xliff", ".po", ".tmx")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_UNKNOWN = "und"  # the code of a language that is not known


def write_bilingual(
    report: DocumentReport, suffix: str, languages: tuple[str | None, str | None]
) -> str:
    """The segments of a report in the format of a suffix.

    Args:
        report: Of a translated document.
        suffix: Of `BILINGUAL_SUFFIXES`.
        languages: Codes of source and target, where known.

    Raises:
        DocumentError: The suffix is of another format.
    """
    write = _WRITERS.get(suffix.lower())
    if write is None:
        raise DocumentError(
            f"{suffix!r}: bilingual files end with {', '.join(BILINGUAL_SUFFIXES)}."
        )
    return write(report, languages[0] or _UNKNOWN, languages[1] or _UNKNOWN)


def _xliff(report: DocumentReport, source: str, target: str) -> str:
    units = [
        f'<trans-unit id="{number}" resname="{_xml(segment.place)}">\n'
        f'<source xml:lang="{source}">{_xml(segment.source)}</source>\n'
        f'<target xml:lang="{target}" {_xliff_state(segment)}>{_xml(segment.target)}</target>\n'
        + "".join(f"<note>{_xml(note)}</note>\n" for note in segment.notes)
        + "</trans-unit>\n"
        for number, segment in enumerate(report.segments, 1)
    ]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n'
        f'<file original="{_xml(report.name)}" datatype="plaintext" '
        f'source-language="{source}" target-language="{target}">\n<body>\n'
        f"{''.join(units)}</body>\n</file>\n</xliff>\n"
    )


def _xliff_state(segment: SegmentReport) -> str:
    if segment.match == 1 and not segment.notes:
        return 'state="translated" state-qualifier="exact-match"'
    qualifier = "mt-suggestion" if segment.match is None else "fuzzy-match"
    return f'state="needs-review-translation" state-qualifier="{qualifier}"'


def _xml(text: str) -> str:
    """Escape text for XML; control characters, which XML forbids, become spaces."""
    return escape(_CONTROL.sub(" ", text))


def _po(report: DocumentReport, source: str, target: str) -> str:
    """Write each source once: PO forbids duplicate messages."""
    entries = [
        'msgid ""\nmsgstr ""\n"MIME-Version: 1.0\\n"\n'
        '"Content-Type: text/plain; charset=UTF-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'
        f'"Language: {target}\\n"\n"X-Source-Language: {source}\\n"\n'
    ]
    first_segments: dict[str, SegmentReport] = {}
    for segment in report.segments:
        first_segments.setdefault(segment.source, segment)
    for segment in first_segments.values():
        notes = "".join(f"#. {' '.join(note.split())}\n" for note in segment.notes)
        fuzzy = "#, fuzzy\n" if segment.notes else ""
        entries.append(
            f"{notes}#: {'_'.join(f'{report.name}:{segment.place}'.split())}\n{fuzzy}"
            f"msgid {_po_string(segment.source)}\nmsgstr {_po_string(segment.target)}\n"
        )
    return "\n".join(entries)


def _po_string(text: str) -> str:
    for character, written in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
        text = text.replace(character, written)
    return f'"{text}"'


def _tmx(report: DocumentReport, source: str, target: str) -> str:
    units = [
        f'<tu><prop type="state">{"needs-review" if segment.notes else "translated"}</prop>\n'
        f'<tuv xml:lang="{source}"><seg>{_xml(segment.source)}</seg></tuv>\n'
        f'<tuv xml:lang="{target}"><seg>{_xml(segment.target)}</seg></tuv></tu>\n'
        for segment in report.segments
    ]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
        '<header creationtool="regard" creationtoolversion="1" segtype="sentence" o-tmf="regard" '
        f'adminlang="en" srclang="{source}" datatype="plaintext"/>\n'
        f"<body>\n{''.join(units)}</body>\n</tmx>\n"
    )


_WRITERS: dict[str, Callable[[DocumentReport, str, str], str]] = {
    ".xlf": _xliff,
    ".xliff": _xliff,
    ".po": _po,
    ".tmx": _tmx,
}
