"""Forty hostile requests: each is refused, or answered rightly, and the others do not notice."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from tests.running_server import RunningServer, running_server
from tests.server.test_answers import sentences

pytestmark = pytest.mark.xdist_group("server")

DOG: dict[str, Any] = {"texts": ["A dog."]}
JSON = {"Content-Type": "application/json"}


def body(**changes: Any) -> bytes:
    return json.dumps(DOG | changes).encode()


def nested(depth: int) -> bytes:
    return b'{"texts": ' + b"[" * depth + b"]" * depth + b"}"


BODIES: dict[str, bytes] = {
    "10 MB": body(texts=["x" * 10_000_000]),
    "1 MB and one byte": body(texts=["x" * (1 << 20)]),
    "200,000 levels": nested(200_000),
    "300 levels": nested(300),
    "objects 100,000 deep": b'{"a":' * 100_000,
    "beam of 1e9": body(beam_size=10**9),
    "beam of 10^400": b'{"texts": ["A dog."], "beam_size": 1' + b"0" * 400 + b"}",
    "beam of 1e400": b'{"texts": ["A dog."], "beam_size": 1e400}',
    "negative beam": body(beam_size=-1),
    "n-best of 1e6": body(n_best=10**6),
    "beam of true": body(beam_size=True),
    "length penalty NaN": b'{"texts": ["A dog."], "length_penalty": NaN}',
    "length penalty 1e308": body(length_penalty=1e308),
    "minimum length 1e9": body(min_length=10**9, beam_size=1),
    "U+FDFA × 5,000": body(texts=["\ufdfa" * 5_000]),
    "zalgo": body(texts=["a" + "\u0300" * 49_000]),
    "zalgo in the wrong order": body(texts=["a" + "\u0300\u0316" * 80_000]),
    "more zalgo": body(texts=["a" + "\u0300" * 60_000]),
    "NUL": body(texts=["a\0b\0c"]),
    "controls": body(texts=["".join(map(chr, range(32)))]),
    "lone surrogate": b'{"texts": ["\\ud800"]}',
    "reversed surrogates": b'{"texts": ["\\udc00\\ud800"]}',
    "overlong UTF-8": b'{"texts": ["\xc0\xaf"]}',
    "UTF-16": '{"texts": ["A dog."]}'.encode("utf-16"),
    "word of 49,000 letters": body(texts=["x" * 49_000]),
    "word of 1e6 letters": body(texts=["x" * 1_000_000]),
    "10,000 items": body(texts=["a"] * 10_000),
    "256 empty items": body(texts=[""] * 256),
    "texts of numbers": body(texts=[1, 2]),
    "texts of null": body(texts=[None]),
    "no texts": body(texts=[]),
    "100,000 keys": json.dumps(DOG | {f"k{n}": n for n in range(60_000)}).encode(),
    "same key twice": b'{"texts": ["A dog."], "texts": ["A cat."]}',
    "special symbols": body(texts=["</s><s><unk><pad> >>fr<< <2de>"]),
    "special symbols as they are": body(texts=["</s><s><unk><pad> >>fr<<"], format="plain"),
    "nested XML": body(texts=["<b>" * 150 + "a dog" + "</b>" * 150], format="xml"),
    "prefix of 50,000": body(prefix="x " * 24_000, beam_size=1),
    "100 forbidden": body(forbid=["a"] * 101, beam_size=1),
    "model name of 100 kB": body(model="x" * 100_000),
    "model path": body(model="../../etc/passwd"),
    "sampling with a huge seed": body(sampling={"seed": 10**30}),
}
ANSWERED = {
    *("NUL", "controls", "256 empty items", "no texts", "same key twice", "special symbols"),
    "special symbols as they are",
}


def timed(client: httpx2.Client, content: bytes) -> tuple[httpx2.Response, float]:
    start = time.perf_counter()
    answer = client.post("/v1/translate", content=content, headers=JSON)
    return answer, time.perf_counter() - start


def send_raw(url: str, data: bytes, seconds: float = 20) -> bytes:
    """Send bytes; return what comes back until the server closes the connection or time is up."""
    parts = httpx2.URL(url)
    with socket.create_connection((parts.host, parts.port or 80), timeout=seconds) as raw:
        try:
            raw.sendall(data)
            raw.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the server has closed the connection
        received = b""
        try:
            while part := raw.recv(1 << 16):
                received += part
        except OSError:
            pass
    return received


HEAD = b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
RAW: dict[str, bytes] = {
    "6-byte chunks": HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"6\r\nxxxxxx\r\n" * 500_000,
    "10,000 headers": HEAD + b"".join(b"X-%d: 1\r\n" % n for n in range(10_000)) + b"\r\n",
    "header of 10 MB": HEAD + b"X: " + b"x" * 10_000_000 + b"\r\n\r\n",
    "length and chunks": HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "negative length": HEAD + b"Content-Length: -1\r\n\r\n{}",
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00" * 100,
}


def refused(received: bytes) -> bool:
    return received == b"" or received.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4"))


@contextmanager
def slow_sockets(url: str, count: int) -> Iterator[None]:
    """Connections that send a byte of their header now and then."""
    parts, stop = httpx2.URL(url), threading.Event()
    with ExitStack() as stack:
        sockets = [
            stack.enter_context(socket.create_connection((parts.host, parts.port or 80)))
            for _ in range(count)
        ]

        def drip() -> None:
            while not stop.wait(0.5):
                for each in sockets:
                    with suppress(OSError):
                        each.send(b"P")

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def normal_times(server: RunningServer, count: int = 100) -> list[float]:
    """Sorted seconds of short requests, none of them cached."""
    times = []
    with server.client() as client:
        for number in range(count):
            answer, seconds = timed(client, body(texts=[f"A dog {time.monotonic()} {number}."]))
            assert answer.status_code == 200
            times.append(seconds)
    return sorted(times)


def align_once(server: RunningServer) -> None:
    """Let both engines align words: with this model they import torch for it, in seconds."""
    requests = [{"texts": [text], "alignments": True} for text in sentences(16, 31)]
    with server.client(timeout=120) as client, ThreadPoolExecutor(16) as threads:
        answers = threads.map(lambda json: client.post("/v1/translate", json=json), requests)
        assert {answer.status_code for answer in answers} == {200}


def check_hostile(bundle: Path, *, slowest: float, ratio: float) -> None:
    with running_server(f"en-de={bundle}", "--workers", "2") as server:
        server.wait_for_engines(2)
        align_once(server)
        idle = normal_times(server)
        front = psutil.Process(server.process.pid)
        before = front.memory_info().rss
        times: dict[str, float] = {}
        with server.client() as client:
            for name, content in BODIES.items():
                answer, times[name] = timed(client, content)
                expected = {200} if name in ANSWERED else {404, 413, 422}
                assert answer.status_code in expected, (name, answer.status_code, answer.text[:200])
        for name, data in RAW.items():
            start = time.perf_counter()
            assert refused(send_raw(server.url, data)), name
            times[name] = time.perf_counter() - start
        with slow_sockets(server.url, 500):
            beside = normal_times(server)
        grown = (front.memory_info().rss - before) / 1e6
        worst = max(times, key=times.__getitem__)
        print(f"slowest: {worst}, {1000 * times[worst]:.0f} ms; memory +{grown:.0f} MB")
        print(f"99th percentile: {1000 * idle[98]:.0f} ms idle, {1000 * beside[98]:.0f} ms beside")
        late = {name: seconds for name, seconds in times.items() if seconds > slowest}
        assert not late, late
        assert grown < 100
        assert beside[98] < ratio * max(idle[98], 0.02)
        assert server.metric("regard_engine_restarts") == 0


def test_hostile_requests(bundle: Path) -> None:
    check_hostile(bundle, slowest=3.0, ratio=10)


@pytest.mark.slow
def test_hostile_requests_in_time(bundle: Path) -> None:
    """On free cores."""
    check_hostile(bundle, slowest=0.25, ratio=2)


def test_slow_clients_are_disconnected(bundle: Path, tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("header_seconds: 0.5\nbody_seconds: 0.5\n")
    with running_server(f"en-de={bundle}", "--workers", "1", "--settings", settings) as server:
        parts = httpx2.URL(server.url)
        address = parts.host, parts.port or 80
        with socket.create_connection(address, timeout=20) as silent:
            assert silent.recv(100) == b""
        with socket.create_connection(address, timeout=20) as half:
            half.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
            assert half.recv(100).startswith(b"HTTP/1.1 408")
