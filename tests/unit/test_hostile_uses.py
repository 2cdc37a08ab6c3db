"""Captioners, language models and classifiers that mean harm: refused by name, whatever opens them.

What holds for all bundles alike (manifests, weights, tokenisers, files that are none) is tried in
test_hostile.py; here is what these uses read besides.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import regard
from regard.bundle.bundle import RUN, WEIGHTS, Bundle, add_files, open_bundle, save_bundle
from regard.config.load import dump_config, load_config
from regard.config.run import RunConfig
from regard.errors import ArtifactError, RegardError
from regard.tasks.captioning import captioner
from regard.tasks.captioning.captioner import CAPTIONS
from regard.tasks.classification import document_classifier as labeller
from regard.tasks.classification.document_classifier import CLASSES
from regard.tasks.language import completer
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, SentencePiece
from tests.tiny_models import tiny_run

LINES = ["one two three four", "five six seven"]
PRESETS = {"captions": "caption-soft", "language": "lm-transformer", "documents": "han"}


LOOK = (
    b'{"longest": 9, "pointer": {"look": "decoder.attention", "head": %b, "shift": %b, '
    b'"null": false}}'
)


@pytest.fixture
def bundle(request: pytest.FixtureRequest, tmp_path: Path) -> Bundle:
    run = tiny_run(PRESETS[request.param])
    pieces = SentencePiece.train(LINES * 5, size=290)
    pieces.save(tmp_path)
    files = {name: (tmp_path / name).read_bytes() for name in (MODEL_FILE, SETTINGS_FILE)}
    if request.param == "captions":
        model: Any = captioner.build_captioning_model(run, pieces.size)
        files[CAPTIONS] = b'{"longest": 9, "pointer": null}'
    elif request.param == "language":
        model = completer.build_language_model(run, pieces.size)
    else:
        model = labeller.build_classification_model(run, pieces.size, 2)
        files[CLASSES] = b'{"names": ["bad", "good"]}'
    files[RUN] = dump_config(run).encode()
    return save_bundle(tmp_path / "model", files, dict(model.named_parameters()))


def changed(run: RunConfig, **settings: Any) -> bytes:
    """The run with other values, however absurd, of the settings of that name."""
    said = yaml.safe_load(dump_config(run))

    def change(here: Any) -> None:
        if isinstance(here, dict):
            here.update({name: value for name, value in settings.items() if name in here})
            for inner in here.values():
                change(inner)

    change(said)
    return yaml.safe_dump(said).encode()


ALL = pytest.mark.parametrize("bundle", PRESETS, indirect=True)


@ALL
def test_a_good_one_is_opened(bundle: Bundle) -> None:
    assert regard.load(bundle.path).tokenizer.size > 256


@ALL
def test_every_file_that_was_damaged_is_named(bundle: Bundle) -> None:
    for name in bundle.names:
        data = bytearray((bundle.path / name).read_bytes())
        data[len(data) // 2] ^= 4
        whole = (bundle.path / name).read_bytes()
        (bundle.path / name).write_bytes(data)
        with pytest.raises(ArtifactError, match=name):
            open_bundle(bundle.path)
        (bundle.path / name).write_bytes(whole)
    assert open_bundle(bundle.path) == bundle


@ALL
@pytest.mark.parametrize(
    "preset", ["translate-tiny", "lm-lstmn", "lm-transformer", "han", "caption-soft"]
)
def test_the_run_of_another_model_is_refused(bundle: Bundle, preset: str) -> None:
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
        {"longest": 0},
        {"dim": -1},
        {"kind": "none"},
    ],
    ids=str,
)
def test_a_run_that_cannot_be_is_refused(bundle: Bundle, settings: dict[str, Any]) -> None:
    run = yaml.safe_load(bundle.text(RUN))
    add_files(bundle, {RUN: changed(RunConfig.model_validate(run), **settings)})
    with pytest.raises(RegardError):
        regard.load(bundle.path)


@ALL
def test_weights_that_are_not_its_own_are_refused(bundle: Bundle) -> None:
    add_files(bundle, {WEIGHTS: b"\x80\x04N."})
    with pytest.raises(ArtifactError, match=WEIGHTS):
        regard.load(bundle.path)


@pytest.mark.parametrize("bundle", ["language"], indirect=True)
def test_a_window_beyond_the_positions_that_were_learnt_is_refused(bundle: Bundle) -> None:
    run = RunConfig.model_validate(yaml.safe_load(bundle.text(RUN)))
    add_files(bundle, {RUN: changed(run, longest=10**9)})
    with pytest.raises(RegardError, match=r"data\.longest: 1000000000 pieces"):
        regard.load(bundle.path)


@pytest.mark.parametrize("bundle", ["documents"], indirect=True)
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
def test_classes_that_are_not_those_of_the_weights_are_refused(
    bundle: Bundle, names: bytes
) -> None:
    add_files(bundle, {CLASSES: names})
    with pytest.raises(ArtifactError, match=str(bundle.path)):
        regard.load(bundle.path)


@pytest.mark.parametrize("bundle", ["captions"], indirect=True)
@pytest.mark.parametrize(
    "known",
    [
        b"",
        b"[]",
        b"{}",
        b"[" * 100_000,
        b'{"longest": "many"}',
        b'{"longest": -1}',
        b'{"longest": 1e99}',
        b'{"longest": 9, "pointer": "decoder"}',
        b'{"longest": 9, "pointer": {"look": "encoder", "head": 0, "shift": 0, "null": false}}',
        LOOK % (b"9", b"0"),
        LOOK % (b"-1", b"0"),
        LOOK % (b"0", b"2"),
    ],
    ids=lambda known: known[:99].decode(),
)
def test_what_a_captioner_cannot_know_of_itself_is_refused(bundle: Bundle, known: bytes) -> None:
    add_files(bundle, {CAPTIONS: known})
    with pytest.raises(ArtifactError, match=CAPTIONS):
        regard.load(bundle.path)
