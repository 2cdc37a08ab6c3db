"""The web application: the routes under /v1, those of other interfaces, health and metrics."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator

from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from regard.serve.corrections import CorrectionStore, corrections_route
from regard.serve.deepl import DEEPL_ERRORS, deepl_routes
from regard.serve.deepl_glossaries import glossary_routes
from regard.serve.document_translation import DocumentTranslator
from regard.serve.documents import document_route
from regard.serve.foreign_documents import foreign_document_routes
from regard.serve.http import (
    AnswerError,
    RequestMiddleware,
    authenticate,
    bearer_key,
    event_text,
    json_response,
    read_json,
    to_answer,
    unless_disconnected,
)
from regard.serve.keys import Keyring, StoredKey, key_owner
from regard.serve.libretranslate import LIBRETRANSLATE_ERRORS, libretranslate_routes
from regard.serve.limits import CheckedRequest, RequestError
from regard.serve.markup import MarkedRequest
from regard.serve.models import ServedModel
from regard.serve.openapi import openapi_schema
from regard.serve.opuscat import opuscat_routes
from regard.serve.pages import page_routes
from regard.serve.schemas import (
    AlignRequest,
    AlignResponse,
    ExplainRequest,
    ExplainResponse,
    InterveneRequest,
    ModelInfo,
    ModelsResponse,
    ReloadRequest,
    ReloadResponse,
    TranslateRequest,
    TranslateResponse,
    Translation,
)
from regard.serve.service import TranslationService
from regard.serve.settings import ServerSettings
from regard.serve.store import Glossary, GlossaryStore
from regard.serve.store_file import StoreFile
from regard.serve.traces import RequestTracer

TRACER_SECONDS = 2.0  # in which the last spans are sent when the server stops
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


class Routes:
    """The handlers of all routes.

    Args:
        service: Fulfils the requests.
        keyring: The accepted keys; None: no key is needed.
        glossaries: The stored ones; None: the server has no store.
    """

    def __init__(
        self,
        service: TranslationService,
        keyring: Keyring | None,
        glossaries: GlossaryStore | None = None,
    ) -> None:
        self.service, self.keyring, self.glossaries = service, keyring, glossaries
        self._characters = 0

    async def translate(self, request: Request) -> Response:
        key = authenticate(self.keyring, bearer_key(request))
        self.service.batcher.check()  # a busy server refuses a request before it reads the body
        body = await read_json(request, TranslateRequest, self.service.settings)
        if body.stream:
            glossary = await self.open_glossary(body.glossary, key)
            self.service.find_markup(body, glossary)  # raises, as markup is not available
            return await self._stream(request, await self.check(request, body, key))
        model, translations = await self.translate_texts(request, body, key)
        return json_response(
            TranslateResponse(model=model.name, version=model.version, translations=translations)
        )

    async def translate_texts(
        self, request: Request, body: TranslateRequest, key: StoredKey | None
    ) -> tuple[ServedModel, list[Translation]]:
        """Check, charge, translate and count the texts of a request of any interface."""
        glossary = await self.open_glossary(body.glossary, key)
        markup = self.service.find_markup(body, glossary)
        if markup is None:
            checked = await self.check(request, body, key)
            translations = await unless_disconnected(request, self.service.translate(checked))
        else:
            marked = await unless_disconnected(request, self.service.read_marked(body, markup))
            checked = await self.check_marked(request, marked, key)
            translations = await unless_disconnected(
                request, self.service.translate_marked(marked, checked)
            )
        self.count(checked, translations)
        return checked.model, translations

    async def open_glossary(
        self, glossary_id: str | None, key: StoredKey | None
    ) -> Glossary | None:
        """Return a stored glossary of a key."""
        if glossary_id is None:
            return None
        if self.glossaries is None:
            raise RequestError(
                "glossary: this server keeps none. Start it with `regard serve --store FILE`."
            )
        return await self.glossaries.open(key_owner(key), glossary_id)

    async def check_marked(
        self, request: Request, marked: MarkedRequest, key: StoredKey | None
    ) -> CheckedRequest:
        """As `check`, for the parts of texts with markup, whose number has no limit."""
        settings = self.service.settings
        parts = max(settings.max_texts, len(marked.request.texts))
        limits = settings.model_copy(update={"max_texts": parts})
        return await self.check(request, marked.request, key, limits)

    async def check(
        self,
        request: Request,
        body: TranslateRequest,
        key: StoredKey | None,
        limits: ServerSettings | None = None,
    ) -> CheckedRequest:
        """Check the limits and the key's budget; note the sizes for the log."""
        checked = await self.service.check(body, limits)
        facts = request.state.facts
        facts |= {  # texts and pieces of all languages of a request, the rest of the last
            "model": checked.model.name,
            "texts": facts.get("texts", 0) + len(body.texts),
            "pieces": facts.get("pieces", 0) + checked.pieces,
            "beam_size": checked.beam_size,
        }
        request.state.stages = checked.stages
        self.charge(request, key, checked.cost, sum(map(len, body.texts)))
        return checked

    def charge(self, request: Request, key: StoredKey | None, cost: int, characters: int) -> None:
        if self.keyring is not None and key is not None:
            request.state.facts["key"] = key.digest[:8]
            self.keyring.charge(key, cost, characters)
        self._characters += characters

    def characters(self, key: StoredKey | None) -> int:
        """The characters of a key's requests since the server started; None: of all requests."""
        if self.keyring is None or key is None:
            return self._characters
        return self.keyring.used.get(key.digest, 0)

    def count(self, checked: CheckedRequest, translations: list[Translation]) -> None:
        warnings = sum(bool(translation.warnings) for translation in translations)
        self.service.metrics.count_texts(checked.model.name, len(translations), warnings)

    async def _stream(self, request: Request, checked: CheckedRequest) -> Response:
        """Answer with one event for each text, after the first, so that an error has a status."""
        results = self.service.stream(checked)
        first = await unless_disconnected(request, _next(results))

        async def events() -> AsyncIterator[str]:
            try:
                if first is not None:
                    yield self._event(checked, *first)
                    async for number, translation in results:
                        yield self._event(checked, number, translation)
                model = checked.model
                yield event_text("done", {"model": model.name, "version": model.version})
            except Exception as error:
                answer = to_answer(error)
                yield event_text("error", {"error": answer.message, "status": answer.status})
            finally:
                await results.aclose()

        return StreamingResponse(
            events(), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )

    def _event(self, checked: CheckedRequest, number: int, translation: Translation) -> str:
        self.count(checked, [translation])
        return event_text("translation", {"number": number, **translation.model_dump(mode="json")})

    async def align(self, request: Request) -> Response:
        key = authenticate(self.keyring, bearer_key(request))
        body = await read_json(request, AlignRequest, self.service.settings)
        characters = sum(map(len, body.sources)) + sum(map(len, body.targets))
        self.charge(request, key, characters // 4, characters)
        model, alignments = await unless_disconnected(request, self.service.align(body))
        return json_response(
            AlignResponse(model=model.name, version=model.version, alignments=alignments)
        )

    async def explain(self, request: Request) -> Response:
        return await self._explain(request, ExplainRequest)

    async def intervene(self, request: Request) -> Response:
        return await self._explain(request, InterveneRequest)

    async def _explain(
        self, request: Request, kind: type[ExplainRequest] | type[InterveneRequest]
    ) -> Response:
        key = authenticate(self.keyring, bearer_key(request))
        body: ExplainRequest | InterveneRequest = await read_json(
            request, kind, self.service.settings
        )
        self.charge(request, key, 100 * len(body.source), len(body.source))
        model, record = await unless_disconnected(request, self.service.explain(body))
        return json_response(
            ExplainResponse(model=model.name, version=model.version, record=record)
        )

    async def models(self, request: Request) -> Response:
        authenticate(self.keyring, bearer_key(request))
        infos = []
        for model in self.service.registry.models.values():
            infos += [
                ModelInfo(
                    name=model.name,
                    version=model.version,
                    engine=model.engine,
                    source_language=source,
                    target_language=target,
                    alignments=model.aligns,
                    quality=model.assesses_quality,
                )
                for source, target in model.pairs or ((None, None),)
            ]
        return json_response(ModelsResponse(models=infos))

    async def reload(self, request: Request) -> Response:
        key = authenticate(self.keyring, bearer_key(request))
        if key is not None and not key.admin:
            raise AnswerError(403, "This key may not reload models. Make one with `--admin`.")
        body = await read_json(request, ReloadRequest, self.service.settings)
        for name in body.models or []:
            self.service.registry.find(name)
        return json_response(ReloadResponse(reloaded=await self.service.reload(body.models)))

    async def health(self, request: Request) -> Response:
        """The process answers."""
        return PlainTextResponse("ok\n")

    async def ready(self, request: Request) -> Response:
        """An engine has translated lately."""
        if not self.service.translating_engines:
            return PlainTextResponse("no engine has translated lately\n", 503)
        return PlainTextResponse("ok\n")

    async def metrics(self, request: Request) -> Response:
        return Response(
            self.service.metrics.render(), media_type="text/plain; version=0.0.4; charset=utf-8"
        )

    async def openapi(self, request: Request) -> Response:
        return JSONResponse(openapi_schema(keys=self.keyring is not None))


def app_routes(
    service: TranslationService, keyring: Keyring | None, store: StoreFile | None = None
) -> list[Route]:
    """Return all routes; the arguments are those of `make_app`."""
    settings = service.settings
    glossaries = None if store is None else GlossaryStore(store, settings)
    routes = Routes(service, keyring, glossaries)
    corrections = None if store is None else CorrectionStore(store, settings)
    documents = DocumentTranslator(service, routes)
    return [
        Route("/v1/translate", routes.translate, methods=["POST"]),
        document_route(documents),
        Route("/v1/align", routes.align, methods=["POST"]),
        Route("/v1/explain", routes.explain, methods=["POST"]),
        Route("/v1/intervene", routes.intervene, methods=["POST"]),
        Route("/v1/models", routes.models),
        Route("/v1/reload", routes.reload, methods=["POST"]),
        corrections_route(settings, keyring, corrections),
        *libretranslate_routes(service, keyring, routes.translate_texts, corrections),
        *deepl_routes(
            service,
            keyring,
            routes.translate_texts,
            routes.characters,
            keeps_glossaries=store is not None,
        ),
        *glossary_routes(service, keyring, glossaries),
        *opuscat_routes(service, keyring, routes.translate_texts),
        *foreign_document_routes(documents),
        Route("/openapi.json", routes.openapi),
        Route("/healthz", routes.health),
        Route("/readyz", routes.ready),
        Route("/metrics", routes.metrics),
        *(Route(path, handle) for path, handle in page_routes(service.settings).items()),
    ]


def make_app(
    service: TranslationService,
    keyring: Keyring | None,
    *,
    loopback: bool,
    tracer: RequestTracer | None = None,
    store: StoreFile | None = None,
) -> ASGIApp:
    """Return the ASGI application.

    Args:
        service: Is started and stopped with the application.
        keyring: The accepted keys; None: no key is needed.
        loopback: Answer only requests to this machine's own names, so that a foreign web page
            cannot reach the server by a name that it controls.
        tracer: Receives each request with its stages.
        store: Keeps glossaries and corrections, and is closed with the application.
    """

    @contextlib.asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        await service.start()
        try:
            yield
        finally:
            await asyncio.gather(service.stop(), *([] if tracer is None else [_close(tracer)]))
            if store is not None:
                await asyncio.to_thread(store.close)

    app: ASGIApp = Router(app_routes(service, keyring, store), lifespan=lifespan)
    if loopback:
        app = TrustedHostMiddleware(app, allowed_hosts=LOOPBACK)
    errors = LIBRETRANSLATE_ERRORS | DEEPL_ERRORS
    origins = service.settings.cors_origins
    app = RequestMiddleware(app, service.metrics, errors, tracer, origins)
    if origins:
        app = CORSMiddleware(  # outside, so that errors have the headers too
            app,
            allow_origins=origins,
            allow_methods=["*"],
            allow_headers=["Authorization", "Content-Type"],
            allow_private_network=True,
            expose_headers=["Retry-After", "X-Request-ID"],
        )
    return app


async def _close(tracer: RequestTracer) -> None:
    """Send the remaining spans, for a limited time: the collector may not respond."""
    thread = threading.Thread(target=tracer.close, daemon=True)
    thread.start()
    await asyncio.to_thread(thread.join, TRACER_SECONDS)


async def _next(
    results: AsyncIterator[tuple[int, Translation]],
) -> tuple[int, Translation] | None:
    return await anext(results, None)
