"""A comparison as one HTML page that needs nothing else: no script, no network."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from html import escape

from regard.evaluate.bootstrap import TIMES
from regard.evaluate.chart import chart_by_length
from regard.evaluate.compare import Candidate, Change, Comparison, Verdict
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
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #dfe4ea; --paper: #fff;
  --card: #f6f8fa; --bad: #b3261e; --good: #1b6e3c; --gone: #fbe3e1; --new: #dcf1e3; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --soft: #9aa6b5; --line: #323b47;
  --paper: #14181e; --card: #1c222a; --bad: #ff8a80; --good: #6fd495; --gone: #4d2523;
  --new: #1d4029; } }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
h1 { font-size: 1.1rem; margin: 0; color: var(--soft); font-weight: 600; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; }
.verdict { font-size: 1.5rem; line-height: 1.3; font-weight: 650; margin: .2rem 0; }
.good { color: var(--good); } .bad { color: var(--bad); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 500; color: var(--soft); font-size: .85rem; }
td { text-align: right; white-space: nowrap; border-top: 1px solid var(--line); }
th, td { padding: .35rem .5rem; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
.scroll { overflow-x: auto; }
figure { margin: 1.5rem 0 0; } svg { max-width: 100%; height: auto; border-radius: 6px; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 6px;
  padding: .7rem 1rem; margin: 0 0 .8rem; }
article h3 { margin: 0 0 .3rem; font-size: .95rem; font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .9rem; margin: 0;
  font-size: .92rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
del { background: var(--gone); text-decoration: none; border-radius: 3px; }
ins { background: var(--new); text-decoration: none; border-radius: 3px; }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem; overflow-wrap: anywhere; }
"""


def page(comparison: Comparison, verdicts: Sequence[Verdict]) -> str:
    title = "regard compare: " + ", ".join(comparison.evaluations)
    sentences, against = f"{comparison.evaluation.sentences:,} sentences", escape(comparison.name)
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f"<title>{escape(title)}</title>",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{_STYLE}</style></head><body><main>",
        f"<h1>regard compare: {sentences}, against {against}</h1>",
        *map(_verdict, verdicts),
        "<h2>Scores</h2>",
        _table(SCORE_HEADS, score_rows(comparison)),
        *(
            f"<figure>{chart_by_length(comparison.evaluations, metric)}</figure>"
            for metric in BY_LENGTH
        ),
        *map(_candidate, comparison.candidates),
        f"<footer>Intervals hold 95 % of {TIMES:,} corpora drawn from the sentences with "
        "replacement; p is two-sided.",
        *(
            f"<br>{TITLES[metric]}: {escape(signature)}"
            for metric, signature in comparison.evaluation.signatures.items()
        ),
        "</footer></main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _verdict(verdict: Verdict) -> str:
    tone = "good" if verdict.passed else "bad"
    return f'<p class="verdict {tone}">{escape(verdict_line(verdict))}</p>'


def _candidate(candidate: Candidate) -> str:
    name = escape(candidate.name)
    return "\n".join(
        [
            f"<h2>{name}: differences by length</h2>",
            _table(LENGTH_HEADS, length_rows(candidate)),
            f"<h2>{name}: {candidate.changed:,} sentences differ; what gained most</h2>",
            *map(_change, candidate.gained),
            f"<h2>{name}: what lost most</h2>",
            *map(_change, candidate.lost),
        ]
    )


def _change(change: Change) -> str:
    before, after = _marked(change.before, change.after)
    rows = [
        ("source", escape(change.source)),
        ("reference", escape(change.reference)),
        ("before", before),
        ("after", after),
    ]
    body = "".join(f'<dt>{name}</dt><dd dir="auto">{text or "—"}</dd>' for name, text in rows)
    return f"<article><h3>{heading(change)}</h3><dl>{body}</dl></article>"


def _marked(before: str, after: str) -> tuple[str, str]:
    """Both, escaped, with the words marked that the other has not in this place."""
    old, new = before.split(" "), after.split(" ")
    left, right = [], []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, come = escape(" ".join(old[a:b])), escape(" ".join(new[c:d]))
        if kind == "equal":
            left.append(gone)
            right.append(come)
            continue
        if gone:
            left.append(f"<del>{gone}</del>")
        if come:
            right.append(f"<ins>{come}</ins>")
    return " ".join(left), " ".join(right)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f'<div class="scroll"><table><tr>{head}</tr>{body}</table></div>'
