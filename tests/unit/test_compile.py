"""torch.compile without graph breaks and torch.export, with any batch and length, of every preset.

The quick tests take a preset of each kind of loop and kernel; `scripts/test -m slow` takes all.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.tiny_models import GENERATORS, PRESETS

QUICK = ("bahdanau", "lm-lstmn", "transformer")
CASES = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.slow, id=name) for name in PRESETS
]


@pytest.mark.parametrize("name", CASES)
def test_a_preset_compiles_and_exports(name: str) -> None:
    """Its training forward pass with gradients, and a step of decoding."""
    # `eager` traces everything, with its gradients; the slow tests also trace the backward pass
    backend = "eager" if name in QUICK else "aot_eager"
    checks = ["training compiles", "training exports"]
    if name in GENERATORS:
        checks += ["a step compiles", "a step exports"]
    assert run(backend, name) == [f"{name}: {check}" for check in checks]


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
@pytest.mark.parametrize("name", ["bahdanau", "transformer"])
def test_a_preset_compiles_with_every_backend(name: str, backend: str) -> None:
    assert len(run(backend, name)) == 4


def run(backend: str, name: str) -> list[str]:
    command = [sys.executable, "-m", "tests.compiled_models", backend, name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()
