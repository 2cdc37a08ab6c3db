"""The report on a translated document: values for JSON, and an HTML page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import Any, TypedDict

from regard.documents.terms import TermUse
from regard.html import html_page

_STYLE = """
.counts { grid-template-columns: max-content 1fr; font-size: 1rem; margin: 1rem 0 0; }
.counts dt { text-align: right; color: var(--ink); font-weight: 600;
  font-variant-numeric: tabular-nums; }
.counts dd { color: var(--soft); }
.place { color: var(--soft); font-size: .85rem; margin: 0; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: .1rem 1.5rem; }
.pair p { margin: 0; overflow-wrap: anywhere; }
.pair p:first-child { color: var(--soft); }
.notes { margin: .4rem 0 0; padding-left: 1.2rem; }
article.plain { background: none; border: 0; border-top: 1px solid var(--line); border-radius: 0;
  padding: .5rem 0; margin: 0; }
@media (max-width: 40rem) { .pair { grid-template-columns: 1fr; } }
"""


@dataclass(frozen=True, slots=True)
class SegmentReport:
    """One segment: where it is, its texts, and what a person should check.

    `match` is the similarity to the source of a translation memory whose translation was used, from
    0 to 1; None if the model has translated the segment.
    """

    place: str
    source: str
    target: str
    notes: tuple[str, ...] = ()
    match: float | None = None
    terms: tuple[TermUse, ...] = ()


class DocumentReportValues(TypedDict):
    """The JSON of a `DocumentReport`."""

    name: str
    format: str
    segments: list[dict[str, Any]]  # of each `SegmentReport`
    elements: int
    unplaced: int
    kept: int


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """The segments of a document, and counts of its elements."""

    name: str
    format: str
    segments: tuple[SegmentReport, ...]
    elements: int  # inline elements and placeholders that were placed
    unplaced: int  # of these, those without word links
    kept: int  # placeholders and other raw elements, each of which is in the output

    @property
    def to_check(self) -> list[SegmentReport]:
        """The segments with notes."""
        return [segment for segment in self.segments if segment.notes]

    @property
    def terms(self) -> dict[str, int]:
        """How many terms the model translated as prescribed, were replaced, and are missing."""
        made_by = [use.by for segment in self.segments for use in segment.terms]
        return {
            "model": made_by.count("model"),
            "replacement": made_by.count("replacement"),
            "missing": made_by.count(""),
        }

    @property
    def remembered(self) -> tuple[int, int]:
        """How many translations are from a memory: of equal and of similar sources."""
        matches = [segment.match for segment in self.segments if segment.match is not None]
        exact = sum(match == 1 for match in matches)
        return exact, len(matches) - exact

    def to_json(self) -> dict[str, object]:
        """Values for a JSON file."""
        return asdict(self) | {"to_check": len(self.to_check), "terms": self.terms}

    @classmethod
    def from_json(cls, values: DocumentReportValues) -> DocumentReport:
        """The report that `to_json` has written."""
        segments = tuple(
            SegmentReport(
                **(
                    record
                    | {
                        "notes": tuple(record["notes"]),
                        "terms": tuple(TermUse(**use) for use in record["terms"]),
                    }
                )
            )
            for record in values["segments"]
        )
        return cls(
            values["name"],
            values["format"],
            segments,
            values["elements"],
            values["unplaced"],
            values["kept"],
        )

    def to_page(self) -> str:
        """An HTML page: counts, the segments to check, and all segments."""
        check = self.to_check
        verdict = (
            f"{len(check)} of {len(self.segments)} segments need a check"
            if check
            else f"{len(self.segments)} segments, nothing to check"
        )
        counts = [
            (len(self.segments), "segments"),
            (self.elements, "inline elements and placeholders"),
            (self.kept, "of these, copied unchanged"),
            (self.unplaced, "of these, placed without word links"),
        ]
        if any(segment.terms for segment in self.segments):
            names = {
                "model": "terms that the model translated as prescribed",
                "replacement": "terms whose translation was replaced",
                "missing": "terms that are missing",
            }
            counts += [(count, names[by]) for by, count in self.terms.items()]
        if any(self.remembered):
            exact, fuzzy = self.remembered
            counts += [(exact, "translations from the memory, of equal texts")]
            counts += [(fuzzy, "translations from the memory, of similar texts")]
        rows = "".join(f"<dt>{count:,}</dt><dd>{escape(name)}</dd>" for count, name in counts)
        return html_page(
            f"{self.name}: translation report",
            [
                f"<h1>{escape(self.name)} ({escape(self.format)})</h1>",
                f'<p class="verdict {"bad" if check else "good"}">{escape(verdict)}</p>',
                f'<dl class="counts">{rows}</dl>',
                "<h2>To check</h2>" if check else "",
                *(_article(segment, _notes(segment)) for segment in check),
                "<h2>All segments</h2>",
                *(_article(segment) for segment in self.segments),
            ],
            _STYLE,
        )


def _article(segment: SegmentReport, notes: str = "") -> str:
    """A segment: its place, source and translation; on a card if it has notes."""
    style = "card" if notes else "plain"
    mark = ' <span class="bad">· to check</span>' if segment.notes and not notes else ""
    return (
        f'<article class="{style}"><p class="place">{escape(segment.place)}{mark}</p>'
        f'<div class="pair"><p>{escape(segment.source)}</p><p>{escape(segment.target)}</p></div>'
        f"{notes}</article>"
    )


def _notes(segment: SegmentReport) -> str:
    items = "".join(f'<li class="bad">{escape(note)}</li>' for note in segment.notes)
    return f'<ul class="notes">{items}</ul>'
