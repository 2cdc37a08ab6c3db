"""Being asked to stop: a run ends its step, saves and leaves."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ASKED = (signal.SIGTERM, signal.SIGINT)  # by a scheduler, by Ctrl-C


@contextmanager
def interruptible() -> Iterator[list[bool]]:
    """A list that is no longer empty once somebody asked; who asks twice is obeyed at once."""
    asked: list[bool] = []
    if threading.current_thread() is not threading.main_thread():
        yield asked  # only the main thread hears signals
        return

    def hear(number: int, frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(True)

    before = {number: signal.signal(number, hear) for number in _ASKED}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
