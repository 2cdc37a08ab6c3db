"""Read TMX, the exchange format of translation memories, as a stream of pairs.

Expat parses the file incrementally. A DOCTYPE that only names a DTD is accepted and not fetched,
since many TMX writers emit one. A DOCTYPE with declarations is refused, which prevents entity
expansion attacks. Inline codes (bpt, ept, it, ph, ut) are markup and are dropped; the content of
`hi` is text.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.parsers import expat

from regard.data.formats.files import read_chunks
from regard.errors import CorpusError

_CODES = frozenset(["bpt", "ept", "it", "ph", "ut"])


def tmx_pairs(path: str, source: str, target: str) -> Iterator[list[tuple[str, str]]]:
    """Yield the pairs of each chunk of the file, in order.

    A unit without one of the two languages is skipped. If a unit has several variants of a
    language, the first one is used. `en` also matches `en-GB`.
    """
    units = _Units(path, source.lower(), target.lower())
    any_pair = False
    for chunk in read_chunks(path):
        pairs = units.feed(chunk)
        any_pair = any_pair or bool(pairs)
        yield pairs
    pairs = units.feed(b"", last=True)  # since version 2.6, expat defers tokens that are cut off
    any_pair = any_pair or bool(pairs)
    yield pairs
    if not any_pair:
        languages = ", ".join(sorted(units.languages)) or "none"
        raise CorpusError(
            f"{path}: no unit has both {source} and {target}. Languages in the file: {languages}."
        )


class _Units:
    """Parser state: collects the pairs of completed translation units."""

    def __init__(self, path: str, source: str, target: str) -> None:
        self.path, self.source, self.target = path, source, target
        self.languages: set[str] = set()
        self._pairs: list[tuple[str, str]] = []
        self._unit: dict[str, str] = {}
        self._language = ""
        self._segment: list[str] | None = None  # the text of the open segment
        self._codes = 0  # depth of open inline codes
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
            source, target = self._variant(self.source), self._variant(self.target)
            if source is not None and target is not None:
                self._pairs.append((source, target))
        elif name in _CODES:
            self._codes -= 1

    def _text(self, text: str) -> None:
        if self._segment is not None and not self._codes:
            self._segment.append(text)

    def _variant(self, language: str) -> str | None:
        if language in self._unit:
            return self._unit[language]
        regional = (self._unit[name] for name in self._unit if name.split("-")[0] == language)
        return next(regional, None)

    def _doctype(self, name: str, system: str | None, public: str | None, declares: int) -> None:
        if declares:
            raise self._error("the DOCTYPE contains declarations. Remove them.")

    def _error(self, cause: str) -> CorpusError:
        return CorpusError(f"{self.path}, line {self._parser.CurrentLineNumber}: {cause}")
