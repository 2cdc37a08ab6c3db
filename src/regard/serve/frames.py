"""Messages between the server and its engine processes: JSON with its length before it.

JSON, not pickle: what an engine process sends can do no more than be wrong.
"""

from __future__ import annotations

import asyncio
import json
import socket
from base64 import b64decode, b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LENGTH = 4  # bytes


def encode_frame(message: dict[str, Any]) -> bytes:
    """Return the bytes of a message."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    return len(body).to_bytes(_LENGTH, "big") + body


def receive_frame(connection: socket.socket) -> dict[str, Any] | None:
    """Wait for a message on a blocking socket; None if the other side has closed it."""
    header = _receive(connection, _LENGTH)
    body = None if header is None else _receive(connection, int.from_bytes(header, "big"))
    return None if body is None else json.loads(body)


def describe_failure(error: Exception) -> str:
    """Describe a defect by its kind and place; its message may contain a user's text."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = "" if place is None else f" in {place.tb_frame.f_code.co_name}, line {place.tb_lineno}"
    return f"{type(error).__name__}{where}"


def encode_weights(weights: NDArray[np.float32]) -> str:
    """A matrix as a value of a message."""
    return b64encode(np.ascontiguousarray(weights, "<f4").tobytes()).decode()


def decode_weights(value: str, rows: int) -> NDArray[np.float32]:
    """The matrix of `encode_weights`, which has `rows` rows."""
    return np.frombuffer(b64decode(value), "<f4").reshape(rows, -1)


async def read_frame(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """Wait for a message; None if the other side has closed the connection."""
    try:
        header = await reader.readexactly(_LENGTH)
        message: dict[str, Any] = json.loads(
            await reader.readexactly(int.from_bytes(header, "big"))
        )
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return message


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
