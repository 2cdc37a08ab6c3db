"""What a run would build, as facts: its axes, equations, shapes and parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from regard.attention import Attention, AttentionOutput, Equation
from regard.batch import Documents, Images, Tokens
from regard.config.attention import AttentionUse
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig


@dataclass(frozen=True, slots=True)
class AttentionShapes:
    """The widths that one attention of the model works with."""

    where: str
    query: int
    keys: tuple[int, int]  # heads, width of each
    values: tuple[int, int]
    context: int

    def __str__(self) -> str:
        h, d = self.keys
        _, w = self.values
        return (
            f"query B·T·{self.query} → keys B·{h}·S·{d}, values B·{h}·S·{w} "
            f"→ context B·T·{self.context}"
        )


@dataclass(frozen=True, slots=True)
class Description:
    about: str
    parts: dict[str, Any]  # the specs of encoder and decoder, as far as there are such
    attentions: list[AttentionUse]
    shapes: list[AttentionShapes]
    parameters: dict[str, int]  # of each part, and of the whole under "all"


def describe_run(run: RunConfig, sizes: VocabularySizes) -> Description:
    # shapes without numbers, so that nothing is computed; but a document's sentences are counted
    device = "cpu" if run.model.kind == "classifier" else "meta"
    with torch.device(device), torch.no_grad():
        model = run.model.build(sizes)
        shapes = _shapes(run, model)
    return Description(
        run.description,
        _wiring(run),
        run.model.attention_uses(),
        shapes,
        _parameters(model),
    )


def config_equation(spec: Any) -> Equation:
    """Of the part that `spec` builds."""
    return spec.equation


def _wiring(run: RunConfig) -> dict[str, Any]:
    named = {name: getattr(run.model, name, None) for name in ("encoder", "decoder")}
    return {name: part for name, part in named.items() if part is not None}


def _parameters(model: nn.Module) -> dict[str, int]:
    parts = {
        name: sum(p.numel() for p in part.parameters()) for name, part in model.named_children()
    }
    return {**parts, "all": sum(p.numel() for p in model.parameters())}


def _shapes(run: RunConfig, model: nn.Module) -> list[AttentionShapes]:
    """Of every attention, heard while the model reads something; layers alike are told once."""
    found: dict[str, list[str]] = {}
    widths: dict[str, AttentionShapes] = {}

    def listen(name: str) -> Any:
        where = re.sub(r"\.\d+\.", ".*.", name)

        def hear(
            module: nn.Module, given: tuple[Any, ...], kwargs: Any, glance: AttentionOutput
        ) -> None:
            query, memory = given
            found.setdefault(where, []).append(name)
            widths[where] = AttentionShapes(
                f"{where} × {len(set(found[where]))}" if where != name else name,
                query.size(-1),
                (memory.keys.size(1), memory.keys.size(3)),
                (memory.values.size(1), memory.values.size(3)),
                glance.context.size(-1),
            )

        return hear

    for name, module in model.named_modules():
        if isinstance(module, Attention):
            module.register_forward_hook(listen(name), with_kwargs=True)
    _run_on_example(run, model)
    return list(widths.values())


def _run_on_example(run: RunConfig, model: Any) -> None:
    ids = torch.zeros(1, 3, dtype=torch.long)
    if run.model.kind == "language-model":
        model(ids)
    elif run.model.kind == "classifier":
        model(Documents(Tokens(ids), torch.ones(1, dtype=torch.long)))
    elif run.model.encoder.kind == "image":
        model(Images(torch.zeros(1, 3, 64, 64)), ids)
    else:
        model(Tokens(ids), ids)
