"""A server with a model for several pairs of languages, and one for a single pair."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from regard.client import Client
from regard.errors import ConfigError
from regard.tasks.translation.translator import Translator
from tests.bundles import LINES, make_bundle
from tests.running_server import RunningServer, running_server

pytestmark = pytest.mark.xdist_group("server")

PAIRS = (("en", "fr"), ("en", "de"), ("fr", "en"))


@pytest.fixture(scope="module")
def multilingual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bundle("transformer", tmp_path_factory.mktemp("many") / "many", pairs=PAIRS)


@pytest.fixture(scope="module")
def expected(multilingual: Path) -> dict[str, list[str]]:
    """The translations into each language, offline."""
    translator = Translator.load(multilingual)
    return {
        to: [each.text for each in translator.translate(LINES, to=to)] for to in ("fr", "de", "en")
    }


@pytest.fixture(scope="module")
def server(multilingual: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    other = make_bundle("transformer", tmp_path_factory.mktemp("one") / "one", seed=1)
    models = [f"many={multilingual}", f"en-es={other}", f"en-de={multilingual}"]
    with running_server(*models, "--workers", "1") as running:
        yield running


@pytest.fixture(scope="module")
def http(server: RunningServer) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=server.url, timeout=60) as client:
        yield client


def test_the_tag_changes_translations(expected: dict[str, list[str]]) -> None:
    assert len({tuple(texts) for texts in expected.values()}) == 3


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_request_is_routed_by_its_languages(
    http: httpx2.Client, expected: dict[str, list[str]], source: str, target: str
) -> None:
    languages = {"source_language": source, "target_language": target.upper()}
    answer = http.post("/v1/translate", json={"texts": LINES, **languages}).json()
    assert answer["model"] == "many"
    assert [each["text"] for each in answer["translations"]] == expected[target]


def test_a_model_that_is_named_needs_the_target(
    http: httpx2.Client, expected: dict[str, list[str]]
) -> None:
    request = {"texts": LINES, "model": "many"}
    for missing in (request, {"texts": LINES}, {**request, "source_language": "en"}):
        answer = http.post("/v1/translate", json=missing)
        assert answer.status_code == 404 and "fr, de, en" in answer.json()["error"]
    answer = http.post("/v1/translate", json={**request, "target_language": "es"})
    assert answer.status_code == 404 and "'es'" in answer.json()["error"]
    answer = http.post("/v1/translate", json={**request, "target_language": "de"}).json()
    assert [each["text"] for each in answer["translations"]] == expected["de"]
    answer = http.post("/v1/translate", json={"texts": LINES, "model": "en-de"}).json()
    assert [each["text"] for each in answer["translations"]] == expected["de"]
    unknown = {"source_language": "de", "target_language": "fr"}
    answer = http.post("/v1/translate", json={"texts": LINES, **unknown})
    assert answer.status_code == 404


def test_the_other_routes_take_the_language(http: httpx2.Client, multilingual: Path) -> None:
    languages = {"source_language": "en", "target_language": "fr"}
    request = {"sources": ["A dog runs."], "targets": ["A cat."], **languages}
    (aligned,) = http.post("/v1/align", json=request).json()["alignments"]
    offline = Translator.load(multilingual)
    (links,) = offline.align(["A dog runs."], ["A cat."], to="fr")
    assert {tuple(link) for link in aligned["links"]} == links.links
    assert aligned["source"] == [[0, 1], [2, 5], [6, 10], [10, 11]]
    answer = http.post("/v1/explain", json={"source": "A dog runs.", **languages}).json()
    assert answer["record"]["source"]["pieces"][0] == ">>fr<<"
    page = http.post(
        "/v1/documents", params={"name": "a.txt", **languages}, content=b"A dog runs.\n"
    )
    document = offline.translate_document(b"A dog runs.\n", format="text", to="fr")
    assert page.content == document.content


def test_all_pairs_are_listed(http: httpx2.Client) -> None:
    models = http.get("/v1/models").json()["models"]
    listed = [(each["name"], each["source_language"], each["target_language"]) for each in models]
    assert listed == [
        *(("many", *pair) for pair in PAIRS),
        ("en-es", "en", "es"),
        ("en-de", "en", "de"),
    ]
    languages = {each["code"]: each["targets"] for each in http.get("/languages").json()}
    assert languages == {"en": ["fr", "de", "es"], "fr": ["en"], "de": [], "es": []}
    targets = http.get("/v2/languages", params={"type": "target"}).json()
    assert [each["language"] for each in targets] == ["FR", "DE", "EN-GB", "EN-US", "ES"]


def test_other_interfaces_route_by_languages(
    http: httpx2.Client, expected: dict[str, list[str]]
) -> None:
    for target in ("fr", "de"):
        form = {"q": LINES, "source": "en", "target": target}
        assert http.post("/translate", json=form).json()["translatedText"] == expected[target]
        request = {"text": LINES, "target_lang": target.upper()}
        found = http.post("/v2/translate", json=request).json()["translations"]
        assert [each["text"] for each in found] == expected[target]


def test_the_client_takes_the_language(
    server: RunningServer, expected: dict[str, list[str]]
) -> None:
    with Client(server.url) as client:
        assert [each.text for each in client.translate(LINES, to="fr")] == expected["fr"]
        with pytest.raises(ConfigError, match="fr, de, en"):
            client.translate(LINES)
        translated = client.translate_document(b"A dog runs.\n", format="text", to="fr")
        assert translated.content.decode().strip() == expected["fr"][0].strip()
