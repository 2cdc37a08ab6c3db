"""A server is ready if it translates, and an exception in one request's path fails that request."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from tests.running_server import RunningServer, running_server
from tests.server.test_answers import sentences

pytestmark = pytest.mark.xdist_group("server")

SECONDS = 3  # the deadline of requests

# What happens in the front process while the file FLAG exists
FAULTS = """
import asyncio, pathlib
import regard.serve.batcher as batcher
import regard.serve.pool as pool

flag = pathlib.Path({flag!r})
next_batch, encode_frame = batcher.Batcher.next_batch, pool.encode_frame

async def faulty_batch(self):
    fault = flag.read_text() if flag.exists() else ""
    if fault == "dies":
        flag.unlink()
        raise RuntimeError
    if fault == "stalls":
        await asyncio.sleep(3600)
    return await next_batch(self)

def faulty_frame(message):
    if "poison" in str(message):
        raise RuntimeError
    return encode_frame(message)

batcher.Batcher.next_batch = faulty_batch
pool.encode_frame = faulty_frame
"""


def settings_file(folder: Path) -> Path:
    path = folder / "settings.yaml"
    path.write_text(f"deadline_seconds: {SECONDS}\n")
    return path


def is_ready(server: RunningServer) -> bool:
    with server.client() as client:
        status = client.get("/readyz").status_code
    assert status in (200, 503)
    return status == 200


def status(server: RunningServer, text: str) -> int:
    with server.client() as client:
        return client.post("/v1/translate", json={"texts": [text]}).status_code


def translates(server: RunningServer, text: str = "A dog.") -> bool:
    return status(server, text) == 200


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("fault", ["dies", "stalls"])
def test_a_server_that_takes_no_texts_is_not_ready(
    bundle: Path, tmp_path: Path, fault: str
) -> None:
    flag = tmp_path / "fault"
    options = ("--workers", "1", "--settings", settings_file(tmp_path))
    faults = FAULTS.format(flag=str(flag))
    with running_server(f"en-de={bundle}", *options, changes=faults) as server:
        time.sleep(2 * SECONDS)
        assert is_ready(server)  # without any request
        flag.write_text(fault)
        wait_until(lambda: not is_ready(server))
        if fault == "stalls":
            assert not translates(server, "Two cats run.")
            flag.unlink()
        wait_until(lambda: is_ready(server))
        assert translates(server, "Two cats see a dog.")
        assert server.metric("regard_engine_restarts") == (fault == "dies")


def test_an_engine_that_hangs_is_not_ready_and_is_replaced(bundle: Path, tmp_path: Path) -> None:
    options = ("--workers", "1", "--settings", settings_file(tmp_path))
    with running_server(f"en-de={bundle}", *options) as server:
        (engine,) = server.engines
        engine.send_signal(signal.SIGSTOP)
        wait_until(lambda: not is_ready(server))
        assert server.metric("regard_engines_ready") == 0
        wait_until(lambda: is_ready(server))
        assert translates(server)
        assert server.metric("regard_engine_restarts") == 1
        assert not psutil.pid_exists(engine.pid)


def test_an_exception_fails_one_request_of_a_batch(bundle: Path, tmp_path: Path) -> None:
    texts = sentences(30, 17)
    texts[10] += " poison"
    settings = tmp_path / "settings.yaml"
    settings.write_text("batch_wait_ms: 200\n")  # so that the texts share a batch
    options = ("--workers", "1", "--settings", settings)
    faults = FAULTS.format(flag=str(tmp_path / "fault"))
    with (
        running_server(f"en-de={bundle}", *options, changes=faults) as server,
        ThreadPoolExecutor(len(texts)) as threads,
    ):
        answers = list(threads.map(lambda text: status(server, text), texts))
        assert answers == [500 if "poison" in text else 200 for text in texts]
        assert server.metric("regard_batch_segments_count") < len(texts)
        assert server.metric("regard_engine_restarts") == 0
        assert is_ready(server)
        assert any("RuntimeError in faulty_frame" in line for line in server.lines)


def test_a_busy_server_is_ready(bundle: Path, tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("max_queue_seconds: 0.2\ncache_megabytes: 0\nmax_cost: 2000000\n")
    options = ("--workers", "1", "--settings", settings)
    with (
        running_server(f"en-de={bundle}", *options) as server,
        server.client() as client,
        ThreadPoolExecutor(12) as threads,
    ):

        def send(seed: int) -> int:
            body = {"texts": sentences(40, seed), "beam_size": 8}
            return client.post("/v1/translate", json=body).status_code

        sent = [threads.submit(send, seed) for seed in range(40)]
        while not all(each.done() for each in sent):
            assert is_ready(server)
        assert {200, 503} <= {each.result() for each in sent}
