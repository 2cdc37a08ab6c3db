"""Whether a model can leave the house: said when it is written down, not after it was trained.

CTranslate2 runs Transformers that translate: every look a softmax of scaled dot products, over
everything or over the past, in equally many heads. Whatever else a spec says stands in its way.
"""

from __future__ import annotations

from regard.config.attention import AttentionUse
from regard.config.run import RunConfig


def export_obstacles(run: RunConfig) -> list[str]:
    """What CTranslate2 could not do of this model, by its place in the run file; none: it can."""
    model = run.model
    if model.kind != "encoder-decoder":
        return [f"model.kind: {model.kind}, and only encoder-decoder can be exported"]
    found = [
        f"model.{name}.kind: {part.kind}, and only transformer can be exported"
        for name, part in (("encoder", model.encoder), ("decoder", model.decoder))
        if part.kind != "transformer"
    ]
    if found:
        return found
    looks = model.attention_uses()
    for look in looks:
        found += _obstacles(look)
    if len({look.attention.score.heads for look in looks}) > 1:
        found.append("heads: all attentions must have equally many")
    return found


def _obstacles(look: AttentionUse) -> list[str]:
    attention, where = look.attention, f"{look.query} over {look.memory}"
    wanted = "causal" if look.memory == "its own past" else "everywhere"
    found = []
    if attention.score.kind != "scaled-dot":
        found.append(f"{where}: score {attention.score.kind}, not scaled-dot")
    elif attention.score.dim is not None:
        found.append(f"{where}: a score with a width of its own")
    if attention.span != attention.span.__class__() or attention.span.kind != wanted:
        found.append(f"{where}: span {attention.span.kind}, not plain {wanted}")
    if attention.normalizer.kind != "softmax":
        found.append(f"{where}: weighing {attention.normalizer.kind}, not softmax")
    return found
