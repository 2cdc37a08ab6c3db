"""What was done with a document: values for JSON, and an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from regard.html import html_page, html_table


@dataclass(frozen=True, slots=True)
class SegmentReport:
    """One segment: where it is, its texts, and what a person should check."""

    place: str
    source: str
    target: str
    notes: tuple[str, ...] = ()


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

    def to_json(self) -> dict[str, Any]:
        """Values for a JSON file."""
        return asdict(self) | {"to_check": len(self.to_check)}

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
