"""What a run would build, as facts: its axes, equations, shapes and parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from regard.attention import Attention, Equation, Glance
from regard.attention import equation as equation_of
from regard.batch import Documents, Images, Tokens
from regard.spec.attention import Look
from regard.spec.export import obstacles
from regard.spec.model import Sizes
from regard.spec.run import Run


@dataclass(frozen=True, slots=True)
class Shapes:
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
    wiring: dict[str, Any]  # the specs of encoder and decoder, as far as there are such
    looks: list[Look]
    shapes: list[Shapes]
    parameters: dict[str, int]  # of each part, and of the whole under "all"
    obstacles: list[str]  # to running it with CTranslate2; none: it can be exported


def describe(run: Run, sizes: Sizes) -> Description:
    # shapes without numbers, so that nothing is computed; but a document's sentences are counted
    device = "cpu" if run.model.kind == "classifier" else "meta"
    with torch.device(device), torch.no_grad():
        model = run.model.build(sizes)
        shapes = _shapes(run, model)
    return Description(
        run.about, _wiring(run), run.model.looks(), shapes, _parameters(model), obstacles(run)
    )


def equation(spec: Any) -> Equation:
    """Of the part that `spec` builds."""
    return replace(equation_of(spec.part), name=spec.kind)


def _wiring(run: Run) -> dict[str, Any]:
    named = {name: getattr(run.model, name, None) for name in ("encoder", "decoder")}
    return {name: part for name, part in named.items() if part is not None}


def _parameters(model: nn.Module) -> dict[str, int]:
    parts = {
        name: sum(p.numel() for p in part.parameters()) for name, part in model.named_children()
    }
    return {**parts, "all": sum(p.numel() for p in model.parameters())}


def _shapes(run: Run, model: nn.Module) -> list[Shapes]:
    """Of every attention, heard while the model reads something; layers alike are told once."""
    found: dict[str, list[str]] = {}
    widths: dict[str, Shapes] = {}

    def listen(name: str) -> Any:
        where = re.sub(r"\.\d+\.", ".*.", name)

        def hear(module: nn.Module, given: tuple[Any, ...], kwargs: Any, glance: Glance) -> None:
            query, memory = given
            found.setdefault(where, []).append(name)
            widths[where] = Shapes(
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
    _read_something(run, model)
    return list(widths.values())


def _read_something(run: Run, model: Any) -> None:
    ids = torch.zeros(1, 3, dtype=torch.long)
    if run.model.kind == "language-model":
        model(ids)
    elif run.model.kind == "classifier":
        model(Documents(Tokens(ids), torch.ones(1, dtype=torch.long)))
    elif run.model.encoder.kind == "image":
        model(Images(torch.zeros(1, 3, 64, 64)), ids)
    else:
        model(Tokens(ids), ids)
