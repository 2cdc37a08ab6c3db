"""Check from the config alone whether CTranslate2 can run the model.

CTranslate2 runs encoder-decoder Transformers whose attentions all use scaled dot products, softmax,
plain or causal spans and the same number of heads.
"""

from __future__ import annotations

from typing import cast

from regard.config.attention import PAST_STATES, AttentionUse, ScaledDotConfig
from regard.config.encoders import TransformerConfig
from regard.config.run import RunConfig


def export_obstacles(run: RunConfig) -> list[str]:
    """Return the settings that CTranslate2 does not support; empty if it can run the model."""
    model = run.model
    if model.kind != "encoder-decoder":
        return [f"model.kind is {model.kind}: only encoder-decoder can be exported"]
    obstacles = [
        f"model.{name}.kind is {part.kind}: only transformer can be exported"
        for name, part in (("encoder", model.encoder), ("decoder", model.decoder))
        if part.kind != "transformer"
    ]
    if obstacles:
        return obstacles
    encoder, decoder = (
        cast(TransformerConfig, model.encoder),
        cast(TransformerConfig, model.decoder),
    )
    if encoder.norm_eps != decoder.norm_eps:
        obstacles.append("norm_eps must be the same in encoder and decoder")
    uses = model.attention_uses()
    for use in uses:
        obstacles += _attention_obstacles(use)
    if len({use.attention.score.heads for use in uses}) > 1:
        obstacles.append("score.heads must be the same in all attentions")
    return obstacles


def _attention_obstacles(use: AttentionUse) -> list[str]:
    attention, use_name = use.attention, f"{use.query} over {use.memory}"
    required = "causal" if use.memory == PAST_STATES else "everywhere"
    obstacles = []
    if not isinstance(attention.score, ScaledDotConfig):
        obstacles.append(f"{use_name}: score is {attention.score.kind}, not scaled-dot")
    elif attention.score.dim is not None:
        obstacles.append(f"{use_name}: score.dim must not be set")
    if attention.span.kind != required or attention.span != attention.span.__class__():
        obstacles.append(f"{use_name}: span is {attention.span.kind}, not plain {required}")
    if attention.normalizer.kind != "softmax":
        obstacles.append(f"{use_name}: normalizer is {attention.normalizer.kind}, not softmax")
    return obstacles
