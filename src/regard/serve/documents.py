"""The route /v1/documents: the body is a file, and the answer is the file in the other language."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import ExitStack

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from regard.serve.document_translation import DocumentTranslator, Step
from regard.serve.http import (
    authenticate,
    bearer_key,
    event_text,
    read_body,
    to_answer,
    unless_disconnected,
)
from regard.serve.keys import StoredKey


class DocumentHandler:
    """The handler of the route.

    Args:
        documents: Translates documents.
    """

    def __init__(self, documents: DocumentTranslator) -> None:
        self._documents = documents

    async def translate(self, request: Request) -> Response:
        key = authenticate(self._documents.charging.keyring, bearer_key(request))
        with ExitStack() as admission:
            admission.enter_context(self._documents.admit())
            return await self._respond(request, key, admission)

    async def _respond(
        self, request: Request, key: StoredKey | None, admission: ExitStack
    ) -> Response:
        """Translate a document. An answer of events, which ends later, takes over its place."""
        accept, settings = request.headers.get("accept", ""), self._documents.service.settings
        events = "text/event-stream" in accept
        as_json = events or "application/json" in accept
        values = {**request.query_params, "keep": request.query_params.getlist("keep")}
        plan = await self._documents.plan(request, key, values, report=as_json)
        content = await read_body(request, settings, settings.max_document_bytes)
        if events:
            steps = self._documents.steps(plan, content)
            first = await unless_disconnected(request, anext(steps))  # an error has a status
            return _DocumentEvents(first, steps, admission.pop_all())
        answer = await unless_disconnected(request, self._documents.translate(plan, content))
        if as_json:
            return Response(answer, media_type="application/json")
        return file_response(answer, "attachment")


def file_response(content: bytes, disposition: str) -> Response:
    """An answer that a browser saves and neither shows nor stores."""
    headers = {"Content-Disposition": disposition, "Cache-Control": "no-store"}
    return Response(content, media_type="application/octet-stream", headers=headers)


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
    return event_text("progress", {"done": step.done, "total": step.total})


class _DocumentEvents(StreamingResponse):
    """Server-sent events; at their end, or if the client disconnects, the document is closed.

    Args:
        first: The step before `steps`.
        steps: The further steps of the document.
        admission: Is closed at the end.
    """

    def __init__(
        self, first: Step, steps: AsyncGenerator[Step, None], admission: ExitStack
    ) -> None:
        super().__init__(
            _events(first, steps),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store"},
        )
        self._steps, self._admission = steps, admission

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._admission:
            try:
                await super().__call__(scope, receive, send)
            finally:
                await self._steps.aclose()


def document_route(documents: DocumentTranslator) -> Route:
    """Return the route; the argument is that of `DocumentHandler`."""
    return Route("/v1/documents", DocumentHandler(documents).translate, methods=["POST"])
