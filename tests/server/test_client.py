"""The client: with a real server its results are those of the model, and it waits when told to."""

from __future__ import annotations

import inspect
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import regard
from regard import client as client_module
from regard.cli.main import app
from regard.client import Client, ServedTranslation
from regard.errors import ConfigError, CorpusError, ServerError
from regard.inference.engine import SamplingOptions
from regard.serve.keys import add_key
from regard.tasks.translation.result import TranslationResult
from regard.tasks.translation.translator import Translator
from tests.command import run_cli
from tests.running_server import RunningServer, running_server
from tests.server.test_answers import sentences

pytestmark = pytest.mark.xdist_group("server")

OPTIONS: list[dict[str, Any]] = [
    {},
    {"beam_size": 1},
    {"n_best": 3, "alignments": True, "length_penalty": 0.5},
    {"quality": True},
    {"beam_size": 1, "prefix": "A dog", "min_length": 4, "no_repeat_ngram": 2, "forbid": ["cat"]},
]


def assert_same(found: Sequence[ServedTranslation], expected: Sequence[TranslationResult]) -> None:
    assert [each.text for each in found] == [each.text for each in expected]
    for one, other in zip(found, expected, strict=True):
        assert one.source == other.source and str(one) == str(other)
        assert one.score == pytest.approx(other.score, rel=1e-4, abs=1e-4)
        assert one.warnings == other.warnings
        assert (one.alignment is None) == (other.alignment is None)
        if one.alignment is not None and other.alignment is not None:
            assert one.alignment.links == other.alignment.links
            assert str(one.alignment) == str(other.alignment)
            for side in ("source", "target"):
                mine, theirs = getattr(one.alignment, side), getattr(other.alignment, side)
                assert (mine.raw, mine.words) == (theirs.raw, theirs.words)
                assert mine.word_texts == theirs.word_texts
        assert_same(one.n_best, other.n_best)


# with a real server


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_results_are_those_of_the_translator(
    server: RunningServer, translator: Translator, options: dict[str, Any]
) -> None:
    texts = [*sentences(40, seed=5), "", "A dog runs.\nTwo cats run away.", "Ünïcödé 🐕 \u2028!"]
    with Client(server.url) as client:
        assert_same(client.translate(texts, **options), translator.translate(texts, **options))


def test_many_texts_are_sent_in_parts(
    server: RunningServer, translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "MAX_TEXTS", 7)
    texts = sentences(60, seed=6)
    prefixes = ["A dog" if row % 3 else "" for row in range(60)]
    with Client(server.url) as client:
        found = client.translate(texts, beam_size=1, prefix=prefixes)
        assert client.translate([]) == []
    assert_same(found, translator.translate(texts, beam_size=1, prefix=prefixes))


def test_samples_do_not_depend_on_the_parts(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "MAX_TEXTS", 3)
    options = SamplingOptions(seed=7, temperature=9.0, top_k=90, top_p=0.99, offset=11)
    texts = ["A dog runs."] * 10
    expected = Translator.load(bundle, engine="torch").translate(texts, sampling=options)
    assert len({each.text for each in expected}) > 3
    with (
        running_server(f"en-de={bundle}", "--engine", "torch", "--workers", "1") as running,
        Client(running.url) as client,
    ):
        assert_same(client.translate(texts, sampling=options), expected)


def test_the_server_s_errors(server: RunningServer) -> None:
    with Client(server.url) as client:
        with pytest.raises(ConfigError, match="beam_size: must be at most"):
            client.translate(["A dog."], beam_size=999)
        with pytest.raises(ConfigError, match="the limit is 50,000"):  # one text cannot be halved
            client.translate(["A dog. " * 9_000])
        with pytest.raises(CorpusError, match="prefix: there are 2 for 1 texts"):
            client.translate(["A dog."], prefix=["a", "b"])
        with pytest.raises(ConfigError, match="logps"):
            client.translate(["A dog."], logps=True)
        with pytest.raises(ConfigError, match="align_with"):
            client.translate(["A dog."], alignments=True, align_with="attention")
        with pytest.raises(CorpusError, match="single string"):
            client.translate("A dog.")
    with Client(server.url, model="xx-yy") as client, pytest.raises(ConfigError, match="xx-yy"):
        client.translate(["A dog."])


