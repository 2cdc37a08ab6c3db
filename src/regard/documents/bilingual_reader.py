"""Read pairs of sources and translations from XLIFF and PO files, for a memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, XMLParser

from regard.documents.formats.base import decode_document
from regard.documents.formats.po import read_messages
from regard.documents.markup_tokens import check_xml
from regard.errors import DocumentError

PAIR_SUFFIXES = (".xlf", ".xliff", ".po")
MAX_BYTES = 64 * 2**20
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
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read ({error.strerror}).") from None
    if len(content) > MAX_BYTES:
        raise DocumentError(f"{path}: has more than {MAX_BYTES:,} bytes. Divide it.")
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
        if _local(element) not in ("trans-unit", "segment"):
            continue
        parts = {_local(child): child for child in reversed(element)}
        target = parts.get("target")
        state = element.get("state") or ("" if target is None else target.get("state"))
        if target is None or "source" not in parts or state in _UNFINISHED:
            continue
        marks = {mark.get("mid"): mark for mark in target if _local(mark) == "mrk"}
        for mark in parts.get("seg-source", ()):
            if mark.get("mid") in marks and _local(mark) == "mrk":
                yield _plain(mark), _plain(marks[mark.get("mid")])
        yield _plain(parts["source"]), _plain(target)


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
