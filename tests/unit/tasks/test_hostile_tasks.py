"""Hostile bundles of captioning, language and classification models.

test_hostile_bundles.py covers what all bundles share: manifests, weights, tokenizers. This file
covers what these tasks read besides.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import regard
from regard.bundle.bundle import RUN, WEIGHTS, Bundle, add_files, open_bundle, save_bundle
from regard.bundle.parts import pack
from regard.config.load import dump_config, load_config
from regard.config.run import RunConfig
from regard.errors import ArtifactError, ConfigError, RegardError
from regard.tasks.captioning import captioner
from regard.tasks.captioning.captioner import CAPTIONS
from regard.tasks.classification import document_classifier
from regard.tasks.classification.document_classifier import CLASSES
from regard.tasks.language import completer
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, SentencePiece
from tests.command import run_cli
from tests.tiny_models import tiny_run

LINES = ["one two three four", "five six seven"]
PRESETS = {"captioning": "caption-soft", "language": "lm-transformer", "classification": "han"}
CLASSES_OF_TASKS = {
    "captioning": "Captioner",
    "language": "Completer",
    "classification": "DocumentClassifier",
}

HEAD = (
    b'{"max_length": 9, "alignment_head": {"attention": "%b", "head": %b, "shift": %b, '
    b'"null": false}}'
)


@pytest.fixture
def bundle(request: pytest.FixtureRequest, tmp_path: Path) -> Bundle:
    run = tiny_run(PRESETS[request.param])
    pieces = SentencePiece.train(LINES * 5, size=290)
    pieces.save(tmp_path)
    files = {name: (tmp_path / name).read_bytes() for name in (MODEL_FILE, SETTINGS_FILE)}
    if request.param == "captioning":
        model: Any = captioner.build_captioning_model(run, pieces.size)
        files[CAPTIONS] = b'{"max_length": 9, "alignment_head": null}'
    elif request.param == "language":
        model = completer.build_language_model(run, pieces.size)
    else:
        model = document_classifier.build_classification_model(run, pieces.size, 2)
        files[CLASSES] = b'{"names": ["bad", "good"]}'
    files[RUN] = dump_config(run).encode()
    files[WEIGHTS] = pack(dict(model.named_parameters()))
    return save_bundle(tmp_path / "model", files)


def changed_config(run: RunConfig, **settings: Any) -> bytes:
    """Return the config with other values for all settings of these names."""
    values = yaml.safe_load(dump_config(run))
    changed: set[str] = set()

    def change(node: Any) -> None:
        if isinstance(node, dict):
            found = {name: value for name, value in settings.items() if name in node}
            node.update(found)
            changed.update(found)
            for inner in node.values():
                change(inner)

    change(values)
    assert changed
    return yaml.safe_dump(values).encode()


ALL = pytest.mark.parametrize("bundle", PRESETS, indirect=True)


@ALL
def test_a_valid_bundle_is_loaded(bundle: Bundle, request: pytest.FixtureRequest) -> None:
    loaded = regard.load(bundle.path)
    task = request.node.callspec.params["bundle"]
    assert isinstance(loaded, getattr(regard, CLASSES_OF_TASKS[task]))
    assert loaded.tokenizer.size > 256


@ALL
def test_a_damaged_file_is_named(bundle: Bundle) -> None:
    for name in bundle.names:
        data = bytearray((bundle.path / name).read_bytes())
        data[len(data) // 2] ^= 4
        intact = (bundle.path / name).read_bytes()
        (bundle.path / name).write_bytes(data)
        with pytest.raises(ArtifactError, match=name):
            open_bundle(bundle.path)
        (bundle.path / name).write_bytes(intact)
    assert open_bundle(bundle.path) == bundle


@ALL
@pytest.mark.parametrize(
    "preset", ["translate-tiny", "lm-lstmn", "lm-transformer", "han", "caption-soft"]
)
def test_the_config_of_another_model_is_refused(bundle: Bundle, preset: str) -> None:
    add_files(bundle, {RUN: dump_config(load_config(preset)).encode()})
    with pytest.raises(RegardError):
        regard.load(bundle.path)


@ALL
@pytest.mark.parametrize(
    "settings",
    [
        {"embedding_dim": 40_000, "dim": 40_000, "hidden_dim": 40_000},
        {"embedding_dim": 2**62, "dim": 2**62},
        {"layers": 100_000},
        {"max_length": 0},
        {"dim": -1},
        {"kind": "none"},
    ],
    ids=str,
)
def test_an_impossible_config_is_refused(bundle: Bundle, settings: dict[str, Any]) -> None:
    run = yaml.safe_load(bundle.text(RUN))
    add_files(bundle, {RUN: changed_config(RunConfig.model_validate(run), **settings)})
    with pytest.raises(RegardError):
        regard.load(bundle.path)


@ALL
def test_a_pickle_as_weights_is_refused(bundle: Bundle) -> None:
    add_files(bundle, {WEIGHTS: b"\x80\x04N."})
    with pytest.raises(ArtifactError, match=WEIGHTS):
        regard.load(bundle.path)


@pytest.mark.parametrize("bundle", ["language"], indirect=True)
def test_a_window_beyond_the_learned_positions_is_refused(bundle: Bundle) -> None:
    run = RunConfig.model_validate(yaml.safe_load(bundle.text(RUN)))
    add_files(bundle, {RUN: changed_config(run, max_length=10**9)})
    with pytest.raises(RegardError, match=r"data\.max_length"):
        regard.load(bundle.path)


@pytest.mark.parametrize("bundle", ["classification"], indirect=True)
@pytest.mark.parametrize(
    "names",
    [
        b"",
        b"[]",
        b"{}",
        b"[" * 100_000,
        b'{"names": "good"}',
        b'{"names": [1, 2]}',
        b'{"names": ["one"]}',
        b'{"names": ["\\ud800", "b"]}',
        json.dumps({"names": [str(i) for i in range(100_000)]}).encode(),
    ],
    ids=lambda names: names[:20].decode(),
)
def test_classes_that_do_not_fit_the_weights_are_refused(bundle: Bundle, names: bytes) -> None:
    add_files(bundle, {CLASSES: names})
    with pytest.raises(ArtifactError, match=str(bundle.path)):
        regard.load(bundle.path)


@pytest.mark.parametrize("bundle", ["captioning"], indirect=True)
@pytest.mark.parametrize(
    "settings",
    [
        b"",
        b"[]",
        b"{}",
        b"[" * 100_000,
        b'{"max_length": "many"}',
        b'{"max_length": -1}',
        b'{"max_length": 1e99}',
        b'{"max_length": 9, "alignment_head": "decoder"}',
        HEAD % (b"encoder", b"0", b"0"),
        HEAD % (b"decoder.attention", b"9", b"0"),
        HEAD % (b"decoder.attention", b"-1", b"0"),
        HEAD % (b"decoder.attention", b"0", b"2"),
    ],
    ids=lambda settings: settings[:99].decode(),
)
def test_impossible_captioning_settings_are_refused(bundle: Bundle, settings: bytes) -> None:
    add_files(bundle, {CAPTIONS: settings})
    with pytest.raises(ArtifactError, match=CAPTIONS):
        regard.load(bundle.path)


@pytest.mark.parametrize("bundle", ["captioning"], indirect=True)
def test_valid_captioning_settings_are_accepted(bundle: Bundle) -> None:
    add_files(bundle, {CAPTIONS: HEAD % (b"decoder.attention", b"0", b"0")})
    assert regard.load(bundle.path).tokenizer.size > 256


@pytest.mark.parametrize("bundle", ["classification"], indirect=True)
def test_explain_refuses_a_classifier(bundle: Bundle) -> None:
    with pytest.raises(ConfigError, match="regard classify"):
        run_cli(["explain", str(bundle.path), "one two"])


@pytest.mark.parametrize("bundle", ["language"], indirect=True)
def test_explain_refuses_gold_links_of_a_language_model(bundle: Bundle) -> None:
    with pytest.raises(ConfigError, match="--gold"):
        run_cli(["explain", str(bundle.path), "one two", "--gold", "0-0"])
