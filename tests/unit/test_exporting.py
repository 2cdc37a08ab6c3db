"""`regard export`."""

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
from regard.tasks.translation.translator import Translator
from tests.bundles import LINES, make_bundle

pytest.importorskip("ctranslate2")


@pytest.fixture(scope="module")
def transformer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bundle("translate-tiny", tmp_path_factory.mktemp("bundles") / "model")


@pytest.fixture
def path(transformer: Path, tmp_path: Path) -> Path:
    """A Transformer bundle that a test may change."""
    return shutil.copytree(transformer, tmp_path / "model")


def test_an_exported_model_translates_as_before_and_reports_parity(path: Path) -> None:
    before = Translator.load(path).translate(LINES)
    parity = export_bundle(path, None, LINES, LINES)
    assert parity.logps < 1e-4
    assert parity.texts == len(LINES) and parity.same == 1.0
    assert parity.bleu is not None and parity.bleu.torch == parity.bleu.exported
    saved = json.loads(open_bundle(path).read("ctranslate2/parity.json"))
    assert saved["same"] == 1.0
    after = Translator.load(path)
    assert isinstance(after.engine, CTranslate2Engine)
    assert [t.text for t in after.translate(LINES)] == [t.text for t in before]


def test_a_bundle_may_have_both_kinds_of_weights(path: Path) -> None:
    exact, rough = export_bundle(path, None), export_bundle(path, "int8")
    assert exact.logps < rough.logps
    assert exact.texts == 0 and exact.same is None
    names = open_bundle(path).names
    assert {"ctranslate2/model.bin", "ctranslate2-int8/model.bin"} <= set(names)


def test_a_bundle_that_cannot_be_exported_is_not_changed(tmp_path: Path) -> None:
    path = make_bundle("bahdanau", tmp_path / "model")
    before = open_bundle(path)
    with pytest.raises(ConfigError, match=r"model\.encoder\.kind"):
        export_bundle(path, None)
    assert open_bundle(path) == before


def test_an_export_with_other_results_is_not_kept(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "TOLERANCE", 0.0)
    with pytest.raises(ArtifactError, match="Nothing was written"):
        export_bundle(path, None)
    assert "ctranslate2/model.bin" not in open_bundle(path).names


def test_the_command_reports_parity(path: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    lines.write_text("".join(f"{line}\n" for line in LINES), "utf-8")
    command = ["export", str(path), "--to", "ctranslate2", "--source", str(lines)]
    result = CliRunner().invoke(app, [*command, "--reference", str(lines)])
    assert result.exit_code == 0
    assert f"100.0% of {len(LINES)} translations are identical" in result.stdout
    assert "BLEU" in result.stdout
    facts = json.loads(CliRunner().invoke(app, [*command, "--int8", "--json"]).stdout)
    assert facts["texts"] == len(LINES) and facts["bleu"] is None


def test_references_need_their_sources(tmp_path: Path) -> None:
    command = ["export", str(tmp_path), "--to", "ctranslate2", "--reference", "any"]
    assert CliRunner().invoke(app, command).exit_code == 2
