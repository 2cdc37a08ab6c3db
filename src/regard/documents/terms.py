"""Terms: their files, where they occur, and their placement in translations.

The comparison ignores case and the endings of plurals. Terms in scripts without spaces between
words are found as strings.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

from regard.documents.formats.base import MAX_PAIR_BYTES, read_file
from regard.documents.inline_tags import check_xml
from regard.documents.marked_text import AlignedTranslation, InlineElement, MarkedText
from regard.documents.placeholders import add_raw_elements
from regard.documents.projection import Projection, project_markup
from regard.errors import DocumentError
from regard.text.tokenizer import Span

_WORD = re.compile(r"\w+")
_BETWEEN = re.compile(r"[\s\u00a0'’-]*")  # what may separate the words of a term
_NO_SPACES = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

# What is replaced at the end of a word, by language. A word and its base form are compared by the
# sets of their possible bases.
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (("s", ""), ("es", ""), ("ies", "y")),
    "fr": (("s", ""), ("x", ""), ("aux", "al"), ("e", ""), ("es", "")),
    "de": (("e", ""), ("n", ""), ("en", ""), ("er", ""), ("es", ""), ("s", ""), ("em", "")),
    "es": (("s", ""), ("es", "")),
    "pt": (("s", ""), ("es", ""), ("ões", "ão"), ("ais", "al")),
    "it": (("i", "o"), ("e", "a"), ("i", "e")),
    "nl": (("s", ""), ("en", ""), ("e", "")),
}
_UNKNOWN = (("s", ""), ("es", ""))
_SHORTEST = 3  # characters of a base


@dataclass(frozen=True, slots=True)
class Term:
    """A term and its translation."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class TermMatch:
    """An occurrence of a term in a text."""

    start: int
    end: int
    term: Term


@dataclass(frozen=True, slots=True)
class TermUse:
    """A term of a segment, and how its translation came about.

    `by` is "model" if the model has translated it so, "replacement" if other words were replaced,
    and "" if the translation does not have it.
    """

    source: str
    target: str
    by: str


class TermBase:
    """Finds terms in texts.

    Args:
        terms: With their translations. The first of several for one term is used.
        languages: Codes of source and target, where known: they select the endings.
    """

    def __init__(
        self, terms: Iterable[Term], languages: tuple[str | None, str | None] = (None, None)
    ) -> None:
        self.languages = languages
        self._endings = tuple(
            _ENDINGS.get((code or "")[:2].lower(), _UNKNOWN) for code in languages
        )
        self._by_word: dict[str, list[tuple[list[frozenset[str]], Term]]] = defaultdict(list)
        self._strings: list[Term] = []
        first_terms: dict[str, Term] = {}
        for term in terms:
            if first_terms.setdefault(term.source.casefold(), term) is not term:
                continue
            if _NO_SPACES.search(term.source):
                self._strings.append(term)
                continue
            words = [_bases(word, self._endings[0]) for word in _WORD.findall(term.source)]
            for base in words[0] if words else ():
                self._by_word[base].append((words, term))
        self._order = {term: number for number, term in enumerate(first_terms.values())}
        self.size = len(first_terms)

    def find(self, text: str) -> list[TermMatch]:
        """The terms in a text, in order.

        Of those that overlap, the first and longest; of those at the same place, the one that is
        written like the text, else the first of the file.
        """
        matches = [
            TermMatch(match.start(), match.end(), term)
            for term in self._strings
            for match in re.finditer(re.escape(term.source), text)
        ]
        words = [match.span() for match in _WORD.finditer(text)]
        bases = [_bases(text[start:end], self._endings[0]) for start, end in words]
        for first, (start, _) in enumerate(words):
            for base in bases[first]:
                for pattern, term in self._by_word.get(base, ()):
                    if _matches(text, words, bases, first, pattern):
                        end = words[first + len(pattern) - 1][1]
                        matches.append(TermMatch(start, end, term))

        def rank(match: TermMatch) -> tuple[int, int, bool, int]:
            written = text[match.start : match.end].lower() == match.term.source.lower()
            return match.start, -match.end, not written, self._order[match.term]

        chosen: list[TermMatch] = []
        for match in sorted(matches, key=rank):
            if not chosen or match.start >= chosen[-1].end:
                chosen.append(match)
        return chosen

    def find_target(self, term: Term, text: str) -> list[Span]:
        """Where the translation of a term is in a text, inflected or not."""
        if _NO_SPACES.search(term.target):
            return [match.span() for match in re.finditer(re.escape(term.target), text)]
        pattern = [_bases(word, self._endings[1]) for word in _WORD.findall(term.target)]
        words = [match.span() for match in _WORD.finditer(text)]
        bases = [_bases(text[start:end], self._endings[1]) for start, end in words]
        return [
            (words[first][0], words[first + len(pattern) - 1][1])
            for first in range(len(words) - len(pattern) + 1)
            if pattern and _matches(text, words, bases, first, pattern)
        ]


