"""Reading TMX, the exchange format of translation memories, as a stream of pairs.

Expat reads it piece by piece. A document type is let pass where it only names a file, as TMX
writers do, since nothing is fetched; one that declares anything is refused, so that no entity can
blow up. Inline codes (bpt, ept, it, ph, ut) are markup of another format and not text; what `hi`
marks is.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.parsers import expat

from regard.data.formats.files import read_chunks
from regard.errors import CorpusError

_CODES = frozenset(["bpt", "ept", "it", "ph", "ut"])


def tmx_pairs(path: str, source: str, target: str) -> Iterator[list[tuple[str, str]]]:
    """The pairs of each piece of the file, in order.

    A unit that lacks one of the two languages is no pair and is passed over; of two variants in
    one language the first is taken. `en` finds `en-GB` too.
    """
    units = _Units(path, source.lower(), target.lower())
    found = False
    for chunk in read_chunks(path):
        pairs = units.feed(chunk)
        found = found or bool(pairs)
        yield pairs
    units.feed(b"", last=True)
    if not found:
        seen = ", ".join(sorted(units.languages)) or "no language at all"
        raise CorpusError(f"{path}: no unit has both {source} and {target}; it has {seen}")


class _Units:
    """The state between two events of the parser."""

    def __init__(self, path: str, source: str, target: str) -> None:
        self.path, self.source, self.target = path, source, target
        self.languages: set[str] = set()
        self._pairs: list[tuple[str, str]] = []
        self._unit: dict[str, str] = {}
        self._language = ""
        self._segment: list[str] | None = None  # the text of the open segment
        self._codes = 0  # how many inline codes are open
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._doctype

    def feed(self, chunk: bytes, *, last: bool = False) -> list[tuple[str, str]]:
        try:
            self._parser.Parse(chunk, last)
        except expat.ExpatError as error:
            raise self._error(f"not well-formed XML ({error})") from None
        pairs, self._pairs = self._pairs, []
        return pairs

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "tu":
            self._unit = {}
        elif name == "tuv":
            self._language = (attributes.get("xml:lang") or attributes.get("lang", "")).lower()
            self.languages.add(self._language)
        elif name == "seg":
            self._segment = []
        elif name in _CODES:
            self._codes += 1

    def _end(self, name: str) -> None:
        if name == "seg" and self._segment is not None:
            self._unit.setdefault(self._language, "".join(self._segment))
            self._segment = None
        elif name == "tu":
            source, target = self._said_in(self.source), self._said_in(self.target)
            if source is not None and target is not None:
                self._pairs.append((source, target))
        elif name in _CODES:
            self._codes -= 1

    def _text(self, text: str) -> None:
        if self._segment is not None and not self._codes:
            self._segment.append(text)

    def _said_in(self, language: str) -> str | None:
        if language in self._unit:
            return self._unit[language]
        near = (self._unit[name] for name in self._unit if name.split("-")[0] == language)
        return next(near, None)

    def _doctype(self, name: str, system: str | None, public: str | None, declares: int) -> None:
        if declares:
            raise self._error("its DOCTYPE declares things; remove the declarations")

    def _error(self, cause: str) -> CorpusError:
        return CorpusError(f"{self.path}, line {self._parser.CurrentLineNumber}: {cause}")
