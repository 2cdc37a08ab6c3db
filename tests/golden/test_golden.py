"""Models that were sealed once load and translate as they did then, in every later version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from regard.bundle.bundle import open_bundle
from regard.tasks.translation.translator import load_translator

GOLDEN = sorted(path.parent for path in Path(__file__).parent.glob("*/*/expected.json"))


def test_there_is_a_transformer_and_a_recurrent_model() -> None:
    assert {path.name for path in GOLDEN} == {"transformer", "recurrent"}


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_golden_model_translates_as_recorded(path: Path) -> None:
    expected = json.loads((path / "expected.json").read_text("utf-8"))
    translator = load_translator(path / "model", engine="torch", device="cpu")
    found = translator.translate([one["source"] for one in expected])
    assert [one.text for one in found] == [one["text"] for one in expected]
    for one, recorded in zip(found, expected, strict=True):
        assert one.score == pytest.approx(recorded["score"], abs=1e-4)
    assert len({one["text"] for one in expected}) > 5  # it has learnt to tell them apart


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_golden_model_is_small_and_says_nothing_of_where_it_was_made(path: Path) -> None:
    bundle = open_bundle(path / "model")
    assert sum(one.size for one in bundle.files.values()) < 150_000
    for name in bundle.names:
        assert not [word for word in (b"/tmp", b"/root", b"/home") if word in bundle.read(name)]