def like_source(match: TermMatch, text: str) -> str:
    """The translation of a term, with a capital letter if only its occurrence has one."""
    target, occurrence = match.term.target, text[match.start : match.end]
    if occurrence.isupper() and len(occurrence) > 1 and not match.term.source.isupper():
        return target.upper()
    if occurrence[:1].isupper() and not match.term.source[:1].isupper():
        return target[:1].upper() + target[1:]
    return target


def _matches(
    text: str,
    words: Sequence[Span],
    bases: Sequence[frozenset[str]],
    first: int,
    pattern: Sequence[frozenset[str]],
) -> bool:
    if first + len(pattern) > len(words):
        return False
    for index, wanted in enumerate(pattern, first):
        if not bases[index] & wanted:
            return False
        if index > first and not _BETWEEN.fullmatch(text, words[index - 1][1], words[index][0]):
            return False
    return True


def _bases(word: str, endings: Sequence[tuple[str, str]]) -> frozenset[str]:
    """The word without case, and what it may be a form of."""
    word = word.casefold()
    return frozenset(
        [
            word,
            *(
                word[: len(word) - len(ending)] + base
                for ending, base in endings
                if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST
            ),
        ]
    )


# -- read terms from a TSV file or from TBX, the exchange format of term bases ---------------------


def read_terms(path: str | Path, languages: tuple[str | None, str | None]) -> list[Term]:
    """The terms of a file.

    Args:
        path: A .tsv file with a term and its translation in the first two columns, or a .tbx file.
        languages: Codes of source and target. TBX needs them if a concept has other languages.

    Raises:
        DocumentError: The file cannot be read or has no terms.
    """
    path = Path(path)
    content = read_file(path, MAX_PAIR_BYTES)
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


# -- put the prescribed translations of terms into a translation, by its word links ----------------
# A term that the model has translated as prescribed stays. Otherwise its prescribed translation
# replaces the words that are linked to it, as a placeholder does.


@dataclass(frozen=True, slots=True)
class PlacedTerms:
    """A source text with an element for each term to replace.

    Args:
        marked: The source with the elements.
        written: What the new elements are replaced by, in their order.
        uses: All terms of the source, in its order.
    """

    marked: MarkedText
    written: tuple[str, ...]
    uses: tuple[TermUse, ...]


def place_terms(
    source: MarkedText,
    translation: AlignedTranslation,
    terms: TermBase,
    escape: Callable[[str], str] = str,
) -> PlacedTerms:
    """Find the terms of a source that its translation does not have, and mark them.

    `escape`: writes text as it is in the file.
    """
    raw = [(element.start, element.end) for element in source.elements if element.raw is not None]
    matches = [match for match in terms.find(source.text) if not _overlaps(match, raw)]
    missing = _missing(matches, translation.text, terms)
    made_by = {match: "" if match in missing else "model" for match in matches}
    marked, accepted = _mark(source, missing, escape)
    if accepted and translation.parts is not None:
        projection = project_markup(marked, translation)
        made_by |= _makers(projection, dict(enumerate(accepted, len(source.elements))), terms)
    replaced = [match for match in accepted if made_by[match] == "replacement"]
    marked, accepted = _mark(source, replaced, escape)
    return PlacedTerms(
        marked,
        tuple(like_source(match, source.text) for match in accepted),
        tuple(TermUse(match.term.source, match.term.target, made_by[match]) for match in matches),
    )


def _overlaps(part: TermMatch | InlineElement, spans: Iterable[Span]) -> bool:
    """Whether a part of a text has a character of one of the spans."""
    return any(start < part.end and part.start < end for start, end in spans)


