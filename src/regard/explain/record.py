"""The record of one explanation: all that a picture, a page or a class may want to show.

It is a forced re-reading of a chosen sentence, so it is the same for every search and engine. In
Python its numbers are exact; written down they are as fine as a screen can show (`arrays`).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from math import exp, fsum
from pathlib import Path
from typing import Any

from jaxtyping import Float
from rich.console import RenderableType
from torch import Tensor

from regard.align.extraction import AlignmentHead
from regard.align.links import Links
from regard.align.tokenized_text import TokenizedText
from regard.errors import ConfigError
from regard.explain.arrays import Arrays
from regard.explain.beam_tree import BeamTree
from regard.explain.forward_trace import AttentionRecord, ForwardTrace
from regard.explain.interventions import Intervention
from regard.explain.interventions import interventions_to_record as written_whatifs
from regard.explain.matrix import (
    Matrix,
    piece_matrix,
    region_matrix,
    self_attention_matrix,
    word_matrix,
)
from regard.explain.page import explanation_page, notebook_frame
from regard.explain.pictures.figure import Figure
from regard.explain.pictures.filmstrip import filmstrip
from regard.explain.pictures.heatmap import attention_heatmap
from regard.explain.pictures.terminal import terminal_matrix as printed
from regard.text.tokenizer import Tokenizer

FORMAT = "regard.explain/1"
_NONE = Links()


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Whose explanation it is."""

    name: str
    description: str = ""
    sha256: str = ""  # of its weights
    parameters: int = 0


@dataclass(frozen=True, slots=True)
class ImageSource:
    """What a captioner read: position s of its looks is row s // columns, column s % columns."""

    rows: int
    columns: int
    width: int  # of the picture, in pixels
    height: int
    png: bytes

    @property
    def labels(self) -> tuple[str, ...]:
        places = product(range(1, self.rows + 1), range(1, self.columns + 1))
        return tuple(f"row {row}, column {column}" for row, column in places)

    def to_record(self) -> dict[str, Any]:
        size = {name: getattr(self, name) for name in ("rows", "columns", "width", "height")}
        coded = base64.b64encode(self.png).decode()
        return {"kind": "image", **size, "picture": f"data:image/png;base64,{coded}"}


