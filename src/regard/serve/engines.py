"""Give engine processes work: batches of the queue, and a probe when no text has come for long.

A probe is a text that takes the path of all texts: an engine that translates it is ready, and one
that does not is not, whatever the reason.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from regard.serve.batcher import Batcher, Job, QueueFullError
from regard.serve.cache import SegmentCache, cache_key
from regard.serve.frames import ErrorValues, WorkerAnswer, describe_failure
from regard.serve.limits import RequestError, RequestSegment
from regard.serve.metrics import ServerMetrics
from regard.serve.models import ModelRegistry
from regard.serve.pool import WorkerEndedError, WorkerProcess
from regard.serve.settings import ServerSettings
from regard.serve.traces import log_event
from regard.serve.worker import PROBE
from regard.tasks.translation.options import TranslateOptions

HANGS = 2  # an engine process that takes so many deadlines for a batch is replaced
PROBES = 6  # probes of an idle engine in the time of a deadline


class EngineError(Exception):
    """An engine process failed for a reason other than the request."""


@dataclass(frozen=True, slots=True)
class Work:
    """What the jobs of a batch have in common: a model, and what to do with it."""

    slot: int
    do: str
    options: TranslateOptions | None = None  # of "translate"
    weights: bool = False  # also send those of alignments
    alone: int = 0  # a number of its own for a job that shares no batch


@dataclass(frozen=True, slots=True)
class SegmentJob:
    """A segment to translate, and the key of its translation in the cache."""

    segment: RequestSegment
    key: bytes


class EngineLoop:
    """Takes batches from the queue for each engine process, and sets their results.

    Args:
        batcher: The queue.
        cache: Receives the results of segments.
        registry: Its first model translates the probes.
        settings: All limits.
        metrics: Counts batches and their times.
    """

    def __init__(
        self,
        batcher: Batcher[Work],
        cache: SegmentCache,
        registry: ModelRegistry,
        settings: ServerSettings,
        metrics: ServerMetrics,
    ) -> None:
        self._batcher, self._cache, self._registry = batcher, cache, registry
        self._settings, self._metrics = settings, metrics
        self._workers: set[WorkerProcess] = set()

    async def run(self, worker: WorkerProcess) -> None:
        """Give an engine process one batch after another."""
        self._workers.add(worker)
        try:
            while not worker.ended.is_set():
                self._batcher.processes = len(self._workers)
                await self._do_batch(worker, await self._next_batch(worker))
        finally:
            self._workers.discard(worker)
            self._batcher.processes = max(1, len(self._workers))

    async def _next_batch(self, worker: WorkerProcess) -> list[Job[Work]]:
        """Wait for a batch; queue a probe whenever the engine has not translated for long."""
        interval = self._settings.deadline_seconds / PROBES
        probe = None
        while True:
            due = worker.translated + interval - time.monotonic()
            if due <= 0:
                due = interval
                if probe is None or probe.done():
                    probe = self._queue_probe()
            try:
                async with asyncio.timeout(due):
                    return await self._batcher.next_batch()
            except TimeoutError:
                pass

    def _queue_probe(self) -> asyncio.Future[Any] | None:
        model = next(iter(self._registry.models.values()))
        to = next(iter(model.bundled.targets), None)
        work = Work(model.slot, "translate", TranslateOptions(to=to, beam_size=1))
        segment = RequestSegment((0, 0), (0, len(PROBE)), PROBE, len(PROBE), "")
        payload = SegmentJob(segment, translation_key(model.version, work, PROBE))
        result: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        deadline = time.monotonic() + self._settings.deadline_seconds
        job = Job(work, payload, len(PROBE), len(PROBE), False, deadline, result)
        try:
            self._batcher.add([job])
        except QueueFullError:  # waiting texts serve as probes
            return None
        self._registry.use(model)

        def release(done: asyncio.Future[Any]) -> None:
            self._registry.release(model)
            if not done.cancelled():
                done.exception()  # marks it as retrieved, or asyncio would log it

        result.add_done_callback(release)
        return result

    async def _do_batch(self, worker: WorkerProcess, batch: Sequence[Job[Work]]) -> None:
        start = time.monotonic()
        for job in batch:
            job.started = start
            self._metrics.wait.observe(start - job.arrived)
        self._metrics.batch.observe(len(batch))
        results: list[Any] = [WorkerEndedError()] * len(batch)
        seconds: float | None = None
        try:
            async with asyncio.timeout(HANGS * self._settings.deadline_seconds):
                results = await self._call(worker, batch)
            now = time.monotonic()
            seconds = now - start
            if not all(isinstance(result, Exception) for result in results):
                worker.translated = now
            self._metrics.engine.observe(seconds)
            self._metrics.pieces.inc(sum(job.pieces for job in batch))
        except WorkerEndedError:
            return
        except TimeoutError:
            worker.kill()
            return
        finally:  # also if the task is cancelled because the process has ended
            self._batcher.finish(batch, seconds)
            _set_results(batch, results)

    async def _call(self, worker: WorkerProcess, batch: Sequence[Job[Work]]) -> list[Any]:
        """Return a result or an exception for each job. A job that cannot be done fails alone."""
        try:
            return await self._call_once(worker, batch)
        except WorkerEndedError:
            raise
        except Exception as error:
            if len(batch) == 1:
                failure = describe_failure(error)
                log_event(event="a text could not be sent to its engine", failure=failure)
                return [EngineError(failure)]
        middle = len(batch) // 2
        halves = batch[:middle], batch[middle:]
        return [result for half in halves for result in await self._call(worker, half)]

    async def _call_once(self, worker: WorkerProcess, batch: Sequence[Job[Work]]) -> list[Any]:
        work = batch[0].group
        if work.do != "translate":
            (job,) = batch
            answer = await worker.call(work.do, slot=work.slot, **job.payload)
            return [_error(answer) if "error" in answer else answer]
        segments = [job.payload.segment for job in batch]
        prefixes = [segment.prefix for segment in segments]
        assert work.options is not None
        options = replace(work.options, prefix=prefixes) if any(prefixes) else work.options
        answer = await worker.call(
            "translate",
            slot=work.slot,
            segments=[segment.text for segment in segments],
            positions=[segment.position for segment in segments],
            options=_options_json(options),
            weights=work.weights,
        )
        if "error" in answer:
            return [_error(answer)] * len(batch)
        results = [
            _error(segment) if "error" in segment else segment["hypotheses"]
            for segment in answer["segments"]
        ]
        for job, result in zip(batch, results, strict=True):
            if not isinstance(result, Exception):
                self._cache.put(job.payload.key, result)
        return results


@lru_cache(maxsize=256)
def _options_json(options: TranslateOptions) -> dict[str, object]:
    return options.to_json()


def translation_key(version: str, work: Work, *parts: object) -> bytes:
    """Return the key of a translation in the cache.

    `parts`: what it depends on besides the model and the options.
    """
    return cache_key(version, work.options, work.weights, *parts)


def _set_results(batch: Sequence[Job[Work]], results: Sequence[Any]) -> None:
    for job, result in zip(batch, results, strict=True):
        if job.result.done():
            continue  # the client has disconnected, or the deadline has passed
        if isinstance(result, Exception):
            job.result.set_exception(result)
        else:
            job.result.set_result(result)


def _error(answer: WorkerAnswer | ErrorValues) -> Exception:
    """An engine process's error: of the request, or of the engine."""
    if answer["kind"] == "regard":
        return RequestError(answer["error"])
    return EngineError(answer["error"])
