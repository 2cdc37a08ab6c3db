"""Every stage, and documents of every format: twice the size takes twice the cost at most.

    python -m pytest -n0 -m slow tests/growth

measures larger sizes, which takes about ten minutes. One case alone, without pytest:

    python -m tests.growth.measure full "doctor"
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from regard.documents.formats.registry import FORMAT_NAMES
from tests.growth.cases import CASES
from tests.growth.documents import MANY_TEXTS, ONE_TEXT

ROOT = Path(__file__).parents[2]
LONG = ", one text"
SCALES = pytest.mark.parametrize("scale", ["quick", pytest.param("full", marks=pytest.mark.slow)])
IN_MEMORY = Path("/dev/shm")  # the kernel's time for files on a disk varies with the load


def measure(scale: str, names: list[str]) -> dict[str, list[str]]:
    """What grows too fast in these cases, measured in a process without type checks."""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    if IN_MEMORY.is_dir():
        environment["TMPDIR"] = str(IN_MEMORY)
    command = [sys.executable, "-m", "tests.growth.measure", scale, *names]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    values = {value["name"]: value["errors"] for value in map(json.loads, done.stdout.splitlines())}
    assert set(values) == set(names)
    return {name: errors for name, errors in values.items() if errors}


@SCALES
def test_stages_and_documents_of_many_texts(scale: str) -> None:
    assert measure(scale, [name for name in CASES if not name.endswith(LONG)]) == {}


@SCALES
@pytest.mark.xfail(reason="the projection of elements is quadratic", strict=False)
def test_documents_of_one_long_text(scale: str) -> None:
    assert measure(scale, [name for name in CASES if name.endswith(LONG)]) == {}


def test_every_format_has_documents_to_measure() -> None:
    assert set(MANY_TEXTS) == set(ONE_TEXT) == set(FORMAT_NAMES)
