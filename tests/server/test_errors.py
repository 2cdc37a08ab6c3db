"""Every error has a status, a message that says what to do, and the request's number."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.running_server import RunningServer

pytestmark = pytest.mark.xdist_group("server")

TEXT = {"texts": ["A dog."]}


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        ("/v1/translate", {}, 422, "texts: Field required"),
        ("/v1/translate", {"texts": "A dog."}, 422, "texts: Input should be a valid"),
        ("/v1/translate", {**TEXT, "beam": 3}, 422, "beam: Extra inputs"),
        ("/v1/translate", {**TEXT, "beam_size": 0}, 422, "beam_size: "),
        ("/v1/translate", {**TEXT, "beam_size": 17}, 422, "at most 16"),
        ("/v1/translate", {**TEXT, "n_best": 1_000_000}, 422, "at most 16"),
        ("/v1/translate", {**TEXT, "model": "de-en"}, 404, "The models are: en-de."),
        ("/v1/translate", {**TEXT, "target_language": "fr"}, 404, "no model translates"),
        ("/v1/translate", {**TEXT, "prefix": ["a", "b"]}, 422, "there are 2 for 1"),
        ("/v1/translate", {"texts": ["a"] * 257}, 413, "the limit is 256"),
        ("/v1/translate", {"texts": ["a " * 30_000]}, 413, "characters after NFKC"),
        ("/v1/translate", {"texts": ["\ufdfa" * 5_000]}, 413, "characters after NFKC"),
        ("/v1/translate", {**TEXT, "sampling": {}}, 422, "CTranslate2 draws"),
        ("/v1/translate", {**TEXT, "min_length": 3}, 422, "constrained hypotheses"),
        ("/v1/align", {"sources": ["a"], "targets": []}, 422, "0 for 1 sources"),
        ("/v1/explain", {"source": ""}, 422, "one sentence"),
        ("/v1/reload", {"models": ["x"]}, 404, "is not served"),
        ("/nothing", {}, 404, "Not Found"),
        ("/healthz", {}, 405, "Method Not Allowed"),
    ],
)
def test_wrong_requests_say_what_is_wrong(
    server: RunningServer, path: str, body: dict[str, Any], status: int, message: str
) -> None:
    with server.client() as client:
        answer = client.post(path, json=body)
    assert answer.status_code == status, answer.text
    content = answer.json()
    assert message in content["error"]
    assert content["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"{", 422),
        (b"[" * 200_000, 422),
        (b'{"texts":' + b"[" * 200_000 + b"]" * 200_000 + b"}", 422),
        (b'{"texts": ["\\ud800"]}', 422),
        (b'{"texts": ["' + b"\xff" + b'"]}', 422),
        (json.dumps({"texts": ["x" * 2_000_000]}).encode(), 413),
    ],
    ids=["empty", "cut", "deep", "deeper", "surrogate", "not UTF-8", "large"],
)
def test_bodies_that_cannot_be_read(server: RunningServer, body: bytes, status: int) -> None:
    with server.client() as client:
        answer = client.post(
            "/v1/translate", content=body, headers={"Content-Type": "application/json"}
        )
    assert answer.status_code == status, answer.text


def test_only_json_is_read(server: RunningServer) -> None:
    """A web page could send other types to this machine without being asked."""
    with server.client() as client:
        answer = client.post("/v1/translate", content=b"{}", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415


def test_a_request_without_a_body_is_an_empty_object(server: RunningServer) -> None:
    """As with `curl --request POST` and `curl --data ''`, which names the type of a form."""
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    with server.client() as client:
        for headers in ({}, form, {"Content-Type": "application/json"}):
            assert client.post("/v1/reload", headers=headers).json() == {"reloaded": []}
        named = client.post("/v1/reload", json={"models": ["en-de"]})
        assert named.json() == {"reloaded": []}
        assert client.post("/v1/reload", content=b"{}", headers=form).status_code == 415
        assert "texts: Field required" in client.post("/v1/translate").json()["error"]
        paths = client.get("/openapi.json").json()["paths"]
    required = {
        path: operation["post"]["requestBody"]["required"]
        for path, operation in paths.items()
        if "post" in operation
    }
    assert [path for path, needed in required.items() if not needed] == ["/v1/reload"]


def test_foreign_host_names_are_refused(server: RunningServer) -> None:
    with server.client() as client:
        assert client.get("/healthz", headers={"Host": "evil.example"}).status_code == 400
