"""Whether a model can be exported is known when it is written down."""

from __future__ import annotations

import pytest

from regard.spec.export import obstacles
from regard.spec.read import presets, read_run


def test_of_the_presets_the_transformers_that_translate_can_be_exported() -> None:
    assert [name for name in presets() if not obstacles(read_run(name))] == [
        *("transformer", "translate-base", "translate-big", "translate-tiny"),
    ]


@pytest.mark.parametrize(
    ("override", "words"),
    [
        (
            "model.decoder.source.score={kind: additive, heads: 8}",
            "y_t over encoder states: score additive",
        ),
        ("model.encoder.own.span={kind: local-monotone, reach: 3}", "span local-monotone"),
        ("model.decoder.own.span.window=5", "span causal, not plain causal"),
        ("model.decoder.source.weighing.kind=sparsemax", "weighing sparsemax"),
        ("model.encoder.own.score.heads=4", "equally many"),
        ("model.encoder.own.score.dim=256", "a width of its own"),
    ],
)
def test_what_stands_in_the_way_is_named(override: str, words: str) -> None:
    found = obstacles(read_run("transformer", [override]))
    assert len(found) == 1 and words in found[0]


def test_a_recurrent_model_cannot_be_exported_and_why_is_said() -> None:
    assert obstacles(read_run("bahdanau"))[0].startswith("model.encoder.kind: recurrent")
