"""The stream of steps: batches in their order without end, and who reads which of them.

A step takes the next `micro_batches` batches; the last of an epoch may have fewer. Rank r of w
takes those whose place in the step is r modulo w. Where the stream stands is a value of four
integers, the same on all ranks: whoever has it goes on at once, with any number of ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass
from typing import Generic, TypeVar

P = TypeVar("P", bound=Sized)  # a pool: its length is the number of its batches


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a stream stands: the next batch to read, and how many steps were made before it."""

    epoch: int = 0
    pool: int = 0
    batch: int = 0
    step: int = 0


@dataclass(frozen=True, slots=True)
class StepPlan(Generic[P]):
    """The batches of one step, as pools and numbers within them, and where the stream goes on."""

    batches: tuple[tuple[P, int], ...]
    after: Cursor


def plan_steps(
    cursor: Cursor,
    micro_batches: int,
    count_pools: Callable[[int], int],
    open_pool: Callable[[int, int], P],
) -> Iterator[StepPlan[P]]:
    """Steps without end, from `place` on. A pool is opened by its epoch and its number."""
    epoch, pool_number, batch_number, step = cursor.epoch, cursor.pool, cursor.batch, cursor.step
    while True:
        batches: list[tuple[P, int]] = []
        for pool_number in range(pool_number, count_pools(epoch)):  # noqa: B020 — goes on from it
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
    """The places in a step of `batches` that a rank takes; as many for each rank.

    Those from `batches` on are idle: their ranks only keep the others company.
    """
    rounds = -(-batches // world)
    return list(range(rank, rounds * world, world))
