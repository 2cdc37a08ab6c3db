"""Corrections that are suggested through LibreTranslate's interface, and their export."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import httpx2
import pytest

from regard.data.formats.corpus import open_corpus, read_pairs
from regard.serve.keys import add_key
from tests.running_server import RunningServer, running_server

pytestmark = pytest.mark.xdist_group("server")

PAIR = {"source": "en", "target": "de"}
DOG = {"q": "A dog runs.", "s": "Ein Hund läuft.", **PAIR}
MAX_BYTES = 4_000


@pytest.fixture(scope="module")
def server(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("corrections")
    settings = folder / "limits.yaml"
    settings.write_text("max_characters: 500\n")
    models = [f"{pair}={bundle}" for pair in ("en-de", "fr-de", "de-en")]
    options = ("--workers", "1", "--store", folder / "store.db", "--settings", settings)
    with running_server(*models, *options) as running:
        yield running


def export(client: httpx2.Client, **parameters: int) -> list[dict[str, Any]]:
    answer = client.get("/v1/corrections", params=parameters).raise_for_status()
    assert answer.headers["content-type"] == "application/jsonl"
    return [json.loads(line) for line in answer.content.splitlines()]


def test_suggestions_are_exported_as_a_corpus(server: RunningServer, tmp_path: Path) -> None:
    lines = {
        "q": "Two\nlines\x85 <b>\u2028",
        "s": 'Zwei\nZeilen "🐕"',
        "source": "auto",
        "target": "EN",
    }
    with server.client() as client:
        (last,) = [line["number"] for line in export(client)[-1:]] or [0]
        assert client.get("/frontend/settings").json()["suggestions"] is True
        version = client.get("/v1/models").json()["models"][0]["version"]
        answer = client.post("/suggest", json=DOG)
        assert (answer.status_code, answer.json()) == (200, {"success": True})
        # The web page sends FormData, and Python's clients urlencoded forms.
        form = {name: (None, value) for name, value in {**DOG, "api_key": ""}.items()}
        assert client.post("/suggest", files=form).json() == {"success": True}
        body = urlencode({**DOG, "source": "en-GB", "target": "de-AT"}).encode()
        with urlopen(Request(f"{server.url}/suggest", body)) as done:
            assert json.load(done) == {"success": True}
        assert client.post("/suggest", json=lines).json() == {"success": True}
        made = export(client, last_number=last)
        first, _, third, fourth = made
        assert {**first, "created": "", "number": 0} == {
            "number": 0,
            "created": "",
            "key": None,
            "source_language": "en",
            "target_language": "de",
            "source": DOG["q"],
            "target": DOG["s"],
            "model": "en-de",
            "version": version,
        }
        assert {**third, "created": "", "number": 0} == {**first, "created": "", "number": 0}
        assert (fourth["source"], fourth["target"]) == (lines["q"], lines["s"])
        assert (fourth["model"], fourth["source_language"]) == ("de-en", "de")
        pages = [
            export(client, last_number=last, limit=2),
            export(client, last_number=made[1]["number"]),
        ]
        assert [line for page in pages for line in page] == made
        assert export(client, last_number=fourth["number"]) == []
        path = tmp_path / "corrections.jsonl"
        path.write_bytes(client.get("/v1/corrections", params={"last_number": last}).content)
    pairs = list(read_pairs(open_corpus(str(path))))
    assert pairs[0] == (DOG["q"], DOG["s"]) and len(pairs) == 4


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"q": ""}, "missing q parameter"),
        ({"s": None}, "missing s parameter"),
        ({"source": ""}, "missing source parameter"),
        ({"target": None}, "missing target parameter"),
        ({"q": ["a", "b"]}, "send one text"),
        ({"s": ["a"]}, "s"),
        ({"s": "a\0b"}, "NUL character"),
        ({"target": "zz"}, "zz is not supported. The target languages are: de, en."),
        ({"source": "xx"}, "xx is not supported"),
        ({"q": "x" * 250, "s": "y" * 251}, "501 characters after NFKC, and the limit is 500"),
    ],
    ids=str,
)
def test_suggestions_are_checked(server: RunningServer, body: dict[str, Any], message: str) -> None:
    with server.client() as client:
        before = export(client)
        answer = client.post("/suggest", json=DOG | body)
        assert answer.status_code == 400 and list(answer.json()) == ["error"]
        assert message in answer.json()["error"]
        surrogate = b'{"q": "\\ud800", "s": "a", "source": "en", "target": "de"}'
        answer = client.post("/suggest", content=surrogate, headers=JSON)
        assert answer.status_code == 400 and "not valid" in answer.json()["error"]
        assert export(client) == before


JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    "parameters",
    [{"last_number": -1}, {"last_number": 1 << 63}, {"limit": 0}, {"limit": 10_001}, {"q": "x"}],
)
def test_pages_are_checked(server: RunningServer, parameters: dict[str, Any]) -> None:
    with server.client() as client:
        answer = client.get("/v1/corrections", params=parameters)
    assert answer.status_code == 422 and next(iter(parameters)) in answer.json()["error"]


def test_keys_limits_and_pages(bundle: Path, tmp_path: Path) -> None:
    keys, settings = tmp_path / "keys.json", tmp_path / "limits.yaml"
    user, second = add_key(keys, "user"), add_key(keys, "second")
    admin = add_key(keys, "admin", admin=True)
    settings.write_text("max_correction_bytes: 2500000\nmax_characters: 500000\n")
    options = ("--workers", "1", "--keys", keys, "--store", tmp_path / "s", "--settings", settings)
    with running_server(f"en-de={bundle}", *options) as server, server.client() as client:
        for key, status in (("", 400), ("rgd_wrong", 403)):
            answer = client.post("/suggest", json={**DOG, "api_key": key})
            assert answer.status_code == status and "key" in answer.json()["error"]
        for key, status in ((user, 403), ("rgd_wrong", 401)):
            headers = {"Authorization": f"Bearer {key}"}
            assert client.get("/v1/corrections", headers=headers).status_code == status
        long = {**DOG, "q": "x" * 400_000, "api_key": user}
        statuses = [client.post("/suggest", json=long).status_code for _ in range(7)]
        assert statuses == [200] * 6 + [400]  # 2.4 MB
        assert client.post("/suggest", json={**DOG, "api_key": second}).status_code == 200
        with server.client(admin) as reader:
            pages, last = [], 0
            while page := export(reader, last_number=last):
                pages.append([line["key"] for line in page])
                last = page[-1]["number"]
        assert pages == [["user"] * 2, ["user"] * 2, ["user", "user", "second"]]  # of 1 MiB
