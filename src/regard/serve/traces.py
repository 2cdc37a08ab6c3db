"""Logs and traces of a server.

Spans are sent to a collector by OTLP over HTTP, in a thread of their own, if `regard serve` is
started with `--traces URL`. They have routes, sizes and times, never texts, keys or addresses.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol, TextIO, runtime_checkable

# -- the log ---------------------------------------------------------------------------------------
# One JSON object a line, without texts, keys and addresses.


_streams: list[TextIO] = []


def log_to_stderr() -> None:
    """Write the log to standard error."""
    _streams[:] = [sys.stderr]


def log_event(**facts: str | int | float) -> None:
    """Write a line with the time and `facts`. A log that cannot be written stops no request."""
    line = json.dumps({"time": round(time.time(), 3), **facts}) + "\n"
    for stream in _streams:
        with suppress(OSError, ValueError):  # closed, or the disk is full
            stream.write(line)
            stream.flush()


# -- traces ----------------------------------------------------------------------------------------


Stages = Mapping[str, tuple[float, float]]
"""Start and end of each stage, of `time.monotonic`."""


@runtime_checkable
class RequestTracer(Protocol):
    """Receives every request when it has been answered."""

    def record(
        self,
        name: str,
        headers: Mapping[str, str],
        interval: tuple[float, float],
        attributes: Mapping[str, str | int | float],
        stages: Stages,
    ) -> None:
        """Record a request: its route, headers, start and end, facts and stages."""

    def close(self) -> None:
        """Send what has not been sent yet."""
