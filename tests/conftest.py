"""Settings of all tests: one thread, fixed seeds, and the directory of real corpora."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

torch.set_num_threads(1)  # tests run in parallel, and their tensors are tiny

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("REGARD_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The directory of real corpora: `REGARD_DATA`, by default beside the project."""
    if not DATA.is_dir():
        pytest.skip(f"no corpora at {DATA}; set REGARD_DATA to their directory")
    return DATA
