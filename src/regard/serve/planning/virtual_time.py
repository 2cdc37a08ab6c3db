"""An event loop with a clock of its own, so that coroutines run as a discrete-event simulation.

Timers fire in order, and the clock jumps from one to the next. A coroutine such as the batcher's
thus runs unchanged, in as much real time as its computation takes.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import Any, TypeVar

R = TypeVar("R")

SHORTEST = 1e-9  # seconds of a timer; a shorter one might not advance the clock, and repeat forever


class _Jump(selectors.SelectSelector):
    """Advances the clock instead of waiting. Sockets are never ready."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | int | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("The simulation waits, but no event is scheduled.")
        self.now += timeout
        return []


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop whose time starts at 0 and advances only between events."""

    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)
        # Timers of the next SHORTEST / 2 seconds are due. Less than the precision of the clock, a
        # hundred-billionth of a second after a day, and timers would never be due.
        self._clock_resolution = SHORTEST / 2

    def time(self) -> float:
        return self._jump.now

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Callable[..., object],
        *arguments: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        when = max(when, self.time() + SHORTEST)
        return super().call_at(when, callback, *arguments, context=context)


def run_simulation(coroutine: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine in virtual time and return its result."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(coroutine)
