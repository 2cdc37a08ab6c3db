"""Messages between the server and its processes: JSON or bytes, with their length before them.

Messages are JSON and not pickle, because JSON cannot execute code.
"""

from __future__ import annotations

import asyncio
import json
import socket
from base64 import b64decode, b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import RegardError
from regard.text.normalize import replace_surrogates

_LENGTH = 4  # bytes


def encode_frame(message: dict[str, Any]) -> bytes:
    """Return the bytes of a message. Its texts have no lone surrogates: UTF-8 has none."""
    return add_length(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode())


def add_length(body: bytes) -> bytes:
    """Return the frame of a message that is bytes."""
    return len(body).to_bytes(_LENGTH, "big") + body


def receive_frame(connection: socket.socket) -> dict[str, Any] | None:
    """Wait for a message on a blocking socket; None if the other side has closed it."""
    body = receive_content(connection)
    return None if body is None else json.loads(body)


def receive_content(connection: socket.socket) -> bytes | None:
    """As `receive_frame`, for a message that is bytes."""
    header = _receive(connection, _LENGTH)
    return None if header is None else _receive(connection, int.from_bytes(header, "big"))


def describe_failure(error: BaseException) -> str:
    """Describe a defect by its kind and place; its message may contain a user's text."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    location = (
        "" if frame is None else f" in {frame.tb_frame.f_code.co_name}, line {frame.tb_lineno}"
    )
    return f"{type(error).__name__}{location}"


def error_values(error: Exception) -> dict[str, Any]:
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


async def read_frame(reader: asyncio.StreamReader) -> dict[str, Any] | None:
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
