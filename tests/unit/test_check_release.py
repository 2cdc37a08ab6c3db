"""`scripts/check-release` refuses placeholders, other versions and an undated changelog."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

HOME = "https://host/someone/regard"
READY = {
    "pyproject.toml": f'[project]\nurls = {{Repository = "{HOME}"}}\n',
    "src/regard/__init__.py": '__version__ = "1.2.3"\n',
    ".github/CODEOWNERS": "* @someone\n",
    "CHANGELOG.md": "## [Unreleased]\n\n## [1.2.3] - 2026-11-17\n",
}


def check(folder: Path, tag: str = "v1.2.3", **changed: str) -> tuple[int, str]:
    """Run a copy of the script in a repository with changed files."""
    (folder / "scripts").mkdir()
    script = folder / "scripts" / "check-release"
    script.write_bytes((ROOT / "scripts" / "check-release").read_bytes())
    for name, text in READY.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(changed.get(Path(name).stem, text))
    done = subprocess.run([sys.executable, script, tag, HOME], capture_output=True, text=True)
    return done.returncode, done.stderr


def test_a_prepared_release_is_accepted(tmp_path: Path) -> None:
    assert check(tmp_path) == (0, "")


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"tag": "v1.2.4"}, "expected v1.2.3"),
        ({"CODEOWNERS": "* @OWNER\n"}, ".github/CODEOWNERS: replace OWNER"),
        ({"CHANGELOG": "## [1.2.3]\n"}, "CHANGELOG.md: there is no section"),
        (
            {"pyproject": READY["pyproject.toml"].replace("someone", "OWNER")},
            "pyproject.toml: replace OWNER",
        ),
    ],
)
def test_an_unfinished_release_is_refused(
    tmp_path: Path, changed: dict[str, str], problem: str
) -> None:
    status, message = check(tmp_path, **changed)
    assert status == 1 and problem in message
