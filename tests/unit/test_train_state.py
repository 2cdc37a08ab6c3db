"""Buffers of a module during a step."""

from __future__ import annotations

import torch

from regard.train.distributed import World
from regard.train.train_state import Buffers
from tests.counting import Counting


def test_buffers_become_the_mean_over_the_batches_of_a_step() -> None:
    module = Counting()
    module.register_buffer("memory", torch.tensor([1.0, 2.0]))
    memory = module.get_buffer("memory")
    buffers = Buffers(module)
    for value in (3.0, 5.0):
        buffers.restore()
        assert memory.tolist() == [1.0, 2.0]
        memory.fill_(value)
        buffers.record()
    buffers.restore()
    memory.fill_(100.0)  # a batch that is not recorded
    buffers.reduce(World())
    assert memory.tolist() == [4.0, 4.0]


def test_a_module_without_buffers() -> None:
    Buffers(Counting()).reduce(World())
