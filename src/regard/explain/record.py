"""The record of one explanation: all that the figures, the page and the viewer show.

A record is a forced decoding of one target, so it is the same for every search and engine. In
Python its numbers are exact; in JSON they have the precision that a screen can show (`arrays`).
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

import torch
from jaxtyping import Float
from rich.console import RenderableType
from torch import Tensor

from regard import __version__
from regard.align.links import Links
from regard.align.tokenized_text import AlignmentHead, TokenizedText
from regard.errors import ConfigError
from regard.explain.beam_tree import BeamTree
from regard.explain.forward_trace import (
    Arrays,
    AttentionRecord,
    ForwardTrace,
    Matrix,
    Model,
    piece_matrix,
    region_matrix,
    self_attention_matrix,
    trace_forward,
    word_matrix,
)
from regard.explain.interventions import Intervention, interventions_to_record
from regard.explain.page import LiveModels, explanation_page, notebook_frame
from regard.explain.pictures.animation import stage_animation
from regard.explain.pictures.figure import Figure
from regard.explain.pictures.filmstrip import filmstrip
from regard.explain.pictures.heatmap import attention_heatmap
from regard.explain.pictures.terminal import terminal_matrix
from regard.models import eval_mode
from regard.nn.interfaces import Encoded
from regard.text.tokenizer import Tokenizer

FORMAT = "regard.explain/2"
_NO_LINKS = Links()


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """The explained model."""

    name: str
    description: str = ""
    sha256: str = ""  # of its weights
    parameters: int = 0


@dataclass(frozen=True, slots=True)
class ImageSource:
    """A captioner's input. Attention position s is row s // columns, column s % columns."""

    rows: int
    columns: int
    width: int  # of the image, in pixels
    height: int
    png: bytes

    @property
    def labels(self) -> tuple[str, ...]:
        regions = product(range(1, self.rows + 1), range(1, self.columns + 1))
        return tuple(f"row {row}, column {column}" for row, column in regions)

    def to_record(self) -> dict[str, Any]:
        size = {name: getattr(self, name) for name in ("rows", "columns", "width", "height")}
        encoded = base64.b64encode(self.png).decode()
        return {"kind": "image", **size, "image": f"data:image/png;base64,{encoded}"}


