"""The commands of the serving guide, from a trained model to the first request by curl."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.bundles import make_bundle
from tests.conftest import ROOT
from tests.running_server import running_server

pytestmark = pytest.mark.xdist_group("server")

GUIDE = (ROOT / "docs" / "guides" / "serving.md").read_text("utf-8")
COMMANDS = [
    line.removeprefix("$ ")
    for block in re.findall(r"```console\n(.*?)```", GUIDE, re.DOTALL)
    for line in block.replace("\\\n", "").splitlines()
    if line.startswith("$ ")
]


def arguments(command: str) -> list[str]:
    return shlex.split(command)[2:]


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_commands_of_the_guide(tmp_path: Path) -> None:
    export, serve, curl, markup, document, serve_two, key, serve_keys = COMMANDS
    make_bundle("transformer", tmp_path / "run" / "model")
    make_bundle("luong-general", tmp_path / "back" / "model")
    subprocess.run(shlex.split(export), cwd=tmp_path, check=True, capture_output=True)
    with running_server(*arguments(serve), cwd=tmp_path) as server:
        answer, marked = (
            json.loads(
                subprocess.run(
                    shlex.split(command.replace("http://127.0.0.1:8000", server.url)),
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout
            )
            for command in (curl, markup)
        )
        assert marked["translations"][0]["text"].count("<b>") == 1
        assert server.metric("regard_engines_ready") >= 1
        (tmp_path / "page.html").write_text("<html><p>A <b>dog</b> runs.</p></html>", "utf-8")
        command = shlex.split(document.replace("http://127.0.0.1:8000", server.url))
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        page = (tmp_path / "page.de.html").read_text("utf-8")
        assert page.startswith('<html lang="de"><p>') and page.count("<b>") == 1
    (example,) = re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL)
    shown = json.loads(example)
    assert answer.keys() == shown.keys()
    assert answer["translations"][0].keys() == shown["translations"][0].keys()
    assert answer["translations"][0]["alignment"].keys() == {"source", "target", "links"}
    with running_server(*arguments(serve_two), cwd=tmp_path) as server, server.client() as client:
        names = [model["name"] for model in client.get("/v1/models").json()["models"]]
        assert names == ["en-de", "de-en"]
        body = {"texts": ["A dog."], "source_language": "de", "target_language": "en"}
        assert client.post("/v1/translate", json=body).json()["model"] == "de-en"
    made = subprocess.run(
        shlex.split(key), cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout.strip()
    with running_server(*arguments(serve_keys), cwd=tmp_path) as server:
        server.url = server.url.replace("0.0.0.0", "127.0.0.1")
        with server.client(made) as client:
            assert client.post("/v1/translate", json={"texts": ["A dog."]}).status_code == 200
