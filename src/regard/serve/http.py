"""HTTP parts that all routes share: bodies within the limits, keys, errors, logs and metrics."""

from __future__ import annotations

import asyncio
import json
import math
import secrets
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from regard.errors import RegardError
from regard.serve.batcher import DeadlineError, QueueFullError
from regard.serve.engines import EngineError
from regard.serve.frames import describe_failure
from regard.serve.keys import BudgetError, Keyring, StoredKey
from regard.serve.limits import RequestError
from regard.serve.metrics import ServerMetrics
from regard.serve.models import NoModelError
from regard.serve.pool import WorkerEndedError
from regard.serve.schemas import ErrorResponse
from regard.serve.settings import ServerSettings
from regard.serve.store_file import StoreError
from regard.serve.traces import RequestTracer, log_event

B = TypeVar("B", bound=BaseModel)
R = TypeVar("R")


class AnswerError(Exception):
    """HTTP error response: status, message, and seconds after which to retry."""

    def __init__(self, status: int, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.retry_after = status, message, retry_after

    @property
    def headers(self) -> dict[str, str]:
        headers = {"Connection": "close"} if self.status in (408, 413) else {}
        if self.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        if self.retry_after is not None:
            headers["Retry-After"] = str(max(1, math.ceil(self.retry_after)))
        return headers


def to_answer(error: BaseException) -> AnswerError:
    """Return the answer for an error that a route has raised."""
    match error:
        case asyncio.CancelledError():  # by the server, as `stop_seconds` are over
            return AnswerError(503, "The server stops. Send the request again.", 1)
        case AnswerError():
            return error
        case HTTPException():
            return AnswerError(error.status_code, error.detail)
        case NoModelError():
            return AnswerError(404, str(error))
        case RequestError():
            return AnswerError(error.status, str(error), error.retry_after)
        case RegardError():
            return AnswerError(422, str(error))
        case QueueFullError():
            return AnswerError(503, "The server is busy. Try again later.", error.retry_after)
        case BudgetError():
            return AnswerError(
                429, "The key has used its budget. Try again later.", error.retry_after
            )
        case WorkerEndedError():
            return AnswerError(503, "The engine was restarted. Send the request again.", 1)
        case DeadlineError():
            return AnswerError(
                504, "The request was not answered in time. Send fewer texts at once."
            )
        case _:
            return AnswerError(500, "The server failed. Its log has the reason.")


def failure_text(error: BaseException) -> str:
    """Why the server failed, for the log, without texts of users."""
    if isinstance(error, EngineError | StoreError):
        return str(error)
    return describe_failure(error)


async def read_body(
    request: Request, settings: ServerSettings, max_bytes: int | None = None
) -> bytes:
    """Read the body of a request within the limits of size and time.

    `max_bytes`: instead of the setting `max_body_bytes`.
    """
    body = bytearray()
    limit = settings.max_body_bytes if max_bytes is None else max_bytes
    await receive_body(request, settings, limit, body.extend)
    return bytes(body)


async def receive_body(
    request: Request, settings: ServerSettings, limit: int, write: Callable[[bytes], object]
) -> None:
    """Write the body of a request, piece by piece, within limits of size and time."""
    declared = request.headers.get("content-length", "0")
    too_large = AnswerError(413, f"The body has more than {limit:,} bytes.")
    if not declared.isascii() or not declared.isdigit() or int(declared) > limit:
        raise too_large
    received = 0
    try:
        async with asyncio.timeout(settings.body_seconds):
            async for chunk in request.stream():
                received += len(chunk)
                if received > limit:
                    raise too_large
                write(chunk)
    except TimeoutError:
        raise AnswerError(408, "The body did not arrive in time.") from None


async def read_json(request: Request, kind: type[B], settings: ServerSettings) -> B:
    """Read a JSON body and check it against a schema. No body stands for `{}`, of any type."""
    body = await read_body(request, settings)
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and content_type != "application/json":
        raise AnswerError(415, "Send JSON, with the header `Content-Type: application/json`.")
    try:
        return kind.model_validate_json(body or b"{}")
    except ValidationError as error:
        raise AnswerError(422, describe_problems(error)) from None


def describe_problems(error: ValidationError) -> str:
    """Name the fields that are wrong, without their values."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    named = [
        ": ".join(filter(None, (".".join(map(str, problem["loc"]))[:100], problem["msg"])))
        for problem in problems[:3]
    ]
    more = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
    return "; ".join(named) + more


def bearer_key(request: Request) -> str | None:
    """The key of the Authorization header, of any scheme: `Bearer KEY`, `DeepL-Auth-Key KEY`."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() in ("bearer", "deepl-auth-key") else None


def authenticate(keyring: Keyring | None, key: str | None) -> StoredKey | None:
    """Return the key of a request; None if the server needs none."""
    if keyring is None:
        return None
    stored_key = keyring.find(key or "")
    if stored_key is None:
        raise AnswerError(401, "Send a valid key, as in `Authorization: Bearer KEY`.")
    return stored_key


async def unless_disconnected(request: Request, work: Coroutine[Any, Any, R]) -> R:
    """Wait for `work`, and cancel it if the client closes the connection."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        task.cancel()
        gone.cancel()


def _refuse_foreign_pages(scope: Scope, origins: Collection[str]) -> None:
    """Raise AnswerError if a browser sends a request for a page of another site.

    Links to the server may be followed. `origins`: whose pages are allowed; "*": all.
    """
    headers = dict(scope["headers"])
    is_link = scope["method"] == "GET" and headers.get(b"sec-fetch-mode") == b"navigate"
    if headers.get(b"sec-fetch-site") != b"cross-site" or is_link or "*" in origins:
        return
    if headers.get(b"origin", b"").decode("latin-1") not in origins:
        raise AnswerError(
            403,
            "Web pages of other sites cannot use this server, unless its setting `cors_origins` "
            "names them.",
        )


def event_text(name: str, content: dict[str, object]) -> str:
    """A server-sent event."""
    return f"event: {name}\ndata: {json.dumps(content, ensure_ascii=False)}\n\n"


def json_response(content: BaseModel, status: int = 200) -> Response:
    return Response(content.model_dump_json(), status, media_type="application/json")


ErrorBody = Callable[[AnswerError, str], bytes]
"""Makes the JSON body of an error from the answer and the request's number."""


def default_error_body(answer: AnswerError, request_id: str) -> bytes:
    return ErrorResponse(error=answer.message, request_id=request_id).model_dump_json().encode()


class RequestMiddleware:
    """ASGI middleware around all routes: request numbers, error responses, metrics and logs.

    Args:
        app: The routes.
        metrics: Counts requests by route and status.
        error_bodies: Shapes of errors by the beginning of the path, for other interfaces.
        tracer: Receives each request with its stages.
        origins: Pages of these origins are not refused; "*": of all.
    """

    def __init__(
        self,
        app: ASGIApp,
        metrics: ServerMetrics,
        error_bodies: dict[str, ErrorBody],
        tracer: RequestTracer | None = None,
        origins: Collection[str] = (),
    ) -> None:
        self.app, self.metrics, self.error_bodies = app, metrics, error_bodies
        self.tracer, self.origins = tracer, origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, number, status = time.monotonic(), secrets.token_hex(8), 0
        scope["app"] = self.app  # so that the router raises errors instead of answering them
        state = scope.setdefault("state", {})
        facts: dict[str, str | int | float] = state.setdefault("facts", {})

        async def send_numbered(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [
                    *message["headers"],
                    (b"x-request-id", number.encode()),
                    (b"x-content-type-options", b"nosniff"),
                ]
            await send(message)

        try:
            _refuse_foreign_pages(scope, self.origins)
            await self.app(scope, receive, send_numbered)
        except ClientDisconnect:
            status = status or 499
        except (Exception, asyncio.CancelledError) as error:
            answer = to_answer(error)
            if answer.status == 500 or isinstance(error, StoreError):
                facts["failure"] = failure_text(error)
            if status == 0:
                body = self._error_body(scope["path"])(answer, number)
                response = Response(body, answer.status, answer.headers, "application/json")
                await response(scope, receive, send_numbered)
        finally:
            end = time.monotonic()
            seconds = end - start
            route = getattr(scope.get("route"), "path", "other")
            self.metrics.count_request(route, status, seconds)
            if self.tracer is not None:
                headers = {
                    name.decode("latin-1"): value.decode("latin-1")
                    for name, value in scope["headers"]
                    if name == b"traceparent"
                }
                values = {"http.route": route, "http.response.status_code": status, **facts}
                stages = state.get("stages", {})
                self.tracer.record(route, headers, (start, end), values, stages)
            log_event(
                request=number, route=route, status=status, seconds=round(seconds, 4), **facts
            )

    def _error_body(self, path: str) -> ErrorBody:
        for beginning, body in self.error_bodies.items():
            if path.startswith(beginning):
                return body
        return default_error_body


Handler = Callable[[Request], Awaitable[Response]]
