"""Engine processes that are killed, models that are replaced, servers that are stopped."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2
import psutil
import pytest

from regard.tasks.translation.exchange import export_bundle
from regard.tasks.translation.translator import Translator
from tests.bundles import make_bundle
from tests.running_server import RunningServer, run_async, running_server
from tests.server.test_answers import sentences

pytestmark = pytest.mark.xdist_group("server")

CLIENTS = 8


class Load:
    """Clients that send requests and compare each answer with the offline translation."""

    def __init__(self, server: RunningServer, expected: dict[str, set[str]]) -> None:
        self.server, self.expected = server, expected
        self.statuses: Counter[int] = Counter()
        self.wrong: list[tuple[str, str]] = []
        self.failures: list[str] = []  # connections that were lost
        self.answered = time.monotonic()  # when the last request was answered with 200
        self._stop = threading.Event()

    def run(self, seed: int) -> None:
        draw = random.Random(seed)
        texts = list(self.expected)
        with self.server.client() as client:
            while not self._stop.is_set():
                text = draw.choice(texts)
                try:
                    answer = client.post("/v1/translate", json={"texts": [text]})
                except httpx2.TransportError as error:
                    self.failures.append(repr(error))
                    continue
                self.statuses[answer.status_code] += 1
                if answer.status_code == 200:
                    self.answered = time.monotonic()
                    found = answer.json()["translations"][0]["text"]
                    if found not in self.expected[text]:
                        self.wrong.append((text, found))
                elif answer.status_code == 503:
                    time.sleep(0.02)

    @contextmanager
    def running(self) -> Iterator[None]:
        with ThreadPoolExecutor(CLIENTS) as pool:
            tasks = [pool.submit(self.run, seed) for seed in range(CLIENTS)]
            try:
                yield
            finally:
                self._stop.set()
            for task in tasks:
                task.result()


def offline(path: Path, texts: list[str]) -> list[str]:
    return [result.text for result in Translator.load(path).translate(texts)]


def check_kills(bundle: Path, kills: int) -> None:
    """Kill engine processes under load: no wrong answer, back in two seconds, nothing left over."""
    texts = sentences(2_000, 11)
    expected = {text: {found} for text, found in zip(texts, offline(bundle, texts), strict=True)}
    with running_server(f"en-de={bundle}", "--workers", "2") as server:
        server.wait_for_engines(2)
        load = Load(server, expected)
        parent = psutil.Process(server.process.pid)
        with load.running():
            time.sleep(1)
            descriptors = parent.num_fds()
            for kill in range(kills):
                answered = load.statuses[200] + 50
                os.kill(random.Random(kill).choice(server.engines).pid, signal.SIGKILL)
                deadline = time.monotonic() + 30
                while server.metric("regard_engines_ready") < 2 or load.statuses[200] < answered:
                    assert time.monotonic() < deadline, "the engine process was not replaced"
                    assert time.monotonic() - load.answered < 5
                    time.sleep(0.05)
        assert server.metric("regard_engine_restarts") == kills
        assert len(server.engines) == 2
        assert parent.num_fds() <= descriptors + CLIENTS
    assert not load.wrong and not load.failures
    assert load.statuses.keys() <= {200, 503}
    assert load.statuses[503] <= kills * CLIENTS


def test_engine_processes_are_replaced(bundle: Path) -> None:
    check_kills(bundle, 2)


@pytest.mark.slow
def test_engine_processes_are_replaced_twenty_times(bundle: Path) -> None:
    check_kills(bundle, 20)


def check_swaps(folder: Path, swaps: int, damaged: int) -> None:
    """Replace the model under load: no failed request; damaged models are refused."""
    models = []
    for seed in range(2):
        models.append(make_bundle("transformer", folder / f"{seed}" / "model", seed=seed))
        export_bundle(models[-1], None)
    texts = sentences(500, 12)
    expected: dict[str, set[str]] = {text: set() for text in texts}
    for model in models:
        for text, found in zip(texts, offline(model, texts), strict=True):
            expected[text].add(found)
    served = folder / "served"
    shutil.copytree(models[0], served)
    bad = set(random.Random(1).sample(range(swaps), damaged))
    with running_server(f"en-de={served}", "--workers", "2") as server:
        server.wait_for_engines(2)
        load, refused, current = Load(server, expected), 0, 0
        with load.running(), server.client() as client:
            for swap in range(swaps):
                current = current if swap in bad else 1 - current
                aside = folder / f"aside{swap}"
                shutil.copytree(models[1 - current if swap in bad else current], aside)
                if swap in bad:
                    file = aside / "ctranslate2" / "model.bin"
                    content = bytearray(file.read_bytes())
                    content[len(content) // 2] ^= 1
                    file.write_bytes(content)
                served.rename(folder / f"old{swap}")
                aside.rename(served)
                answer = client.post("/v1/reload", json={})
                if swap in bad:
                    assert answer.status_code == 422 and "does not match" in answer.text
                    refused += 1
                    shutil.rmtree(served)
                    (folder / f"old{swap}").rename(served)
                else:
                    assert answer.json() == {"reloaded": ["en-de"]}, answer.text
                    probe = client.post("/v1/translate", json={"texts": texts[:3]})
                    assert [each["text"] for each in probe.json()["translations"]] == offline(
                        models[current], texts[:3]
                    )
        assert server.metric("regard_engine_restarts") == 0
    assert refused == damaged
    assert not load.wrong and not load.failures
    assert load.statuses.keys() == {200}


def test_models_are_replaced_while_they_are_used(tmp_path: Path) -> None:
    check_swaps(tmp_path, swaps=4, damaged=1)


@pytest.mark.slow
def test_models_are_replaced_fifty_times(tmp_path: Path) -> None:
    check_swaps(tmp_path, swaps=50, damaged=10)


def test_a_stopping_server_answers_open_requests(bundle: Path) -> None:
    """SIGTERM with 200 requests in flight."""
    texts = sentences(200, 13)
    translations = offline(bundle, texts)

    async def send(server: RunningServer) -> list[httpx2.Response]:
        limits = httpx2.Limits(max_connections=None)
        async with httpx2.AsyncClient(
            base_url=server.url, timeout=120, limits=limits, trust_env=False
        ) as client:
            tasks = [
                asyncio.create_task(client.post("/v1/translate", json={"texts": [text] * 20}))
                for text in texts
            ]
            await asyncio.sleep(1)
            server.process.send_signal(signal.SIGTERM)
            return await asyncio.gather(*tasks)

    with running_server(f"en-de={bundle}", "--workers", "1") as server:
        answers = run_async(send(server))
        assert server.process.wait(60) == 0
    assert [answer.status_code for answer in answers] == [200] * 200
    for answer, expected in zip(answers, translations, strict=True):
        assert {each["text"] for each in answer.json()["translations"]} == {expected}


def test_sighup_reloads(bundle: Path, tmp_path: Path) -> None:
    served = tmp_path / "served"
    shutil.copytree(bundle, served)
    with running_server(f"en-de={served}", "--workers", "1") as server, server.client() as client:
        version = client.get("/v1/models").json()["models"][0]["version"]
        make_bundle("transformer", tmp_path / "other" / "model", seed=3)
        shutil.rmtree(served)
        shutil.copytree(tmp_path / "other" / "model", served)
        server.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 60
        while "Reloaded: en-de" not in server.lines:
            assert time.monotonic() < deadline, server.lines
            time.sleep(0.05)
        (model,) = client.get("/v1/models").json()["models"]
        assert model["version"] != version and model["engine"] == "torch"
        assert client.post("/v1/translate", json={"texts": ["A dog."]}).status_code == 200


def test_requests_of_clients_that_have_gone_are_not_translated(bundle: Path) -> None:
    with running_server(f"en-de={bundle}", "--workers", "1") as server, server.client() as client:
        client.post("/v1/translate", json={"texts": ["A dog."]})
        before = server.metric("regard_pieces_total")
        for seed in range(20):
            texts = sentences(200, 100 + seed)
            request = client.build_request("POST", "/v1/translate", json={"texts": texts})
            head = "POST /v1/translate HTTP/1.1\r\nHost: localhost\r\n" + "".join(
                f"{name}: {value}\r\n"
                for name, value in request.headers.items()
                if name.startswith("content")
            )
            with socket.create_connection((client.base_url.host, client.base_url.port or 0)) as raw:
                raw.sendall(head.encode() + b"\r\n" + request.read())
                time.sleep(0.01)
        deadline = time.monotonic() + 60
        while server.metric("regard_queue_segments") > 0:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        client.post("/v1/translate", json={"texts": ["A dog."]})
        read = server.metric("regard_pieces_total") - before
    assert read < 20 * 200 * 12 / 2  # a text has 12 pieces and more


def test_a_full_queue_refuses_at_once_and_recovers(bundle: Path, tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("max_queue_seconds: 0.2\ncache_megabytes: 0\nmax_cost: 2000000\n")

    async def overload(server: RunningServer) -> list[tuple[int, float]]:
        async with httpx2.AsyncClient(
            base_url=server.url,
            timeout=120,
            trust_env=False,
            limits=httpx2.Limits(max_connections=400),
        ) as client:

            async def send(seed: int) -> tuple[int, float]:
                start = time.monotonic()
                body = {"texts": sentences(100, seed), "beam_size": 8}
                answer = await client.post("/v1/translate", json=body)
                if answer.status_code == 503:
                    assert int(answer.headers["retry-after"]) >= 1
                return answer.status_code, time.monotonic() - start

            await send(1)  # so that the speed is known
            return await asyncio.gather(*(send(seed) for seed in range(2, 60)))

    with (
        running_server(f"en-de={bundle}", "--workers", "1", "--settings", settings) as server,
        server.client() as client,
    ):
        found = run_async(overload(server))
        statuses = Counter(status for status, _ in found)
        assert statuses.keys() == {200, 503}
        assert client.post("/v1/translate", json={"texts": ["A dog."]}).status_code == 200


def test_a_model_that_cannot_be_loaded_ends_the_command(tmp_path: Path, bundle: Path) -> None:
    damaged = tmp_path / "model"
    shutil.copytree(bundle, damaged)
    (damaged / "tokenizer.model").write_bytes(b"x")
    start = time.monotonic()
    with pytest.raises(AssertionError, match="does not match"), running_server(damaged):
        pass
    assert time.monotonic() - start < 60
