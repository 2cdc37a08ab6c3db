"""What a task remembers besides its parameters, through the batches of a step."""

from __future__ import annotations

import torch

from regard.train.distributed import World
from regard.train.train_state import Buffers
from tests.counting import Counting


def test_each_batch_finds_what_the_step_found_and_the_mean_of_what_they_leave_is_kept() -> None:
    task = Counting()
    task.register_buffer("memory", torch.tensor([1.0, 2.0]))
    memory = task.get_buffer("memory")
    buffers = Buffers(task)
    for left in (3.0, 5.0):
        buffers.restore()
        assert memory.tolist() == [1.0, 2.0]
        memory.fill_(left)
        buffers.record()
    buffers.restore()
    memory.fill_(100.0)  # by a batch that does not count
    buffers.reduce(World())
    assert memory.tolist() == [4.0, 4.0]


def test_a_task_without_buffers_has_nothing_to_settle() -> None:
    Buffers(Counting()).reduce(World())
