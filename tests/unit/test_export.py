"""Whether a model can be exported is known when it is written down."""

from __future__ import annotations

import pytest

from regard.config.load import load_config, presets
from regard.interop.ctranslate2_limits import export_obstacles


def test_of_the_presets_the_transformers_that_translate_can_be_exported() -> None:
    assert [name for name in presets() if not export_obstacles(load_config(name))] == [
        *("transformer", "translate-base", "translate-big", "translate-tiny"),
    ]


@pytest.mark.parametrize(
    ("override", "words"),
    [
        (
            "model.decoder.cross_attention.score={kind: additive, heads: 8}",
            "y_t over encoder states: score additive",
        ),
        (
            "model.encoder.self_attention.span={kind: local-monotone, reach: 3}",
            "span local-monotone",
        ),
        ("model.decoder.self_attention.span.window=5", "span causal, not plain causal"),
        ("model.decoder.cross_attention.normalizer.kind=sparsemax", "normalizer is sparsemax"),
        ("model.encoder.self_attention.score.heads=4", "score.heads must be the same"),
        ("model.encoder.self_attention.score.dim=256", "a width of its own"),
    ],
)
def test_what_stands_in_the_way_is_named(override: str, words: str) -> None:
    found = export_obstacles(load_config("transformer", [override]))
    assert len(found) == 1 and words in found[0]


def test_a_recurrent_model_cannot_be_exported_and_why_is_said() -> None:
    assert export_obstacles(load_config("bahdanau"))[0].startswith("model.encoder.kind: recurrent")
