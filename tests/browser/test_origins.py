"""A page of another origin that uses the server, with and without the setting `cors_origins`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'regard[serve]'")
pytest.importorskip("ctranslate2", reason="needs ctranslate2: pip install 'regard[ctranslate2]'")

from playwright.sync_api import Browser

from regard.serve.keys import add_key
from regard.tasks.translation.exchange import export_bundle
from tests.bundles import make_bundle
from tests.running_server import running_server

FETCH = """async ([url, body, key]) => {
  const headers = { "Content-Type": "application/json" };
  if (key) headers.Authorization = `Bearer ${key}`;
  try {
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    return [answer.status, await answer.json(), answer.headers.get("X-Request-ID")];
  } catch (error) {
    return [0, String(error), null];
  }
}"""
BODY = {"q": "A dog runs.", "source": "en", "target": "de"}
Answer = tuple[int, dict[str, str] | str, str | None]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def website(folder: Path) -> Iterator[str]:
    """Serve a folder; yield the origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("website")
    (folder / "index.html").write_text("<!doctype html><title>Another website</title>", "utf-8")
    with website(folder) as address:
        yield address


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_bundle("transformer", tmp_path_factory.mktemp("served") / "model")
    export_bundle(path, None)  # such a model is loaded fast
    return path


def fetch(browser: Browser, origin: str, url: str, body: object, key: str | None = None) -> Answer:
    """The status, the content and the number of an answer, as a script of the page gets it."""
    page = browser.new_page()
    page.goto(f"{origin}/index.html")
    status, content, number = page.evaluate(FETCH, [url, body, key])
    page.close()
    return status, content, number


def test_a_page_of_an_allowed_origin(
    browser: Browser, origin: str, model: Path, tmp_path: Path
) -> None:
    settings, keys = tmp_path / "settings.yaml", tmp_path / "keys.json"
    settings.write_text(f"cors_origins: ['https://example.org', '{origin}']\n", "utf-8")
    key = add_key(keys, "page")
    options = ("--workers", "1", "--settings", settings, "--keys", keys)
    with running_server(f"en-de={model}", *options) as server:
        url = f"{server.url}/translate"
        status, content, number = fetch(browser, origin, url, BODY, key)
        assert status == 200 and isinstance(content, dict) and content["translatedText"]
        assert number is not None
        # Errors can be read too.
        status, content, _ = fetch(browser, origin, url, {**BODY, "target": "xx"}, key)
        assert status == 400 and isinstance(content, dict) and "xx" in content["error"]
        status, content, _ = fetch(browser, origin, f"{server.url}/v1/translate", {"texts": ["a"]})
        assert status == 401 and isinstance(content, dict) and "valid key" in content["error"]
        other = origin.replace("127.0.0.1", "localhost")
        status, content, _ = fetch(browser, other, url, BODY, key)
        assert (status, content) == (0, "TypeError: Failed to fetch")
        with server.client() as client:  # the headers, without a browser
            headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
            preflight = client.options("/translate", headers=headers)
            assert preflight.status_code == 200
            assert preflight.headers["access-control-allow-origin"] == origin
            foreign = {"Origin": "https://example.com", "Sec-Fetch-Site": "cross-site"}
            refused = client.post("/translate", json=BODY, headers=foreign)
            assert refused.status_code == 403
            assert "access-control-allow-origin" not in refused.headers
            allowed = {"Origin": "https://example.org", "Sec-Fetch-Site": "cross-site"}
            assert client.post("/translate", json=BODY, headers=allowed).status_code == 400  # key


def test_without_the_setting_pages_of_other_origins_are_refused(
    browser: Browser, origin: str, model: Path, tmp_path: Path
) -> None:
    with running_server(f"en-de={model}", "--workers", "1") as server:
        status, content, _ = fetch(browser, origin, f"{server.url}/translate", BODY)
        assert (status, content) == (0, "TypeError: Failed to fetch")
        with server.client() as client:
            link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
            assert client.get("/", headers=link).status_code == 200
            image = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
            query = {"text": "Go!", "target": "de"}
            answer = client.get("/v1/translate", params=query, headers=image)
            assert answer.status_code == 403 and "cors_origins" in answer.json()["error"]
    settings = tmp_path / "settings.yaml"
    settings.write_text("cors_origins: ['*']\n", "utf-8")
    with running_server(f"en-de={model}", "--workers", "1", "--settings", settings) as server:
        assert fetch(browser, origin, f"{server.url}/translate", BODY)[0] == 200
