"""Documents over HTTP: the answer is that of the offline translation, within the limits."""

from __future__ import annotations

import json
import threading
import time
from base64 import b64decode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from regard.client import Client
from regard.errors import ConfigError, DocumentError
from regard.serve.keys import add_key
from regard.tasks.translation.translator import Translator
from tests.command import run_cli
from tests.running_server import RunningServer, running_server
from tests.server.test_answers import sentences

pytestmark = pytest.mark.xdist_group("server")

PAGE = "<html><body>{}</body></html>".format(
    "\n".join(f"<p>{text} <b>Two cats</b> see {{name}}.</p>" for text in sentences(8, seed=3))
)
PO = '#: page.c\nmsgid "A dog runs."\nmsgstr ""\n'


def read_events(answer: httpx2.Response) -> list[tuple[str, dict[str, Any]]]:
    events = []
    for event in answer.text.strip().split("\n\n"):
        name, data = event.split("\n")
        events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events


def test_the_answer_is_that_of_the_translator(
    server: RunningServer, translator: Translator
) -> None:
    expected = translator.translate_document(
        PAGE.encode(), format="html", keep=["cats"], languages=("en", "de")
    )
    assert b'<html lang="de">' in expected.content
    with server.client() as client:
        address = "/v1/documents?name=page.html&keep=cats"
        answer = client.post(address, content=PAGE)
        assert answer.status_code == 200, answer.text
        assert answer.content == expected.content
        assert answer.headers["content-disposition"] == "attachment"
        asked = client.post(address, content=PAGE, headers={"Accept": "application/json"}).json()
        assert b64decode(asked["document"]) == expected.content
        report = json.loads(json.dumps(expected.report.to_json()))
        assert asked["report"] == report | {"name": "page.html"}
        stream = client.post(address, content=PAGE, headers={"Accept": "text/event-stream"})
        *progress, (last, done) = read_events(stream)
        assert last == "done" and done == asked
        assert [name for name, _ in progress] == ["progress"] * len(progress)
        texts = len({segment.source for segment in expected.report.segments})
        counts = [(each["done"], each["total"]) for _, each in progress]
        assert counts[0] == (0, texts) and counts[-1] == (texts, texts)


@pytest.mark.parametrize(
    ("address", "content", "status", "message"),
    [
        ("?format=pdf", b"x", 422, "'pdf' is not a document format"),
        ("", b"x", 422, "no document format has the suffix"),
        ("?format=html&colour=red", b"x", 422, "colour"),
        ("?format=html&beam_size=99", b"<p>A dog.</p>", 422, "beam_size: must be at most"),
        ("?format=html&model=xx-yy", b"x", 404, "not served"),
        ("?format=android", b"<!DOCTYPE a><resources/>", 422, "DOCTYPE"),
        ("?format=docx", b"no archive", 422, ""),
        ("?format=json", b'{"a": "' + b"word " * 110_000 + b'"}', 413, "Divide the document"),
        ("?format=text", b"x" * (9 << 20), 413, "8,388,608 bytes"),
    ],
)
def test_errors_are_typed(
    server: RunningServer, address: str, content: bytes, status: int, message: str
) -> None:
    with server.client() as client:
        answer = client.post(f"/v1/documents{address}", content=content)
    assert answer.status_code == status, answer.text
    assert message in answer.json()["error"]


@pytest.fixture(scope="module")
def locked(
    bundle: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[RunningServer, str, str]]:
    folder = tmp_path_factory.mktemp("locked")
    small = add_key(folder / "keys.json", "small", budget=400)
    key = add_key(folder / "keys.json", "all")
    (folder / "settings.yaml").write_text("max_documents: 1\nmax_document_bytes: 20000\n")
    options = ("--keys", folder / "keys.json", "--settings", folder / "settings.yaml")
    with running_server(f"en-de={bundle}", "--workers", "1", *options) as running:
        yield running, small, key


def test_keys_and_budgets(locked: tuple[RunningServer, str, str]) -> None:
    server, key, _ = locked
    with server.client() as client:
        assert client.post("/v1/documents?format=po", content=PO).status_code == 401
    with server.client(key) as client:
        assert client.post("/v1/documents?format=text", content=b"x" * 20_001).status_code == 413
        assert client.post("/v1/documents?format=html", content=PAGE).status_code == 200
        late = client.post("/v1/documents?format=po", content=PO)
        assert late.status_code == 429 and int(late.headers["retry-after"]) >= 1
        for path in ("/metrics", "/healthz"):
            assert client.get(path).status_code == 200


def test_documents_at_once_are_limited(locked: tuple[RunningServer, str, str]) -> None:
    server, _, key = locked
    started, go_on = threading.Event(), threading.Event()

    def slow_body() -> Iterator[bytes]:
        yield PO[:10].encode()
        started.set()
        assert go_on.wait(30)
        yield PO[10:].encode()

    with server.client(key) as client, ThreadPoolExecutor(1) as thread:
        first = thread.submit(client.post, "/v1/documents?format=po", content=slow_body())
        assert started.wait(30)
        while (other := client.post("/v1/documents?format=po", content=PO)).status_code == 200:
            time.sleep(0.05)  # the server has not read the first header yet
        assert other.status_code == 503 and "retry-after" in other.headers
        go_on.set()
        assert first.result().status_code == 200


def test_a_client_that_leaves_makes_room(locked: tuple[RunningServer, str, str]) -> None:
    server, _, key = locked
    with server.client(key) as client:
        for _ in range(3):  # one document at a time is permitted
            deadline = time.monotonic() + 30
            status = 503
            while status == 503:
                assert time.monotonic() < deadline
                with client.stream(
                    "POST",
                    "/v1/documents?format=po",
                    content=PO,
                    headers={"Accept": "text/event-stream"},
                ) as answer:  # is closed before it has ended
                    status = answer.status_code
            assert status == 200


def test_the_client(server: RunningServer, translator: Translator, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(PAGE, "utf-8")
    expected = translator.translate_document(path, keep=["cats"], languages=("en", "de"))
    steps: list[tuple[int, int]] = []
    with Client(server.url) as client:
        found = client.translate_document(
            path, keep=["cats"], on_progress=lambda done, total: steps.append((done, total))
        )
        assert found == expected
        assert steps[0][0] == 0 and steps[-1][0] == steps[-1][1]
        assert client.translate_document(PAGE.encode(), format="html", keep=["cats"]) is not None
        with pytest.raises(ConfigError, match="DOCTYPE"):
            client.translate_document(b"<!DOCTYPE a><resources/>", format="android")
        with pytest.raises(DocumentError, match="name the format"):
            client.translate_document(b"words")


def test_the_command(server: RunningServer, translator: Translator, tmp_path: Path) -> None:
    source, out = tmp_path / "messages.po", tmp_path / "messages.de.po"
    source.write_text(PO, "utf-8")
    run_cli(["translate", "--server", server.url, "--source", str(source), "-o", str(out)])
    assert out.read_bytes() == translator.translate_document(source).content
