"""Processes that run `regard`, forked from a server with it imported, so that they start fast."""

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

import regard.tasks.training  # noqa: F401 — imported once, in the fork server
from regard.cli.main import main

_FORK_SERVER = multiprocessing.get_context("forkserver")
_FORK_SERVER.set_forkserver_preload(["pytest", "tests.distributed.processes"])
TIMEOUT = 120  # seconds


class RegardProcess:
    """A process that runs one command and writes its output to a file."""

    def __init__(
        self,
        arguments: list[str],
        output: Path,
        environment: Mapping[str, str] | None = None,
        largest_file: int | None = None,
    ) -> None:
        self.file, self.started, self.duration = output, time.monotonic(), 0.0
        args = (arguments, str(output), dict(environment or {}), largest_file)
        self.process = _FORK_SERVER.Process(target=_run, args=args, daemon=True)
        self.process.start()

    def wait(self, seconds: float = TIMEOUT) -> int | None:
        """Return the exit code: None if the process still runs, negative if it was killed."""
        self.process.join(seconds)
        self.duration = time.monotonic() - self.started
        return self.process.exitcode

    def wait_until(self, condition: Callable[[], object]) -> bool:
        """Wait for a condition while the process runs. Return whether it became true."""
        while not condition():
            if not self.process.is_alive() or time.monotonic() > self.started + TIMEOUT:
                return False
            time.sleep(0.001)
        return True

    @contextmanager
    def paused(self, when: Callable[[], object]) -> Iterator[None]:
        """Pause the process inside this context, while the condition `when` is true."""
        assert self.process.pid is not None
        while True:
            assert self.wait_until(when), self.output
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

    def terminate(self) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGTERM)

    @property
    def output(self) -> str:
        return self.file.read_text() if self.file.exists() else ""


def start_world(size: int, arguments: list[str], output: Path) -> list[RegardProcess]:
    """Start the processes of one run, with the environment that torchrun would set."""
    shared = {"WORLD_SIZE": str(size), "MASTER_ADDR": "localhost", "MASTER_PORT": str(free_port())}
    return [
        RegardProcess(
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


def _run(
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