def _makers(
    projection: Projection, matches: Mapping[int, TermMatch], terms: TermBase
) -> dict[TermMatch, str]:
    """Who makes the translation of each term that has a place in it: the model or a replacement.

    `matches`: by the indices of their elements.
    """
    makers: dict[TermMatch, str] = {}
    for index, match in matches.items():
        if index not in projection.unplaced:
            element = projection.marked.elements[index]
            present = terms.find_target(match.term, projection.marked.text)
            makers[match] = "model" if _overlaps(element, present) else "replacement"
    return makers


def _missing(matches: Sequence[TermMatch], target: str, terms: TermBase) -> list[TermMatch]:
    """The occurrences of terms that are more often in the source than in the translation."""
    counts = Counter(match.term for match in matches)
    return [
        match
        for match in matches
        if len(terms.find_target(match.term, target)) < counts[match.term]
    ]


def _mark(
    source: MarkedText, matches: Sequence[TermMatch], escape: Callable[[str], str]
) -> tuple[MarkedText, list[TermMatch]]:
    """The source with an element for each match that no element crosses, and these matches."""
    wanted = [
        (match.start, match.end, escape(like_source(match, source.text))) for match in matches
    ]
    marked = add_raw_elements(source, wanted, replaces=True)
    spans = {(element.start, element.end) for element in marked.elements[len(source.elements) :]}
    return marked, [match for match in matches if (match.start, match.end) in spans]


# -- the word before a term, whose form depends on the first letter of the term --------------------
# Only where the form is certain: `l'` before a consonant may be `le` or `la`, and a French h may be
# silent or not.


_BEFORE_VOWEL: dict[str, dict[str, str]] = {
    "fr": {
        **{word: f"{word[:-1]}'" for word in ("le", "la", "de", "que", "ne", "se", "jusque")},
        "du": "de l'",
        "au": "à l'",
        "ce": "cet ",
        "ma": "mon ",
        "ta": "ton ",
        "sa": "son ",
    },
    "it": {
        **dict.fromkeys(("il", "lo", "la"), "l'"),
        "una": "un'",
        **{
            f"{word}{end}": f"{word}l'"
            for word in ("del", "al", "dal", "nel", "sul")
            for end in ("", "la", "lo")
        },
    },
    "ca": {"el": "l'", "la": "l'", "de": "d'", "del": "de l'", "al": "a l'", "pel": "per l'"},
    "en": {"a": "an "},
}
_BEFORE_CONSONANT: dict[str, dict[str, str]] = {
    "fr": {"d'": "de ", "qu'": "que ", "n'": "ne ", "s'": "se ", "jusqu'": "jusque ", "cet": "ce "},
    "it": {"un'": "una "},
    "ca": {"d'": "de "},
    "en": {"an": "a "},
}
_VOWEL = {
    "fr": re.compile(r"(?!onz|oui)[aeiouœæ]", re.I),
    "it": re.compile(r"[aeiou]", re.I),
    "ca": re.compile(r"[aeiou]", re.I),
    "en": re.compile(r"(?!eu|one|once)[aeio]", re.I),
}
_CONSONANT = re.compile(r"[b-df-gj-np-tv-xz]", re.I)  # without those that can be silent or vowels
_LAST_WORD = re.compile(r"(?<!\w)(?:(?P<word>\w+)[ \u00a0]|(?P<elided>\w+['’]))\Z")


def agreeing_word(preceding: str, term: str, language: str | None) -> tuple[int, str] | None:
    """Return the form of the last word before a term, and how many characters it replaces.

    Args:
        preceding: The text before the term.
        term: The term, as it is written.
        language: Code of its language.

    Returns:
        None: the word stays as it is.
    """
    code = (language or "")[:2].lower()
    last = _LAST_WORD.search(preceding[-40:])
    if code not in _VOWEL or last is None:
        return None
    first = "".join(
        c for c in unicodedata.normalize("NFD", term[:2]) if not unicodedata.combining(c)
    )
    word = last["word"] or last["elided"].replace("’", "'")
    if _VOWEL[code].match(first + term[2:]):
        form = _BEFORE_VOWEL[code].get(word.lower())
    elif _CONSONANT.match(first):
        form = _BEFORE_CONSONANT[code].get(word.lower())
    else:
        form = None
    if form is None:
        return None
    capital = word[0].isupper()
    return len(last[0]), form[0].upper() + form[1:] if capital else form
