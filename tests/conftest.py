"""What holds for all tests: small tensors, one thread, and the place of real data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

torch.set_num_threads(1)  # tests run side by side, and their tensors are tiny

ROOT = Path(__file__).parent.parent


DATA = Path(os.environ.get("REGARD_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of real corpora, beside the project unless REGARD_DATA names another place."""
    if not DATA.is_dir():
        pytest.skip(f"no corpora at {DATA}; let REGARD_DATA name their folder")
    return DATA
