"""Logs and traces of a server.

Spans are sent to a collector by OTLP over HTTP, in a thread of their own, if `regard serve` is
started with `--traces URL`. They have routes, sizes and times, never texts, keys or addresses.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

# -- the log ---------------------------------------------------------------------------------------
# One JSON object a line, without texts, keys and addresses.


LOG = logging.getLogger("regard.serve")


def log_to_stderr() -> None:
    """Write the log to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    LOG.handlers[:] = [handler]
    LOG.setLevel(logging.INFO)
    LOG.propagate = False


def log_event(**facts: str | int | float) -> None:
    """Write a line with the time and `facts`."""
    LOG.info(json.dumps({"time": round(time.time(), 3), **facts}))


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
