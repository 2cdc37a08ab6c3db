"""No text of a request, through any route or format, disables an engine."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from starlette.routing import Route

from regard.documents.formats.base import FORMAT_NAMES
from regard.serve.app import app_routes
from regard.serve.metrics import ServerMetrics
from regard.serve.models import ModelRegistry
from regard.serve.service import TranslationService
from regard.serve.settings import ServerSettings
from tests.running_server import RunningServer, running_server
from tests.server.odd_texts import DOCUMENTS, ROUTES, TEXTS, OddRequest, documents, requests

pytestmark = pytest.mark.xdist_group("server")

SUCCESSES = {200, 201}
REFUSALS = {400, 403, 404, 405, 413, 415, 422}
_numbers = itertools.count()


@pytest.fixture(scope="module")
def attacked(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    settings = tmp_path_factory.mktemp("attacked") / "settings.yaml"
    settings.write_text("max_documents: 8\nmax_queue_seconds: 20\n")
    options = ("--workers", "2", "--settings", settings, "--store", settings.with_name("store"))
    with running_server(f"en-de={bundle}", *options) as running:
        running.wait_for_engines(2)
        yield running


def send(client: httpx2.Client, odd: OddRequest) -> None:
    """The answer comes, and it is a success or a refusal; so are the events of a stream."""
    deadline = time.monotonic() + 60
    while True:
        content = odd.content or None
        answer = client.request(odd.method, odd.path, headers=odd.headers, content=content)
        if answer.status_code != 503 or "busy" not in answer.text:
            break
        assert "retry-after" in answer.headers and time.monotonic() < deadline
        time.sleep(1)
    seen = (odd.path[:80], odd.headers, odd.content[:200], answer.status_code, answer.text[:300])
    assert answer.status_code in SUCCESSES | REFUSALS, seen
    if answer.text.startswith("event:"):
        assert '"status": 5' not in answer.text, seen


def check(server: RunningServer) -> None:
    """Every engine translates: each has used its processor for new texts, and none was replaced."""
    before = {engine.pid: engine.cpu_times().user for engine in server.engines}
    assert len(before) == 2
    deadline = time.monotonic() + 30
    with server.client(timeout=20) as client:
        assert client.get("/readyz").status_code == 200
        idle = set(before)
        while idle:
            assert time.monotonic() < deadline, "an engine does not translate any more"
            texts = [f"A dog sees {next(_numbers)} cats." for _ in range(40)]
            answer = client.post("/v1/translate", json={"texts": texts})
            assert answer.status_code == 200, answer.text
            idle = {
                engine.pid
                for engine in server.engines
                if engine.cpu_times().user <= before[engine.pid]
            }
    assert server.metric("regard_engine_restarts") == 0
    assert not [line for line in server.lines if '"status": 500' in line]  # also in the background


def send_all(server: RunningServer, odd: Iterable[OddRequest]) -> None:
    with ThreadPoolExecutor(4) as threads, server.client(timeout=40) as client:
        for _ in threads.map(lambda each: send(client, each), odd):
            pass
    check(server)


def test_every_route_and_format_is_covered() -> None:
    registry = ModelRegistry({}, "auto")
    service = TranslationService(
        registry, ServerSettings(), workers=1, threads=1, metrics=ServerMetrics()
    )
    paths = {route.path for route in app_routes(service, None) if isinstance(route, Route)}
    assert paths == ROUTES.keys()
    assert set(FORMAT_NAMES) == DOCUMENTS.keys()


SLOW = ("/v1/documents", "/v1/explain", "/v1/intervene", "/v2/document", "/translate_file")
QUICK = ("high surrogate", "surrogates in a placeholder", "NUL", "combining in the wrong order")


@pytest.mark.parametrize("route", ROUTES)
def test_texts_of_requests(attacked: RunningServer, route: str) -> None:
    texts = QUICK[:1] if route in SLOW else TEXTS
    send_all(attacked, (odd for name in texts for odd in requests(route, TEXTS[name])))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_texts_of_documents(attacked: RunningServer, name: str) -> None:
    """The report, too, has the texts: it is in the answer as JSON."""
    odd = itertools.chain.from_iterable(documents(name, TEXTS[text]) for text in QUICK[:1])
    send_all(attacked, (each for each in odd if each.headers["Accept"] == "application/json"))


@pytest.mark.slow
@pytest.mark.parametrize("route", SLOW)
def test_all_texts_of_slow_requests(attacked: RunningServer, route: str) -> None:
    for text in TEXTS.values():
        send_all(attacked, requests(route, text))


@pytest.mark.slow
@pytest.mark.parametrize("name", DOCUMENTS)
def test_all_texts_of_documents(attacked: RunningServer, name: str) -> None:
    for text in TEXTS.values():
        send_all(attacked, documents(name, text))
