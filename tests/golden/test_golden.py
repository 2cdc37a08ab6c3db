"""Golden models: bundles of earlier versions load and reproduce their recorded outputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from regard.bundle.bundle import open_bundle
from regard.tasks.captioning.captioner import captioner_from_bundle
from regard.tasks.classification.document_classifier import classifier_from_bundle
from regard.tasks.language.completer import completer_from_bundle
from regard.tasks.translation.translator import Translator

GOLDEN = Path(__file__).parent
MODELS = sorted(path.parent for path in GOLDEN.glob("*/*/expected.json"))
TASKS = {"captioning", "classification", "language", "recurrent", "transformer"}


def models_of(*names: str) -> pytest.MarkDecorator:
    paths = [path for path in MODELS if path.name in names]
    return pytest.mark.parametrize("path", paths, ids=lambda p: f"{p.parent.name}-{p.name}")


def read_expected(path: Path) -> list[dict[str, Any]]:
    return json.loads((path / "expected.json").read_text("utf-8"))


def test_every_format_has_a_model_of_each_task() -> None:
    formats = {path.parent for path in MODELS}
    assert formats
    assert {(path.parent, path.name) for path in MODELS} == {
        (format_, task) for format_ in formats for task in TASKS
    }


@models_of("transformer", "recurrent")
def test_a_translation_model_reproduces_its_outputs(path: Path) -> None:
    expected = read_expected(path)
    translator = Translator.load(path / "model", engine="torch", device="cpu")
    results = translator.translate([output["source"] for output in expected])
    assert [result.text for result in results] == [output["text"] for output in expected]
    for result, output in zip(results, expected, strict=True):
        assert result.score == pytest.approx(output["score"], abs=1e-4)
    assert len({output["text"] for output in expected}) > 5


@models_of("language")
def test_a_language_model_reproduces_its_outputs(path: Path) -> None:
    expected = read_expected(path)
    completer = completer_from_bundle(open_bundle(path / "model"), "cpu")
    results = completer.complete([output["prompt"] for output in expected], max_length=12)
    assert [result.text for result in results] == [output["text"] for output in expected]
    for output in expected:
        nll = completer.perplexity([output["prompt"]]).nll
        assert nll == pytest.approx(output["nll"], abs=2e-3)


@models_of("classification")
def test_a_classifier_reproduces_its_outputs(path: Path) -> None:
    expected = read_expected(path)
    classifier = classifier_from_bundle(open_bundle(path / "model"), "cpu")
    results = classifier.classify([output["text"] for output in expected])
    assert [result.label for result in results] == [output["label"] for output in expected]
    for result, output in zip(results, expected, strict=True):
        assert result.probability == pytest.approx(output["probability"], abs=1e-3)
    assert {result.label for result in results} == {"good", "bad", None}


@models_of("captioning")
def test_a_captioning_model_reproduces_its_outputs(path: Path) -> None:
    expected = read_expected(path)
    captioner = captioner_from_bundle(open_bundle(path / "model"), "cpu")
    results = captioner.caption([path / "images" / output["image"] for output in expected])
    assert [result.text for result in results] == [output["text"] for output in expected]
    for result, output in zip(results, expected, strict=True):
        assert result.score == pytest.approx(output["score"], abs=1e-3)


@models_of(*TASKS)
def test_a_golden_model_is_small_and_contains_no_local_paths(path: Path) -> None:
    bundle = open_bundle(path / "model")
    assert sum(file.size for file in bundle.files.values()) < 150_000
    for name in bundle.names:
        assert not [word for word in (b"/tmp", b"/root", b"/home") if word in bundle.read(name)]
