"""Settings of all tests: one thread, fixed seeds, and the directory of real corpora."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import torch

torch.set_num_threads(1)  # tests run in parallel, and their tensors are tiny

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("REGARD_DATA", ROOT.parent / "shared" / "data"))


def tracked_files() -> list[Path]:
    """The files of the repository, without ignored ones such as compiled kernels."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git repository")
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The directory of real corpora: `REGARD_DATA`, by default beside the project."""
    if not DATA.is_dir():
        pytest.skip(f"no corpora at {DATA}; set REGARD_DATA to their directory")
    return DATA
