"""The HTML page of an explanation.

Source and target are untrusted text. They are embedded as JSON data that browsers do not run, and
the page's content security policy allows one script, identified by its hash, and no network.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class LiveModels:
    """The models of a page that translates what its reader types.

    Args:
        models: One for each record, in the format regard.live/1 (docs/live.md).
        names: Of the models.
        text: The first sentence.
        examples: Further sentences to choose from.
        race: Sentences of growing length with their translations, which all models translate.
    """

    models: Sequence[str]
    names: Sequence[str]
    text: str
    examples: Sequence[str] = ()
    race: Sequence[tuple[str, str]] = ()


def explanation_page(records: Sequence[str], title: str, live: LiveModels | None = None) -> str:
    """Return an HTML document that shows the records, each of them JSON, one for each model.

    `live`: the page also translates other sentences.
    """
    script = viewer_script()
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(_STYLE)}'",  # the viewer adopts its own styles by script
            "img-src data:",
            *([] if live is None else ["worker-src blob:"]),  # the engine runs in a worker
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    editor = "" if live is None else _editor(live)
    race = "" if live is None or not live.race else _race(live)
    viewer = f"{race}<regard-view>\n{_json_scripts(records)}{editor}</regard-view>"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style></head>\n"
        f'<body><main><h1 dir="auto">{escape(title)}</h1>\n'
        f"{viewer}</main>\n"
        f'<script type="module">{script}</script></body></html>\n'
    )


def _json_scripts(texts: Sequence[str], kind: str = "application/json") -> str:
    return "".join(f'<script type="{kind}">{text.translate(_ESCAPES)}</script>\n' for text in texts)


def _editor(live: LiveModels) -> str:
    """The element that translates what its reader types, with its settings, models and engine."""
    settings = {"text": live.text, "names": live.names, "examples": live.examples}
    scripts = (
        _json_scripts([json.dumps(settings, ensure_ascii=False)])
        + _json_scripts(live.models, "application/vnd.regard.model+json")
        + f'<script type="text/plain">{_script("engine.js")}</script>'
    )
    return f'<regard-live slot="editor">\n{scripts}</regard-live>\n'


def _race(live: LiveModels) -> str:
    settings = json.dumps({"names": live.names, "sentences": live.race}, ensure_ascii=False)
    return f"<regard-race>\n{_json_scripts([settings])}</regard-race>\n"


def notebook_frame(page: str, height: int = 720) -> str:
    """Return a resizable iframe that shows `page` without access to the notebook."""
    style = f"width:100%;height:{height}px;border:0;resize:vertical;overflow:auto"
    return (
        f'<iframe title="Explanation of a model output" sandbox="allow-scripts" style="{style}" '
        f'srcdoc="{escape(page)}"></iframe>'
    )


def viewer_script() -> str:
    """The script of the custom element `<regard-view>`, built from `web/`."""
    return _script("view.js")


def _script(name: str) -> str:
    return resources.files("regard.explain").joinpath(name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return "sha256-" + b64encode(sha256(content.encode()).digest()).decode()