@dataclass(frozen=True, slots=True)
class Explanation:
    source: TokenizedText | ImageSource | None  # None: nothing was read
    target: TokenizedText
    tokenizer: Tokenizer  # in whose pieces
    trace: ForwardTrace
    identity: ModelIdentity
    created: Mapping[str, str]  # how, in words: versions, precision, engine, search
    summary: Float[Tensor, " E"] | None = (
        None  # of the source: what a decoder knows that never asks
    )
    alignment_head: AlignmentHead | None = None  # the look that is read as an alignment
    links: Links = _NONE  # (source word, target word), by the pointer
    gold: Links | None = None  # the same, by hand
    beam: BeamTree | None = None  # where the sentence was found by one
    interventions: tuple[Intervention, ...] = ()

    def attention(self, name: str) -> AttentionRecord:
        return next(look for look in self.trace.attentions if look.name == name)

    def coverage(self, look: str, head: int | None = None) -> Float[Tensor, " S"]:
        """How much of all steps each position was given: Σ_t α_ts, of a head or the mean."""
        weights = self.attention(look).weights
        return (weights.mean(dim=0) if head is None else weights[head]).sum(dim=0)

    def matrix(
        self,
        look: str | None = None,
        head: int | None = None,
        shift: int | None = None,
        *,
        pieces: bool = False,
    ) -> Matrix:
        """Of a look, by default the pointer's; of another the mean of all heads, or one of them."""
        pointer, walk = self.alignment_head, self.trace.head_trace
        if look is None and pointer is not None:
            look, head = pointer.attention, pointer.head if head is None else head
            shift = pointer.shift if shift is None else shift
        elif look is None:
            if walk is None:
                raise ConfigError("look: the model looks at nothing, so there is nothing to draw")
            look, head = walk.attention, walk.head if head is None else head
        seen = self.attention(look)
        layers = 1 + max(each.layer for each in self.trace.attentions if each.kind == seen.kind)
        if seen.kind == "past":
            return self_attention_matrix(seen, self.target, head, layers)
        if isinstance(self.source, ImageSource):
            return region_matrix(seen, self.source.labels, self.target, head, shift or 0, layers)
        assert self.source is not None, "who read nothing looks at its past alone"
        between = piece_matrix if pieces else word_matrix
        return between(seen, self.source, self.target, head, shift or 0, layers)

    def heatmap(
        self,
        look: str | None = None,
        head: int | None = None,
        shift: int | None = None,
        *,
        pieces: bool = False,
    ) -> Figure:
        """The same as a picture; hard links are dotted, those by hand outlined."""
        shown = self.matrix(look, head, shift, pieces=pieces)
        return Figure(
            attention_heatmap(
                shown.weights.numpy(),
                row_labels=shown.row_labels,
                column_labels=shown.column_labels,
                title=self.identity.name,
                note=shown.note,
                links=() if pieces else self.links,
                gold=() if pieces else self.gold or (),
            )
        )

    def filmstrip(
        self, look: str | None = None, head: int | None = None, shift: int | None = None
    ) -> Figure:
        """Where in a picture each word looked, and whether the look moves at all."""
        source = self.source
        if not isinstance(source, ImageSource):
            raise ConfigError("source: is no picture; where words were looked at, a heatmap shows")
        shown = self.matrix(look, head, shift)
        logps = [step.logp for step in self.trace.steps]
        return Figure(
            filmstrip(
                source.png,
                size=(source.width, source.height),
                grid=(source.rows, source.columns),
                weights=shown.weights.double().numpy(),
                words=shown.row_labels,
                probabilities=[
                    exp(fsum(logps[row] for row in rows)) for rows in self.target.word_pieces
                ],
                title=self.target.raw,
                note=f"{self.identity.name}: {shown.note}",
            )
        )

    def figure(self) -> Figure:
        """The picture to print: a filmstrip of a picture, a heatmap of a text."""
        return self.filmstrip() if isinstance(self.source, ImageSource) else self.heatmap()

    def to_html(self) -> str:
        """The viewer with this record in it: one page that needs nothing else."""
        return side_by_side([self])

    def save(self, path: str | Path) -> None:
        """As its name ends: .html to look at, .svg or .png to print, .json to compute with."""
        path = Path(path)
        match path.suffix:
            case ".html":
                path.write_text(self.to_html(), encoding="utf-8")
            case ".json":
                path.write_text(self.to_json(), encoding="utf-8")
            case ".svg" | ".png":
                self.figure().save(path)
            case _:
                raise ConfigError(f"{path}: is saved as .html, .svg, .png or .json; name it so")

    def _repr_html_(self) -> str:
        return notebook_frame(self.to_html())

    def __rich__(self) -> RenderableType:
        shown = self.matrix()
        return printed(shown.weights.numpy(), shown.row_labels, shown.column_labels, shown.note)

    def to_json(self) -> str:
        """As docs/record.md describes it; the viewer reads this."""
        arrays, piece = Arrays(), self.tokenizer.piece
        walk = self.trace.head_trace
        written = {
            "format": FORMAT,
            "model": asdict(self.identity),
            "made": dict(self.created),
            "source": None if self.source is None else self.source.to_record(),
            "target": self.target.to_record(),
            "steps": [asdict(step) for step in self.trace.steps],
            "looks": [look.to_record(arrays) for look in self.trace.attentions],
            "pointer": None if self.alignment_head is None else asdict(self.alignment_head),
            "links": sorted(self.links),
            "gold": None if self.gold is None else sorted(self.gold),
            "walk": None if walk is None else walk.to_record(arrays),
            "summary": None if self.summary is None else arrays.add(self.summary),
            "beam": None if self.beam is None else self.beam.to_record(piece),
            "whatifs": written_whatifs(self.interventions, arrays, piece),
        }
        return json.dumps(written | arrays.packed(), ensure_ascii=False, separators=(",", ":"))


def side_by_side(explanations: Sequence[Explanation]) -> str:
    """A page on which up to four models' explanations of one source can be compared."""
    if not 1 <= len(explanations) <= 4:
        raise ConfigError(f"explanations: one to four stand side by side, not {len(explanations)}")
    title = " · ".join(dict.fromkeys(each.target.raw for each in explanations))
    return explanation_page([each.to_json() for each in explanations], title)
