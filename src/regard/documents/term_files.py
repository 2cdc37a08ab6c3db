"""Read terms from a TSV file or from TBX, the exchange format of term bases."""

from __future__ import annotations

from pathlib import Path
from xml.parsers import expat

from regard.documents.markup_tokens import check_xml
from regard.documents.terms import Term
from regard.errors import DocumentError

MAX_BYTES = 64 * 2**20


def read_terms(path: str | Path, languages: tuple[str | None, str | None]) -> list[Term]:
    """The terms of a file.

    Args:
        path: A .tsv file with a term and its translation in the first two columns, or a .tbx file.
        languages: Codes of source and target. TBX needs them if a concept has other languages.

    Raises:
        DocumentError: The file cannot be read or has no terms.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read ({error.strerror}).") from None
    if len(content) > MAX_BYTES:
        raise DocumentError(f"{path}: has more than {MAX_BYTES:,} bytes. Divide it.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(
            f"{path}: byte {error.start} is not UTF-8. Convert the file to UTF-8."
        ) from None
    try:
        is_tbx = path.suffix.lower() in (".tbx", ".xml")
        terms = _tbx_terms(text, languages) if is_tbx else _tsv_terms(text)
    except DocumentError as error:
        raise DocumentError(f"{path}: {error}") from None
    if not terms:
        raise DocumentError(
            f"{path}: has no terms. Write a term and its translation in each line, separated by a "
            "tab."
        )
    return terms


def _tsv_terms(text: str) -> list[Term]:
    terms = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        columns = [column.strip() for column in line.split("\t")]
        if len(columns) < 2 or not all(columns[:2]):
            raise DocumentError(
                f"line {number}: needs a term and its translation, separated by a tab."
            )
        terms.append(Term(columns[0], columns[1]))
    return terms


class _Concepts:
    """Collects the terms of each concept by language; TBX 2 and 3 have other element names."""

    def __init__(self) -> None:
        self.concepts: list[dict[str, list[str]]] = []
        self._language = ""
        self._text: list[str] | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in ("termEntry", "conceptEntry"):
            self.concepts.append({})
        elif name in ("langSet", "langSec"):
            self._language = attributes.get("xml:lang", "").lower()
        elif name == "term":
            self._text = []

    def text(self, content: str) -> None:
        if self._text is not None:
            self._text.append(content)

    def end(self, name: str) -> None:
        if name == "term" and self._text is not None and self.concepts:
            word = " ".join("".join(self._text).split())
            if word:
                self.concepts[-1].setdefault(self._language, []).append(word)
            self._text = None


def _tbx_terms(text: str, languages: tuple[str | None, str | None]) -> list[Term]:
    check_xml(text, doctype=True)  # before it is parsed: no entities, no deep elements
    concepts = _Concepts()
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler, parser.EndElementHandler = concepts.start, concepts.end
    parser.CharacterDataHandler = concepts.text
    parser.Parse(text.encode(), True)
    terms = []
    for concept in concepts.concepts:
        source, target = (_in_language(concept, code) for code in languages)
        if source is None and target is None and len(concept) == 2:
            source, target = concept.values()
        if source and target:
            terms += [Term(term, target[0]) for term in source]
    return terms


def _in_language(concept: dict[str, list[str]], code: str | None) -> list[str] | None:
    if code is None:
        return None
    wanted = code.lower()
    for language, words in concept.items():
        if language == wanted or language.split("-")[0] == wanted.split("-")[0]:
            return words
    return None
