"""Explanations in an exported notebook work without a network."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.bundles import LINES, make_bundle

pytestmark = pytest.mark.slow
MANY = 5


@pytest.fixture
def exported(tmp_path):
    """The HTML page that nbconvert exports after running a notebook."""
    formats = pytest.importorskip(
        "nbformat", reason="needs nbconvert: pip install 'regard[test-notebooks]'"
    )
    pytest.importorskip("nbconvert", reason="needs nbconvert: pip install 'regard[test-notebooks]'")
    pytest.importorskip("ipykernel", reason="needs ipykernel: pip install 'regard[test-notebooks]'")
    make_bundle("bahdanau", tmp_path / "model")
    notebook = formats.v4.new_notebook()
    notebook.cells = [
        formats.v4.new_code_cell("import regard\ntranslator = regard.load('model')"),
        *(formats.v4.new_code_cell(f"translator.explain({line!r})") for line in LINES[:MANY]),
    ]
    formats.write(notebook, tmp_path / "five.ipynb")
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--execute", "five.ipynb"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    return tmp_path / "five.html"


def test_explanations_in_an_exported_notebook_work_offline(new_viewer, exported) -> None:
    viewer = new_viewer()
    viewer.page.goto(exported.as_uri(), wait_until="domcontentloaded")
    frames = viewer.page.locator("iframe")
    assert frames.count() == MANY
    for i in range(MANY):
        frames.nth(i).scroll_into_view_if_needed()
        inside = viewer.page.frame_locator("iframe").nth(i)
        tab = inside.locator('[data-testid="tab-stage"]')
        tab.wait_for()
        assert tab.get_attribute("aria-selected") == "true"
        tab.press("End")
        inside.locator('[data-testid="tab-matrix"]').click()
        inside.locator('[data-testid="view-matrix"] [data-testid="cell"]').first.wait_for()
    assert not [error for error in viewer.errors if "regard" in error]
