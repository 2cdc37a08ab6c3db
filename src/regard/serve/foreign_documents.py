"""Documents by the interfaces of DeepL and LibreTranslate: multipart forms, and results to fetch.

DeepL's clients send a document, ask for its status, and fetch the result once. The document is
translated in the background. LibreTranslate's clients wait, and receive the address of the result.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, aclosing
from pathlib import PurePosixPath
from typing import Annotated, Literal
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from regard.documents.formats.base import DOCUMENT_SUFFIXES
from regard.serve import deepl, libretranslate
from regard.serve.compatibility import (
    LanguagePairs,
    base_language,
    read_parameters,
    read_upload,
    with_statuses,
)
from regard.serve.document_translation import DocumentPlan, DocumentTranslator, Places, Progress
from regard.serve.documents import file_response
from regard.serve.http import AnswerError, failure_text, to_answer, unless_disconnected
from regard.serve.kept_documents import ANYBODY, KeptDocument, KeptDocuments
from regard.serve.keys import StoredKey
from regard.serve.models import NoModelError
from regard.serve.traces import log_event

FETCH_STATUSES = {401: 403, 415: 400, 422: 400}  # here 404 is an unknown document


class DeepLDocumentRequest(BaseModel):
    """Parameters of POST /v2/document, beside the file. All others must be empty."""

    model_config = ConfigDict(frozen=True, extra="allow")

    target_lang: str
    source_lang: str | None = None
    filename: str | None = Field(default=None, description="Instead of that of the file.")
    output_format: str | None = Field(default=None, description="That of the file.")
    formality: Literal["default", "prefer_more", "prefer_less"] | None = None
    glossary_id: str | None = None


class DeepLDocument(BaseModel):
    """How to ask for a document."""

    document_id: str
    document_key: str


class DeepLDocumentKey(BaseModel):
    """Parameters of the requests for a document."""

    model_config = ConfigDict(frozen=True)

    document_key: str


class DeepLDocumentStatus(BaseModel):
    """The state of a document."""

    document_id: str
    status: Literal["queued", "translating", "done", "error"]
    seconds_remaining: int | None = Field(default=None, description="While it is translated.")
    billed_characters: int | None = Field(default=None, description="When it is done.")
    error_message: str | None = None


class LibreTranslateDocumentRequest(BaseModel):
    """Parameters of /translate_file, beside the file. Others are ignored, as by LibreTranslate."""

    model_config = ConfigDict(frozen=True)

    source: Annotated[str, Field(min_length=1)]
    target: Annotated[str, Field(min_length=1)]
    api_key: str | None = None


class ForeignDocuments:
    """The handlers of both interfaces.

    Args:
        documents: Translates documents.
    """

    def __init__(self, documents: DocumentTranslator) -> None:
        self._documents, self._service = documents, documents.service
        self._settings = documents.service.settings
        self._keyring = documents.charging.keyring
        self._kept = KeptDocuments(self._settings)
        # LibreTranslate's forms contain the key. Until it is read, they take none of the places
        # of documents.
        self._uploads = Places(self._settings.max_documents)

    async def upload(self, request: Request) -> Response:
        """Translate a document in the background."""
        key = deepl.authenticate_deepl(self._keyring, request)
        with ExitStack() as admission:
            admission.enter_context(self._documents.admit())
            body, file = await read_upload(request, DeepLDocumentRequest, self._settings)
            deepl.refuse_others(body)
            if body.glossary_id and not body.source_lang:
                raise AnswerError(400, "glossary_id: needs source_lang.")
            name = body.filename or file.name
            plan = await self._plan(
                request,
                key,
                name,
                body.source_lang or None,
                body.target_lang,
                body.glossary_id or None,
            )
            _check_output_format(body.output_format, plan.options.format)
            document = self._kept.add(_owner(key), _translated_name(plan))
            work = self._translate(plan, file.content, document, admission.pop_all())
            self._service.run_in_background(work)
        answer = DeepLDocument(document_id=document.identifier, document_key=document.key)
        return JSONResponse(answer.model_dump())

    async def _translate(
        self, plan: DocumentPlan, content: bytes, document: KeptDocument, admission: ExitStack
    ) -> None:
        facts = plan.request.state.facts
        status = 503  # if the server stops
        try:
            with admission:
                async with aclosing(self._documents.steps(plan, content)) as steps:
                    async for step in steps:
                        if isinstance(step, Progress):
                            document.progress = step
                        else:
                            self._kept.keep(document, step)
                            status = 200
        except Exception as error:
            answer = to_answer(error)
            status = answer.status
            if status == 500:
                facts["failure"] = failure_text(error)
            self._kept.fail(document, answer.message)
        finally:
            seconds = round(time.monotonic() - document.started, 4)
            log_event(event="document", status=status, seconds=seconds, **facts)

    async def status(self, request: Request) -> Response:
        document = await self._find(request)
        answer = DeepLDocumentStatus(document_id=document.identifier, status="queued")
        progress, remaining = document.progress, document.seconds_remaining
        if document.error is not None:
            answer.status, answer.error_message = "error", document.error
        elif document.content is not None and progress is not None:
            answer.status, answer.billed_characters = "done", progress.characters
        elif remaining is not None:
            answer.status, answer.seconds_remaining = "translating", round(remaining)
        return Response(answer.model_dump_json(exclude_none=True), media_type="application/json")

    async def result(self, request: Request) -> Response:
        """Return a translated document and drop it: it can be fetched once."""
        document = await self._find(request)
        response = _download(document)
        self._kept.drop(document)
        return response

    async def _find(self, request: Request) -> KeptDocument:
        key = deepl.authenticate_deepl(self._keyring, request)
        body = await read_parameters(request, DeepLDocumentKey, self._settings)
        identifier = request.path_params["identifier"]
        return self._kept.find(identifier, body.document_key, _owner(key))

    async def translate_file(self, request: Request) -> Response:
        """Translate a document, and return the address of the result."""
        with self._uploads.take():
            body, file = await read_upload(request, LibreTranslateDocumentRequest, self._settings)
        key = libretranslate.authenticate_libretranslate(self._keyring, request, body.api_key)
        with self._documents.admit():
            source = None if body.source == libretranslate.AUTO else body.source
            plan = await self._plan(request, key, file.name, source, body.target)
            work = self._documents.translate(plan, file.content)
            content = await unless_disconnected(request, work)
        document = KeptDocument(ANYBODY, _translated_name(plan))
        self._kept.keep(document, content)
        suffix = PurePosixPath(document.name).suffix
        address = f"{request.base_url}download_file/{document.identifier}.{document.key}{suffix}"
        return JSONResponse({"translatedFileUrl": address})

    async def download_file(self, request: Request) -> Response:
        """Return a translated document. Its address is enough, and it can be fetched repeatedly."""
        identifier, _, rest = request.path_params["name"].partition(".")
        key = rest.partition(".")[0]
        return _download(self._kept.find(identifier, key, ANYBODY))

    async def _plan(
        self,
        request: Request,
        key: StoredKey | None,
        name: str,
        source: str | None,
        target: str,
        glossary: str | None = None,
    ) -> DocumentPlan:
        pairs = LanguagePairs(self._service.registry.models.values())
        sources = pairs.sources(base_language(target))
        if source is None and len(sources) > 1:
            raise NoModelError(
                "The language of a document is not identified. Name the source language, one of: "
                f"{', '.join(sources)}."
            )
        language, model, to = pairs.find(source or next(iter(sources), target), target)
        values = {
            "name": _file_name(name),
            "model": model.name,
            "source_language": language,
            "target_language": to,
            "glossary": glossary,
        }
        return await self._documents.plan(request, key, values)


def _owner(key: StoredKey | None) -> str:
    return ANYBODY if key is None else key.digest


def _file_name(name: str) -> str:
    """The last part of a path of any system, without characters that are not printable."""
    last = PurePosixPath(name.replace("\\", "/")).name
    return "".join(filter(str.isprintable, last))


def _translated_name(plan: DocumentPlan) -> str:
    path = PurePosixPath(plan.options.name)
    return f"{path.stem}.{plan.options.language}{path.suffix}"


def _check_output_format(wanted: str | None, format_name: str) -> None:
    if wanted and DOCUMENT_SUFFIXES.get(f".{wanted.lower()}") != format_name:
        raise AnswerError(
            400, f"output_format: {wanted[:20]} is not the format of the document. Leave it out."
        )


def _download(document: KeptDocument) -> Response:
    if document.error is not None:
        raise AnswerError(404, f"The document was not translated: {document.error}")
    if document.content is None:
        raise AnswerError(
            503,
            "The document is not translated yet. Ask for its status.",
            document.seconds_remaining or 1.0,
        )
    name = quote(document.name, safe="")
    return file_response(document.content, f"attachment; filename*=UTF-8''{name}")


def foreign_document_routes(documents: DocumentTranslator) -> list[Route]:
    """Return the routes; the argument is that of `ForeignDocuments`."""
    handlers = ForeignDocuments(documents)
    fetch, post = FETCH_STATUSES, ["POST"]
    return [
        Route("/v2/document", with_statuses(handlers.upload, deepl.STATUSES), methods=post),
        Route("/v2/document/{identifier}", with_statuses(handlers.status, fetch), methods=post),
        Route(
            "/v2/document/{identifier}/result",
            with_statuses(handlers.result, fetch),
            methods=post,
        ),
        Route(
            "/translate_file",
            with_statuses(handlers.translate_file, libretranslate.STATUSES),
            methods=post,
        ),
        Route("/download_file/{name}", handlers.download_file),
    ]
