"""Bilingual files: TMX, TSV and XLIFF, written from translations and read as a memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from xml.etree.ElementTree import Element, XMLParser

from regard.documents.formats.base import MAX_PAIR_BYTES, decode_document, read_file
from regard.documents.formats.po import read_messages
from regard.documents.inline_tags import check_xml
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


# -- read pairs of sources and translations from XLIFF and PO files, for a memory ------------------


PAIR_SUFFIXES = (".xlf", ".xliff", ".po")
_UNFINISHED = frozenset(["new", "needs-translation", "initial"])
_CODES = frozenset(["bpt", "ept", "ph", "it", "x", "bx", "ex", "sc", "ec", "cp"])
_FUZZY = re.compile(r"^#,.*\bfuzzy\b", re.MULTILINE)


def read_bilingual(path: Path, languages: tuple[str, str] | None) -> list[tuple[str, str]]:
    """The sources that have a translation, with it, in the order of the file.

    Messages of PO that are marked `fuzzy` are left out.

    Args:
        path: A file whose name ends with one of `PAIR_SUFFIXES`.
        languages: Codes of source and target, which must be those that an XLIFF file names.

    Raises:
        DocumentError: The file cannot be read, or has other languages.
    """
    content = read_file(path, MAX_PAIR_BYTES)
    try:
        text, _, _ = decode_document(content)
        pairs = _po_pairs(text) if path.suffix.lower() == ".po" else _xliff_pairs(text, languages)
        return [(source, target) for source, target in pairs if source.strip() and target.strip()]
    except DocumentError as error:
        raise DocumentError(f"{path}: {error}") from None


def _po_pairs(text: str) -> Iterator[tuple[str, str]]:
    end = 0  # of the message before
    for message in read_messages(text):
        is_fuzzy = _FUZZY.search(text, end, message.start) is not None
        end = max(last for _, last in message.ranges.values())
        if is_fuzzy:
            continue
        strings = message.strings
        for source, target in (
            ("msgid", "msgstr"),
            ("msgid", "msgstr[0]"),
            ("msgid_plural", "msgstr[1]"),
        ):
            yield strings.get(source, ""), strings.get(target, "") * (strings["msgid"] != "")


def _xliff_pairs(text: str, languages: tuple[str, str] | None) -> Iterator[tuple[str, str]]:
    check_xml(text)
    parser = XMLParser()  # noqa: S314  without a DOCTYPE, as checked
    parser.feed(text.encode("utf-8", "surrogatepass"))
    root: Element = parser.close()
    if _local(root) != "xliff":
        raise DocumentError("the root element is not xliff.")
    for element in root.iter():
        for names in (("source-language", "target-language"), ("srcLang", "trgLang")):
            _check_languages([element.get(name) for name in names], languages)
        if _local(element) in ("trans-unit", "segment"):
            yield from _unit_pairs(element)


def _unit_pairs(unit: Element) -> Iterator[tuple[str, str]]:
    """The pairs of the parts of a unit whose translation is finished, and of the whole unit."""
    children = {_local(child): child for child in reversed(unit)}
    target = children.get("target")
    if target is None or "source" not in children:
        return
    if (unit.get("state") or target.get("state")) in _UNFINISHED:
        return
    marks = {mark.get("mid"): mark for mark in target if _local(mark) == "mrk"}
    for mark in children.get("seg-source", ()):
        if mark.get("mid") in marks and _local(mark) == "mrk":
            yield _plain(mark), _plain(marks[mark.get("mid")])
    yield _plain(children["source"]), _plain(target)


def _check_languages(named: list[str | None], wanted: tuple[str, str] | None) -> None:
    for code, expected in zip(named, wanted or (), strict=False):
        if code and code.lower() != "und" and _base(code) != _base(expected):
            assert wanted is not None
            raise DocumentError(
                f"its languages are {'-'.join(code or 'und' for code in named)}, not "
                f"{'-'.join(wanted)}. Name a file with these."
            )


def _base(code: str) -> str:
    return re.split("[-_]", code.lower())[0]


def _plain(element: Element) -> str:
    """The text of an element without inline codes."""
    parts = [element.text or ""]
    for child in element:
        parts += ["" if _local(child) in _CODES else _plain(child), child.tail or ""]
    return "".join(parts)


def _local(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
