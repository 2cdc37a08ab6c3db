"""HAProxy in front of two servers, with the configuration in deploy/haproxy."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import pytest

from regard.tasks.translation.exchange import export_bundle
from regard.tasks.translation.translator import Translator
from tests.bundles import LINES, make_bundle
from tests.conftest import ROOT
from tests.distributed.processes import free_port
from tests.running_server import RunningServer, running_server
from tests.server.test_operating_guide import commands

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("haproxy") is None, reason="HAProxy is not installed"),
    pytest.mark.xdist_group("server"),
]

CONFIG = ROOT / "deploy" / "haproxy" / "haproxy.cfg"
CLIENTS = 8
TEXTS = [f"{a} {b}" for a in LINES for b in LINES]


@contextmanager
def balancer(
    folder: Path, backends: dict[str, dict[str, RunningServer]], models: dict[str, str]
) -> Iterator[str]:
    """Start HAProxy with these servers of backends and backends of models; yield its URL."""
    port = free_port()
    lines = []
    for backend, servers in backends.items():
        lines.append(f"backend {backend}")
        # the answer names the replica, for the test
        lines.append("    http-response set-header X-Replica %s")
        lines += [f"    server {n} {s.url.removeprefix('http://')}" for n, s in servers.items()]
    (folder / "replicas.cfg").write_text("\n".join(lines) + "\n")
    (folder / "models.map").write_text("".join(f"{m} {b}\n" for m, b in models.items()))
    log = (folder / "haproxy.log").open("w")
    process = subprocess.Popen(
        ["haproxy", "-db", "-f", str(CONFIG), "-f", str(folder / "replicas.cfg")],
        env={
            **os.environ,
            "REGARD_BIND": f"127.0.0.1:{port}",
            "REGARD_MAP": str(folder / "models.map"),
            "REGARD_SOCKET": str(folder / "socket"),
        },
        stderr=log,
    )
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                if httpx2.get(f"http://127.0.0.1:{port}/readyz", trust_env=False).is_success:
                    break
            except httpx2.TransportError:
                pass
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)
        log.close()
        print((folder / "haproxy.log").read_text())  # which replicas were down, and why


class Traffic:
    """Clients that send requests one after the other and check every answer."""

    def __init__(self, url: str, expected: dict[str, dict[str, str]]) -> None:
        self.url, self.expected = url, expected
        self.statuses: Counter[int] = Counter()
        self.replicas: dict[str, Counter[str]] = {model: Counter() for model in expected}
        self.wrong: list[str] = []
        self.lost: list[str] = []
        self._stop = threading.Event()

    def run(self, number: int) -> None:
        requests = [(model, text) for model, texts in self.expected.items() for text in texts]
        with httpx2.Client(base_url=self.url, timeout=60, trust_env=False) as client:
            while not self._stop.is_set():
                number += 7
                model, text = requests[number % len(requests)]
                try:
                    answer = client.post("/v1/translate", json={"texts": [text], "model": model})
                except httpx2.TransportError as error:
                    self.lost.append(repr(error))
                    continue
                self.statuses[answer.status_code] += 1
                if answer.is_success:
                    self.replicas[model][answer.headers["X-Replica"]] += 1
                    if answer.json()["translations"][0]["text"] != self.expected[model][text]:
                        self.wrong.append(text)

    @contextmanager
    def running(self) -> Iterator[None]:
        with ThreadPoolExecutor(CLIENTS) as pool:
            tasks = [pool.submit(self.run, 100 * number) for number in range(CLIENTS)]
            try:
                yield
            finally:
                self._stop.set()
            for task in tasks:
                task.result()

    def wait_for(self, answers: int) -> None:
        """Wait for so many more successful answers."""
        target, deadline = self.statuses[200] + answers, time.monotonic() + 120
        while self.statuses[200] < target:
            assert time.monotonic() < deadline, (self.statuses, self.lost)
            time.sleep(0.02)

    @property
    def failed(self) -> int:
        return len(self.lost) + self.statuses.total() - self.statuses[200]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    paths = {}
    for seed, name in enumerate(("en-de", "en-fr", "en-es")):
        paths[name] = make_bundle("transformer", folder / name, seed=seed)
        export_bundle(paths[name], None)
    return paths


@pytest.fixture(scope="module")
def expected(models: dict[str, Path]) -> dict[str, dict[str, str]]:
    return {
        name: dict(
            zip(TEXTS, (r.text for r in Translator.load(path).translate(TEXTS)), strict=True)
        )
        for name, path in models.items()
    }


def test_traffic_survives_a_killed_and_a_stopped_replica(
    models: dict[str, Path], expected: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    arguments = ("--workers", "1", *(f"{name}={path}" for name, path in models.items()))
    with running_server(*arguments) as one:
        with running_server(*arguments) as other:
            backends = {"replicas": {"one": one, "other": other}}
            with balancer(tmp_path, backends, {}) as url:
                traffic = Traffic(url, expected)
                with traffic.running():
                    traffic.wait_for(100)
                    used = sum(traffic.replicas.values(), Counter())
                    engines = other.engines
                    os.kill(other.process.pid, signal.SIGKILL)
                    for engine in engines:
                        engine.kill()
                    traffic.wait_for(200)
                print("killed:", dict(traffic.statuses), traffic.lost, used)
                assert not traffic.wrong
                assert traffic.failed <= CLIENTS
        with running_server(*arguments) as other:
            backends = {"replicas": {"one": one, "other": other}}
            with balancer(tmp_path, backends, {}) as url:
                traffic = Traffic(url, expected)
                with traffic.running():
                    traffic.wait_for(100)
                    other.stop()  # SIGTERM: it answers its open requests
                    traffic.wait_for(100)
                print("stopped:", dict(traffic.statuses), traffic.lost)
                assert not traffic.wrong and not traffic.failed


def test_every_request_reaches_a_replica_with_its_model(
    models: dict[str, Path], expected: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    german, french, spanish = (f"{name}={path}" for name, path in models.items())
    with (
        running_server("--workers", "1", german, french) as one,
        running_server("--workers", "1", french, spanish) as other,
        balancer(
            tmp_path,
            {
                "first": {"one": one},
                "replicas": {"one": one, "other": other},
                "second": {"other": other},
            },
            {"en-de": "first", "en-es": "second"},
        ) as url,
    ):
        traffic = Traffic(url, expected)
        with traffic.running():
            traffic.wait_for(300)
        print({model: dict(found) for model, found in traffic.replicas.items()})
        assert not traffic.wrong and not traffic.failed
        assert set(traffic.replicas["en-de"]) == {"one"}
        assert set(traffic.replicas["en-es"]) == {"other"}
        assert traffic.replicas["en-fr"]
        with httpx2.Client(base_url=url, timeout=60, trust_env=False) as client:
            languages = {"source_language": "en", "target_language": "es"}
            answer = client.post("/v1/translate", json={"texts": [TEXTS[0]], **languages})
            assert answer.json()["model"] == "en-es"
            assert answer.headers["X-Replica"] == "other"


@pytest.mark.skipif(
    shutil.which("socat") is None or shutil.which("curl") is None, reason="needs socat and curl"
)
def test_the_upgrade_of_the_guide_loses_no_request(
    models: dict[str, Path], expected: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    """Both replicas are stopped and started again by the commands of docs/guides/operating.md."""
    arguments = ("--workers", "1", *(f"{name}={path}" for name, path in models.items()))
    with ExitStack() as stack:
        replicas = {name: stack.enter_context(running_server(*arguments)) for name in "ab"}
        url = stack.enter_context(balancer(tmp_path, {"replicas": replicas}, {}))
        traffic = Traffic(url, expected)
        with traffic.running():
            traffic.wait_for(100)
            for name, server in replicas.items():

                def run(command: str, name: str = name, server: RunningServer = server) -> None:
                    for of_the_guide, here in (
                        ("/run/haproxy/regard.sock", str(tmp_path / "socket")),
                        ("http://10.0.0.1:8000", server.url),
                        ("replicas/a", f"replicas/{name}"),
                        ("replicas,a", f"replicas,{name}"),
                        ("$PID", str(server.process.pid)),
                    ):
                        command = command.replace(of_the_guide, here)
                    subprocess.run(["bash", "-c", command], check=True, timeout=120)

                drain, stop, *others = commands("Upgrade")
                run(drain)
                run(stop)
                assert server.process.wait(60) == 0
                port = server.url.rpartition(":")[2]
                stack.enter_context(running_server(*arguments, "--port", port, wait=False))
                for command in others:
                    run(command)
                traffic.wait_for(100)
        print("upgraded:", dict(traffic.statuses), traffic.lost, traffic.replicas)
        assert not traffic.wrong and not traffic.failed
        assert set(sum(traffic.replicas.values(), Counter())) == {"a", "b"}
