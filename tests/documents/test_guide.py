"""The commands of the guide on documents; tests/architecture runs its program."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from regard.documents.formats.registry import FORMAT_NAMES
from tests.command import run_cli
from tests.conftest import ROOT
from tests.documents.test_translate_document import MODEL, PAGE

GUIDE = (ROOT / "docs" / "guides" / "documents.md").read_text("utf-8")


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(MODEL, "run/model")
    Path("page.html").write_text(PAGE, "utf-8")
    commands = re.findall(r"^\$ regard (.*)$", GUIDE, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        run_cli(shlex.split(command))
        assert Path("page.fr.html").read_text("utf-8").startswith("<html><body><h1>")
        Path("page.fr.html").unlink()
    assert "All segments" in Path("report.html").read_text("utf-8")


def test_every_format_is_described() -> None:
    table = " ".join(re.findall(r"^\| (`.*?) \|", GUIDE, re.MULTILINE))
    assert set(re.findall(r"`(\w+)`", table)) == set(FORMAT_NAMES)
