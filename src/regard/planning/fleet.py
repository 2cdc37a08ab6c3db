"""A simulated fleet: replicas, queues and shared cores in virtual time.

Timers fire in order, and the clock jumps from one to the next. A coroutine such as the batcher's
thus runs unchanged, in as much real time as its computation takes.
"""

from __future__ import annotations

import asyncio
import random
import selectors
from collections.abc import Callable, Coroutine, Sequence
from contextvars import Context
from dataclasses import dataclass, field
from typing import Any, TypeVar

from regard.planning.measurement import ServiceMeasurement, TextSize
from regard.serve.batcher import Batcher, Job, QueueFullError
from regard.serve.settings import ServerSettings

R = TypeVar("R")

SHORTEST = 1e-9  # seconds of a timer; a shorter one might not advance the clock, and repeat forever


class _Jump(selectors.SelectSelector):
    """Advances the clock instead of waiting. Sockets are never ready."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | int | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("The simulation waits, but no event is scheduled.")
        self.now += timeout
        return []


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop whose time starts at 0 and advances only between events."""

    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)
        # Timers of the next SHORTEST / 2 seconds are due. Less than the precision of the clock, a
        # hundred-billionth of a second after a day, and timers would never be due.
        self._clock_resolution = SHORTEST / 2

    def time(self) -> float:
        return self._jump.now

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Callable[..., object],
        *arguments: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        when = max(when, self.time() + SHORTEST)
        return super().call_at(when, callback, *arguments, context=context)


