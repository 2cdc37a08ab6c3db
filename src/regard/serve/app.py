"""The web application: the routes under /v1, those of other interfaces, health and metrics."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator

from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from regard.serve.deepl import DEEPL_ERRORS, deepl_routes
from regard.serve.documents import document_route
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
from regard.serve.keys import Keyring, StoredKey
from regard.serve.libretranslate import LIBRETRANSLATE_ERRORS, libretranslate_routes
from regard.serve.limits import CheckedRequest
from regard.serve.models import ServedModel
from regard.serve.openapi import openapi_schema
from regard.serve.page import page_routes
from regard.serve.schemas import (
    AlignRequest,
    AlignResponse,
    ExplainRequest,
    ExplainResponse,
    ModelInfo,
    ModelsResponse,
    ReloadRequest,
    ReloadResponse,
    TranslateRequest,
    TranslateResponse,
    Translation,
)
from regard.serve.service import TranslationService
from regard.serve.traces import RequestTracer

TRACER_SECONDS = 2.0  # in which the last spans are sent when the server stops
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


class Routes:
    """The handlers of all routes.

    Args:
        service: Fulfils the requests.
        keyring: The accepted keys; None: no key is needed.
    """

    def __init__(self, service: TranslationService, keyring: Keyring | None) -> None:
        self.service, self.keyring = service, keyring
        self._characters = 0

    async def translate(self, request: Request) -> Response:
        key = authenticate(self.keyring, bearer_key(request))
        self.service.batcher.check()  # a busy server refuses a request before it reads the body
        body = await read_json(request, TranslateRequest, self.service.settings)
        if body.stream:
            return await self._stream(request, await self.check(request, body, key))
        model, translations = await self.translate_texts(request, body, key)
        return json_response(
            TranslateResponse(model=model.name, version=model.version, translations=translations)
        )

    async def translate_texts(
        self, request: Request, body: TranslateRequest, key: StoredKey | None
    ) -> tuple[ServedModel, list[Translation]]:
        """Check, charge, translate and count the texts of a request of any interface."""
        checked = await self.check(request, body, key)
        translations = await unless_disconnected(request, self.service.translate(checked))
        self.count(checked, translations)
        return checked.model, translations

    async def check(
        self, request: Request, body: TranslateRequest, key: StoredKey | None
    ) -> CheckedRequest:
        """Check the limits and the key's budget; note the sizes for the log."""
        checked = await self.service.check(body)
        request.state.facts |= {
            "model": checked.model.name,
            "texts": len(body.texts),
            "pieces": checked.pieces,
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
        name, metrics = checked.model.name, self.service.metrics
        metrics.texts.labels(name).inc(len(translations))
        metrics.warnings.labels(name).inc(
            sum(bool(translation.warnings) for translation in translations)
        )

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
        key = authenticate(self.keyring, bearer_key(request))
        body = await read_json(request, ExplainRequest, self.service.settings)
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


def app_routes(service: TranslationService, keyring: Keyring | None) -> list[Route]:
    """Return all routes; the arguments are those of `Routes`."""
    routes = Routes(service, keyring)
    return [
        Route("/v1/translate", routes.translate, methods=["POST"]),
        document_route(service, routes),
        Route("/v1/align", routes.align, methods=["POST"]),
        Route("/v1/explain", routes.explain, methods=["POST"]),
        Route("/v1/models", routes.models),
        Route("/v1/reload", routes.reload, methods=["POST"]),
        *libretranslate_routes(service, keyring, routes.translate_texts),
        *deepl_routes(service, keyring, routes.translate_texts, routes.characters),
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
) -> ASGIApp:
    """Return the ASGI application.

    Args:
        service: Is started and stopped with the application.
        keyring: The accepted keys; None: no key is needed.
        loopback: Answer only requests to this machine's own names, so that a foreign web page
            cannot reach the server by a name that it controls.
        tracer: Receives each request with its stages.
    """

    @contextlib.asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        await service.start()
        try:
            yield
        finally:
            await asyncio.gather(service.stop(), *([] if tracer is None else [_close(tracer)]))

    app: ASGIApp = Router(app_routes(service, keyring), lifespan=lifespan)
    if loopback:
        app = TrustedHostMiddleware(app, allowed_hosts=LOOPBACK)
    return RequestMiddleware(app, service.metrics, LIBRETRANSLATE_ERRORS | DEEPL_ERRORS, tracer)


async def _close(tracer: RequestTracer) -> None:
    """Send the remaining spans, for a limited time: the collector may not respond."""
    thread = threading.Thread(target=tracer.close, daemon=True)
    thread.start()
    await asyncio.to_thread(thread.join, TRACER_SECONDS)


async def _next(
    results: AsyncIterator[tuple[int, Translation]],
) -> tuple[int, Translation] | None:
    return await anext(results, None)
