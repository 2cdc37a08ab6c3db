"""The HTML page of an explanation, and the search tree that it draws.

Source and target are untrusted text. They are embedded as JSON data that browsers do not run, and
the page's content security policy allows one script, identified by its hash, and no network.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from html import escape
from importlib import resources
from typing import Any, Literal, TypeAlias, TypeVar

import torch

from regard.hypothesis import Hypothesis
from regard.models import EncoderDecoder, eval_mode
from regard.search import BeamStep, beam
from regard.text.tokenizer import BOS, EOS

_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; background: #ffffff; color: #1c2430; }
main { max-width: 76rem; margin: 0 auto; padding: 1.5rem; }
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


# -- beam search as a tree -------------------------------------------------------------------------
# Every candidate of the search, and whether it was kept or pruned.


Source = TypeVar("Source")

NodeStatus: TypeAlias = Literal["kept", "pruned", "finished"]
"""Extended at the next step, dropped, or complete: ended by EOS or at the maximum length."""


@dataclass(frozen=True, slots=True)
class BeamTree:
    """A node is one token after its parent. Nodes are ordered by length, then by total."""

    beam_size: int
    length_penalty: float
    parents: tuple[int, ...]  # −1: the node is a first token
    tokens: tuple[int, ...]
    logps: tuple[float, ...]  # of the token
    totals: tuple[float, ...]  # of the path; candidates are ranked by total / length^penalty
    status: tuple[NodeStatus, ...]
    best: tuple[int, ...]  # the nodes of the best hypothesis, the first token first

    def to_record(self, piece: Callable[[int], str]) -> dict[str, object]:
        """Return the JSON fields, with tokens as pieces."""
        fields = asdict(self)
        return fields | {"pieces": [piece(token) for token in fields.pop("tokens")]}


@torch.inference_mode()
def build_beam_tree(
    model: EncoderDecoder[Source, Any],
    source: Source,
    *,
    beam_size: int,
    length_penalty: float,
    max_length: int,
) -> tuple[list[Hypothesis], BeamTree]:
    """Run a beam search for one source (a batch of one row) and return its hypotheses and tree."""
    steps: list[BeamStep] = []
    with eval_mode(model):
        (hypotheses,) = beam(
            model.step,
            model.start(source),
            rows=1,
            beam_size=beam_size,
            bos=BOS,
            eos=EOS,
            max_length=max_length,
            length_penalty=length_penalty,
            device=next(model.parameters()).device,
            on_step=steps.append,
        )
    return hypotheses, _tree(steps, beam_size, length_penalty)


def _tree(steps: list[BeamStep], beam_size: int, length_penalty: float) -> BeamTree:
    parents: list[int] = []
    tokens: list[int] = []
    logps: list[float] = []
    totals: list[float] = []
    status: list[NodeStatus] = []
    scores: dict[int, float] = {}  # of finished nodes
    alive = [-1] * beam_size  # the nodes of the K hypotheses
    for length, step in enumerate(steps, 1):
        first, survivors = len(parents), step.survivors[0].tolist()
        # Candidates are sorted by total, so those that exist come first.
        real = int(step.totals[0].isfinite().sum())
        parents += [alive[slot] for slot in step.origins[0, :real].tolist()]
        tokens += step.tokens[0, :real].tolist()
        logps += step.logps[0, :real].tolist()
        totals += step.totals[0, :real].tolist()
        for candidate, ended in enumerate(step.ended[0, :real].tolist()):
            status.append("finished" if ended else "kept" if candidate in survivors else "pruned")
            if ended:
                node = first + candidate
                scores[node] = totals[node] / length**length_penalty
        alive = [-1 if candidate < 0 else first + candidate for candidate in survivors]
    best = [max(scores, key=scores.__getitem__)]  # ties: the first found, as in the search
    while parents[best[-1]] >= 0:
        best.append(parents[best[-1]])
    return BeamTree(
        beam_size,
        length_penalty,
        tuple(parents),
        tuple(tokens),
        tuple(logps),
        tuple(totals),
        tuple(status),
        tuple(reversed(best)),
    )
