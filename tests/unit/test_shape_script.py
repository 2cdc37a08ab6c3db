"""scripts/shape, the figures of the source."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.bundles import make_bundle
from tests.conftest import ROOT

TRACES = ("translation, cold", "translation, warm", "additive query")


def test_traces_count_functions_and_files(tmp_path: Path) -> None:
    model = make_bundle("bahdanau", tmp_path / "model")
    command = [sys.executable, ROOT / "scripts" / "shape", "--json", "--trace", model]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    figures = json.loads(done.stdout)
    for trace in TRACES:
        assert figures[f"{trace}: functions"] >= figures[f"{trace}: files"] > 0
    cold, warm = (figures[f"{trace}: functions"] for trace in TRACES[:2])
    assert cold > warm  # loading the model
