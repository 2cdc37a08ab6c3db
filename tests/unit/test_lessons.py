"""The notebooks of the lessons run, offline, and the pages of the site show what they contain."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.commands import all_commands
from tests.conftest import ROOT

LESSONS = ROOT / "docs" / "lessons"
NOTEBOOKS = sorted(path.stem for path in LESSONS.glob("*.ipynb"))
HEADING = re.compile(r"^#+ .*$", re.MULTILINE)
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
VIEWER = re.compile(r'<iframe [^>]*src="\.\./([^"]+)"')
COMMAND = re.compile(r"^\s*[!$] ?(regard (?:[^\n\\]|\\\n)+)", re.MULTILINE)
MAX_BYTES = 1_500_000  # of a viewer


def run_lessons(folder: Path, *options: str, timeout: int) -> None:
    """Run all notebooks with scripts/lessons, which writes their pages."""
    pytest.importorskip("nbclient", reason="needs nbclient: pip install 'regard[test-notebooks]'")
    command = [sys.executable, str(ROOT / "scripts" / "lessons"), "--out", str(folder), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr[-3000:]


def headings(page: Path) -> list[str]:
    return HEADING.findall(BLOCK.sub("", page.read_text("utf-8")))


def test_lessons_run_and_write_their_pages(tmp_path: Path) -> None:
    """With models that are trained for a few steps."""
    run_lessons(tmp_path, "--quick", timeout=400)
    for name in NOTEBOOKS:
        page = tmp_path / "lessons" / f"{name}.md"
        assert headings(page) == headings(LESSONS / page.name), f"run scripts/lessons {name}"
        assert "<svg" in page.read_text("utf-8")
        for viewer in VIEWER.findall(page.read_text("utf-8")):
            assert (tmp_path / viewer).is_file()


@pytest.mark.slow
def test_what_the_lessons_claim_holds(tmp_path: Path) -> None:
    """The assertions of the notebooks, with trained models. Takes about ten minutes."""
    run_lessons(tmp_path, timeout=3600)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_viewers_of_a_page_exist_and_load_nothing(name: str) -> None:
    for viewer in VIEWER.findall((LESSONS / f"{name}.md").read_text("utf-8")):
        path = ROOT / "docs" / viewer
        page = path.read_text("utf-8")
        assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//|@import|url\((?!#)""", page)
        assert path.stat().st_size < MAX_BYTES


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_figures_have_no_empty_line(name: str) -> None:
    """It would end the block of HTML, and Markdown would take the rest for text."""
    page = (LESSONS / f"{name}.md").read_text("utf-8")
    figures = re.findall(r"<figure.*?</figure>", page, re.DOTALL)
    assert figures and not any("\n\n" in figure for figure in figures)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook_is_committed_without_outputs(name: str) -> None:
    formats = pytest.importorskip(
        "nbformat", reason="needs nbclient: pip install 'regard[test-notebooks]'"
    )
    notebook = formats.read(LESSONS / f"{name}.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert not [cell.id for cell in code if cell.outputs or cell.execution_count]
    assert any("solution" in cell.metadata.get("tags", ()) for cell in code)


@pytest.mark.parametrize("name", [*NOTEBOOKS, "teaching"])
def test_commands_of_a_lesson_have_the_options_that_it_names(name: str) -> None:
    """The command line parses them, without running them."""
    commands = dict(all_commands())
    for text in COMMAND.findall((LESSONS / f"{name}.md").read_text("utf-8")):
        words = shlex.split(text.replace("\\\n", " ").partition(" < ")[0].partition(" > ")[0])
        words = [word.replace("{STEPS}", "1") for word in words[1:]]
        command = commands[(words[0],)]
        command.make_parser(command.context_class(command)).parse_args(words[1:])


def test_lessons_lead_from_the_first_to_the_last() -> None:
    for name, following in pairwise(NOTEBOOKS):
        assert f"({following}.md)" in (LESSONS / f"{name}.md").read_text("utf-8")
    menu = (ROOT / "docs" / "index.md").read_text("utf-8")
    order = [menu.index(f"lessons/{name}\n") for name in ("index", *NOTEBOOKS, "teaching")]
    assert order == sorted(order)
    contents = (LESSONS / "index.md").read_text("utf-8")
    assert all(f"({name}.md)" in contents for name in (*NOTEBOOKS, "teaching"))
