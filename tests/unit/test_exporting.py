"""What `regard export` writes, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from regard.bundle.bundle import open_bundle
from regard.cli.main import app
from regard.errors import ArtifactError, ConfigError
from regard.inference.ctranslate2_engine import CTranslate2Engine
from regard.tasks.translation import exporting
from regard.tasks.translation.exporting import export_bundle
from regard.tasks.translation.translator import load_translator
from tests.bundles import LINES, sealed

pytest.importorskip("ctranslate2")


@pytest.fixture(scope="module")
def transformer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sealed("translate-tiny", tmp_path_factory.mktemp("sealed") / "model")


@pytest.fixture
def path(transformer: Path, tmp_path: Path) -> Path:
    """A sealed Transformer that a test may change."""
    return shutil.copytree(transformer, tmp_path / "model")


def test_an_exported_model_translates_as_before_and_says_how_near_it_is(path: Path) -> None:
    before = load_translator(path).translate(LINES)
    parity = export_bundle(path, None, LINES, LINES)
    assert parity.logps < 1e-4
    assert parity.texts == len(LINES) and parity.same == 1.0
    assert parity.bleu is not None and parity.bleu.ours == parity.bleu.exported
    told = json.loads(open_bundle(path).read("ctranslate2/parity.json"))
    assert told["same"] == 1.0
    after = load_translator(path)
    assert isinstance(after.engine, CTranslate2Engine)
    assert [t.text for t in after.translate(LINES)] == [t.text for t in before]


def test_both_kinds_of_weights_can_lie_in_one_bundle(path: Path) -> None:
    exact, rough = export_bundle(path, None), export_bundle(path, "int8")
    assert exact.logps < rough.logps
    assert exact.texts == 0 and exact.same is None
    names = open_bundle(path).names
    assert {"ctranslate2/model.bin", "ctranslate2-int8/model.bin"} <= set(names)


def test_what_cannot_be_exported_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    path = sealed("bahdanau", tmp_path / "model")
    before = open_bundle(path)
    with pytest.raises(ConfigError, match=r"model\.encoder\.kind: recurrent"):
        export_bundle(path, None)
    assert open_bundle(path) == before


def test_an_export_that_says_something_else_is_not_kept(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "TOLERANCE", 0.0)
    with pytest.raises(ArtifactError, match="nothing was written"):
        export_bundle(path, None)
    assert "ctranslate2/model.bin" not in open_bundle(path).names


def test_the_command_tells_how_near_it_is(path: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    lines.write_text("".join(f"{line}\n" for line in LINES), "utf-8")
    command = ["export", str(path), "--to", "ctranslate2", "--source", str(lines)]
    told = CliRunner().invoke(app, [*command, "--reference", str(lines)])
    assert told.exit_code == 0
    assert f"100.0% of {len(LINES)} translations are identical" in told.stdout
    assert "BLEU" in told.stdout
    facts = json.loads(CliRunner().invoke(app, [*command, "--int8", "--json"]).stdout)
    assert facts["texts"] == len(LINES) and facts["bleu"] is None


def test_references_need_their_sources(tmp_path: Path) -> None:
    command = ["export", str(tmp_path), "--to", "ctranslate2", "--reference", "any"]
    assert CliRunner().invoke(app, command).exit_code == 2
