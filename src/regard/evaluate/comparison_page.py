"""A comparison as one self-contained HTML page, without scripts or network access."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from html import escape

from regard import html
from regard.evaluate.bootstrap import RESAMPLES
from regard.evaluate.compare import Candidate, Change, Comparison, Verdict
from regard.evaluate.length_chart import chart_by_length
from regard.evaluate.report import (
    BY_LENGTH,
    LENGTH_HEADS,
    SCORE_HEADS,
    TITLES,
    heading,
    length_rows,
    score_rows,
    verdict_line,
)

_STYLE = """
:root { --deleted: #fbe3e1; --inserted: #dcf1e3; }
@media (prefers-color-scheme: dark) { :root { --deleted: #4d2523; --inserted: #1d4029; } }
figure { margin: 1.5rem 0 0; } svg { border-radius: 6px; }
article h3 { margin: 0 0 .3rem; font-size: .95rem; font-weight: 600; }
del { background: var(--deleted); text-decoration: none; border-radius: 3px; }
ins { background: var(--inserted); text-decoration: none; border-radius: 3px; }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem; overflow-wrap: anywhere; }
"""


def comparison_page(comparison: Comparison, verdicts: Sequence[Verdict]) -> str:
    title = "regard compare: " + ", ".join(comparison.evaluations)
    sentences = f"{comparison.evaluation.sentences:,} sentences"
    parts = [
        f"<h1>regard compare: {sentences}, baseline {escape(comparison.name)}</h1>",
        *map(_verdict, verdicts),
        "<h2>Scores</h2>",
        html.html_table(SCORE_HEADS, score_rows(comparison)),
        *(
            f"<figure>{chart_by_length(comparison.evaluations, metric)}</figure>"
            for metric in BY_LENGTH
        ),
        *map(_candidate, comparison.candidates),
        f"<footer>95 % bootstrap intervals from {RESAMPLES:,} resamples of the sentences; p is "
        "two-sided.",
        *(
            f"<br>{TITLES[metric]}: {escape(signature)}"
            for metric, signature in comparison.evaluation.signatures.items()
        ),
        "</footer>",
    ]
    return html.html_page(title, parts, _STYLE)


def _verdict(verdict: Verdict) -> str:
    tone = "good" if verdict.passed else "bad"
    return f'<p class="verdict {tone}">{escape(verdict_line(verdict))}</p>'


def _candidate(candidate: Candidate) -> str:
    name = escape(candidate.name)
    return "\n".join(
        [
            f"<h2>{name}: differences by length</h2>",
            html.html_table(LENGTH_HEADS, length_rows(candidate)),
            f"<h2>{name}: {candidate.changed:,} sentences differ; largest gains</h2>",
            *map(_change, candidate.gained),
            f"<h2>{name}: largest losses</h2>",
            *map(_change, candidate.lost),
        ]
    )


def _change(change: Change) -> str:
    old_text, new_text = _marked(change.before, change.after)
    rows = [
        ("source", escape(change.source)),
        ("reference", escape(change.reference)),
        ("before", old_text),
        ("after", new_text),
    ]
    body = "".join(f'<dt>{name}</dt><dd dir="auto">{text or "—"}</dd>' for name, text in rows)
    return f"<article><h3>{heading(change)}</h3><dl>{body}</dl></article>"


def _marked(old_text: str, new_text: str) -> tuple[str, str]:
    """Both texts, escaped, with deleted and inserted words marked."""
    old, new = old_text.split(" "), new_text.split(" ")
    marked_old, marked_new = [], []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        deleted, inserted = escape(" ".join(old[a:b])), escape(" ".join(new[c:d]))
        if kind == "equal":
            marked_old.append(deleted)
            marked_new.append(inserted)
            continue
        if deleted:
            marked_old.append(f"<del>{deleted}</del>")
        if inserted:
            marked_new.append(f"<ins>{inserted}</ins>")
    return " ".join(marked_old), " ".join(marked_new)
