"""Messages between the server and its processes: JSON or bytes, with their length before them.

Messages are JSON and not pickle, because JSON cannot execute code.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import socket
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict, final

import numpy as np
from numpy.typing import NDArray

from regard.errors import RegardError
from regard.text.normalize import replace_surrogates

if TYPE_CHECKING:
    from regard.text.tokenizer import Span

_LENGTH = 4  # bytes


class WorkerMessage(TypedDict):
    """A request to an engine process: the arguments of its method `do_…`."""

    id: int
    do: str
    arguments: dict[str, object]


@final
class ErrorValues(TypedDict):
    """An error of the request (`kind` is "regard") or of the engine ("failed")."""

    error: str
    kind: str


class AlignmentValues(TypedDict):
    """The characters of words, and their links."""

    source: Sequence[Span]
    target: Sequence[Span]
    links: Sequence[tuple[int, int]]


class HypothesisValues(TypedDict):
    """A hypothesis of a segment, as an engine process sends it."""

    text: str
    score: float
    length: int  # in tokens
    alignment: NotRequired[AlignmentValues]
    weights: NotRequired[str]  # of `encode_weights`
    reasons: NotRequired[Sequence[str]]  # to check it
    unattended: NotRequired[Sequence[Span]]  # source words without a counterpart


SegmentValues = list[HypothesisValues]
"""The hypotheses of a segment, best first."""


@final
class SegmentAnswer(TypedDict):
    """A translated segment."""

    hypotheses: SegmentValues


class MarkedValues(TypedDict):
    """A translated text with its markup."""

    text: str
    notes: Sequence[str]


class WorkerAnswer(TypedDict, total=False):
    """The answer of a process: an error, or the values of one of its methods `do_…`."""

    id: int
    error: str
    kind: str
    engine: str  # of `do_load`, and the next five
    version: str
    beam_size: int
    length_penalty: float
    aligns: bool
    assesses_quality: bool
    segments: list[SegmentAnswer | ErrorValues]  # of `do_translate`
    alignments: list[AlignmentValues]  # of `do_align`
    record: dict[str, object]  # of `do_explain`
    parts: list[list[str]]  # of `do_read`, of the process of marked texts
    texts: list[MarkedValues]  # of `do_write`


class DocumentAnswer(TypedDict, total=False):
    """The answer of the process of a document: an error, its texts, or nothing."""

    error: str
    kind: str
    texts: list[str]
    lengths: list[int]


class AlignedValues(TypedDict):
    """The best translation of a text of a document, for a message."""

    text: str
    warnings: list[str]
    source: NotRequired[list[Span]]
    target: NotRequired[list[Span]]
    parts: NotRequired[list[tuple[int, int, str]]]  # target words, source words, weights


def encode_frame(message: Mapping[str, object]) -> bytes:
    """Return the bytes of a message. Its texts have no lone surrogates: UTF-8 has none."""
    return add_length(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode())


def add_length(body: bytes) -> bytes:
    """Return the frame of a message that is bytes."""
    return len(body).to_bytes(_LENGTH, "big") + body


def receive_frame(connection: socket.socket) -> WorkerMessage | None:
    """Wait for a message to a worker on a blocking socket; None if the other side has closed it."""
    body = receive_content(connection)
    return None if body is None else json.loads(body)


def receive_content(connection: socket.socket) -> bytes | None:
    """As `receive_frame`, for a message that is bytes."""
    header = _receive(connection, _LENGTH)
    return None if header is None else _receive(connection, int.from_bytes(header, "big"))


def answer_messages(methods: object) -> None:
    """Answer the server's messages by the methods `do_…`, until it closes the connection.

    The first argument of the process is the descriptor of the connection.
    """
    for number in (signal.SIGINT, signal.SIGTERM):  # the server decides when to stop
        signal.signal(number, signal.SIG_IGN)
    os.nice(5)  # the server answers, and refuses, while its processes compute
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would contain users' texts
    connection = socket.socket(fileno=int(sys.argv[1]))
    while (message := receive_frame(connection)) is not None:
        answer = _answer(methods, message)
        try:
            connection.sendall(answer)
        except ConnectionError:
            return


def _answer(methods: object, message: WorkerMessage) -> bytes:
    """Do what a message asks for, and return the frame of the answer or of the error."""
    number = {"id": message["id"]}
    try:
        method: Callable[..., dict[str, object]] = getattr(methods, f"do_{message['do']}")
        return encode_frame(number | method(**message["arguments"]))
    except Exception as error:  # a defect of one request must not end the process
        return encode_frame(number | dict(error_values(error)))


def describe_failure(error: BaseException) -> str:
    """Describe a defect by its kind and place; its message may contain a user's text."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    location = (
        "" if frame is None else f" in {frame.tb_frame.f_code.co_name}, line {frame.tb_lineno}"
    )
    return f"{type(error).__name__}{location}"


def error_values(error: Exception) -> ErrorValues:
    """An error of the request, with its message, or of the engine, without."""
    if isinstance(error, RegardError):
        return {"error": replace_surrogates(str(error)), "kind": "regard"}
    return {"error": describe_failure(error), "kind": "failed"}


def encode_weights(weights: NDArray[np.float32]) -> str:
    """A matrix as a value of a message."""
    return b64encode(np.ascontiguousarray(weights, "<f4").tobytes()).decode()


def decode_weights(value: str, rows: int) -> NDArray[np.float32]:
    """The matrix of `encode_weights`, which has `rows` rows."""
    return np.frombuffer(b64decode(value), "<f4").reshape(rows, -1)


async def read_frame(reader: asyncio.StreamReader) -> dict[str, object] | None:
    """Wait for a message; None if the other side has closed the connection."""
    body = await read_content(reader)
    return None if body is None else json.loads(body)


async def read_content(reader: asyncio.StreamReader) -> bytes | None:
    """As `read_frame`, for a message that is bytes."""
    try:
        header = await reader.readexactly(_LENGTH)
        return await reader.readexactly(int.from_bytes(header, "big"))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def _receive(connection: socket.socket, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        try:
            part = connection.recv(size - len(parts))
        except ConnectionError:
            return None
        if not part:
            return None
        parts += part
    return bytes(parts)
