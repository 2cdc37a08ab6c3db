"""The queue of texts, and the batches that are made of it.

An engine process that is free takes the text that has waited longest, interactive ones before bulk
ones, and fills a batch with texts of the same model and the same options whose length is nearest.
It takes at most its share of all texts that wait or are being translated, so that batches are of
similar size: a process that took everything would leave single texts to the others. Texts that
arrive while all processes are busy wait for the next batch; a free process waits a few milliseconds
for more.
"""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Generic, TypeVar

LONGEST_WAIT = 5
NEAREST = 512  # texts among which those of similar length are searched

G = TypeVar("G", bound=Hashable)


class QueueFullError(Exception):
    """More texts wait than can be translated in time."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(retry_after)
        self.retry_after = retry_after


class DeadlineError(Exception):
    """A text was not translated in time."""


@dataclass(slots=True, eq=False)
class Job(Generic[G]):
    """A text that waits for its translation."""

    group: G  # jobs of the same group can share a batch
    payload: Any
    pieces: int
    cost: int  # pieces × beam size
    bulk: bool
    deadline: float  # of the batcher's clock
    result: asyncio.Future[Any]
    arrived: float = field(default_factory=time.monotonic)
    started: float = 0.0  # when an engine process took it; 0: not yet


class Batcher(Generic[G]):
    """Collects jobs and gives batches of them to free engine processes.

    Args:
        batch_cost: Cost of the jobs of a batch, unless a single job costs more.
        wait: Seconds that an otherwise idle process waits for more jobs after the latest one, up
            to LONGEST_WAIT times as long after the oldest.
        max_cost: Cost of all waiting jobs above which further ones are refused.
        max_seconds: Expected waiting time above which further jobs are refused.
        clock: The clock of arrivals and deadlines. A simulation passes its own.
    """

    def __init__(
        self,
        *,
        batch_cost: int,
        wait: float,
        max_cost: int,
        max_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._batch_cost, self._wait, self._clock = batch_cost, wait, clock
        self._max_cost, self._max_seconds = max_cost, max_seconds
        # In order of arrival; a dict because a job that is cancelled leaves from the middle.
        self._waiting: dict[tuple[bool, G], dict[Job[G], None]] = {}
        self.queued = 0
        self.queued_cost = 0
        self._taken_cost = 0  # of the jobs in batches that are not done
        self.processes = 1
        self._rate = 0.0  # cost per second and process, a moving average; 0: not known yet
        self._latest = 0.0  # when the latest jobs arrived
        self._arrived = asyncio.Event()

    @property
    def expected_wait(self) -> float:
        """Seconds until the jobs that wait now are done; 0 if the speed is not known yet."""
        return 0.0 if self._rate == 0 else self.queued_cost / (self._rate * self.processes)

    def check(self) -> None:
        """Raise QueueFullError if any job would wait too long."""
        if self._waits_longer_than(self._max_seconds):
            raise QueueFullError(self.expected_wait)

    def _waits_longer_than(self, seconds: float) -> bool:
        """Whether a further job would wait longer, and not only for the next batches.

        The speed is known from batches of any size, and small ones have the lowest. What the next
        batches of all processes can take is therefore not refused: after a first batch of a single
        text, which was slow, it would be.
        """
        in_next_batches = self.queued_cost <= self._batch_cost * self.processes
        return not in_next_batches and self.expected_wait > seconds

    def add(self, jobs: Sequence[Job[G]]) -> None:
        """Queue the jobs of a request, all of them or none.

        Raises:
            QueueFullError: They would wait too long.
        """
        now, cost = self._clock(), sum(job.cost for job in jobs)
        patience = min(self._max_seconds, *(job.deadline - now for job in jobs))
        if self._waits_longer_than(patience) or (
            self.queued and self.queued_cost + cost > self._max_cost
        ):
            raise QueueFullError(self.expected_wait)
        for job in jobs:
            self._waiting.setdefault((job.bulk, job.group), {})[job] = None
            job.result.add_done_callback(functools.partial(self._discard, job))
        self.queued += len(jobs)
        self.queued_cost += cost
        self._latest = now
        self._arrived.set()

    async def next_batch(self) -> list[Job[G]]:
        """Wait for jobs and return a batch of them."""
        while True:
            while not self.queued:
                self._arrived.clear()
                await self._arrived.wait()
            last = self._oldest().arrived + LONGEST_WAIT * self._wait
            pause = min(self._latest + self._wait, last) - self._clock()
            if pause <= 0 or self.queued_cost >= self._batch_cost:
                share = -(-(self.queued_cost + self._taken_cost) // self.processes)
                return self._take(self._oldest(), min(self._batch_cost, share))
            await asyncio.sleep(pause)

    def finish(self, batch: Sequence[Job[G]], seconds: float | None) -> None:
        """Record that a process has finished a batch, and in which time; None: it failed."""
        cost = sum(job.cost for job in batch)
        self._taken_cost -= cost
        if seconds is not None:
            rate = cost / max(seconds, 1e-3)
            self._rate = rate if self._rate == 0 else 0.9 * self._rate + 0.1 * rate

    def expire(self) -> None:
        """Fail the jobs whose deadline has passed."""
        now = self._clock()
        late = [job for jobs in self._waiting.values() for job in jobs if job.deadline <= now]
        for job in late:
            if not job.result.done():  # it may be cancelled, and about to leave the queue
                job.result.set_exception(DeadlineError())

    def _oldest(self) -> Job[G]:
        first = (next(iter(jobs)) for jobs in self._waiting.values())
        return min(first, key=lambda job: (job.bulk, job.arrived))

    def _take(self, first: Job[G], max_cost: int) -> list[Job[G]]:
        """Remove from the queue a batch with `first` and the jobs nearest to its length."""
        kinds = (False, True) if not first.bulk else (True,)
        batch: list[Job[G]] = []
        cost = 0
        for bulk in kinds:
            near = sorted(
                islice(self._waiting.get((bulk, first.group), {}), NEAREST),
                key=lambda job: abs(job.pieces - first.pieces) if job is not first else -1,
            )
            for job in near:
                if batch and cost + job.cost > max_cost:
                    break
                batch.append(job)
                cost += job.cost
        for job in batch:
            self._discard(job)
        self._taken_cost += cost
        return batch

    def _discard(self, job: Job[G], _: object = None) -> None:
        """Remove a job from the queue, unless that was done before."""
        jobs = self._waiting.get((job.bulk, job.group), {})
        if job in jobs:
            del jobs[job]
            if not jobs:
                del self._waiting[job.bulk, job.group]
            self.queued -= 1
            self.queued_cost -= job.cost
