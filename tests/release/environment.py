"""A fresh virtual environment in which commands run as a user types them.

torch, whose download would take most of the time, comes from the environment of the tests. All
other packages are installed from the package index, and regard from a wheel built from the tracked
files.
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

from tests.conftest import ROOT, tracked_files

OURS = ("PYTHON", "COV", "OMP_", "PIP_CONSTRAINT", "VIRTUAL_ENV")  # variables that a user has not


@dataclass(frozen=True)
class FreshEnvironment:
    """A virtual environment, the folder in which commands run, and their variables."""

    folder: Path
    variables: Mapping[str, str]

    def start(self, command: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def run(self, command: str) -> str:
        """Run a command and return its standard output. A failure fails the test."""
        with self.start(command) as process:
            output, errors = process.communicate()
        assert process.returncode == 0, f"$ {command}\n{output}\n{errors}"
        return output


def copy_tracked_files(folder: Path) -> None:
    """Copy the files of the repository, without ignored ones such as compiled kernels."""
    for path in tracked_files():
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)


def build_wheel(folder: Path) -> Path:
    """Build a wheel of the tracked files, with native kernels if there is a compiler."""
    copy_tracked_files(folder)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (wheel,) = (folder / "dist").iterdir()
    return wheel


def make_environment(parent: Path, wheel: Path) -> FreshEnvironment:
    """Make a virtual environment with torch, in which pip takes regard from the wheel."""
    path, folder = parent / "environment", parent / "empty"
    folder.mkdir(parents=True)
    constraints = parent / "constraints.txt"
    torch = importlib.metadata.version("torch")
    constraints.write_text(f"torch=={torch}\n")
    places = [str(wheel.parent), os.environ.get("PIP_FIND_LINKS", "")]
    variables = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    variables |= {
        "PATH": f"{path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PIP_CONSTRAINT": str(constraints),
        "PIP_FIND_LINKS": " ".join(places).strip(),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "COLUMNS": "120",
    }
    subprocess.run([sys.executable, "-m", "venv", str(path)], check=True, env=variables)
    (site,) = path.glob("lib/python*/site-packages")
    link_distribution("torch", site)
    return FreshEnvironment(folder, variables)


def link_distribution(name: str, site: Path) -> None:
    """Add a package of this environment, and those that it requires, to another environment.

    Files are hard links, so that pip can remove them there without removing them here.
    """
    distribution = importlib.metadata.distribution(name)
    for top in sorted({file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}):
        source, target = Path(str(distribution.locate_file(top))), site / top
        if source.is_dir():
            shutil.copytree(source, target, copy_function=_link, dirs_exist_ok=True)
        elif not target.exists():
            _link(str(source), str(target))
    for text in distribution.requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            found = [*site.glob(f"{requirement.name.replace('-', '_')}-*.dist-info")]
            if not found:
                link_distribution(requirement.name, site)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except FileExistsError:
        pass  # two packages share a folder
    except OSError:  # another file system
        shutil.copy2(source, target)
