"""The lessons run, offline, and their pages show what the notebooks contain."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

LESSONS = ROOT / "docs" / "lessons"
NOTEBOOKS = sorted(path.stem for path in LESSONS.glob("*.ipynb"))
HEADING = re.compile(r"<h[12]>(.*?)</h[12]>")


def run_lesson(name: str, folder: Path, *options: str) -> str:
    """Run a lesson with scripts/lessons and return its page."""
    pytest.importorskip("nbclient", reason="needs nbclient: pip install 'regard[test-notebooks]'")
    command = [sys.executable, str(ROOT / "scripts" / "lessons"), name, "--out", str(folder)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stderr[-3000:]
    return (folder / f"{name}.html").read_text("utf-8")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_lesson_runs_and_writes_its_page(name: str, tmp_path: Path) -> None:
    page = run_lesson(name, tmp_path, "--quick")
    assert "<svg" in page
    committed = (LESSONS / f"{name}.html").read_text("utf-8")
    assert HEADING.findall(committed) == HEADING.findall(page), f"run scripts/lessons {name}"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_page_loads_nothing(name: str) -> None:
    page = (LESSONS / f"{name}.html").read_text("utf-8")
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//|@import|url\((?!#)""", page)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook_is_committed_without_outputs(name: str) -> None:
    formats = pytest.importorskip(
        "nbformat", reason="needs nbclient: pip install 'regard[test-notebooks]'"
    )
    notebook = formats.read(LESSONS / f"{name}.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert not [cell.id for cell in code if cell.outputs or cell.execution_count]


def test_index_names_every_lesson() -> None:
    index = (LESSONS / "index.md").read_text("utf-8")
    for name in NOTEBOOKS:
        assert f"({name}.html)" in index
        assert f"({name}.ipynb)" in index
