"""The commands of the guide to operating a server, but those of the upgrade (test_fleet.py)."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from regard.bundle.bundle import open_bundle
from regard.serve.keys import add_key
from tests.bundles import make_bundle
from tests.conftest import ROOT
from tests.running_server import RunningServer, running_server

pytestmark = [
    pytest.mark.xdist_group("server"),
    pytest.mark.skipif(sys.platform != "linux", reason="the guide has commands of GNU"),
    pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl"),
]

GUIDE = (ROOT / "docs" / "guides" / "operating.md").read_text("utf-8")


def commands(section: str) -> list[str]:
    """Return the commands of a section of the guide."""
    text = GUIDE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]


def labels(text: str) -> dict[str, list[str]]:
    """Return the names of the labels of each metric that describes a version."""
    found = re.findall(r"^(regard_\w+_info)\{(.*?)\} 1.0$", text, re.MULTILINE)
    return {name: re.findall(r"(\w+)=", labelled) for name, labelled in found}


class Operator:
    """Runs commands of the guide in the folder of a server, and reads its log."""

    def __init__(self, folder: Path, server: RunningServer, keys: Mapping[str, str]) -> None:
        self.folder, self.server = folder, server
        self.variables = {**os.environ, **keys, "PID": str(server.process.pid)}

    def run(self, *commands: str) -> str:
        """Run commands; return what the last one prints."""
        output = ""
        for command in commands:
            text = command.replace("http://127.0.0.1:8000", self.server.url)
            done = subprocess.run(
                ["bash", "-c", text],
                cwd=self.folder,
                env=self.variables,
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, f"$ {text}\n{done.stdout}\n{done.stderr}"
            output = done.stdout
        return output

    def wait_for(self, line: str, times: int = 1) -> None:
        """Wait until the log has a line so many times."""
        deadline = time.monotonic() + 60
        while self.server.lines.count(line) < times:
            assert time.monotonic() < deadline, self.server.lines[-5:]
            time.sleep(0.05)

    def save_log(self) -> None:
        (self.folder / "server.log").write_text("\n".join(self.server.lines) + "\n")

    @property
    def version(self) -> str:
        with self.server.client(self.variables["KEY"]) as client:
            return str(client.get("/v1/models").json()["models"][0]["version"])

    def translate(self, key: str) -> int:
        with self.server.client(key) as client:
            return client.post("/v1/translate", json={"texts": ["A dog."]}).status_code


def test_the_commands_of_the_guide(tmp_path: Path) -> None:
    models = tmp_path / "models"
    for seed in (1, 2):
        make_bundle("transformer", models / f"run{seed}" / "model", seed=seed)
        (models / f"run{seed}" / "model").rename(models / f"en-de.{seed}")
        shutil.rmtree(models / f"run{seed}")
    (models / "en-de").symlink_to("en-de.1")
    (tmp_path / "server.yaml").write_text("max_texts: 100\n")
    keys = {"KEY": add_key(tmp_path / "keys.json", "website")}
    keys["ADMIN"] = add_key(tmp_path / "keys.json", "operator", admin=True)
    first, second = (open_bundle(models / f"en-de.{seed}").version for seed in (1, 2))
    (start,) = re.findall(r"^\$ (regard serve .*) 2>> server.log$", GUIDE, re.MULTILINE)
    with running_server(*shlex.split(start)[2:], "--workers", "1", cwd=tmp_path) as server:
        operator = Operator(tmp_path, server, keys)

        listed, exported, described = commands("What is running")
        (model,) = json.loads(operator.run(listed))["models"]
        assert model["version"] == first
        assert labels(operator.run(exported)) == labels(GUIDE)
        assert second in operator.run(described)

        link, rename, reload, link_back, rename_back, signal = commands(
            "Replace a model, and go back"
        )
        assert json.loads(operator.run(link, rename, reload)) == {"reloaded": ["en-de"]}
        assert operator.version == second
        operator.run(link_back, rename_back, signal)
        operator.wait_for("Reloaded: en-de")
        assert operator.version == first

        add, signal, last_use, revoke, signal_again = commands("Change a key")
        new = operator.run(add).strip()
        assert operator.translate(new) == 401
        operator.run(signal)
        operator.wait_for("Reloaded: no change")
        assert operator.translate(keys["KEY"]) == operator.translate(new) == 200
        operator.save_log()
        assert json.loads(operator.run(last_use))["route"] == "/v1/translate"
        operator.run(revoke, signal_again)
        operator.wait_for("Reloaded: no change", times=2)
        assert operator.translate(keys["KEY"]) == 401 and operator.translate(new) == 200

        save, copy, make, extract, describe, list_keys = commands("Back up")
        assert first in operator.run(save, copy, make, extract, describe)
        assert (tmp_path / "restored" / "store.copy.db").read_bytes().startswith(b"SQLite")
        assert "website-2" in operator.run(list_keys)

        (failed,) = commands("Logs")
        with (tmp_path / "server.log").open("a") as log:
            log.write('{"time": 1.0, "request": "1", "route": "/v1/translate", "status": 503}\n')
        assert json.loads(operator.run(failed))["status"] == 503


def test_a_damaged_model_behind_the_link_is_refused(tmp_path: Path) -> None:
    for seed in (1, 2):
        make_bundle("transformer", tmp_path / f"run{seed}" / "model", seed=seed)
    weights = tmp_path / "run2" / "model" / "weights.safetensors"
    content = bytearray(weights.read_bytes())
    content[len(content) // 2] ^= 1
    weights.write_bytes(content)
    link = tmp_path / "en-de"
    link.symlink_to("run1/model")
    with running_server("en-de", "--workers", "1", cwd=tmp_path) as server:
        link.unlink()
        link.symlink_to("run2/model")
        with server.client() as client:
            before = client.get("/v1/models").json()
            refused = client.post("/v1/reload")
            assert refused.status_code == 422 and "does not match" in refused.json()["error"]
            assert client.get("/v1/models").json() == before
            assert client.post("/v1/translate", json={"texts": ["A dog."]}).status_code == 200


def test_the_fields_of_the_log_are_those_of_the_guide(server: RunningServer) -> None:
    with server.client() as client:
        client.post("/v1/translate", json={"texts": ["A dog."]})
    line = next(json.loads(text) for text in reversed(server.lines) if '"texts"' in text)
    named = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", GUIDE.partition("## Logs")[2], re.MULTILINE)
    fields = {name for cell in named for name in re.findall(r"`(\w+)`", cell)}
    assert line.keys() <= fields
    assert fields - line.keys() >= {"key", "failure"}
