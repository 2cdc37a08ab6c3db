"""The route of documents: the body is a file, and the answer is the file in the other language.

    file → child process → texts → blocks → queue → translations → child process → file

The texts of a document are sent to the queue block by block, as bulk requests, so that other
requests are answered meanwhile.
"""

from __future__ import annotations

import asyncio
import time
import unicodedata
from base64 import b64encode
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from typing import Protocol

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from regard.documents.aligned_translation import AlignedTranslation
from regard.documents.formats.registry import format_of_path, load_format
from regard.serve.assembly import assemble_aligned
from regard.serve.batcher import DeadlineError, QueueFullError
from regard.serve.http import (
    AnswerError,
    authenticate,
    bearer_key,
    describe_problems,
    event_text,
    json_response,
    read_body,
    to_answer,
    unless_disconnected,
)
from regard.serve.keys import Keyring, StoredKey
from regard.serve.limits import CheckedRequest, RequestError, check_request
from regard.serve.models import ServedModel
from regard.serve.schemas import DocumentRequest, DocumentResponse, TranslateRequest
from regard.serve.service import TranslationService
from regard.tasks.translation.documents import (
    BLOCK,
    DocumentJob,
    TranslatedDocument,
)

BLOCK_CHARACTERS = 20_000  # of the texts that wait in the queue at once

Progress = tuple[int, int]  # translated texts, and all


class Charging(Protocol):
    """What the route needs of the others: keys and budgets."""

    keyring: Keyring | None

    def charge(
        self, request: Request, key: StoredKey | None, cost: int, characters: int
    ) -> None: ...


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
        content = await read_body(request, settings, settings.max_document_bytes)
        job = await unless_disconnected(
            request,
            asyncio.to_thread(
                DocumentJob,
                content,
                format_name,
                name=parameters.name,
                keep=[each for each in parameters.keep if each],
                language=to or next((target for _, target in model.pairs), None),
            ),
        )
        blocks = await self._check(request, key, job, parameters, model)
        if "text/event-stream" in request.headers.get("accept", ""):
            return _DocumentEvents(self._events(job, blocks, model), self._ended)
        translated = await unless_disconnected(request, self._translate(job, blocks, model))
        if "application/json" in request.headers.get("accept", ""):
            return json_response(_answer(model, translated))
        return Response(
            translated.content,
            media_type="application/octet-stream",
            headers={"Content-Disposition": "attachment", "Cache-Control": "no-store"},
        )

    async def _check(
        self,
        request: Request,
        key: StoredKey | None,
        job: DocumentJob,
        parameters: DocumentRequest,
        model: ServedModel,
    ) -> list[CheckedRequest]:
        """Check the limits of all texts, and charge the key for them at once."""
        settings = self._service.settings
        sizes = [len(unicodedata.normalize("NFKC", text)) for text in job.texts]
        if sum(sizes) > settings.max_document_characters:
            raise RequestError(
                f"the texts of the document have {sum(sizes):,} characters, and the limit is "
                f"{settings.max_document_characters:,}. Divide the document.",
                413,
            )
        texts_at_once = min(BLOCK, settings.max_texts)
        checked = [
            await check_request(
                TranslateRequest(
                    texts=job.texts[rows.start : rows.stop],
                    target_language=parameters.target_language,
                    beam_size=parameters.beam_size,
                    length_penalty=parameters.length_penalty,
                    alignments=True,
                    quality=parameters.quality,
                    bulk=True,
                ),
                model,
                settings,
            )
            for rows in _blocks(sizes, texts_at_once)
        ]
        request.state.facts |= {
            "model": model.name,
            "format": job.format_name,
            "texts": len(job.texts),
            "pieces": sum(each.pieces for each in checked),
        }
        self._charging.charge(request, key, sum(each.cost for each in checked), sum(sizes))
        return checked

    async def _translate(
        self, job: DocumentJob, blocks: Sequence[CheckedRequest], model: ServedModel
    ) -> TranslatedDocument:
        async with aclosing(self._stream(job, blocks, model)) as steps:
            async for step in steps:
                if isinstance(step, TranslatedDocument):
                    return step
        raise AssertionError("a document ends with its translation")

    async def _stream(
        self, job: DocumentJob, blocks: Sequence[CheckedRequest], model: ServedModel
    ) -> AsyncGenerator[Progress | TranslatedDocument, None]:
        """Yield the progress after each block, and then the document."""
        deadline = time.monotonic() + self._service.settings.document_seconds
        results: dict[str, AlignedTranslation] = {}
        self._service.registry.use(model)
        try:
            yield 0, len(job.texts)
            for block in blocks:
                results |= await self._translate_block(block, deadline)
                yield len(results), len(job.texts)
        finally:
            self._service.registry.release(model)
        metrics = self._service.metrics
        metrics.texts.labels(model.name).inc(len(results))
        metrics.warnings.labels(model.name).inc(sum(bool(one.warnings) for one in results.values()))
        yield await asyncio.to_thread(job.finish, results)

    async def _translate_block(
        self, checked: CheckedRequest, deadline: float
    ) -> dict[str, AlignedTranslation]:
        """Translate a block; wait while the queue is full."""
        while True:
            try:
                found = {
                    checked.request.texts[number]: assemble_aligned(checked, number, values)
                    async for number, values in self._service.stream_values(checked, weights=True)
                }
            except QueueFullError as error:
                pause = min(max(0.1, error.retry_after), 5.0)
                if time.monotonic() + pause > deadline:
                    raise DeadlineError from None
                await asyncio.sleep(pause)
            else:
                if time.monotonic() > deadline:
                    raise DeadlineError
                return found

    async def _events(
        self, job: DocumentJob, blocks: Sequence[CheckedRequest], model: ServedModel
    ) -> AsyncGenerator[str, None]:
        try:
            async with aclosing(self._stream(job, blocks, model)) as steps:
                async for step in steps:
                    if isinstance(step, TranslatedDocument):
                        yield event_text("done", _answer(model, step).model_dump())
                    else:
                        yield event_text("progress", {"done": step[0], "total": step[1]})
        except Exception as error:
            answer = to_answer(error)
            yield event_text("error", {"error": answer.message, "status": answer.status})


class _DocumentEvents(StreamingResponse):
    """Server-sent events; `ended` is called at their end, also if the client has gone."""

    def __init__(self, events: AsyncGenerator[str, None], ended: Callable[[], None]) -> None:
        super().__init__(
            events, media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
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


def _answer(model: ServedModel, translated: TranslatedDocument) -> DocumentResponse:
    return DocumentResponse(
        model=model.name,
        version=model.version,
        document=b64encode(translated.content).decode(),
        report=translated.report.to_json(),
    )
