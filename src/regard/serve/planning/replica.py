"""A real replica of the server, to measure requests that arrive one at a time.

The front is the server's own process: HTTP, checks, tokenizing, assembling. Its time is that of
requests without queue and engine.
"""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from regard.errors import RegardError


def measure_requests(
    name: str, path: Path, texts: Sequence[str], engine: str, pause: float
) -> tuple[float, float]:
    """Send a request for each text, with pauses; return the mean times of front and engine."""
    with (
        running_replica(name, path, engine=engine) as url,
        connected_client(url) as client,
    ):
        for text in texts[:8]:
            client.translate(text)
        first_metrics, seconds = client.metrics(), 0.0
        for text in texts:
            time.sleep(pause)
            start = time.perf_counter()
            client.translate(text)
            seconds += time.perf_counter() - start
        last_metrics = client.metrics()
    in_engine, in_queue = (
        last_metrics[metric] - first_metrics[metric]
        for metric in ("regard_engine_seconds_sum", "regard_queue_seconds_sum")
    )
    # A text of several segments waits for all of them at once, so this subtracts a little too much.
    front = max(1e-4, (seconds - in_engine - in_queue) / len(texts))
    return front, in_engine / len(texts)


class ReplicaClient:
    """Sends one request after another over one connection."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self._connection = connection

    def translate(self, text: str) -> None:
        body = json.dumps({"texts": [text]})
        headers = {"Content-Type": "application/json"}
        self._connection.request("POST", "/v1/translate", body, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise RegardError(f"The server answered {answer.status}: {content.decode()[:300]}")

    def metrics(self) -> dict[str, float]:
        """The metrics without labels."""
        self._connection.request("GET", "/metrics")
        text = self._connection.getresponse().read().decode()
        return {key: float(value) for key, value in re.findall(r"^(\w+) (\S+)$", text, re.M)}


@contextmanager
def connected_client(url: str) -> Iterator[ReplicaClient]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
    try:
        yield ReplicaClient(connection)
    finally:
        connection.close()


@contextmanager
def running_replica(
    name: str, path: Path, *, engine: str = "auto", workers: int = 1
) -> Iterator[str]:
    """Run `regard serve` on a free port, without a cache; yield its URL."""
    with tempfile.TemporaryDirectory() as folder:
        settings, log = Path(folder) / "settings.yaml", Path(folder) / "log"
        settings.write_text("cache_megabytes: 0\n")
        command = [sys.executable, "-m", "regard", "serve", f"{name}={path}", "--port", "0"]
        options = ["--workers", str(workers), "--engine", engine, "--settings", str(settings)]
        with log.open("w") as file:
            process = subprocess.Popen([*command, *options], stderr=file)  # noqa: S603
        try:
            while not (match := re.search(r" at (http://\S+)", log.read_text())):
                if process.poll() is not None:
                    raise RegardError(f"The server ended: {log.read_text().strip()}")
                time.sleep(0.05)
            yield match[1]
        finally:
            process.terminate()
            process.wait()
