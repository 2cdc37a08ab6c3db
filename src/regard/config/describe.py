"""Describe the model of a run without training it: equations, shapes, parameter counts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from regard.attention import Attention, AttentionOutput, Equation
from regard.batch import Documents, Grids, Images, Tokens
from regard.config.attention import AttentionUse
from regard.config.base import Config
from regard.config.load import load_config, presets
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig


@dataclass(frozen=True, slots=True)
class AttentionShapes:
    """Tensor sizes in one attention of the model."""

    layer: str  # module name; equal layers appear once, as `name.* × count`
    query: int
    keys: tuple[int, int]  # number of heads, size of a head
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
    description: str
    parts: dict[str, Config]  # configs of `encoder` and `decoder`, where the model has them
    initial_state: Equation | None  # of a recurrent decoder that has a source
    attentions: list[AttentionUse]
    shapes: list[AttentionShapes]
    parameters: dict[str, int]  # of each part, and the total under "all"


def describe_run(run: RunConfig, sizes: VocabularySizes) -> Description:
    """Build the model on the meta device, run it on an example and describe it."""
    # A document's sentences are grouped by their lengths, which needs values.
    device = "cpu" if run.model.reads == "documents" else "meta"
    with torch.device(device), torch.no_grad():
        model = run.model.build(sizes)
        shapes = _shapes(run, model)
    return Description(
        run_caption(run),
        _parts(run),
        initial_state(model),
        run.model.attention_uses(),
        shapes,
        _parameters(model),
    )


def run_caption(run: RunConfig) -> str:
    """Return the description of a run, by default one of the sizes of its model."""
    return run.description or model_sizes(run)


def model_sizes(run: RunConfig) -> str:
    """Return the kinds and sizes of encoder and decoder: `recurrent, 1 × 64 → luong, 1 × 64`."""
    return " → ".join(_part_sizes(part) for part in _parts(run).values())


def _part_sizes(part: Any) -> str:
    """Return the kind, the number of layers and the width of an encoder or decoder."""
    settings = part.model_dump()
    sizes = [str(settings[name]) for name in ("layers", "dim") if name in settings]
    sizes += ["-".join(map(str, settings.get("channels", ())))]
    return f"{part.kind}, {' × '.join(filter(None, sizes))}"


def config_equation(config: Any) -> Equation:
    """Return the equation of the part that `config` builds."""
    return config.equation


def initial_state(model: nn.Module) -> Equation | None:
    """Return how the decoder's first state depends on the source; None if it does not."""
    return getattr(getattr(model, "decoder", None), "initial_state", None)


def _parts(run: RunConfig) -> dict[str, Config]:
    parts = {name: getattr(run.model, name, None) for name in ("encoder", "decoder")}
    return {name: part for name, part in parts.items() if part is not None}


def _parameters(model: nn.Module) -> dict[str, int]:
    parts = {
        name: sum(p.numel() for p in part.parameters()) for name, part in model.named_children()
    }
    return {**parts, "all": sum(p.numel() for p in model.parameters())}


def _shapes(run: RunConfig, model: nn.Module) -> list[AttentionShapes]:
    """Run the model on an example and return the sizes in each attention."""
    layers: dict[str, set[str]] = {}
    shapes: dict[str, AttentionShapes] = {}

    def record_shapes(name: str) -> Any:
        layer = re.sub(r"\.\d+\.", ".*.", name)

        def hook(
            module: nn.Module, args: tuple[Any, ...], kwargs: Any, output: AttentionOutput
        ) -> None:
            query, memory = args
            layers.setdefault(layer, set()).add(name)
            shapes[layer] = AttentionShapes(
                f"{layer} × {len(layers[layer])}" if layer != name else name,
                query.size(-1),
                (memory.keys.size(1), memory.keys.size(3)),
                (memory.values.size(1), memory.values.size(3)),
                output.context.size(-1),
            )

        return hook

    for name, module in model.named_modules():
        if isinstance(module, Attention):
            module.register_forward_hook(record_shapes(name), with_kwargs=True)
    _run_on_example(run, model)
    return list(shapes.values())


def _run_on_example(run: RunConfig, model: Any) -> None:
    ids = torch.zeros(1, 1, dtype=torch.long)  # one token: a model may have one position only
    if run.model.kind == "language-model":
        model(ids)
    elif run.model.kind == "classifier":
        model(_example_source(run.model.encoder, ids))
    else:
        model(_example_source(run.model.encoder, ids), ids)


def _example_source(encoder: Any, ids: Tensor) -> Tokens | Images | Grids | Documents:
    match encoder.kind:
        case "image":
            return Images(torch.zeros(1, 3, encoder.height, encoder.width))
        case "grid":
            return Grids(torch.zeros(1, encoder.rows, encoder.columns, encoder.features))
        case "hierarchical":
            return Documents(Tokens(ids), torch.ones(1, dtype=torch.long))
        case _:
            return Tokens(ids)


# -- the table of all presets in docs/mechanisms.md, one row for each attention --------------------


HEAD = """# Mechanisms

Attention compares a query with keys (score), turns the scores into weights (normalizer) and
averages the values with them (context). The span determines which positions a query can attend to.
Each preset combines these choices; two presets often differ in a single line of the run file.
`regard describe PRESET` shows equations, shapes and parameter counts. A recurrent
decoder starts from h_n and c_n, the encoder's final states, from ←h_1, the final backward state, or
from the mean of the memory.

`scripts/mechanisms` generates this page from the presets.

| preset | query | memory | score | span | normalizer | heads | when | initial state | source |
|---|---|---|---|---|---|---|---|---|---|
"""

FIGURES = """
The weights of six mechanisms for the same sentence pair, and the BLEU of eleven on Multi30k after
the same number of steps, a dot for each of three seeds. [Reproduced figures](reproduced.md)
describes the models and what the differences mean.

<img src="figures/attention-additive.svg" width="32%" alt="Weights of the additive score: entlang attends to street">
<img src="figures/attention-scaled-dot.svg" width="32%" alt="Weights of the scaled dot product: entlang attends to down">
<img src="figures/attention-luong.svg" width="32%" alt="Weights of Luong's bilinear score: entlang attends to down">
<img src="figures/attention-dot.svg" width="32%" alt="Weights of the plain dot product: every word attends to one position">
<img src="figures/attention-sparse.svg" width="32%" alt="Weights of sparsemax: two or three words each have a weight, the others none">
<img src="figures/attention-hard.svg" width="32%" alt="Weights of hard attention: each word attends to a single position">

<img src="figures/mechanisms.svg" width="75%" alt="BLEU of eleven mechanisms, a dot for each of three seeds">
"""  # noqa: E501


def mechanisms_table() -> str:
    """Return docs/mechanisms.md."""
    rows = []
    for name in presets():
        run = load_config(name)
        source = run.description.split(":")[0]
        uses = run.model.attention_uses()
        with torch.device("meta"):
            first = initial_state(run.model.build(VocabularySizes(1, 1)))
        s_0 = "–" if first is None else first.formula
        if not uses:
            rows.append(_row(name, *["–"] * 6, "no attention", s_0, source))
        for i, use in enumerate(uses):
            rows.append(
                _row(
                    name if i == 0 else "",
                    use.query,
                    use.memory,
                    use.attention.score.kind,
                    use.attention.span.kind,
                    use.attention.normalizer.kind,
                    str(use.attention.score.heads),
                    use.when,
                    s_0 if i == 0 else "",
                    source if i == 0 else "",
                )
            )
    return HEAD + "\n".join(rows) + "\n" + FIGURES


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(mechanisms_table(), end="")
