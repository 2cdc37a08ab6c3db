"""Every score, span and normalizer, small, by the name that its config gives it."""

from __future__ import annotations

from itertools import product

import pytest
import torch

from regard import attention as att
from regard.config import attention as configs
from regard.config.registry import kinds

E = 8

SCORES = {
    **{kind: config() for kind, config in kinds(configs.ScoreConfig).items()},
    "dot / √d": configs.DotConfig(scaled=True),
    "additive, 2 heads": configs.AdditiveConfig(dim=6, heads=2),
    "scaled-dot, 2 heads": configs.ScaledDotConfig(heads=2),
    "cosine, 2 heads": configs.CosineConfig(dim=6, heads=2),
}
SPANS = {
    "everywhere": configs.EverywhereConfig(),
    "causal": configs.CausalConfig(),
    "causal, window 3": configs.CausalConfig(window=3),
    "last": configs.LastConfig(),
    "local-monotone": configs.LocalMonotoneConfig(reach=1),
    "local-predictive": configs.LocalPredictiveConfig(reach=2),
}
NORMALIZERS = {kind: config() for kind, config in kinds(configs.NormalizerConfig).items()}


def pairwise() -> set[tuple[str, str, str]]:
    """A Latin square: every pair of a score, a span and a normalizer occurs at least once."""
    normalizers = list(NORMALIZERS)
    return {
        (score, span, normalizers[(i + j) % len(normalizers)])
        for (i, score), (j, span) in product(enumerate(SCORES), enumerate(SPANS))
    }


PAIRWISE = pairwise()
MECHANISMS = [
    pytest.param(each, marks=() if each in PAIRWISE else pytest.mark.exhaustive, id=", ".join(each))
    for each in product(SCORES, SPANS, NORMALIZERS)
]


def mechanism(score: str, span: str, normalizer: str) -> att.Attention:
    torch.manual_seed(0)
    config = configs.AttentionConfig(
        score=SCORES[score], span=SPANS[span], normalizer=NORMALIZERS[normalizer]
    )
    return config.build(E, E).eval()
