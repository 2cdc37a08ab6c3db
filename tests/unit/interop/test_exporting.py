"""`regard export`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from regard.bundle.bundle import add_files, open_bundle, save_bundle
from regard.cli.main import app
from regard.errors import ArtifactError, ConfigError
from regard.inference.ctranslate2_engine import CTranslate2Engine
from regard.tasks.translation import exchange as exporting
from regard.tasks.translation.exchange import export_bundle
from regard.tasks.translation.translator import Translator
from tests.bundles import LINES, make_bundle
from tests.conftest import ROOT

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


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained and exported model with a word aligner."""
    golden = ROOT / "tests" / "golden" / "format-2" / "transformer" / "model"
    path = shutil.copytree(golden, tmp_path_factory.mktemp("exported") / "model")
    export_bundle(path, None)
    return path


def test_an_exported_model_translates_and_aligns_without_torch(exported: Path) -> None:
    code = (
        "import json, sys\n"
        "import regard\n"
        "translator = regard.Translator.load(sys.argv[1])\n"
        "results = translator.translate(sys.argv[2:], alignments=True, n_best=2)\n"
        "found = [(x.text, x.score, str(x.alignment), x.alignment.weights.tolist())"
        " for result in results for x in result.n_best]\n"
        "print(json.dumps(found), 'torch' in sys.modules, sep='\\n')\n"
        "translator.translate(['A dog.'], logps=True)\n"
        "print('torch' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(exported), *LINES]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found, *imported = printed.splitlines()
    assert imported == ["False", "True"]
    translator = Translator.load(exported)
    assert translator.model.decoder.max_positions is None  # loads the model
    results = translator.translate(LINES, alignments=True, n_best=2)
    assert json.loads(found) == [
        [x.text, x.score, str(x.alignment), x.alignment.weights.tolist()]
        for result in results
        for x in result.n_best
        if x.alignment is not None
    ]


def test_the_command_translates_with_an_exported_model_without_torch(exported: Path) -> None:
    code = (
        "import sys\n"
        "from regard.cli.main import main\n"
        "sys.argv = ['regard', 'translate', sys.argv[1], '--align']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print('torch' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(exported)]
    done = subprocess.run(command, input=f"{LINES[0]}\n", capture_output=True, text=True)
    (result,) = Translator.load(exported).translate(LINES[:1], alignments=True)
    text, links, *_ = done.stdout.splitlines()[0].split("\t")
    assert (text, links) == (result.text, str(result.alignment)), done.stderr
    assert done.stdout.endswith("\nFalse\n")


def test_an_export_of_an_earlier_version_is_exported_again(exported: Path, tmp_path: Path) -> None:
    bundle = open_bundle(exported)
    kept = [name for name in bundle.names if name != "ctranslate2/search.json"]
    save_bundle(tmp_path / "model", {name: bundle.read(name) for name in kept})
    with pytest.raises(ArtifactError, match="Export it again with `regard export`"):
        Translator.load(tmp_path / "model")
    export_bundle(tmp_path / "model", None)
    assert Translator.load(tmp_path / "model").translate(LINES)[0].text


@pytest.mark.parametrize(
    "change",
    [{"beam_size": 0}, {"beam_size": "5"}, {"length_penalty": -1.0}, {"max_positions": 1}],
)
def test_damaged_search_settings_are_refused(
    exported: Path, tmp_path: Path, change: dict[str, object]
) -> None:
    bundle = open_bundle(shutil.copytree(exported, tmp_path / "model"))
    settings = bundle.json("ctranslate2/search.json") | change
    add_files(bundle, {"ctranslate2/search.json": json.dumps(settings).encode()})
    with pytest.raises(ArtifactError, match="search"):
        Translator.load(bundle.path)