@dataclass(frozen=True, slots=True)
class Explanation:
    source: TokenizedText | ImageSource | None  # None: a language model has no source
    target: TokenizedText
    tokenizer: Tokenizer
    trace: ForwardTrace
    identity: ModelIdentity
    created: Mapping[str, str]  # versions, precision, engine, search
    summary: Float[Tensor, " E"] | None = None  # the source as one vector
    encoder_states: Float[Tensor, "S E"] | None = None
    alignment_head: AlignmentHead | None = None
    selected_head: AlignmentHead | None = None  # that the caller asked for; it replaces the default
    links: Links = _NO_LINKS  # (source word, target word), from the alignment head
    gold: Links | None = None  # the same, annotated by hand
    beam: BeamTree | None = None  # where a beam search found the target
    interventions: tuple[Intervention, ...] = ()

    def attention(self, name: str, head: int | None = None) -> AttentionRecord:
        """The record of an attention. Raises ConfigError if it, or its `head`, does not exist."""
        records = {record.name: record for record in self.trace.attentions}
        if name not in records:
            names = ", ".join(records) or "none: the decoder has no attention"
            raise ConfigError(f"attention: no attention is named {name}. Recorded: {names}.")
        if head is not None and not 0 <= head < records[name].heads:
            raise ConfigError(
                f"head: {name} has the heads 1 to {records[name].heads} (in Python from 0). "
                f"Head {head + 1} does not exist."
            )
        return records[name]

    def coverage(self, attention: str, head: int | None = None) -> Float[Tensor, " S"]:
        """Sum of each position's weights over all steps, Σ_t α_ts: of one head, or of the mean."""
        weights = self.attention(attention, head).weights
        return (weights.mean(dim=0) if head is None else weights[head]).sum(dim=0)

    def matrix(
        self,
        attention: str | None = None,
        head: int | None = None,
        shift: int | None = None,
        *,
        pieces: bool = False,
    ) -> Matrix:
        """Weights of one attention between words, or between pieces.

        By default of the head that the explanation was made for, else of the alignment head, at its
        alignment step. With `attention` given, `head` None is the mean of all heads and `shift`
        None is 0. Raises ConfigError if the model has no attention.
        """
        attention, head, shift = self._select(attention, head, shift)
        record = self.attention(attention, head)
        layers = 1 + max(
            recorded.layer for recorded in self.trace.attentions if recorded.kind == record.kind
        )
        if record.kind == "self":
            return self_attention_matrix(record, self.target, head, layers)
        if isinstance(self.source, ImageSource):
            return region_matrix(record, self.source.labels, self.target, head, shift, layers)
        assert self.source is not None, "without a source there is only self-attention"
        make_matrix = piece_matrix if pieces else word_matrix
        return make_matrix(record, self.source, self.target, head, shift, layers)

    def _select(
        self, attention: str | None, head: int | None, shift: int | None
    ) -> tuple[str, int | None, int]:
        """Return the attention, head and shift to show; None stands for the default."""
        if attention is not None:
            return attention, head, shift or 0
        default, traced = self.selected_head or self.alignment_head, self.trace.head_trace
        if default is None and traced is not None:
            default = AlignmentHead(traced.attention, traced.head, 0, null=False)
        if default is None:
            raise ConfigError(
                "attention: the model has no attention, so there is no matrix. "
                "Save the explanation as .html or .json instead"
            )
        head = default.head if head is None else head
        return default.attention, head, default.shift if shift is None else shift

    def heatmap(
        self,
        attention: str | None = None,
        head: int | None = None,
        shift: int | None = None,
        *,
        pieces: bool = False,
    ) -> Figure:
        """Draw `matrix`; links are dotted, gold links outlined."""
        attention, head, shift = self._select(attention, head, shift)
        matrix = self.matrix(attention, head, shift, pieces=pieces)
        linked = not pieces and self.attention(attention).kind != "self"
        return Figure(
            attention_heatmap(
                matrix.weights.numpy(),
                row_labels=matrix.row_labels,
                column_labels=matrix.column_labels,
                title=self.identity.name,
                note=matrix.note,
                links=self.links if linked else (),
                gold=self.gold or () if linked else (),
            )
        )

    def filmstrip(
        self, attention: str | None = None, head: int | None = None, shift: int | None = None
    ) -> Figure:
        """Draw the source image once for each word, lit where the word attends to it."""
        source = self.source
        if not isinstance(source, ImageSource):
            raise ConfigError("source: a filmstrip needs an image. Use heatmap() for text")
        matrix = self.matrix(attention, head, shift)
        logps = [step.logp for step in self.trace.steps]
        return Figure(
            filmstrip(
                source.png,
                size=(source.width, source.height),
                grid=(source.rows, source.columns),
                weights=matrix.weights.double().numpy(),
                words=matrix.row_labels,
                probabilities=[
                    exp(fsum(logps[row] for row in rows)) for rows in self.target.word_pieces
                ],
                title=self.target.raw,
                note=f"{self.identity.name}: {matrix.note}",
            )
        )

    def figure(self) -> Figure:
        """A filmstrip for an image, a heatmap for a text."""
        return self.filmstrip() if isinstance(self.source, ImageSource) else self.heatmap()

    def to_html(self) -> str:
        """A self-contained page with the viewer and this record."""
        return side_by_side([self])

    def save(self, path: str | Path) -> None:
        """Write the explanation as the suffix of `path` selects: .html, .svg, .png, .gif, .json."""
        path = Path(path)
        match path.suffix:
            case ".html":
                path.write_bytes(self.to_html().encode(errors="backslashreplace"))
            case ".json":
                path.write_bytes(self.to_json().encode(errors="backslashreplace"))
            case ".gif":
                path.write_bytes(stage_animation(self.to_html()))
            case ".svg" | ".png":
                self.figure().save(path)
            case _:
                raise ConfigError(
                    f"{path}: unknown suffix {path.suffix!r}. Use .html, .svg, .png, .gif or .json"
                )

    def __repr__(self) -> str:
        match self.source:
            case None:
                source = ""
            case ImageSource():
                source = "image → "
            case _:
                source = f"{self.source.raw!r} → "
        attentions = ", ".join(record.name for record in self.trace.attentions) or "none"
        return f"Explanation({source}{self.target.raw!r}, attention: {attentions})"

    def _repr_html_(self) -> str:
        return notebook_frame(self.to_html())

    def __rich__(self) -> RenderableType:
        matrix = self.matrix()
        return terminal_matrix(
            matrix.weights.numpy(), matrix.row_labels, matrix.column_labels, matrix.note
        )

    def to_json(self) -> str:
        """The record as JSON, in the format of docs/record.md."""
        arrays, piece = Arrays(), self.tokenizer.piece
        traced = self.trace.head_trace
        record = {
            "format": FORMAT,
            "model": asdict(self.identity),
            "created": dict(self.created),
            "source": None if self.source is None else self.source.to_record(),
            "target": self.target.to_record(),
            "steps": [asdict(step) for step in self.trace.steps],
            "attentions": [record.to_record(arrays) for record in self.trace.attentions],
            "alignment_head": None if self.alignment_head is None else asdict(self.alignment_head),
            "links": sorted(self.links),
            "gold": None if self.gold is None else sorted(self.gold),
            "head_trace": None if traced is None else traced.to_record(arrays),
            "summary": None if self.summary is None else arrays.add(self.summary),
            "states": self._states_to_record(arrays),
            "beam": None if self.beam is None else self.beam.to_record(piece),
            "interventions": interventions_to_record(self.interventions, arrays, piece),
        }
        return json.dumps(record | arrays.packed(), ensure_ascii=False, separators=(",", ":"))

    def _states_to_record(self, arrays: Arrays) -> dict[str, int] | None:
        """Encoder and decoder states of a model without attention, for its steps."""
        if self.trace.attentions or self.encoder_states is None:
            return None
        return {
            "encoder": arrays.add(self.encoder_states, "f16"),
            "decoder": arrays.add(self.trace.decoder_states, "f16"),
        }


