"""Fulfil requests: split texts, queue their segments, and assemble the answers.

    text → segments → cache → queue → engine process → segments → text

Texts are split as `Translator.translate` splits them, and an engine process translates segments
with the same class, so an answer is that of the offline translation.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import Any

from regard.errors import RegardError
from regard.serve.assembly import assemble, assemble_aligned
from regard.serve.batcher import Batcher, DeadlineError, Job
from regard.serve.cache import SegmentCache
from regard.serve.engines import EngineLoop, SegmentJob, Work, translation_key
from regard.serve.frames import AlignedValues, SegmentValues, WorkerAnswer, describe_failure
from regard.serve.limits import CheckedRequest, RequestError, check_request, check_texts
from regard.serve.markup import (
    GlossaryTerms,
    MarkedRequest,
    MarkupProcess,
    RequestMarkup,
    assemble_marked,
    lost_marks,
    markup_options,
)
from regard.serve.metrics import ServerMetrics
from regard.serve.models import ModelRegistry, ServedModel
from regard.serve.pool import ENGINE, WorkerPool
from regard.serve.schemas import (
    Alignment,
    AlignRequest,
    ExplainRequest,
    InterveneRequest,
    TranslateRequest,
    Translation,
)
from regard.serve.settings import ServerSettings
from regard.serve.store import Glossary
from regard.serve.traces import log_event
from regard.text.normalize import replace_surrogates

TICK = 0.1  # seconds between two searches for late jobs and unused models
EXPLANATION = 20  # an explanation costs as much as so many translations of its sentence


class TranslationService:
    """The models of a server with their queue, cache and engine processes.

    Args:
        registry: The models.
        settings: All limits.
        workers: Number of engine processes.
        threads: Threads of each.
        metrics: Counts what happens.
    """

    def __init__(
        self,
        registry: ModelRegistry,
        settings: ServerSettings,
        *,
        workers: int,
        threads: int,
        metrics: ServerMetrics,
    ) -> None:
        self.registry, self.settings, self.metrics = registry, settings, metrics
        self.batcher: Batcher[Work] = Batcher(
            batch_cost=settings.batch_cost,
            wait=settings.batch_wait_ms / 1000,
            max_cost=settings.max_queue_cost,
            max_seconds=settings.max_queue_seconds,
        )
        self._cache = SegmentCache(round(settings.cache_megabytes * 1e6))
        engines = EngineLoop(self.batcher, self._cache, registry, settings, metrics)
        self.pool = WorkerPool(ENGINE, workers, threads, registry.prepare, engines.run)
        self._markup = MarkupProcess(settings.deadline_seconds)
        self._housekeeping: list[asyncio.Task[None]] = []
        self._background: set[asyncio.Task[None]] = set()
        self.failure: RegardError | None = None  # why it could not start
        metrics.watch(
            self.batcher, self.pool, lambda: self.translating_engines, registry, self._cache
        )

    async def start(self) -> None:
        """Start the engine processes; return when the models are loaded into one of them."""
        try:
            await self.pool.start()
        except BaseException as error:
            self.failure = error if isinstance(error, RegardError) else None
            await self.pool.stop()
            raise
        self._markup.start()
        self._housekeeping = [
            asyncio.create_task(_repeat(work)) for work in (self._expire, self._unload)
        ]

    async def stop(self) -> None:
        for task in (*self._housekeeping, *self._background):
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        await asyncio.gather(self.pool.stop(), self._markup.stop())

    def run_in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` until it is done, or cancel it when the server stops."""
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    @property
    def translating_engines(self) -> int:
        """How many engines have translated in the time in which a request is answered."""
        return len(self.pool.translating(self.settings.deadline_seconds))

    async def reload(self, names: Sequence[str] | None = None) -> list[str]:
        """Replace the models whose files have changed; return their names."""
        return await self.registry.reload(list(self.pool.ready), names)

    async def check(
        self, request: TranslateRequest, settings: ServerSettings | None = None
    ) -> CheckedRequest:
        """Select the model of a request, and check all limits: those of the server by default."""
        start = time.monotonic()
        model = self.registry.find(request.model, request.source_language, request.target_language)
        checked = await check_request(request, model, settings or self.settings)
        checked.stages["check"] = (start, time.monotonic())
        return checked

    def find_markup(
        self, request: TranslateRequest, glossary: Glossary | None
    ) -> RequestMarkup | None:
        """Return how the texts of a request are read; None if they are translated as they are.

        `glossary`: with further terms.

        Raises:
            RequestError: An option is not available for texts with markup.
        """
        model = self.registry.find(request.model, request.source_language, request.target_language)
        placed = GlossaryTerms.of_request(request, request.terms, glossary, model)
        options = markup_options(request, model, placed)
        return None if options is None else RequestMarkup(options, placed)

    async def read_marked(self, request: TranslateRequest, markup: RequestMarkup) -> MarkedRequest:
        """Find what is translated in texts with markup, placeholders or terms.

        Raises:
            RequestError: A limit is exceeded.
            DocumentError: A text is not well-formed XML.
        """
        texts = [replace_surrogates(text) for text in request.texts]
        check_texts("texts", texts, self.settings)
        check_texts("terms", [*request.terms, *request.terms.values()], self.settings)
        parts = await self._markup.read(texts, markup.options)
        changes = {
            "texts": list(dict.fromkeys(part for of_text in parts for part in of_text)),
            "alignments": True,
        }
        return MarkedRequest(texts, markup, parts, request.model_copy(update=changes))

    async def translate_marked(
        self, marked: MarkedRequest, checked: CheckedRequest
    ) -> list[Translation]:
        """Translate the parts of texts with markup, and write the texts."""
        results: dict[str, list[SegmentValues]] = {}
        aligned: dict[str, AlignedValues] = {}
        async with aclosing(self.stream_values(checked, weights=True)) as parts:
            async for number, values in parts:
                text = checked.request.texts[number]
                results[text] = values
                aligned[text] = assemble_aligned(checked, number, values)
        texts = await self._markup.write(marked.texts, marked.markup, aligned)
        return assemble_marked(marked, checked, results, texts)

    async def translate(self, checked: CheckedRequest) -> list[Translation]:
        """Translate all texts of a request. Raises as `stream`."""
        with self._queued(checked) as texts:
            try:
                async with asyncio.timeout(self.settings.deadline_seconds):
                    values = [[await future for future in row] for row in texts]
            except TimeoutError:
                raise DeadlineError from None
        return [_with_lost_marks(checked, number, row) for number, row in enumerate(values)]

    async def stream(
        self, checked: CheckedRequest
    ) -> AsyncGenerator[tuple[int, Translation], None]:
        """Yield the number and the translation of each text as soon as it is there.

        Raises:
            QueueFullError: The texts would wait too long.
            DeadlineError: They were not translated in time.
            WorkerEndedError: The engine process ended.
            RequestError: A text cannot be translated with these options.
            EngineError: The engine failed.
        """
        async with aclosing(self.stream_values(checked)) as texts:
            async for number, values in texts:
                yield number, _with_lost_marks(checked, number, values)

    async def stream_values(
        self, checked: CheckedRequest, *, weights: bool = False
    ) -> AsyncGenerator[tuple[int, list[SegmentValues]], None]:
        """Yield the number of each text and the values of its segments; errors as of `stream`.

        `weights`: with the weights of alignments.
        """
        deadline = time.monotonic() + self.settings.deadline_seconds
        with self._queued(checked, weights=weights) as texts:
            pending = {asyncio.gather(*row): number for number, row in enumerate(texts) if row}
            try:
                for number, row in enumerate(texts):
                    if not row:
                        yield number, []
                while pending:
                    timeout = max(0.0, deadline - time.monotonic())
                    done, _ = await asyncio.wait(
                        pending, timeout=timeout, return_when=asyncio.FIRST_COMPLETED
                    )
                    if not done:
                        raise DeadlineError
                    for text in sorted(done, key=pending.__getitem__):
                        number = pending.pop(text)
                        yield number, text.result()
            finally:
                for text in pending:
                    text.add_done_callback(_retrieve)
                    text.cancel()

    @contextmanager
    def _queued(
        self, checked: CheckedRequest, *, weights: bool = False
    ) -> Iterator[list[list[asyncio.Future[SegmentValues]]]]:
        """Queue the segments of a request, and yield the results of each text.

        At the end of the context, those that are not there yet are cancelled.
        """
        options = checked.request.segment_options(checked.to)
        work = Work(checked.model.slot, "translate", options, weights)
        jobs, texts = self._segment_jobs(checked, work)
        self.registry.use(checked.model)
        try:
            if jobs:
                self.batcher.add(jobs)
            yield texts
        finally:
            started = [job.started for job in jobs if job.started]
            if started:
                now = time.monotonic()
                checked.stages["queue"] = (jobs[0].arrived, max(started))
                checked.stages["engine"] = (min(started), now)
            for job in jobs:
                if not job.result.cancel():
                    _retrieve(job.result)
            self.registry.release(checked.model)

    def _segment_jobs(
        self, checked: CheckedRequest, work: Work
    ) -> tuple[list[Job[Work]], list[list[asyncio.Future[SegmentValues]]]]:
        """Return jobs for the segments that are not in the cache, and the futures of each text."""
        draws = checked.request.sampling is not None  # they depend on the place
        jobs: list[Job[Work]] = []
        texts: list[list[asyncio.Future[SegmentValues]]] = []
        for segments in checked.texts:
            texts.append([])
            for segment in segments:
                draw_position = segment.position if draws else (0, 0)
                key = translation_key(
                    checked.model.version, work, segment.text, segment.prefix, draw_position
                )
                future: asyncio.Future[SegmentValues] = asyncio.get_running_loop().create_future()
                texts[-1].append(future)
                if (cached := self._look_up(key)) is not None:
                    future.set_result(cached)
                    continue
                jobs.append(
                    self._job(
                        work,
                        SegmentJob(segment, key),
                        segment.pieces,
                        checked.segment_cost(segment),
                        future,
                        checked.request.bulk,
                    )
                )
        return jobs, texts

    async def align(self, request: AlignRequest) -> tuple[ServedModel, list[Alignment]]:
        """Align the words of given pairs."""
        model = self.registry.find(request.model, request.source_language, request.target_language)
        to = model.choose_target(request.target_language)
        if not model.aligns:
            raise RequestError(f"{model.name}: this model cannot align words.")
        if len(request.sources) != len(request.targets):
            raise RequestError(
                f"targets: there are {len(request.targets)} for {len(request.sources)} sources. "
                "Pass one target for each source."
            )
        for name, texts in (("sources", request.sources), ("targets", request.targets)):
            check_texts(name, texts, self.settings)
        pieces = sum(map(len, request.sources)) // 4  # roughly
        answer = await self._alone(
            model, "align", pieces, pieces, sources=request.sources, targets=request.targets, to=to
        )
        return model, [Alignment.model_validate(alignment) for alignment in answer["alignments"]]

    async def explain(
        self, request: ExplainRequest | InterveneRequest
    ) -> tuple[ServedModel, dict[str, object]]:
        """Record the computation of a translation, which may have changed attention."""
        checked = await self.check(
            TranslateRequest(
                texts=[request.source],
                model=request.model,
                source_language=request.source_language,
                target_language=request.target_language,
            )
        )
        check_texts("target", [request.target or ""], self.settings)
        if len(checked.texts[0]) != 1:
            raise RequestError("source: pass one sentence.")
        answer = await self._alone(
            checked.model,
            "explain",
            checked.pieces,
            EXPLANATION * checked.cost,
            source=request.source,
            target=request.target,
            to=checked.to,
            changes=None if request.changes is None else request.changes.model_dump(),
        )
        return checked.model, answer["record"]

    async def _alone(
        self, model: ServedModel, do: str, pieces: int, cost: int, **arguments: object
    ) -> WorkerAnswer:
        """Queue a job that shares no batch, and return its answer."""
        future: asyncio.Future[WorkerAnswer] = asyncio.get_running_loop().create_future()
        job = self._job(
            Work(model.slot, do, alone=id(future)), arguments, pieces, max(1, cost), future, False
        )
        self.registry.use(model)
        try:
            self.batcher.add([job])
            async with asyncio.timeout(self.settings.deadline_seconds):
                return await future
        except TimeoutError:
            raise DeadlineError from None
        finally:
            self.registry.release(model)

    def _job(
        self,
        work: Work,
        payload: Any,
        pieces: int,
        cost: int,
        future: asyncio.Future[Any],
        bulk: bool,
    ) -> Job[Work]:
        deadline = time.monotonic() + self.settings.deadline_seconds
        return Job(work, payload, pieces, cost, bulk, deadline, future)

    def _look_up(self, key: bytes) -> SegmentValues | None:
        cached = self._cache.get(key)
        self.metrics.count_lookup(hit=cached is not None)
        return cached

    async def _expire(self) -> None:
        """Fail late jobs."""
        self.batcher.expire()

    async def _unload(self) -> None:
        """Unload models that were replaced. It waits for engines, unlike `_expire`."""
        await self.registry.unload_unused(list(self.pool.ready))


def _with_lost_marks(
    checked: CheckedRequest, number: int, values: Sequence[SegmentValues]
) -> Translation:
    """Assemble a text, and warn of the placeholders and tags that it has lost."""
    translation = assemble(checked, number, values)
    lost = lost_marks(checked.request.texts[number], translation.text)
    if not lost:
        return translation
    notes = [f"{mark!r} is missing." for mark in lost]
    return translation.model_copy(update={"warnings": [*translation.warnings, *notes]})


def _retrieve(done: asyncio.Future[Any]) -> None:
    """Retrieve the exception of an abandoned result, so that asyncio does not log it."""
    if not done.cancelled():
        done.exception()


async def _repeat(work: Callable[[], Awaitable[None]]) -> None:
    """Repeat `work` every TICK seconds. An error is logged and ends one repetition only."""
    while True:
        await asyncio.sleep(TICK)
        try:
            await work()
        except Exception as error:
            log_event(event="housekeeping failed", failure=describe_failure(error))
