"""Every score, span and weighing, small, under the name that its spec gives it."""

from __future__ import annotations

from itertools import product
from typing import get_args

import torch

from regard import attention as att
from regard.spec import attention as grammar

E = 8

SCORES = {
    **{kind.model_fields["kind"].default: kind() for kind in get_args(get_args(grammar.Score)[0])},
    "additive, 2 heads": grammar.Additive(dim=6, heads=2),
    "scaled-dot, 2 heads": grammar.ScaledDot(heads=2),
    "cosine, 2 heads": grammar.Cosine(dim=6, heads=2),
}
SPANS = {
    "everywhere": grammar.Everywhere(),
    "causal": grammar.Causal(),
    "causal, window 3": grammar.Causal(window=3),
    "last": grammar.Last(),
    "local-monotone": grammar.LocalMonotone(reach=1),
    "local-predictive": grammar.LocalPredictive(reach=2),
}
WEIGHINGS = {
    kind.model_fields["kind"].default: kind() for kind in get_args(get_args(grammar.Weighing)[0])
}
MECHANISMS = list(product(SCORES, SPANS, WEIGHINGS))


def mechanism(score: str, span: str, weighing: str) -> att.Attention:
    torch.manual_seed(0)
    spec = grammar.Attention(score=SCORES[score], span=SPANS[span], weighing=WEIGHINGS[weighing])
    return spec.build(E, E).eval()


def test_every_span_has_its_place_in_the_list() -> None:
    kinds = {kind.model_fields["kind"].default for kind in get_args(get_args(grammar.Span)[0])}
    assert kinds == {span.kind for span in SPANS.values()}