def side_by_side(explanations: Sequence[Explanation], live: LiveModels | None = None) -> str:
    """Return a page that compares the explanations of up to four models for one source.

    `live`: the models, so that the page translates other sentences too.
    """
    if not 1 <= len(explanations) <= 4:
        raise ConfigError(
            f"explanations: a page shows one to four explanations, not {len(explanations)}"
        )
    title = " · ".join(dict.fromkeys(explanation.target.raw for explanation in explanations))
    if isinstance(source := explanations[0].source, TokenizedText):
        title = f"{source.raw} → {title}"
    if live is not None:  # the sentence changes
        title = f"{' and '.join(live.names)}, step by step"
    return explanation_page([explanation.to_json() for explanation in explanations], title, live)


# -- assemble an `Explanation` ---------------------------------------------------------------------
# Shared by all tasks that generate text.


def make_explanation(
    model: Model,
    tokenizer: Tokenizer,
    identity: ModelIdentity,
    source: TokenizedText | ImageSource | None,
    target: TokenizedText,
    model_input: Any,  # the source as the model's `start` takes it, in one row
    *,
    engine: str | None,  # that found the target; None: the user gave the target
    search: str,
    alignment_head: AlignmentHead | None = None,
    attention: str | None = None,
    head: int | None = None,
) -> Explanation:
    """Trace `target` and return its explanation, without links, beam and interventions.

    `attention` and `head` select the head to trace; the default is the alignment head.
    """
    requested = attention is not None or head is not None
    if attention is None and alignment_head is not None:
        attention, head = alignment_head.attention, alignment_head.head if head is None else head
    piece, ids = tokenizer.piece, target.pieces.ids
    encoded = None if source is None else _encode(model, model_input)
    trace = trace_forward(model, model_input, ids, piece, attention=attention, head=head or 0)
    return Explanation(
        source,
        target,
        tokenizer,
        trace,
        identity,
        {
            "regard": __version__,
            "torch": torch.__version__,
            "precision": str(next(model.parameters()).dtype).removeprefix("torch."),
            "engine": engine or "none",
            "search": "given" if engine is None else search,
        },
        summary=None if encoded is None else encoded.summary[0].cpu(),
        encoder_states=None if encoded is None else encoded.states[0].float().cpu(),
        alignment_head=alignment_head,
        selected_head=_traced_head(trace, alignment_head) if requested else None,
    )


def _traced_head(trace: ForwardTrace, alignment_head: AlignmentHead | None) -> AlignmentHead:
    """The head that was traced, at the alignment step of its attention if that is known."""
    traced = trace.head_trace
    if traced is None:
        raise ConfigError("head: the model has no attention, so it has no heads. Leave it out.")
    shift = 0
    if alignment_head is not None and alignment_head.attention == traced.attention:
        shift = alignment_head.shift
    return AlignmentHead(traced.attention, traced.head, shift, null=False)


@torch.inference_mode()
def _encode(model: Any, model_input: Any) -> Encoded:
    with eval_mode(model):
        encoded: Encoded = model.encoder(model_input)
    return encoded
