"""scripts/names, the lint rule for filler names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = next(path for path in Path(__file__).parents if (path / "pyproject.toml").exists())
SCRIPT = ROOT / "scripts" / "names"


def names(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("found = 1", "found"),
        ("for each in (): pass", "each"),
        ("[one for one in ()]", "one"),
        ("def translate(*, where): pass", "where"),
        ("lambda other: None", "other"),
        ("if (left := 1): pass", "left"),
        ("with open(0) as known: pass", "known"),
        ("self.kept = 1", "kept"),
        ("def after(): pass", "after"),
        ("try: pass\nexcept OSError as before: pass", "before"),
        ("match 1:\n    case on: pass", "on"),
        ("import os as places", "places"),
        ("class Segment:\n    place: int", "place"),
    ],
)
def test_a_filler_name_is_refused_with_its_place(tmp_path: Path, code: str, name: str) -> None:
    (tmp_path / "module.py").write_text(f"import os\n\n{code}\n", "utf-8")
    result = names(tmp_path)
    assert result.returncode == 1
    line = next(n for n, text in enumerate(code.splitlines(), 3) if name in text)
    assert f"module.py:{line}: {name} does not say what the value is" in result.stdout


def test_nouns_uses_and_names_of_other_libraries_are_accepted(tmp_path: Path) -> None:
    code = "import numpy as np\n\nmask = np.divide(1, 2, where=True).kept\n"
    (tmp_path / "module.py").write_text(code, "utf-8")
    assert names(tmp_path).returncode == 0


def test_a_field_of_an_allowed_class_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text("class SegmentReport:\n    place: str\n", "utf-8")
    assert names(tmp_path).returncode == 0
    (tmp_path / "module.py").write_text("class Report:\n    place: str\n", "utf-8")
    assert names(tmp_path).returncode == 1


def test_the_source_has_no_filler_names() -> None:
    result = names(ROOT / "src" / "regard")
    assert result.returncode == 0, result.stdout
