"""Captioners, language models and classifiers that were sealed once answer as they did then, in
every later version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from regard.bundle.bundle import open_bundle
from regard.tasks.base import load

HERE = Path(__file__).parent
GOLDEN = sorted(path.parent for path in HERE.glob("*/*/said.json"))


def told(name: str) -> tuple[Any, dict[str, Any]]:
    path = HERE / "format-1" / name
    return load(path / "model", device="cpu"), json.loads((path / "said.json").read_text("utf-8"))


def test_a_golden_language_model_goes_on_as_recorded() -> None:
    completer, expected = told("language")
    prompts = [one["prompt"] for one in expected["said"]]
    assert [f.text for f in completer.complete(prompts, most=12)] == [
        one["text"] for one in expected["said"]
    ]
    for prompt, nll in zip(prompts, expected["nll"], strict=True):
        assert completer.perplexity([prompt]).nll == pytest.approx(nll, abs=2e-3)


def test_a_golden_classifier_names_classes_as_recorded() -> None:
    labeller, expected = told("documents")
    found = labeller.classify([one["text"] for one in expected["said"]])
    assert [one.label for one in found] == [one["label"] for one in expected["said"]]
    for one, recorded in zip(found, expected["said"], strict=True):
        assert one.probability == pytest.approx(recorded["probability"], abs=1e-3)
    assert {one.label for one in found} == {"good", "bad", None}


def test_a_golden_captioner_describes_as_recorded() -> None:
    captioner, expected = told("captions")
    images = [HERE / "format-1" / "captions" / "images" / one["image"] for one in expected["said"]]
    found = captioner.caption(images)
    assert [one.text for one in found] == [one["text"] for one in expected["said"]]
    for one, recorded in zip(found, expected["said"], strict=True):
        assert one.score == pytest.approx(recorded["score"], abs=1e-3)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_golden_model_is_small_and_says_nothing_of_where_it_was_made(path: Path) -> None:
    bundle = open_bundle(path / "model")
    assert sum(one.size for one in bundle.files.values()) < 150_000
    for name in bundle.names:
        assert not [word for word in (b"/tmp", b"/root", b"/home") if word in bundle.read(name)]
