"""Graceful interruption: a signal ends a run after its current step."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGINT)  # from a scheduler, from Ctrl-C


@contextmanager
def interruptible() -> Iterator[list[bool]]:
    """Yield a list that is empty until a signal arrives. A second signal interrupts at once."""
    received: list[bool] = []
    if threading.current_thread() is not threading.main_thread():
        yield received  # Python delivers signals to the main thread only
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if received:
            raise KeyboardInterrupt
        received.append(True)

    previous = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield received
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
