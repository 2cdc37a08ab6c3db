"""The route of documents: the body is a file, and the answer is the file in the other language.

    file → document process → texts → blocks → queue → translations → document process → file

A separate process reads, protects and restores each document. It is killed when the client
disconnects. The texts are sent to the queue block by block, as bulk requests, so that other
requests are answered in between.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from regard.documents.formats.base import format_of_path, load_format
from regard.serve.assembly import assemble_aligned
from regard.serve.batcher import DeadlineError, QueueFullError
from regard.serve.document_process import DocumentOptions, DocumentTexts, document_process
from regard.serve.frames import AlignedValues
from regard.serve.http import (
    AnswerError,
    authenticate,
    bearer_key,
    describe_problems,
    event_text,
    read_body,
    to_answer,
    unless_disconnected,
)
from regard.serve.keys import Keyring, StoredKey
from regard.serve.limits import CheckedRequest, RequestError, check_request
from regard.serve.models import ServedModel
from regard.serve.schemas import DocumentRequest, TranslateRequest
from regard.serve.service import TranslationService
from regard.tasks.translation.documents import BLOCK

BLOCK_CHARACTERS = 20_000  # of the texts that wait in the queue at once

Step = tuple[int, int] | bytes
"""The progress of a document (translated texts, and all), or at the end the answer."""

Ended = Callable[[], None]


@runtime_checkable
class Charging(Protocol):
    """Interface to keys and budgets."""

    keyring: Keyring | None

    def charge(
        self, request: Request, key: StoredKey | None, cost: int, characters: int
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class _Document:
    """A document that is requested, before it is read."""

    request: Request
    key: StoredKey | None
    parameters: DocumentRequest
    model: ServedModel
    options: DocumentOptions
    content: bytes


class DocumentHandler:
    """Translates documents.

    Args:
        service: Translates their texts.
        charging: Checks the budget of a key.
    """

    def __init__(self, service: TranslationService, charging: Charging) -> None:
        self._service, self._charging = service, charging
        self._under_way = 0

    async def translate(self, request: Request) -> Response:
        key = authenticate(self._charging.keyring, bearer_key(request))
        self._service.batcher.check()
        if self._under_way >= self._service.settings.max_documents:
            raise QueueFullError(5.0)
        self._under_way += 1
        try:
            response = await self._respond(request, key)
        except BaseException:
            self._ended()
            raise
        if not isinstance(response, _DocumentEvents):  # which ends later
            self._ended()
        return response

    def _ended(self) -> None:
        self._under_way -= 1

    async def _respond(self, request: Request, key: StoredKey | None) -> Response:
        accept = request.headers.get("accept", "")
        events = "text/event-stream" in accept
        as_json = events or "application/json" in accept
        steps = self._steps(await self._receive(request, key, as_json))
        if events:
            first = await unless_disconnected(request, anext(steps))  # an error has a status
            return _DocumentEvents(first, steps, self._ended)
        content = await unless_disconnected(request, _last(steps))
        if as_json:
            return Response(content, media_type="application/json")
        return Response(
            content,
            media_type="application/octet-stream",
            headers={"Content-Disposition": "attachment", "Cache-Control": "no-store"},
        )

    async def _receive(self, request: Request, key: StoredKey | None, as_json: bool) -> _Document:
        """Read the parameters, and the body if they are valid."""
        settings = self._service.settings
        parameters = _read_parameters(request)
        format_name = parameters.format or format_of_path(parameters.name)
        load_format(format_name)  # an unknown one is refused before the body is read
        model = self._service.registry.find(
            parameters.model, parameters.source_language, parameters.target_language
        )
        to = model.choose_target(parameters.target_language)
        if not model.aligns:
            raise RequestError(
                f"{model.name}: this model cannot align words, so it cannot translate documents."
            )
        options = DocumentOptions(
            format=format_name,
            name=parameters.name,
            keep=tuple(filter(None, parameters.keep)),
            language=to or next((target for _, target in model.pairs), None),
            max_characters=settings.max_document_characters,
            report=as_json,
            model=model.name,
            version=model.version,
        )
        content = await read_body(request, settings, settings.max_document_bytes)
        return _Document(request, key, parameters, model, options, content)

    async def _steps(self, document: _Document) -> AsyncGenerator[Step, None]:
        """Yield the progress, after each block, and then the answer.

        The document is cancelled if the client disconnects or at the deadline.
        """
        deadline = time.monotonic() + self._service.settings.document_seconds
        model, metrics = document.model, self._service.metrics
        self._service.registry.use(model)
        try:
            async with document_process() as process:
                async with _until(deadline):
                    read = await process.read(document.content, document.options)
                    blocks = await self._check(document, read)
                done = 0
                yield done, len(read.texts)
                for block in blocks:
                    async with _until(deadline):
                        translations = await self._translate_block(block, deadline)
                        await process.send(translations)
                    done += len(translations)
                    warnings = sum(bool(translation["warnings"]) for translation in translations)
                    metrics.texts.labels(model.name).inc(len(translations))
                    metrics.warnings.labels(model.name).inc(warnings)
                    yield done, len(read.texts)
                async with _until(deadline):
                    answer = await process.restore()
        finally:
            self._service.registry.release(model)
        yield answer

    async def _check(self, document: _Document, read: DocumentTexts) -> list[CheckedRequest]:
        """Check the limits of all texts, and charge the key for them at once."""
        settings, parameters = self._service.settings, document.parameters
        characters = sum(read.lengths)
        if characters > settings.max_document_characters:
            raise RequestError(
                f"the texts of the document have {characters:,} characters, and the limit is "
                f"{settings.max_document_characters:,}. Divide the document.",
                413,
            )
        texts_at_once = min(BLOCK, settings.max_texts)
        checked = [
            await check_request(
                TranslateRequest(
                    texts=read.texts[rows.start : rows.stop],
                    target_language=parameters.target_language,
                    beam_size=parameters.beam_size,
                    length_penalty=parameters.length_penalty,
                    alignments=True,
                    quality=parameters.quality,
                    bulk=True,
                ),
                document.model,
                settings,
            )
            for rows in _blocks(read.lengths, texts_at_once)
        ]
        document.request.state.facts |= {
            "model": document.model.name,
            "format": document.options.format,
            "texts": len(read.texts),
            "pieces": sum(request.pieces for request in checked),
        }
        cost = sum(request.cost for request in checked)
        self._charging.charge(document.request, document.key, cost, characters)
        return checked

    async def _translate_block(
        self, checked: CheckedRequest, deadline: float
    ) -> list[AlignedValues]:
        """Translate a block; wait while the queue is full."""
        while True:
            try:
                translated = {
                    number: assemble_aligned(checked, number, values)
                    async for number, values in self._service.stream_values(checked, weights=True)
                }
            except QueueFullError as error:
                pause = min(max(0.1, error.retry_after), 5.0)
                if time.monotonic() + pause > deadline:
                    raise DeadlineError from None
                await asyncio.sleep(pause)
            else:
                return [translated[number] for number in range(len(translated))]


@asynccontextmanager
async def _until(deadline: float) -> AsyncIterator[None]:
    """Raise DeadlineError if it is not done until then."""
    try:
        async with asyncio.timeout(deadline - time.monotonic()):
            yield
    except TimeoutError:
        raise DeadlineError from None


async def _last(steps: AsyncGenerator[Step, None]) -> bytes:
    async with aclosing(steps):
        async for step in steps:
            if isinstance(step, bytes):
                return step
    raise AssertionError("a document ends with its translation")


async def _events(first: Step, steps: AsyncGenerator[Step, None]) -> AsyncGenerator[str, None]:
    try:
        yield _event(first)
        async for step in steps:
            yield _event(step)
    except Exception as error:
        answer = to_answer(error)
        yield event_text("error", {"error": answer.message, "status": answer.status})


def _event(step: Step) -> str:
    if isinstance(step, bytes):
        return f"event: done\ndata: {step.decode()}\n\n"
    return event_text("progress", {"done": step[0], "total": step[1]})


class _DocumentEvents(StreamingResponse):
    """Server-sent events; at their end, or if the client disconnects, the document is closed.

    Args:
        first: The step before `steps`.
        steps: The further steps of the document.
        ended: Called at the end.
    """

    def __init__(self, first: Step, steps: AsyncGenerator[Step, None], ended: Ended) -> None:
        super().__init__(
            _events(first, steps),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store"},
        )
        self._steps, self._ended = steps, ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._steps.aclose()
            self._ended()


def document_route(service: TranslationService, charging: Charging) -> Route:
    """Return the route; the arguments are those of `DocumentHandler`."""
    return Route("/v1/documents", DocumentHandler(service, charging).translate, methods=["POST"])


def _read_parameters(request: Request) -> DocumentRequest:
    values: dict[str, str | list[str]] = dict(request.query_params)
    values["keep"] = request.query_params.getlist("keep")
    try:
        return DocumentRequest.model_validate(values)
    except ValidationError as error:
        raise AnswerError(422, describe_problems(error)) from None


def _blocks(sizes: Sequence[int], max_texts: int) -> Iterator[range]:
    """Yield the texts of each block. A text with more than BLOCK_CHARACTERS is one by itself."""
    start, characters = 0, 0
    for number, size in enumerate(sizes):
        full = number - start == max_texts or characters + size > BLOCK_CHARACTERS
        if number > start and full:
            yield range(start, number)
            start, characters = number, 0
        characters += size
    if len(sizes) > start:
        yield range(start, len(sizes))
