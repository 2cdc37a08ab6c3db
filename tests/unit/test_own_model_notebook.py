"""The notebook docs/tutorials/own-model.ipynb runs, and its stored outputs are those of a run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

NOTEBOOK = ROOT / "docs" / "tutorials" / "own-model.ipynb"
LONGEST_MODEL = 60  # lines
LEAST_ACCURACY = 95.0  # percent
PERCENT = re.compile(r"(\d+\.\d)%")


def code_cells(path: Path) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def printed(cell: dict[str, Any]) -> str:
    return "".join(line for output in cell["outputs"] for line in output.get("text", ()))


def has_picture(cell: dict[str, Any]) -> bool:
    return any("image/svg+xml" in output.get("data", ()) for output in cell["outputs"])


def test_the_model_has_at_most_60_lines() -> None:
    model = "".join(code_cells(NOTEBOOK)[0]["source"])
    assert "class Reverser(nn.Module)" in model
    assert len(model.splitlines()) <= LONGEST_MODEL


def test_stored_outputs_are_small_and_name_no_path_of_a_machine() -> None:
    text = NOTEBOOK.read_text("utf-8")
    assert len(text) < 60_000
    assert not re.search(r"/(home|root|tmp|work|Users)/|object at 0x|Warning", text)
    cells = code_cells(NOTEBOOK)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert any(map(has_picture, cells))


def test_all_cells_run_with_the_stored_results(tmp_path: Path) -> None:
    for package in ("nbclient", "nbconvert", "ipykernel"):
        pytest.importorskip(
            package, reason=f"needs {package}: pip install 'regard[test-notebooks]'"
        )
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", str(NOTEBOOK)]
    options = ["--output-dir", str(tmp_path), "--ExecutePreprocessor.timeout=900"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    accuracies = []
    for cell, stored in zip(
        code_cells(tmp_path / NOTEBOOK.name), code_cells(NOTEBOOK), strict=True
    ):
        assert PERCENT.sub("", printed(cell)) == PERCENT.sub("", printed(stored))
        assert has_picture(cell) == has_picture(stored)
        accuracies += map(float, PERCENT.findall(printed(cell)))
    assert len(accuracies) == 2
    assert min(accuracies) >= LEAST_ACCURACY
