"""The queue: order, batches, refusals, deadlines, cancelled jobs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from regard.serve.batcher import Batcher, DeadlineError, Job, QueueFullError
from tests.running_server import run_async


def in_loop(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run a test in an event loop."""

    def run() -> None:
        run_async(test())

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


def batcher(**settings: Any) -> Batcher[str]:
    return Batcher(
        **{"batch_cost": 100, "wait": 0.0, "max_cost": 1_000, "max_seconds": 10.0} | settings
    )


def job(group: str = "a", pieces: int = 10, *, bulk: bool = False, seconds: float = 60) -> Job[str]:
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    return Job(group, None, pieces, pieces, bulk, time.monotonic() + seconds, future)


@in_loop
async def test_a_batch_has_one_group_and_similar_lengths() -> None:
    queue = batcher(batch_cost=30)
    first, other, long, near = job(), job("b"), job(pieces=25), job(pieces=11)
    queue.add([first, other, long, near])
    assert await queue.next_batch() == [first, near]
    assert await queue.next_batch() == [other]
    assert await queue.next_batch() == [long]
    assert queue.queued == queue.queued_cost == 0


@in_loop
async def test_interactive_jobs_come_first_and_bulk_jobs_fill_the_batch() -> None:
    queue = batcher(batch_cost=25)
    bulk, interactive = [job(bulk=True) for _ in range(3)], job()
    queue.add(bulk)
    queue.add([interactive])
    assert await queue.next_batch() == [interactive, bulk[0]]
    assert await queue.next_batch() == bulk[1:]


@in_loop
async def test_a_job_that_costs_more_than_a_batch_is_alone() -> None:
    queue = batcher()
    large, small = job(pieces=500), job()
    queue.add([large, small])
    assert await queue.next_batch() == [large]
    assert await queue.next_batch() == [small]


@in_loop
async def test_free_processes_share_the_jobs() -> None:
    queue, jobs = batcher(), [job() for _ in range(4)]
    queue.processes = 2
    batches = [asyncio.create_task(queue.next_batch()) for _ in range(2)]
    await asyncio.sleep(0)
    queue.add(jobs)
    assert [await batch for batch in batches] == [jobs[:2], jobs[2:]]


@in_loop
async def test_a_process_takes_its_share_of_all_jobs_and_leaves_the_rest_to_the_others() -> None:
    queue, jobs = batcher(), [job() for _ in range(9)]
    queue.processes = 2
    queue.add(jobs[:1])
    small = await queue.next_batch()
    queue.add(jobs[1:8])
    large = await queue.next_batch()
    assert (small, large) == (jobs[:1], jobs[1:5])  # half of eight
    queue.finish(small, None)
    assert await queue.next_batch() == jobs[5:8]
    queue.finish(large, None)
    queue.add(jobs[8:])
    assert await queue.next_batch() == jobs[8:]


@in_loop
async def test_a_free_process_waits_for_more_jobs_for_a_bounded_time() -> None:
    queue = batcher(wait=0.2)
    first, second = job(), job()
    queue.add([first])
    start, taken = time.monotonic(), asyncio.create_task(queue.next_batch())
    await asyncio.sleep(0.05)
    queue.add([second])
    assert await taken == [first, second]
    assert 0.15 < time.monotonic() - start < 2
    queue.add([job(pieces=60), job(pieces=60)])  # more than a batch: no reason to wait
    start = time.monotonic()
    await queue.next_batch()
    assert time.monotonic() - start < 0.15


@in_loop
async def test_jobs_are_refused_all_or_none_if_they_would_wait_too_long() -> None:
    queue = batcher(max_cost=10_000)
    queue.add([job(pieces=100)])
    queue.finish(await queue.next_batch(), seconds=1.0)
    queue.add([job(pieces=1_100)])  # 11 seconds of work
    with pytest.raises(QueueFullError) as refused:
        queue.add([job(), job()])
    assert refused.value.retry_after == pytest.approx(11)
    assert queue.queued == 1
    queue.processes = 2
    queue.add([job()])
    with pytest.raises(QueueFullError):
        queue.add([job(seconds=3)])  # it could not be ready by then


@in_loop
async def test_what_fits_into_the_next_batches_is_not_refused() -> None:
    """After a first batch of one text that took long, as on a machine that starts."""
    queue = batcher()
    queue.add([job(pieces=1)])
    queue.finish(await queue.next_batch(), seconds=5.0)
    for _ in range(11):
        queue.check()
        queue.add([job()])
    with pytest.raises(QueueFullError):
        queue.check()
    with pytest.raises(QueueFullError):
        queue.add([job()])
    queue.processes = 2
    queue.check()


@in_loop
async def test_the_cost_of_waiting_jobs_is_bounded() -> None:
    queue = batcher(max_cost=100)
    queue.add([job(pieces=5_000)])  # alone, it is accepted
    with pytest.raises(QueueFullError):
        queue.add([job()])


@in_loop
async def test_late_jobs_fail_and_cancelled_ones_leave_the_queue() -> None:
    queue = batcher()
    late, cancelled, kept = job(seconds=0.01), job(), job()
    queue.add([late, cancelled, kept])
    await asyncio.sleep(0.02)
    queue.expire()
    cancelled.result.cancel()
    await asyncio.sleep(0)
    assert isinstance(late.result.exception(), DeadlineError)
    assert queue.queued == 1
    assert await queue.next_batch() == [kept]
