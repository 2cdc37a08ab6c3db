"""The config determines whether a model can be exported."""

from __future__ import annotations

import pytest

from regard.config.load import load_config, presets
from regard.interop.ctranslate2_export import export_obstacles


def test_translation_transformers_among_the_presets_can_be_exported() -> None:
    assert [name for name in presets() if not export_obstacles(load_config(name))] == [
        *("transformer", "translate-base", "translate-big", "translate-tiny"),
    ]


@pytest.mark.parametrize(
    ("override", "words"),
    [
        (
            "model.decoder.cross_attention.score={kind: additive, heads: 8}",
            "y_t over encoder states: score is additive",
        ),
        (
            "model.encoder.self_attention.span={kind: local-monotone, reach: 3}",
            "span is local-monotone",
        ),
        ("model.decoder.self_attention.span.window=5", "span is causal, not plain causal"),
        ("model.decoder.cross_attention.normalizer.kind=sparsemax", "normalizer is sparsemax"),
        ("model.encoder.self_attention.score.heads=4", "score.heads must be the same"),
        ("model.encoder.self_attention.score.dim=256", "score.dim must not be set"),
    ],
)
def test_unsupported_settings_are_named(override: str, words: str) -> None:
    (obstacle,) = export_obstacles(load_config("transformer", [override]))
    assert words in obstacle


def test_a_recurrent_model_cannot_be_exported() -> None:
    assert export_obstacles(load_config("bahdanau"))[0].startswith(
        "model.encoder.kind is recurrent"
    )
