"""Self-contained HTML reports, without scripts or network access."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #dfe4ea; --paper: #fff;
  --card: #f6f8fa; --bad: #b3261e; --good: #1b6e3c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --soft: #9aa6b5; --line: #323b47;
  --paper: #14181e; --card: #1c222a; --bad: #ff8a80; --good: #6fd495; } }
* { box-sizing: border-box; }
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
figure { margin: 0; } svg { max-width: 100%; height: auto; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 6px;
  padding: .7rem 1rem; margin: 0 0 .8rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .9rem; margin: 0;
  font-size: .92rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
"""


def html_page(title: str, parts: Sequence[str], style: str = "") -> str:
    """Return a page of HTML `parts`; `style` is added after the shared style."""
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f"<title>{escape(title)}</title>",
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>{_STYLE}{style}</style></head><body><main>",
            *(part for part in parts if part),
            "</main></body></html>\n",
        ]
    )


def html_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of plain text that scrolls if it is too wide, also by the keyboard."""
    head = "".join(f"<th>{escape(name)}</th>" if name else "<td></td>" for name in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    group = 'class="scroll" role="group" aria-label="Table" tabindex="0"'
    return f"<div {group}><table><tr>{head}</tr>{body}</table></div>"
