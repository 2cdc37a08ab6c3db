"""The page at /docs of a real server: Swagger UI, with its own files only."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'regard[serve]'")

from playwright.sync_api import Browser, Page, expect

from tests.architecture.test_architecture import GOLDEN
from tests.running_server import RunningServer, running_server

pytestmark = pytest.mark.xdist_group("server")
OF_THE_LIBRARY = {"color-contrast", "heading-order", "nested-interactive", "region"}
"""Rules of axe that Swagger UI itself violates."""
VIOLATIONS = """() => axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id }) => id))"""


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with running_server(f"en-de={GOLDEN / 'transformer' / 'model'}", "--workers", "1") as running:
        yield running


@pytest.fixture
def page(browser: Browser, server: RunningServer) -> Iterator[Page]:
    """The page; at the end there must be no errors and no requests to other servers."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=False)
    page, problems = context.new_page(), list[str]()
    page.on("console", lambda message: message.type == "error" and problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda request: (
            request.url.startswith((server.url, "data:")) or problems.append(request.url)
        ),
    )
    page.goto(f"{server.url}/docs")
    expect(page.locator(".opblock").first).to_be_visible(timeout=60_000)
    yield page
    assert problems == []
    context.close()


def test_an_operation_is_tried_against_the_server(page: Page) -> None:
    operation = page.locator("#operations-default-translate")
    operation.locator(".opblock-summary-control").click()
    body = {"texts": ["A dog runs."], "beam_size": 1}
    operation.locator("textarea.body-param__text").fill(json.dumps(body))
    operation.get_by_role("button", name="Execute").click()
    answer = operation.locator(".live-responses-table tbody .response-col_status").first
    expect(answer).to_contain_text("200", timeout=60_000)
    expect(operation.locator(".live-responses-table")).to_contain_text("translations")


def test_every_path_of_the_schema_is_listed(page: Page, server: RunningServer) -> None:
    with server.client() as client:
        paths = client.get("/openapi.json").json()["paths"]
    listed = page.locator(".opblock-summary-path").evaluate_all(
        "nodes => nodes.map((node) => node.dataset.path)"
    )
    assert set(listed) == set(paths)


def test_axe_finds_only_violations_of_the_library(browser: Browser, server, axe) -> None:
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    page.goto(f"{server.url}/docs")
    expect(page.locator(".opblock").first).to_be_visible(timeout=60_000)
    page.evaluate(axe)
    assert set(page.evaluate(VIOLATIONS)) <= OF_THE_LIBRARY
    context.close()


def test_files_are_sent_as_gzip_to_those_that_accept_it(server: RunningServer) -> None:
    with server.client() as client:
        path = "/docs/swagger-ui-bundle.js"
        packed = client.get(path)
        assert packed.headers["content-encoding"] == "gzip"
        plain = client.get(path, headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers and plain.text == packed.text
        tag = {"If-None-Match": packed.headers["etag"]}
        assert client.get(path, headers=tag).status_code == 304