def test_keys(bundle: Path, translator: Translator, tmp_path: Path) -> None:
    key = add_key(tmp_path / "keys.json", "all")
    serve = running_server(f"en-de={bundle}", "--workers", "1", "--keys", tmp_path / "keys.json")
    with serve as running:
        with Client(running.url, key=key) as client:
            assert_same(client.translate(["Go!"]), translator.translate(["Go!"]))
        for wrong in (None, "rgd_wrong"):
            with (
                Client(running.url, key=wrong) as client,
                pytest.raises(ConfigError, match="valid key"),
            ):
                client.translate(["Go!"])
        command = ["translate", "--server", running.url]
        expected = f"{translator.translate(['Go!'])[0].text}\n"
        assert run_cli([*command, "--key", key], "Go!\n") == expected
        found = CliRunner().invoke(app, command, input="Go!\n", env={"REGARD_KEY": key})
        assert found.stdout == expected


def test_two_thousand_lines_of_the_command(
    server: RunningServer, bundle: Path, tmp_path: Path
) -> None:
    lines = tmp_path / "in.en"
    lines.write_text("".join(f"{line}\n" for line in [*sentences(1_999, seed=8), ""]))
    local = run_cli(["translate", str(bundle), "--source", str(lines)])
    assert run_cli(["translate", "--server", server.url, "--source", str(lines)]) == local
    assert local.count("\n") == 2_000


@pytest.mark.parametrize("options", [["--align"], ["--n-best", "2", "--align"], ["--check"]])
def test_options_of_the_command(server: RunningServer, bundle: Path, options: list[str]) -> None:
    text = "".join(f"{line}\n" for line in sentences(50, seed=9))
    runs = [
        CliRunner().invoke(app, ["translate", *where, *options], input=text)
        for where in ([str(bundle)], ["--server", server.url, "--server-model", "en-de"])
    ]
    local, served = runs
    assert (served.stdout, served.stderr) == (local.stdout, local.stderr)
    assert local.exit_code == 0 and local.stdout


def test_json_of_the_command(server: RunningServer, bundle: Path) -> None:
    """A server sends no segments, weights and quality features."""
    options = ["--json", "--n-best", "2", "--align"]
    local = json.loads(run_cli(["translate", str(bundle), *options], "A dog runs.\n"))
    served = json.loads(run_cli(["translate", "--server", server.url, *options], "A dog runs.\n"))
    for each in (local, *local["n_best"]):
        del each["segments"], each["alignment"]["weights"]
        each["score"] = pytest.approx(each["score"])
    assert served == local


def test_usage_of_the_command(bundle: Path) -> None:
    for arguments, message in (
        ([str(bundle), "--server", "http://localhost:1"], "either"),
        ([], "either"),
        ([str(bundle), "--server-model", "en-de"], "--server-model needs --server"),
        (
            ["--server", "http://localhost:1", "--engine", "torch"],
            "--engine has no effect with --server",
        ),
        (
            ["--server", "http://localhost:1", "--ensemble", "x"],
            "--ensemble has no effect with --server",
        ),
        (
            ["--server", "http://localhost:1", "--align-with", "aligner"],
            "--align-with has no effect with --server",
        ),
    ):
        result = CliRunner().invoke(app, ["translate", *arguments], input="")
        assert result.exit_code == 2 and message in " ".join(result.stderr.split())


# with a server that answers as a test wants it to


@dataclass
class ScriptedServer:
    """Answers requests with given statuses and headers, then with the texts in capitals."""

    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    max_texts: int = 1_000
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    connections: int = 0


