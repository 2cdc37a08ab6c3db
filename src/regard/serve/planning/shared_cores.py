"""The cores of a simulated machine, which the processes on it share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class _Computation:
    remaining: float  # seconds, at full speed
    weight: float
    done: asyncio.Future[None]
    speed: float = 1.0


class SharedCores:
    """Processor sharing: computations run at the same time, each on at most one core.

    Args:
        cores: Number of cores.
        slowdown: How much longer a computation takes if all cores are busy than if one is: cores
            share caches and memory, and two of them may be threads of one.
    """

    def __init__(self, cores: int, slowdown: float = 1.0) -> None:
        self.cores, self.slowdown = cores, slowdown
        self.busy_seconds = 0.0  # core seconds that were used
        self._active: list[_Computation] = []
        self._updated = 0.0
        self._timer: asyncio.TimerHandle | None = None

    async def compute(self, seconds: float, weight: float = 1.0) -> None:
        """Use a core for `seconds` at full speed. `weight`: its share if there are too few."""
        loop = asyncio.get_running_loop()
        self._advance(loop.time())
        done = loop.create_future()
        self._active.append(_Computation(seconds, weight, done))
        self._schedule(loop)
        await done

    def _advance(self, now: float) -> None:
        """Subtract what has been computed since the last call."""
        elapsed, self._updated = now - self._updated, now
        self.busy_seconds += elapsed * min(self.cores, len(self._active))
        for job in self._active:
            job.remaining -= elapsed * job.speed

    def _schedule(self, loop: asyncio.AbstractEventLoop) -> None:
        """Set the speeds, and a timer for the computation that ends next."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._active:
            return
        self._set_speeds()
        first = min(job.remaining / job.speed for job in self._active)
        self._timer = loop.call_later(max(0.0, first), self._finish, loop)

    def _finish(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        self._advance(loop.time())
        ended = [job for job in self._active if job.remaining <= 1e-9]
        self._active = [job for job in self._active if job.remaining > 1e-9]
        for job in ended:
            if not job.done.done():
                job.done.set_result(None)
        self._schedule(loop)

    def _set_speeds(self) -> None:
        """Divide the cores by weight, at most one for each computation."""
        busy = min(self.cores, len(self._active))
        full = 1 / (1 + (self.slowdown - 1) * (busy - 1) / max(1, self.cores - 1))
        waiting, cores = sorted(self._active, key=lambda job: -job.weight), float(self.cores)
        weights = sum(job.weight for job in waiting)
        for job in waiting:
            share = min(1.0, cores * job.weight / weights)
            job.speed = share * full
            cores -= share
            weights -= job.weight
