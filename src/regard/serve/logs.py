"""The log: one JSON object a line, without texts, keys and addresses."""

from __future__ import annotations

import json
import logging
import sys
import time

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
