"""What a client reads of a server's answers: errors, pauses, and the events of a document."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypedDict

from regard.documents.report import DocumentReport, DocumentReportValues
from regard.errors import ConfigError, ServerError
from regard.tasks.translation.documents import TranslatedDocument

if TYPE_CHECKING:
    import httpx2


def read_document_events(
    url: str, answer: httpx2.Response, on_progress: Callable[[int, int], None]
) -> TranslatedDocument:
    """Read the events of an answer until the document has arrived.

    Args:
        url: Of the server, for errors.
        answer: An open stream of server-sent events.
        on_progress: Called with the number of translated texts and of all.

    Raises:
        ConfigError: The server refuses the document.
        ServerError: The server fails, or the connection ends before the document.
    """
    import httpx2

    try:
        for name, values in _events(answer):
            if name == "progress":
                on_progress(values["done"], values["total"])
            elif name == "error":
                raise server_error(url, values["status"], values["error"])
            elif name == "done":
                content = b64decode(values["document"])
                return TranslatedDocument(content, DocumentReport.from_json(values["report"]))
    except (ValueError, KeyError, TypeError):
        raise ServerError(f"{url}: the answer is not that of a regard server.") from None
    except httpx2.HTTPError as error:
        reason = str(error) or type(error).__name__
        raise ServerError(f"{url}: the connection was lost ({reason}). Try again.") from None
    raise ServerError(f"{url}: the answer ended before the document. Try again.")


def server_error(url: str, status: int, text: str) -> ConfigError | ServerError:
    """The error of an answer: of the request, or of the server."""
    is_request = 400 <= status < 500 and status != 429
    return ConfigError(f"{url}: {text}") if is_request else ServerError(f"{url}: {text}")


class _EventValues(TypedDict, total=False):
    """The values of an event: of its progress, of an error, or of the document."""

    done: int
    total: int
    status: int
    error: str
    document: str  # in base64
    report: DocumentReportValues


def _events(answer: httpx2.Response) -> Iterator[tuple[str, _EventValues]]:
    name = ""
    for line in answer.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def error_text(answer: httpx2.Response) -> str:
    try:
        return str(answer.json()["error"])
    except (ValueError, KeyError, TypeError):
        return f"answered with status {answer.status_code}. Is it a regard server?"


def retry_after(answer: httpx2.Response) -> float:
    value = answer.headers.get("retry-after", "")
    return float(value) if value.isascii() and value.isdigit() else 0.0
