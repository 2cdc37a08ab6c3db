"""Packages that only tests of their clients need, installed outside of this environment.

They are kept in a cache folder, as Django and 36 packages of npm are no part of a test environment.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "regard-tests"


def install_npm(package: str) -> Path:
    """Return a folder whose `node_modules` has a package of npm. Skip the test without npm."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("needs node and npm")
    options = ("--no-audit", "--no-fund", "--ignore-scripts", "--silent")
    return _install(package, [["npm", "install", *options, "--prefix", "{folder}", package]])


def install_pip(package: str, *dependencies: str) -> Path:
    """Return a folder of Python packages: one without its dependencies, and some of these."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", "{folder}"]
    return _install(package, [[*pip, *dependencies], [*pip, "--no-deps", package]])


def _install(name: str, commands: list[list[str]]) -> Path:
    folder = CACHE / name.replace("/", "-")
    if folder.is_dir():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as temporary:
        for command in commands:
            filled = [part.format(folder=temporary) for part in command]
            done = subprocess.run(filled, capture_output=True, text=True)
            if done.returncode:
                pytest.skip(f"{name} cannot be installed: {done.stderr.strip()[-300:]}")
        shutil.copytree(temporary, folder)
    return folder
