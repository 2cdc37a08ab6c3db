"""Every score, span and weighing, small, under the name that its spec gives it."""

from __future__ import annotations

from itertools import product
from typing import get_args

import torch

from regard import attention as att
from regard.config import attention as grammar

E = 8

SCORES = {
    **{
        kind.model_fields["kind"].default: kind()
        for kind in get_args(get_args(grammar.ScoreConfig)[0])
    },
    "additive, 2 heads": grammar.AdditiveConfig(dim=6, heads=2),
    "scaled-dot, 2 heads": grammar.ScaledDotConfig(heads=2),
    "cosine, 2 heads": grammar.CosineConfig(dim=6, heads=2),
}
SPANS = {
    "everywhere": grammar.EverywhereConfig(),
    "causal": grammar.CausalConfig(),
    "causal, window 3": grammar.CausalConfig(window=3),
    "last": grammar.LastConfig(),
    "local-monotone": grammar.LocalMonotoneConfig(reach=1),
    "local-predictive": grammar.LocalPredictiveConfig(reach=2),
}
WEIGHINGS = {
    kind.model_fields["kind"].default: kind()
    for kind in get_args(get_args(grammar.NormalizerConfig)[0])
}
MECHANISMS = list(product(SCORES, SPANS, WEIGHINGS))


def mechanism(score: str, span: str, weighing: str) -> att.Attention:
    torch.manual_seed(0)
    spec = grammar.AttentionConfig(
        score=SCORES[score], span=SPANS[span], normalizer=WEIGHINGS[weighing]
    )
    return spec.build(E, E).eval()


def test_every_span_has_its_place_in_the_list() -> None:
    kinds = {
        kind.model_fields["kind"].default for kind in get_args(get_args(grammar.SpanConfig)[0])
    }
    assert kinds == {span.kind for span in SPANS.values()}
