"""What was done with a document: values for JSON, and an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from regard.documents.terms import TermUse
from regard.html import html_page, html_table


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


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """The segments of a document, and counts of what was done."""

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

    def to_json(self) -> dict[str, Any]:
        """Values for a JSON file."""
        return asdict(self) | {"to_check": len(self.to_check), "terms": self.terms}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> DocumentReport:
        """The report that `to_json` has written."""
        segments = tuple(
            SegmentReport(
                **(
                    each
                    | {
                        "notes": tuple(each["notes"]),
                        "terms": tuple(TermUse(**use) for use in each["terms"]),
                    }
                )
            )
            for each in values["segments"]
        )
        counts = {name: values[name] for name in ("elements", "unplaced", "kept")}
        return cls(values["name"], values["format"], segments, **counts)

    def to_page(self) -> str:
        """An HTML page: counts, the segments to check, and all segments."""
        check = self.to_check
        verdict = (
            f"{len(check)} of {len(self.segments)} segments need a check"
            if check
            else f"{len(self.segments)} segments, nothing to check"
        )
        counts = [
            ["segments", f"{len(self.segments):,}"],
            ["inline elements and placeholders", f"{self.elements:,}"],
            ["of these, copied unchanged", f"{self.kept:,}"],
            ["of these, placed without word links", f"{self.unplaced:,}"],
        ]
        if any(segment.terms for segment in self.segments):
            names = {
                "model": "terms that the model translated as prescribed",
                "replacement": "terms whose translation was replaced",
                "missing": "terms that are missing",
            }
            counts += [[names[by], f"{count:,}"] for by, count in self.terms.items()]
        if any(self.remembered):
            exact, fuzzy = self.remembered
            counts += [["from the memory, exact", f"{exact:,}"]]
            counts += [["from the memory, similar", f"{fuzzy:,}"]]
        return html_page(
            f"{self.name}: translation report",
            [
                f"<h1>{escape(self.name)} ({escape(self.format)})</h1>",
                f'<p class="verdict {"bad" if check else "good"}">{escape(verdict)}</p>',
                html_table(["", "count"], counts),
                "<h2>To check</h2>" if check else "",
                *_articles(check),
                "<h2>All segments</h2>",
                *_articles(self.segments),
            ],
        )


def _articles(segments: Sequence[SegmentReport]) -> list[str]:
    return [
        "<article><dl>"
        + "".join(
            f"<dt>{name}</dt><dd{style}>{escape(text)}</dd>"
            for name, text, style in (
                ("place", segment.place, ""),
                ("source", segment.source, ""),
                ("target", segment.target, ""),
                *(("check", note, ' class="bad"') for note in segment.notes),
            )
        )
        + "</dl></article>"
        for segment in segments
    ]