def run_simulation(coroutine: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine in virtual time and return its result."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(coroutine)


# -- the cores of a simulated machine, which the processes on it share -----------------------------


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


# -- simulate replicas of the server behind a load balancer ----------------------------------------
#     client → balancer → front of a replica → batcher → engine process → front → client
#
# The batcher is the server's own class. The balancer chooses a replica as HAProxy does for requests
# of one model: consistent hashing with bounded loads.


FRONT_WEIGHT = 3.0  # engine processes have a lower priority: nice 5, a third of the share
LOAD_FACTOR = 150  # `hash-balance-factor` of deploy/haproxy/haproxy.cfg
RETRIES = 3  # `retries` of the same file: a refused request is sent to another replica


@dataclass(frozen=True, slots=True)
class FleetShape:
    """Replicas and the machines they run on.

    `engines`: engine processes of a replica; None: one for each core of its machine. `together`:
    all replicas share one machine. `first`: the replica that the hash of the model selects, if it
    is not above its bound. HAProxy rounds the bounds so that later replicas have the larger ones.
    As a default, the last is selected, which gives it the most requests and the longest queue.
    """

    replicas: int
    cores: int  # of a machine
    engines: int | None = None
    together: bool = False
    first: int = -1


@dataclass(frozen=True, slots=True)
class Load:
    """Requests to send: at random times at `rate` per second, or by `clients` without pauses."""

    requests: int
    rate: float = 0.0
    clients: int = 0
    seed: int = 1


@dataclass(slots=True)
class LoadOutcome:
    """What a simulated load measures, in seconds."""

    latencies: list[float] = field(default_factory=list)  # of answered requests, in their order
    refused: int = 0
    seconds: float = 0.0
    utilization: float = 0.0  # of all cores

    @property
    def throughput(self) -> float:
        """Answered requests per second."""
        return len(self.latencies) / self.seconds

    def percentile(self, share: float) -> float:
        ranked = sorted(self.latencies)
        return ranked[min(len(ranked) - 1, int(share * len(ranked)))] if ranked else float("inf")


class SimulatedReplica:
    """One `regard serve`: a front, which is one thread, a batcher and engine processes."""

    def __init__(
        self,
        measured: ServiceMeasurement,
        settings: ServerSettings,
        cores: SharedCores,
        engines: int,
    ) -> None:
        self._clock = asyncio.get_running_loop().time
        self._measured, self._settings, self._cores = measured, settings, cores
        self.open = 0
        self._front = asyncio.Lock()
        self._draw = random.Random(1)  # noqa: S311 (times of batches)
        self._batcher: Batcher[str] = Batcher(
            batch_cost=settings.batch_cost,
            wait=settings.batch_wait_ms / 1000,
            max_cost=settings.max_queue_cost,
            max_seconds=settings.max_queue_seconds,
            clock=self._clock,
        )
        self._batcher.processes = engines
        self.tasks = [asyncio.create_task(self._run_engine()) for _ in range(engines)]

    async def answer(self, request: Sequence[TextSize]) -> None:
        """Take as long as the server does for a request.

        Raises:
            QueueFullError: The replica refuses it.
        """
        self.open += 1
        try:
            self._batcher.check()
            await self._use_front()
            now, loop = self._clock(), asyncio.get_running_loop()
            jobs = [
                Job(
                    "translate",
                    size,
                    size.pieces,
                    self._measured.beam_size * (size.pieces + 1),
                    False,
                    now + self._settings.deadline_seconds,
                    loop.create_future(),
                    now,
                )
                for size in request
            ]
            self._batcher.add(jobs)
            for job in jobs:
                await job.result
            await self._use_front()
        finally:
            self.open -= 1

    async def _use_front(self) -> None:
        """Half of the front's work for a request is before the translation, half after it."""
        async with self._front:
            await self._cores.compute(self._measured.front_seconds / 2, FRONT_WEIGHT)

    async def _run_engine(self) -> None:
        end = self._clock()
        while True:
            batch = await self._batcher.next_batch()
            start = self._clock()
            seconds = self._measured.batch_seconds([job.payload for job in batch], start - end)
            ratio = self._draw.choice(self._measured.engine.ratios)
            await self._cores.compute(seconds * ratio)
            end = self._clock()
            self._batcher.finish(batch, end - start)
            for job in batch:
                job.result.set_result(None)


def choose_replica(
    replicas: Sequence[SimulatedReplica], first: int, avoid: Sequence[int] = ()
) -> int:
    """Return the number of the first replica in the ring, from `first`, not above its bound."""
    total = -(-(sum(replica.open for replica in replicas) + 1) * LOAD_FACTOR // 100)
    count = len(replicas)
    for step in range(count):
        number = (first + step) % count
        slots = (number + 1) * total // count - number * total // count
        if number not in avoid and replicas[number].open < max(1, slots):
            return number
    return min(range(count), key=lambda number: (number in avoid, replicas[number].open))


def simulate_load(
    measured: ServiceMeasurement, shape: FleetShape, load: Load, settings: ServerSettings
) -> LoadOutcome:
    """Return the latencies of a load, computed in virtual time."""
    return run_simulation(_simulate(measured, shape, load, settings))


async def _simulate(
    measured: ServiceMeasurement, shape: FleetShape, load: Load, settings: ServerSettings
) -> LoadOutcome:
    machines = [
        SharedCores(shape.cores, measured.slowdown)
        for _ in range(1 if shape.together else shape.replicas)
    ]
    replicas = [
        SimulatedReplica(
            measured, settings, machines[number % len(machines)], shape.engines or shape.cores
        )
        for number in range(shape.replicas)
    ]
    clock = asyncio.get_running_loop().time
    latencies: dict[int, float] = {}
    outcome = LoadOutcome()

    async def send(number: int) -> None:
        begin, tried = clock(), list[int]()
        if measured.balancer_seconds and shape.together:
            await machines[0].compute(measured.balancer_seconds, FRONT_WEIGHT)
        elif measured.balancer_seconds:
            await asyncio.sleep(measured.balancer_seconds)
        while len(tried) <= RETRIES:
            chosen = choose_replica(replicas, shape.first, tried)
            try:
                await replicas[chosen].answer(measured.requests[number % len(measured.requests)])
            except QueueFullError:
                tried.append(chosen)
            else:
                latencies[number] = clock() - begin
                return
        outcome.refused += 1

    if load.clients:
        numbers = iter(range(load.requests))

        async def client() -> None:
            for number in numbers:
                await send(number)

        await asyncio.gather(*(client() for _ in range(load.clients)))
    else:
        draw, tasks = random.Random(load.seed), []  # noqa: S311 (arrival times)
        for number in range(load.requests):
            await asyncio.sleep(draw.expovariate(load.rate))
            tasks.append(asyncio.create_task(send(number)))
        await asyncio.gather(*tasks)
    outcome.seconds = clock()
    busy = sum(machine.busy_seconds for machine in machines)
    outcome.utilization = busy / (outcome.seconds * shape.cores * len(machines))
    outcome.latencies = [latencies[number] for number in sorted(latencies)]
    for task in (task for replica in replicas for task in replica.tasks):
        task.cancel()
    return outcome
