"""A model sharded by FSDP2 equals the unsharded model."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.conftest import ROOT


def test_a_model_sharded_over_two_processes_is_unchanged() -> None:
    """Logits, gradients and beam search, without the shape checker, which rejects DTensors."""
    names = ["transformer", "bahdanau"]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"),
            *("-m", "tests.distributed.fsdp", *names),
        ],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout.splitlines() == [f"{name}: equal" for name in names], done.stderr
