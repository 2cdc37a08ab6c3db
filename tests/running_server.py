"""A real `regard serve` process."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import psutil

START_SECONDS = 120

R = TypeVar("R")


def run_async(coroutine: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine in a thread of its own: Playwright keeps an event loop in the test's."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


@dataclass
class RunningServer:
    """The process of a server, its address, and what it has written to standard error."""

    process: subprocess.Popen[str]
    url: str = ""
    lines: list[str] = field(default_factory=list)

    def client(self, key: str | None = None, timeout: float = 60) -> httpx2.Client:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=timeout, trust_env=False)

    @property
    def engines(self) -> list[psutil.Process]:
        """The engine processes."""
        return self._children("regard.serve.worker")

    @property
    def markup_processes(self) -> list[psutil.Process]:
        """The process of texts with markup, if there were any."""
        return self._children("regard.serve.markup_worker")

    @property
    def document_processes(self) -> list[psutil.Process]:
        """The processes of the documents under way."""
        return self._children("regard.serve.document_worker")

    def _children(self, module: str) -> list[psutil.Process]:
        found = []
        for child in psutil.Process(self.process.pid).children():
            with suppress(psutil.NoSuchProcess):
                if module in child.cmdline():
                    found.append(child)
        return found

    def wait_for_engines(self, count: int) -> None:
        """Wait until so many engine processes have loaded the models."""
        deadline = time.monotonic() + START_SECONDS
        while self.metric("regard_engines_ready") < count:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def metric(self, name: str) -> float:
        """The value of a metric without labels."""
        with self.client() as client:
            text = client.get("/metrics").text
        match = re.search(rf"^{name} (\S+)$", text, re.MULTILINE)
        assert match is not None, name
        return float(match[1])

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(60)


@contextmanager
def running_server(
    *arguments: str | Path, cwd: Path | None = None, changes: str = "", wait: bool = True
) -> Iterator[RunningServer]:
    """Start `regard serve ARGUMENTS` on a free port, and stop it afterwards.

    Args:
        arguments: Of the command.
        cwd: Its working directory.
        changes: Python code that runs in the process of the server before it starts.
        wait: Until the server listens.
    """
    program = f"{changes}\nfrom regard.cli.main import main\nmain()"
    command = [sys.executable, *(["-c", program] if changes else ["-m", "regard"])]
    process = subprocess.Popen(
        [*command, "serve", "--port", "0", *map(str, arguments)],
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    server, ready = RunningServer(process), threading.Event()

    def read() -> None:
        assert process.stderr is not None
        with process.stderr:
            for line in process.stderr:
                server.lines.append(line.rstrip("\n"))
                if match := re.search(r"http://\S+", line):
                    server.url = server.url or match[0]
                    ready.set()
        ready.set()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    engines = []
    try:
        if wait:
            assert ready.wait(START_SECONDS) and server.url, "\n".join(server.lines)
            engines = server.engines
        yield server
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        reader.join(10)
        _, alive = psutil.wait_procs(engines, timeout=10)
        for engine in alive:
            engine.kill()
        assert not alive, "engine processes outlived the server"
