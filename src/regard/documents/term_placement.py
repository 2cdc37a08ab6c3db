"""Put the prescribed translations of terms into a translation, by its word links.

A term that the model has translated as prescribed stays. Otherwise its prescribed translation
replaces the words that are linked to it, as a placeholder does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from regard.documents.aligned_translation import AlignedTranslation
from regard.documents.marked_text import MarkedText
from regard.documents.placeholders import add_raw_elements
from regard.documents.projection import project_markup
from regard.documents.terms import TermBase, TermMatch, TermUse, like_source


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
    matches = [
        match
        for match in terms.find(source.text)
        if not any(low < match.end and match.start < high for low, high in raw)
    ]
    missing = _missing(matches, translation.text, terms)
    made_by = {match: "" if match in missing else "model" for match in matches}
    marked, accepted = _mark(source, missing, escape)
    if accepted and translation.parts is not None:
        projection = project_markup(marked, translation)
        first = len(source.elements)
        for index, match in enumerate(accepted, first):
            placed = projection.marked.elements[index]
            if index in projection.unplaced:
                continue
            present = terms.find_target(match.term, projection.marked.text)
            overlaps = any(low < placed.end and placed.start < high for low, high in present)
            made_by[match] = "model" if overlaps else "replacement"
    replaced = [match for match in accepted if made_by[match] == "replacement"]
    marked, accepted = _mark(source, replaced, escape)
    return PlacedTerms(
        marked,
        tuple(like_source(match, source.text) for match in accepted),
        tuple(TermUse(match.term.source, match.term.target, made_by[match]) for match in matches),
    )


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
