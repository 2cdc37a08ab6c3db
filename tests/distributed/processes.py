"""Processes that run `regard`, born of one that has all of it in memory: they begin at once, and
may die at any moment."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import regard.tasks.training  # noqa: F401 — what a life would import once it is born
from regard.cli.main import main

_NURSERY = multiprocessing.get_context("forkserver")
_NURSERY.set_forkserver_preload(["pytest", "tests.distributed.processes"])
PATIENCE = 120  # seconds: nothing here takes as long, even where many share a core


class Life:
    """One process that runs one command; what it says goes to a file."""

    def __init__(
        self,
        arguments: list[str],
        output: Path,
        environment: Mapping[str, str] | None = None,
        largest_file: int | None = None,
    ) -> None:
        self.output, self.born, self.lasted = output, time.monotonic(), 0.0
        said = (arguments, str(output), dict(environment or {}), largest_file)
        self.process = _NURSERY.Process(target=_live, args=said, daemon=True)
        self.process.start()

    def wait(self, seconds: float = PATIENCE) -> int | None:
        """What it ended with: None while it lives, less than nothing where it was killed."""
        self.process.join(seconds)
        self.lasted = time.monotonic() - self.born
        return self.process.exitcode

    def until(self, happened: Callable[[], object]) -> bool:
        """Wait for something to happen in its life: has it?"""
        while not happened():
            if not self.process.is_alive() or time.monotonic() > self.born + PATIENCE:
                return False
            time.sleep(0.001)
        return True

    @contextmanager
    def halted(self, when: Callable[[], object]) -> Iterator[None]:
        """It stands still within, at a moment when something holds."""
        assert self.process.pid is not None
        while True:
            assert self.until(when), self.said
            os.kill(self.process.pid, signal.SIGSTOP)
            if when():
                break
            os.kill(self.process.pid, signal.SIGCONT)
        try:
            yield
        finally:
            os.kill(self.process.pid, signal.SIGCONT)

    def kill(self) -> None:
        self.process.kill()
        self.process.join()

    def ask_to_stop(self) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGTERM)

    @property
    def said(self) -> str:
        return self.output.read_text() if self.output.exists() else ""


def together(size: int, arguments: list[str], output: Path) -> list[Life]:
    """As many lives that know of each other, as torchrun would have told them."""
    shared = {"WORLD_SIZE": str(size), "MASTER_ADDR": "localhost", "MASTER_PORT": str(free_port())}
    return [
        Life(
            arguments,
            output.with_name(f"{output.name}-{rank}"),
            shared | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
        )
        for rank in range(size)
    ]


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return int(free.getsockname()[1])


def _live(
    arguments: list[str], output: str, environment: dict[str, str], largest_file: int | None
) -> None:
    os.environ.update(environment)
    if largest_file is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    descriptor = os.open(output, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    sys.argv = ["regard", *arguments]
    main()