@contextmanager
def scripted_server(**script: Any) -> Iterator[ScriptedServer]:
    scripted = ScriptedServer(**script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            scripted.connections += 1
            super().setup()

        def do_POST(self) -> None:
            content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            scripted.requests.append(content)
            if scripted.answers:
                status, headers = scripted.answers.pop(0)
                if status == 0:
                    self.close_connection = True
                    return
                answer: Any = {"error": f"answer {status}", "request_id": "1"}
            elif len(content["texts"]) > scripted.max_texts:
                status, headers, answer = 413, {}, {"error": "too many"}
            else:
                found = [{"text": text.upper(), "score": -1.0} for text in content["texts"]]
                status, headers = 200, {}
                answer = {"model": "m", "version": "1", "translations": found}
            body = json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    scripted.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield scripted
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("status", [503, 429])
def test_a_busy_server_is_tried_again_when_it_says(status: int) -> None:
    with scripted_server(answers=[(status, {"Retry-After": "1"})] * 2) as scripted:
        start = time.monotonic()
        with Client(scripted.url) as client:
            assert client.translate(["a"])[0].text == "A"
        assert time.monotonic() - start >= 2
        assert len(scripted.requests) == 3


def test_patience_ends() -> None:
    with scripted_server(answers=[(503, {"Retry-After": "100"})]) as scripted:
        start = time.monotonic()
        with (
            Client(scripted.url, patience=20.0) as client,
            pytest.raises(ServerError, match="answer 503"),
        ):
            client.translate(["a"])
        assert time.monotonic() - start < 10  # it does not wait in vain
        assert len(scripted.requests) == 1


def test_errors_of_the_server_are_not_retried() -> None:
    for status, kind in ((500, ServerError), (422, ConfigError), (302, ServerError)):
        with scripted_server(answers=[(status, {})]) as scripted, Client(scripted.url) as client:
            with pytest.raises(kind, match=f"answer {status}"):
                client.translate(["a"])
            assert len(scripted.requests) == 1


@pytest.mark.parametrize("answers", [[], [(504, {})]])
def test_requests_that_are_too_large_are_halved(answers: list[tuple[int, dict[str, str]]]) -> None:
    texts = [f"text {row}" for row in range(11)]
    with scripted_server(max_texts=3, answers=answers) as scripted, Client(scripted.url) as client:
        assert [each.text for each in client.translate(texts)] == [text.upper() for text in texts]
        sizes = [len(each["texts"]) for each in scripted.requests]
        assert sizes[:2] == [11, 5]
        assert max(sizes[2:]) <= 6


def test_requests_stay_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "MAX_CHARACTERS", 100)
    texts = ["x" * length for length in (1, 98, 1, 1, 300, 5)]
    with scripted_server() as scripted, Client(scripted.url, concurrency=1) as client:
        assert [each.source for each in client.translate(texts)] == texts
        sizes = [[len(text) for text in each["texts"]] for each in scripted.requests]
        assert sizes == [[1, 98, 1], [1], [300], [5]]
        assert all(each["bulk"] for each in scripted.requests)
        client.translate(["x"])
        assert not scripted.requests[-1]["bulk"]
        assert scripted.connections == 1  # all requests share it


def test_a_closed_connection_is_opened_again() -> None:
    with scripted_server() as scripted, Client(scripted.url) as client:
        client.translate(["a"])
        scripted.answers.append((0, {}))
        assert client.translate(["b"])[0].text == "B"


def test_an_error_ends_the_other_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "MAX_TEXTS", 1)
    answers = [(503, {"Retry-After": "30"}), (422, {}), (503, {"Retry-After": "30"})]
    with scripted_server(answers=answers) as scripted, Client(scripted.url) as client:
        start = time.monotonic()
        with pytest.raises(ConfigError, match="answer 422"):
            client.translate(["x"] * 100)
        assert time.monotonic() - start < 20
        assert len(scripted.requests) < 20


def test_another_server() -> None:
    class Other(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200 if "ok" in self.path else 404)
            self.end_headers()
            self.wfile.write(b"<html>")

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            url = f"http://127.0.0.1:{server.server_port}"
            with Client(f"{url}/ok") as client, pytest.raises(ServerError, match="not that of"):
                client.translate(["a"])
            with Client(url) as client, pytest.raises(ConfigError, match="status 404"):
                client.translate(["a"])
        finally:
            server.shutdown()


def test_a_server_that_cannot_be_reached() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        start = time.monotonic()
        with Client(url) as client, pytest.raises(ServerError, match="cannot be reached"):
            client.translate(["a"])
        done = subprocess.run(
            [sys.executable, "-m", "regard", "translate", "--server", url],
            input="a\n",
            capture_output=True,
            text=True,
            env={**os.environ, "NO_PROXY": "*"},
        )
    assert time.monotonic() - start < 60
    assert done.returncode == ServerError.code and done.stdout == ""
    assert done.stderr.startswith(f"regard: {url}: cannot be reached")


@pytest.mark.parametrize(
    "arguments",
    [
        {"url": "localhost:8000"},
        {"url": "ftp://localhost"},
        {"url": "http://"},
        {"url": "http://[::1"},
        {"url": "http://localhost:8000", "key": "ключ"},
        {"url": "http://localhost:8000", "concurrency": 0},
    ],
)
def test_invalid_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        Client(**arguments)


def test_httpx_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(ConfigError, match=r"regard\[client\]"):
        regard.Client("http://localhost:8000")


def test_the_client_needs_no_torch() -> None:
    code = "import sys, regard; regard.Client('http://localhost'); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_the_signature_is_the_translator_s() -> None:
    of_client, of_translator = (
        inspect.signature(each.translate).parameters for each in (Client, Translator)
    )
    assert list(of_client) == list(of_translator)
    for name, parameter in of_client.items():
        assert parameter.default == of_translator[name].default
        assert parameter.kind == of_translator[name].kind
