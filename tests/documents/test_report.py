"""The report on a document: counts, JSON and the page."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from regard.documents.report import DocumentReport, SegmentReport
from regard.documents.terms import TermUse

TERMS = tuple(
    TermUse("dog", "Hund", by) for by in ("model", "replacement", "", "", "model", "model")
)
SEGMENTS = (
    SegmentReport("line 1", "a <b>", "un & deux", ("The number 3 is missing.", "Check <it>.")),
    SegmentReport("line 2", "x", "y", match=1.0, terms=TERMS[:2]),
    SegmentReport("line 3", "x", "z", match=0.9, terms=TERMS[2:]),
    SegmentReport("line 4", "q", "r", match=0.87),
)
REPORT = DocumentReport("a <b>.html", "html", SEGMENTS, 1_203, 7, 5)
PLAIN = replace(REPORT, segments=(SegmentReport("line 1", "a", "b"),))


def counts(report: DocumentReport) -> dict[str, str]:
    rows = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", report.to_page())
    return {name: count for count, name in rows}


def test_segments_terms_and_matches_are_counted() -> None:
    assert REPORT.to_check == [SEGMENTS[0]]
    assert REPORT.terms == {"model": 3, "replacement": 1, "missing": 2}
    assert REPORT.remembered == (1, 2)
    assert PLAIN.to_check == [] and PLAIN.remembered == (0, 0)
    assert PLAIN.terms == {"model": 0, "replacement": 0, "missing": 0}


def test_json_gives_the_report_again() -> None:
    values = json.loads(json.dumps(REPORT.to_json()))
    assert values["to_check"] == 1 and values["terms"] == REPORT.terms
    assert DocumentReport.from_json(values) == REPORT


def test_the_page_has_all_counts() -> None:
    assert counts(REPORT) == {
        "segments": "4",
        "inline elements and placeholders": "1,203",
        "of these, copied unchanged": "5",
        "of these, placed without word links": "7",
        "terms that the model translated as prescribed": "3",
        "terms whose translation was replaced": "1",
        "terms that are missing": "2",
        "translations from the memory, of equal texts": "1",
        "translations from the memory, of similar texts": "2",
    }
    assert len(counts(PLAIN)) == 4  # no terms and no memory were used
    only_equal = replace(REPORT, segments=SEGMENTS[1:2])
    assert counts(only_equal)["translations from the memory, of similar texts"] == "0"


def test_the_page_shows_segments_to_check_first() -> None:
    page = REPORT.to_page()
    assert '<p class="verdict bad">1 of 4 segments need a check</p>' in page
    check, everything = page.split("<h2>To check</h2>")[1].split("<h2>All segments</h2>")
    assert check.count("<article") == 1 and everything.count("<article") == 4
    assert '<article class="card"><p class="place">line 1</p>' in check
    assert '<li class="bad">Check &lt;it&gt;.</li>' in check
    assert "<p>a &lt;b&gt;</p><p>un &amp; deux</p>" in check
    assert everything.count("to check") == 1 and "<li" not in everything
    assert 'line 1 <span class="bad">· to check</span>' in everything
    assert everything.count('class="plain"') == 4


def test_the_page_of_a_document_without_notes() -> None:
    page = PLAIN.to_page()
    assert '<p class="verdict good">1 segments, nothing to check</p>' in page
    assert "<h2>To check</h2>" not in page and page.count("<article") == 1
    assert "<title>a &lt;b&gt;.html: translation report</title>" in page
