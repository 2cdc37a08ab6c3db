"""The commands of the guide on documents; tests/architecture runs its program."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from regard.documents.formats.base import FORMAT_NAMES
from tests.command import run_cli
from tests.conftest import ROOT
from tests.documents.test_translate_document import MODEL, PAGE

GUIDE = (ROOT / "docs" / "guides" / "documents.md").read_text("utf-8")


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(MODEL, "run/model")
    Path("page.html").write_text(PAGE, "utf-8")
    Path("terms.tsv").write_text("cat\tchat\n", "utf-8")
    pairs = (("en", "A dog runs."), ("fr", "Un chien court."))
    variants = [f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>' for code, text in pairs]
    Path("old.tmx").write_text(f"<tmx><body><tu>{''.join(variants)}</tu></body></tmx>", "utf-8")
    guide = GUIDE.replace("\\\n", "")
    commands = re.findall(r"^\$ regard (.*)$", guide, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        run_cli(shlex.split(command))
        assert "<body><h1>" in Path("page.fr.html").read_text("utf-8")[:30]
        Path("page.fr.html").unlink()
    assert "All segments" in Path("report.html").read_text("utf-8")


def test_every_format_is_described() -> None:
    table = " ".join(re.findall(r"^\| (`.*?) \|", GUIDE, re.MULTILINE))
    assert set(re.findall(r"`(\w+)`", table)) == set(FORMAT_NAMES)
