"""The commands of the tutorials run, on a small corpus and with a few steps of training."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.bundles import make_bundle
from tests.command import run_cli
from tests.conftest import ROOT
from tests.phrase_corpus import SETS, write_phrases
from tests.running_server import running_server
from tests.toy_corpus import RECURRENT, SMALL, TRANSFORMER

pytestmark = pytest.mark.xdist_group("server")

URL = "http://127.0.0.1:8000"


def commands(name: str) -> list[str]:
    text = (ROOT / "docs" / "tutorials" / f"{name}.md").read_text("utf-8")
    return re.findall(r"^ *\$ (.*)$", text, re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a small corpus."""
    write_phrases(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(command: str) -> str:
    """Run a command with its redirections; models are small and train for a few steps."""
    program, *arguments = shlex.split(command)
    assert program == "regard"
    files = {}
    for sign in ("<", ">"):
        if sign in arguments:
            at = arguments.index(sign)
            files[sign] = Path(arguments[at + 1])
            del arguments[at : at + 2]
    if arguments[0] == "train":
        settings = ["train.steps=6", "train.validate_every=3", "search.beam_size=1"]
        if "--from" not in arguments:
            preset = RECURRENT if RECURRENT in arguments else TRANSFORMER
            settings += ["data.vocabulary=300", "model.embedding_dim=16"]
            settings += [f"model.{setting}" for setting in SMALL[preset]]
        arguments += [part for setting in settings for part in ("--set", setting)]
    output = run_cli(arguments, files["<"].read_text("utf-8") if "<" in files else None)
    if ">" in files:
        files[">"].write_text(output, encoding="utf-8")
    return output


def test_train_a_translator(folder: Path) -> None:
    outputs = {command.split()[1]: run(command) for command in commands("train")}
    assert list(outputs) == ["doctor", "train", "translate", "evaluate", "explain", "export"]
    assert len((folder / "output.de").read_text("utf-8").splitlines()) == SETS["test"]
    assert "BLEU" in outputs["evaluate"]
    assert "<html" in (folder / "dog.html").read_text("utf-8")
    assert (folder / "mine" / "model" / "manifest.json").is_file()


def test_compare_mechanisms(folder: Path) -> None:
    outputs = [run(command) for command in commands("compare")]
    assert outputs[0] != outputs[1]
    assert "BLEU" in outputs[4] and (folder / "report.html").is_file()
    assert "<html" in (folder / "both.html").read_text("utf-8")
    assert len((folder / "links").read_text("utf-8").splitlines()) == SETS["test"]


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_serve_a_translator(folder: Path) -> None:
    make_bundle("transformer", folder / "run" / "model")
    serve, export, curl, translate, key, serve_keys = commands("serve")
    run(export)
    with running_server(*shlex.split(serve)[2:], cwd=folder) as server:
        curl, translate = curl.replace(URL, server.url), translate.replace(URL, server.url)
        answer = subprocess.run(shlex.split(curl), capture_output=True, text=True, check=True)
        assert len(json.loads(answer.stdout)["translations"]) == 1
        run(translate)
    assert len((folder / "output.de").read_text("utf-8").splitlines()) == SETS["test"]
    made = run(key).strip()
    with running_server(*shlex.split(serve_keys)[2:], cwd=folder) as server:
        server.url = server.url.replace("0.0.0.0", "127.0.0.1")
        with server.client(made) as client:
            assert client.post("/v1/translate", json={"texts": ["A dog."]}).status_code == 200
