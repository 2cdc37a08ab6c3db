"""The translation of documents, for the routes of all interfaces.

    file → document process → texts → blocks → queue → translations → document process → file

A separate process reads, protects and restores each document. It is killed when nobody waits for
the document any more. The texts are sent to the queue block by block, as bulk requests, so that
other requests are answered in between.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pydantic import ValidationError
from starlette.requests import Request

from regard.documents.formats.base import format_of_path, load_format
from regard.serve.assembly import assemble_aligned
from regard.serve.batcher import QueueFullError
from regard.serve.document_process import DocumentOptions, DocumentTexts, document_process
from regard.serve.frames import AlignedValues
from regard.serve.http import AnswerError, describe_problems
from regard.serve.keys import Keyring, StoredKey
from regard.serve.limits import CheckedRequest, RequestError, check_request
from regard.serve.markup import GlossaryTerms
from regard.serve.models import ServedModel
from regard.serve.schemas import DocumentRequest, TranslateRequest
from regard.serve.service import TranslationService
from regard.serve.store import Glossary
from regard.tasks.translation.documents import BLOCK

BLOCK_CHARACTERS = 20_000  # of the texts that wait in the queue at once
RETRY_SECONDS = 5.0  # after which a client should send a document again that was refused


@dataclass(frozen=True, slots=True)
class Progress:
    """How many texts of a document are translated, of how many, and the characters of all."""

    done: int
    total: int
    characters: int


Step = Progress | bytes
"""The progress of a document, or at the end the answer."""


@runtime_checkable
class Charging(Protocol):
    """Interface to keys, their budgets and their glossaries."""

    keyring: Keyring | None

    def charge(
        self, request: Request, key: StoredKey | None, cost: int, characters: int
    ) -> None: ...

    async def open_glossary(
        self, glossary_id: str | None, key: StoredKey | None
    ) -> Glossary | None: ...


@dataclass(frozen=True, slots=True)
class DocumentPlan:
    """How a document is translated, before its content is read.

    Args:
        request: Receives the sizes, for the log.
        key: Is charged.
        parameters: Of the request.
        model: Translates the texts.
        options: Of the process of the document.
    """

    request: Request
    key: StoredKey | None
    parameters: DocumentRequest
    model: ServedModel
    options: DocumentOptions


class Places:
    """A limit on what is under way at once."""

    def __init__(self, most: int) -> None:
        self._free = most

    @contextmanager
    def take(self) -> Iterator[None]:
        """Take a place for the time of the context. Raises QueueFullError if there is none."""
        if self._free == 0:
            raise QueueFullError(RETRY_SECONDS)
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1


class DocumentTranslator:
    """Translates documents.

    Args:
        service: Translates their texts.
        charging: Checks the budget of a key.
    """

    def __init__(self, service: TranslationService, charging: Charging) -> None:
        self.service, self.charging = service, charging
        self._places = Places(service.settings.max_documents)

    @contextmanager
    def admit(self) -> Iterator[None]:
        """Count a document as under way. Raises QueueFullError if there are too many."""
        self.service.batcher.check()
        with self._places.take():
            yield

    async def plan(
        self,
        request: Request,
        key: StoredKey | None,
        values: Mapping[str, object],
        *,
        report: bool = False,
    ) -> DocumentPlan:
        """Check the parameters of a document, and select its model.

        Args:
            request: Receives the sizes, for the log.
            key: Is charged.
            values: Of a `DocumentRequest`.
            report: Answer with a `DocumentResponse` instead of the document.
        """
        try:
            parameters = DocumentRequest.model_validate(values)
        except ValidationError as error:
            raise AnswerError(422, describe_problems(error)) from None
        format_name = parameters.format or format_of_path(parameters.name)
        load_format(format_name)  # raises DocumentError for an unknown one
        model = self.service.registry.find(
            parameters.model, parameters.source_language, parameters.target_language
        )
        to = model.choose_target(parameters.target_language)
        if not model.aligns:
            raise RequestError(
                f"{model.name}: this model cannot align words, so it cannot translate documents."
            )
        glossary = await self.charging.open_glossary(parameters.glossary, key)
        terms = GlossaryTerms.of_request(parameters, {}, glossary, model)
        options = DocumentOptions(
            format=format_name,
            name=parameters.name,
            keep=tuple(filter(None, parameters.keep)),
            language=to or next((target for _, target in model.pairs), None),
            max_characters=self.service.settings.max_document_characters,
            report=report,
            model=model.name,
            version=model.version,
            terms=() if terms is None else terms.pairs,
            languages=(None, None) if terms is None else terms.languages,
        )
        return DocumentPlan(request, key, parameters, model, options)

    async def steps(self, plan: DocumentPlan, content: bytes) -> AsyncGenerator[Step, None]:
        """Yield the progress, after each block, and then the answer.

        The process of the document is killed when the generator is closed, and at the deadline.
        """
        deadline = time.monotonic() + self.service.settings.document_seconds
        model, metrics = plan.model, self.service.metrics
        self.service.registry.use(model)
        try:
            async with document_process() as process:
                async with _until(deadline):
                    read = await process.read(content, plan.options)
                    blocks = await self._check(plan, read)
                done, characters = 0, sum(read.lengths)
                yield Progress(done, len(read.texts), characters)
                for block in blocks:
                    async with _until(deadline):
                        translations = await self._translate_block(block, deadline)
                        await process.send(translations)
                    done += len(translations)
                    warnings = sum(bool(translation["warnings"]) for translation in translations)
                    metrics.count_texts(model.name, len(translations), warnings)
                    yield Progress(done, len(read.texts), characters)
                async with _until(deadline):
                    answer = await process.restore()
        finally:
            self.service.registry.release(model)
        yield answer

    async def translate(self, plan: DocumentPlan, content: bytes) -> bytes:
        """Return the answer, without the progress."""
        async with aclosing(self.steps(plan, content)) as steps:
            async for step in steps:
                if isinstance(step, bytes):
                    return step
        raise AssertionError("a document ends with its translation")

    async def _check(self, plan: DocumentPlan, read: DocumentTexts) -> list[CheckedRequest]:
        """Check the limits of all texts, and charge the key for them at once."""
        settings, parameters = self.service.settings, plan.parameters
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
                plan.model,
                settings,
            )
            for rows in _blocks(read.lengths, texts_at_once)
        ]
        plan.request.state.facts |= {
            "model": plan.model.name,
            "format": plan.options.format,
            "texts": len(read.texts),
            "pieces": sum(request.pieces for request in checked),
        }
        cost = sum(request.cost for request in checked)
        self.charging.charge(plan.request, plan.key, cost, characters)
        return checked

    async def _translate_block(
        self, checked: CheckedRequest, deadline: float
    ) -> list[AlignedValues]:
        """Translate a block; wait while the queue is full."""
        while True:
            try:
                translated = {
                    number: assemble_aligned(checked, number, values)
                    async for number, values in self.service.stream_values(checked, weights=True)
                }
            except QueueFullError as error:
                pause = min(max(0.1, error.retry_after), 5.0)
                if time.monotonic() + pause > deadline:
                    raise _too_slow() from None
                await asyncio.sleep(pause)
            else:
                return [translated[number] for number in range(len(translated))]


@asynccontextmanager
async def _until(deadline: float) -> AsyncIterator[None]:
    """Raise AnswerError if it is not done until then."""
    try:
        async with asyncio.timeout(deadline - time.monotonic()):
            yield
    except TimeoutError:
        raise _too_slow() from None


def _too_slow() -> AnswerError:
    return AnswerError(504, "The document was not translated in time. Divide it.")


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
