"""What the interfaces of other servers share: forms, status codes and translation.

Their clients send JSON, urlencoded forms or, as LibreTranslate's web page does, multipart forms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from starlette.requests import Request

from regard.errors import RegardError
from regard.serve.forms import parse_multipart, parse_urlencoded
from regard.serve.http import AnswerError, Handler, describe_problems, read_body, to_answer
from regard.serve.keys import StoredKey
from regard.serve.models import ServedModel
from regard.serve.schemas import TranslateRequest, Translation
from regard.serve.settings import ServerSettings

P = TypeVar("P", bound=BaseModel)

Translate = Callable[
    [Request, TranslateRequest, StoredKey | None], Awaitable[tuple[ServedModel, list[Translation]]]
]
"""Checks a request against the limits and the key's budget, and translates its texts."""


def with_statuses(handler: Handler, statuses: Mapping[int, int]) -> Handler:
    """Answer a handler's errors with the status codes of another interface.

    A body that is too large or too slow keeps the status of HTTP, which closes the connection.
    """

    async def answer(request: Request) -> Any:
        try:
            return await handler(request)
        except (AnswerError, RegardError) as error:
            failure = to_answer(error)
            if (
                failure is error and failure.status in (408, 413)
            ) or failure.status not in statuses:
                raise
            raise AnswerError(
                statuses[failure.status], failure.message, failure.retry_after
            ) from None

    return answer


async def read_parameters(request: Request, kind: type[P], settings: ServerSettings) -> P:
    """Read the query and the body, and check them against a schema.

    A name that occurs several times in a form has a list of values.
    """
    values: dict[str, Any] = _by_name(request.query_params.multi_items())
    body = await read_body(request, settings)
    content_type = request.headers.get("content-type", "")
    try:
        match content_type.partition(";")[0].strip().lower():
            case "application/json":
                content = from_json(body)
                if not isinstance(content, dict):
                    raise AnswerError(422, "The body must be a JSON object.")
                values |= content
            case "application/x-www-form-urlencoded":
                values |= _by_name(parse_urlencoded(body))
            case "multipart/form-data":
                values |= _by_name(parse_multipart(content_type, body))
            case _ if body:
                raise AnswerError(415, "Send JSON or a form, and name it in `Content-Type`.")
        return kind.model_validate(values)
    except ValidationError as error:
        raise AnswerError(422, describe_problems(error)) from None
    except ValueError:
        raise AnswerError(422, f"The body is not valid {content_type[:40]} in UTF-8.") from None


def _by_name(fields: Iterable[tuple[str, str]]) -> dict[str, str | list[str]]:
    values: dict[str, list[str]] = defaultdict(list)
    for name, value in fields:
        values[name].append(value.replace("\r\n", "\n"))  # forms end lines with CR LF
    return {name: texts[0] if len(texts) == 1 else texts for name, texts in values.items()}
