"""The infinite stream of training steps, and the position in it.

A step takes the next `micro_batches` batches; the last step of an epoch may have fewer. Rank r of w
reads the batches whose index in the step is r modulo w. A cursor is four integers, equal on all
ranks: the stream can be resumed from it immediately, on any number of ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass
from typing import Generic, TypeVar

P = TypeVar("P", bound=Sized)  # a pool: its length is the number of its batches


@dataclass(frozen=True, slots=True)
class Cursor:
    """Position in the stream: the next batch to read and the number of steps before it."""

    epoch: int = 0
    pool: int = 0
    batch: int = 0
    step: int = 0


@dataclass(frozen=True, slots=True)
class StepPlan(Generic[P]):
    """The batches of one step, as (pool, batch index), and the cursor after the step."""

    batches: tuple[tuple[P, int], ...]
    next_cursor: Cursor


def plan_steps(
    cursor: Cursor,
    micro_batches: int,
    count_pools: Callable[[int], int],
    open_pool: Callable[[int, int], P],
) -> Iterator[StepPlan[P]]:
    """Yield steps forever, starting at `cursor`. `open_pool` takes an epoch and a pool number."""
    epoch, pool_number, batch_number, step = cursor.epoch, cursor.pool, cursor.batch, cursor.step
    while True:
        batches: list[tuple[P, int]] = []
        for pool_number in range(pool_number, count_pools(epoch)):  # noqa: B020 — resumes there
            pool = open_pool(epoch, pool_number)
            for batch in range(batch_number, len(pool)):
                batches.append((pool, batch))
                if len(batches) == micro_batches:
                    step += 1
                    yield StepPlan(tuple(batches), Cursor(epoch, pool_number, batch + 1, step))
                    batches = []
            batch_number = 0
        epoch, pool_number, batch_number = epoch + 1, 0, 0
        if batches:
            step += 1
            yield StepPlan(tuple(batches), Cursor(epoch, 0, 0, step))


def rank_batches(rank: int, world: int, batches: int) -> list[int]:
    """Return the indices of the batches in a step that a rank reads, equally many for each rank.

    Indices from `batches` on are idle: they keep the number of passes equal on all ranks.
    """
    rounds = -(-batches // world)
    return list(range(rank, rounds * world, world))
