"""The memory of a long run does not grow."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import psutil
import pytest
import torch

from regard.train.settings import has_bf16
from tests.distributed.processes import RegardProcess
from tests.toy_corpus import RECURRENT, TRANSFORMER, Toy

STEPS = 5_000
WARM = 1_000  # steps until every batch shape has occurred


BF16_KERNELS = 30.0 if has_bf16(torch.device("cpu")) else 0.0
"""MB in which oneDNN keeps a kernel for each new shape of a bf16 batch; +17 MB were measured."""


@pytest.mark.slow
@pytest.mark.parametrize(("precision", "kernels"), [("fp32", 0.0), ("auto", BF16_KERNELS)])
@pytest.mark.parametrize("preset", [TRANSFORMER, RECURRENT])
def test_memory_grows_by_less_than_a_megabyte_in_a_thousand_steps(
    toy: Toy, preset: str, precision: str, kernels: float
) -> None:
    """Subword sampling gives new batch shapes in every epoch."""
    directory = toy.run_directory(f"memory-{preset}-{precision}")
    settings = [f"train.steps={STEPS}", "train.validate_every=500", "train.save_every=100"]
    settings += ["train.subword_alpha=0.3", "train.guided_alignment=null"]
    settings += [f"train.performance.precision={precision}"]
    arguments = toy.arguments(preset, directory, *settings)
    run = RegardProcess(arguments, directory.path / "output")
    assert run.wait_until(directory.log.exists), run.output
    process = psutil.Process(run.process.pid)
    steps, sizes = [], []
    while (step := last_step(directory.log)) < STEPS and run.wait(0.2) is None:
        if step >= WARM:
            steps.append(step)
            sizes.append(process.memory_info().rss / 1e6)
    assert run.wait() == 0, run.output
    slope = float(np.polyfit(steps, sizes, 1)[0]) * 1000
    sizes = [round(size) for size in sizes]
    print(f"{preset}, {precision}: {slope:+.2f} MB per 1,000 steps, {sizes[0]} to {sizes[-1]} MB")
    assert slope <= 1.0 + kernels


def last_step(log: Path) -> int:
    """Return the last step in a log, whose last line may be incomplete."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 4000))
        lines = file.read().split(b"\n")[1:-1]
    steps = [json.loads(line) for line in lines if line.startswith(b'{"event": "step_completed"')]
    return max((event["step"] for event in steps), default=0)
