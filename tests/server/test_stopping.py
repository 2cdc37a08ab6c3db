"""Work stops when nobody waits for it, and a server stops within its limit."""

from __future__ import annotations

import signal
import socket
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import psutil
import pytest

from regard.serve.run import STOP_MARGIN
from tests.running_server import RunningServer, running_server

pytestmark = pytest.mark.xdist_group("server")

STOP_SECONDS = 2
SLACK = 3  # seconds for a busy machine
DOCUMENT = b"<p>" + b"<b>a</b>" * 1_500 + b"</p>"  # slow to project
EVENTS = "Accept: text/event-stream\r\n"


def settings_file(folder: Path) -> Path:
    path = folder / "settings.yaml"
    path.write_text(f"stop_seconds: {STOP_SECONDS}\n")
    return path


def connect(server: RunningServer) -> socket.socket:
    url = httpx2.URL(server.url)
    return socket.create_connection((url.host, url.port or 80), timeout=60)


def post(server: RunningServer, path: str, content: bytes, headers: str = "") -> socket.socket:
    """Send a request; return the connection, whose answer nobody has read."""
    connection = connect(server)
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(content)}\r\n{headers}"
    connection.sendall(head.encode() + b"\r\n" + content)
    return connection


def post_documents(server: RunningServer, count: int) -> list[socket.socket]:
    """Send documents, some of which are answered with events."""
    return [
        post(server, "/v1/documents?format=html", DOCUMENT, EVENTS if number % 2 else "")
        for number in range(count)
    ]


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def parsers(server: RunningServer) -> list[psutil.Process]:
    """The processes of documents, and those that they have started."""
    return [
        process
        for document in server.document_processes
        for process in (document, *document.children(recursive=True))
    ]


def stop_processes(processes: list[psutil.Process]) -> None:
    """Let processes hang."""
    for process in processes:
        process.send_signal(signal.SIGSTOP)


def test_documents_end_when_their_clients_leave(bundle: Path) -> None:
    """Also those whose process hangs, wherever they are."""
    with running_server(f"en-de={bundle}", "--workers", "1") as server:
        for pause in (0.0, 0.3, 1.0):
            connections = post_documents(server, 4)
            wait_until(lambda: len(server.document_processes) == 4)
            time.sleep(pause)
            started = parsers(server)
            stop_processes(server.document_processes)
            for connection in connections:
                connection.close()
            wait_until(lambda: not server.document_processes, 10)
            _, alive = psutil.wait_procs(started, timeout=10)
            assert not alive
        with server.client() as client:  # there is room for others
            page = client.post("/v1/documents?format=html", content=b"<p>A <b>dog</b> runs.</p>")
            assert page.status_code == 200


def test_documents_end_at_their_deadline(bundle: Path, tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("document_seconds: 2\n")
    with (
        running_server(f"en-de={bundle}", "--workers", "1", "--settings", settings) as server,
        ExitStack() as stack,
    ):
        connections = [stack.enter_context(each) for each in post_documents(server, 2)]
        wait_until(lambda: len(server.document_processes) == 2)
        documents = server.document_processes
        stop_processes(documents)
        for connection in connections:
            assert connection.recv(100).startswith(b"HTTP/1.1 504")
        wait_until(lambda: not server.document_processes)


@contextmanager
def hung_collector() -> Iterator[str]:
    """An OTLP collector that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1/traces"


def test_a_server_stops_within_its_limit_whatever_is_open(bundle: Path, tmp_path: Path) -> None:
    """Documents that were left, documents and engines that hang, slow clients, a hung collector."""
    options: list[str | Path] = ["--workers", "2", "--settings", settings_file(tmp_path)]
    with ExitStack() as stack:
        options += ["--traces", stack.enter_context(hung_collector())]
        server = stack.enter_context(running_server(f"en-de={bundle}", *options))
        server.wait_for_engines(2)
        for connection in post_documents(server, 2):
            stack.enter_context(connection)
        wait_until(lambda: len(server.document_processes) == 2)
        stop_processes(server.document_processes)
        for connection in post_documents(server, 2):
            connection.close()
        head = "Content-Type: application/json\r\n"
        stream = b'{"stream": true, "texts": [' + b'"A dog.", ' * 200 + b'"A cat."]}'
        stack.enter_context(post(server, "/v1/translate", stream, head))
        half = "POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{"
        stack.enter_context(connect(server)).sendall(half.encode())
        stop_processes(server.engines[:1])
        children = psutil.Process(server.process.pid).children(recursive=True)
        start = time.monotonic()
        assert server.stop() == 0, server.lines
        assert time.monotonic() - start < STOP_SECONDS + STOP_MARGIN + SLACK
        _, alive = psutil.wait_procs(children, timeout=5)
        assert not alive


def test_a_server_that_cannot_stop_is_ended_by_force(bundle: Path, tmp_path: Path) -> None:
    """A thread that never ends."""
    thread = "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()"
    options = ("--workers", "1", "--settings", settings_file(tmp_path))
    with running_server(f"en-de={bundle}", *options, changes=thread) as server:
        start = time.monotonic()
        assert server.stop() == -signal.SIGALRM
        assert time.monotonic() - start < STOP_SECONDS + STOP_MARGIN + SLACK


def test_a_server_stops_while_it_starts(bundle: Path) -> None:
    with running_server(f"en-de={bundle}", "--workers", "2", wait=False) as server:
        wait_until(lambda: bool(server.engines))
        start = time.monotonic()
        assert server.stop() == 0, server.lines
        assert time.monotonic() - start < SLACK + 3
        assert not server.url


def health_seconds(server: RunningServer, count: int = 100) -> float:
    """The median time of /healthz."""
    times = []
    with server.client() as client:
        for _ in range(count):
            start = time.perf_counter()
            assert client.get("/healthz").status_code == 200
            times.append(time.perf_counter() - start)
    return statistics.median(times)


def check_health(bundle: Path, *, ratio: float, slack: float) -> None:
    """The front answers beside four documents as quickly as without, about."""
    with running_server(f"en-de={bundle}", "--workers", "1") as server:
        idle, stop = health_seconds(server), threading.Event()

        def keep_four() -> None:
            with ExitStack() as stack:
                while not stop.wait(0.05):
                    missing = 4 - len(server.document_processes)
                    for connection in post_documents(server, missing):
                        stack.enter_context(connection)

        thread = threading.Thread(target=keep_four)
        thread.start()
        try:
            wait_until(lambda: len(server.document_processes) == 4)
            beside = health_seconds(server)
        finally:
            stop.set()
            thread.join()
        print(f"/healthz: {1e3 * idle:.1f} ms, beside documents {1e3 * beside:.1f} ms")
        assert beside < ratio * idle + slack


def test_documents_do_not_slow_other_requests(bundle: Path) -> None:
    check_health(bundle, ratio=2, slack=0.02)


@pytest.mark.slow
def test_documents_do_not_slow_other_requests_on_free_cores(bundle: Path) -> None:
    check_health(bundle, ratio=2, slack=0.0)
