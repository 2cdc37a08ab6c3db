"""The first change in CONTRIBUTING.md, made in a copy of the repository as the text says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT, tracked_files

STEP = re.compile(r"(?:Create `(\S+)`:\n\n)?```(python|diff|console)\n(.*?)```", re.DOTALL)


def run(command: list[str], folder: Path, text: str = "") -> str:
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": tools, "PYTHONPATH": str(folder / "src")}
    done = subprocess.run(
        command, cwd=folder, env=environment, input=text, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_first_change_works_as_written(tmp_path: Path) -> None:
    for path in tracked_files():
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    walk = text[text.index("## A first change") : text.index("## How the project works")]
    kinds, output = [], ""
    for path, kind, content in STEP.findall(walk):
        kinds.append(kind)
        match kind:
            case "python":
                (tmp_path / path).write_text(content, encoding="utf-8")
            case "diff":
                run(["git", "apply", "--unsafe-paths", "-"], tmp_path, content)
            case "console":
                for line in content.splitlines():
                    output += run(["bash", "-c", line.removeprefix("$ ")], tmp_path)
    assert kinds == ["python", "diff", "diff", "console"]
    assert int(re.findall(r"(\d+) passed", output)[0]) > 10
