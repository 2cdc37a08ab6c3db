"""The memory of a long run: what a step took, it gives back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import psutil
import pytest
import torch

from regard.train.performance import has_bf16
from tests.distributed.processes import Life
from tests.toy_corpus import RECURRENT, TRANSFORMER, Toy

STEPS = 5_000
WARM = 1_000  # steps until every shape of batch has been met


COMPILES = pytest.mark.xfail(
    has_bf16(torch.device("cpu")),
    reason="oneDNN compiles products in bf16 for each new shape of a batch, and keeps them",
    strict=False,  # whether a new shape is met late is the luck of the order
)


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["fp32", pytest.param("auto", marks=COMPILES)])
@pytest.mark.parametrize("preset", [TRANSFORMER, RECURRENT])
def test_memory_grows_by_less_than_a_megabyte_in_a_thousand_steps(
    toy: Toy, preset: str, precision: str
) -> None:
    """Sampling cuts words anew in every epoch, so that batches have ever new shapes."""
    home = toy.home(f"memory-{preset}-{precision}")
    settings = [f"train.steps={STEPS}", "train.validate_every=500", "train.save_every=100"]
    settings += ["train.subword_alpha=0.3", f"train.performance.precision={precision}"]
    arguments = toy.arguments(preset, home, *settings)
    life = Life(arguments, home.path / "said")
    assert life.until(home.log.exists), life.said
    process = psutil.Process(life.process.pid)
    steps, sizes = [], []
    while (step := last_step(home.log)) < STEPS and life.wait(0.2) is None:
        if step >= WARM:
            steps.append(step)
            sizes.append(process.memory_info().rss / 1e6)
    assert life.wait() == 0, life.said
    slope = float(np.polyfit(steps, sizes, 1)[0]) * 1000
    sizes = [round(size) for size in sizes]
    print(f"{preset}, {precision}: {slope:+.2f} MB per 1,000 steps, {sizes[0]} to {sizes[-1]} MB")
    assert slope <= 1.0


def last_step(log: Path) -> int:
    """That the journal tells of; its last line may be half written."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 4000))
        lines = file.read().split(b"\n")[1:-1]
    told = [json.loads(line) for line in lines if line.startswith(b'{"event": "step_completed"')]
    return max((event["step"] for event in told), default=0)
