"""The HTML page of an explanation.

Source and target are untrusted text. They are embedded as JSON data that browsers do not run, and
the page's content security policy allows one script, identified by its hash, and no network.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from importlib import resources

_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; background: #ffffff; color: #1c2430; }
main { max-width: 100rem; margin: 0 auto; padding: 1.5rem; }
h1 { font: 600 1rem/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
  margin: 0 0 .5rem; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) { body { background: #14181e; color: #e6eaf0; } }
@media (max-width: 36rem) { main { padding: 1rem .75rem; } }
"""

# The characters that can end or change the meaning of a script element.
_ESCAPES = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})


def explanation_page(records: Sequence[str], title: str) -> str:
    """Return an HTML document that shows the records, each of them JSON, one for each model."""
    script = viewer_script()
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(_STYLE)}'",  # the viewer adopts its own styles by script
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    data = "".join(
        f'<script type="application/json">{record.translate(_ESCAPES)}</script>\n'
        for record in records
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style></head>\n"
        f'<body><main><h1 dir="auto">{escape(title)}</h1>\n'
        f"<regard-view>\n{data}</regard-view></main>\n"
        f'<script type="module">{script}</script></body></html>\n'
    )


def notebook_frame(page: str, height: int = 720) -> str:
    """Return a resizable iframe that shows `page` without access to the notebook."""
    style = f"width:100%;height:{height}px;border:0;resize:vertical;overflow:auto"
    return (
        f'<iframe title="Explanation of a model output" sandbox="allow-scripts" style="{style}" '
        f'srcdoc="{escape(page)}"></iframe>'
    )


def viewer_script() -> str:
    """The script of the custom element `<regard-view>`, built from `web/`."""
    return resources.files("regard.explain").joinpath("view.js").read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return "sha256-" + b64encode(sha256(content.encode()).digest()).decode()
