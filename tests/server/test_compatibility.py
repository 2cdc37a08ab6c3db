"""The interfaces of LibreTranslate and DeepL, with their official Python clients.

The servers are real processes. LibreTranslate's web page is represented by the requests that its
script sends: it posts `FormData`, that is multipart/form-data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import deepl
import httpx2
import pytest
from libretranslatepy import LibreTranslateAPI

from regard.serve.keys import add_key
from regard.tasks.translation.translator import Translator
from tests.bundles import LINES
from tests.running_server import RunningServer, running_server

pytestmark = pytest.mark.xdist_group("server")

ENGLISH = "The house that my father built stands on the hill behind the church."
FRENCH = "La maison que mon père a construite se trouve sur la colline derrière l'église."
GERMAN = "Das Haus, das mein Vater gebaut hat, steht auf dem Hügel hinter der Kirche."
MAX_CHARACTERS = 2_000
BUDGET = 60  # per minute: two short sentences


@pytest.fixture(scope="module")
def expected(translator: Translator) -> dict[str, str]:
    """Translations of the lines, offline."""
    return {each.source: each.text for each in translator.translate(LINES)}


@pytest.fixture(scope="module")
def server(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server of two pairs with the target de, and one with the target en, without keys."""
    settings = tmp_path_factory.mktemp("settings") / "limits.yaml"
    settings.write_text(f"max_characters: {MAX_CHARACTERS}\nmax_texts: 20\n")
    models = [f"{pair}={bundle}" for pair in ("en-de", "fr-de", "de-en")]
    with running_server(*models, "--workers", "1", "--settings", settings) as running:
        yield running


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A key file, a key, and a key with a small budget."""
    path = tmp_path_factory.mktemp("keys") / "keys.json"
    return path, add_key(path, "all"), add_key(path, "little", budget=BUDGET)


@pytest.fixture(scope="module")
def guarded(bundle: Path, keys: tuple[Path, str, str]) -> Iterator[RunningServer]:
    """A server that needs a key."""
    with running_server(f"en-de={bundle}", "--workers", "1", "--keys", keys[0]) as running:
        yield running


@pytest.fixture
def _no_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deepl.http_client, "max_network_retries", 0)


def libretranslate_error(error: pytest.ExceptionInfo[HTTPError]) -> tuple[int, str]:
    """The status and the message of an error that LibreTranslate's client has raised."""
    with error.value as answer:
        content = json.loads(answer.read())
    assert list(content) == ["error"]
    return answer.code, content["error"]


# LibreTranslate, with its official client


def test_libretranslate_client_translates(server: RunningServer, expected: dict[str, str]) -> None:
    client = LibreTranslateAPI(server.url)
    for line in LINES:
        assert client.translate(line, "en", "de") == expected[line]
    assert client.translate("\n".join(LINES[:2]), "en", "de") == "\n".join(
        expected[line] for line in LINES[:2]
    )


def test_libretranslate_client_lists_languages(server: RunningServer) -> None:
    assert LibreTranslateAPI(server.url, api_key="any").languages() == [
        {"code": "en", "name": "English", "targets": ["de"]},
        {"code": "fr", "name": "French", "targets": ["de"]},
        {"code": "de", "name": "German", "targets": ["en"]},
    ]


@pytest.mark.parametrize(
    ("text", "source", "target", "message"),
    [
        ("", "en", "de", "missing q"),
        ("A dog.", "", "de", "missing source"),
        ("A dog.", "en", "", "missing target"),
        ("A dog.", "en", "zz", "zz is not supported. The target languages are: de, en."),
        ("A dog.", "xx", "de", "xx is not supported. The source languages are: en, fr, de."),
        ("A dog.", "fr", "en", "English (en) is not available as a target language from French"),
        ("A" * (MAX_CHARACTERS + 1), "en", "de", f"the limit is {MAX_CHARACTERS:,}"),
    ],
)
def test_libretranslate_client_gets_errors(
    server: RunningServer, text: str, source: str, target: str, message: str
) -> None:
    with pytest.raises(HTTPError) as error:
        LibreTranslateAPI(server.url).translate(text, source, target)
    status, found = libretranslate_error(error)
    assert status == 400 and message in found


def test_libretranslate_client_detects_languages(server: RunningServer) -> None:
    for text, language in ((ENGLISH, "en"), (FRENCH, "fr"), (GERMAN, "de")):
        detected = LibreTranslateAPI(server.url).detect(text)
        assert detected[0]["language"] == language and detected[0]["confidence"] > 90
        assert len(detected) == 3
        assert [each["confidence"] for each in detected[1:]] == [0, 0]
    unclear = LibreTranslateAPI(server.url).detect("123")
    assert unclear[0]["language"] == "en" and unclear[0]["confidence"] <= 1


def test_libretranslate_client_sends_its_key(
    guarded: RunningServer, keys: tuple[Path, str, str], expected: dict[str, str]
) -> None:
    client = LibreTranslateAPI(guarded.url, keys[1])
    assert client.translate(LINES[0], "en", "de") == expected[LINES[0]]
    for wrong, status in (("rgd_wrong", 403), (None, 400)):
        client = LibreTranslateAPI(guarded.url, wrong)
        for call in (client.translate, client.detect):
            with pytest.raises(HTTPError) as error:
                call(LINES[0])
            found, message = libretranslate_error(error)
            assert found == status and "key" in message
    assert LibreTranslateAPI(guarded.url).languages()  # as in LibreTranslate, without a key


def test_libretranslate_client_exceeds_a_budget(
    guarded: RunningServer, keys: tuple[Path, str, str]
) -> None:
    client = LibreTranslateAPI(guarded.url, keys[2])
    with pytest.raises(HTTPError) as error:  # noqa: PT012
        for _ in range(20):
            client.translate("A man sees a dog.", "en", "de")
    assert int(error.value.headers["Retry-After"]) >= 1
    assert libretranslate_error(error)[0] == 429


# LibreTranslate, as its web page uses it


def test_the_web_page_of_libretranslate(server: RunningServer, expected: dict[str, str]) -> None:
    """The requests of its app.js, in order, and what it reads of the answers."""
    with server.client() as client:
        settings = client.get("/frontend/settings").raise_for_status().json()
        source, target = settings["language"]["source"], settings["language"]["target"]
        assert (source, target) == (
            {"code": "en", "name": "English"},
            {"code": "de", "name": "German"},
        )
        assert settings["charLimit"] == MAX_CHARACTERS
        assert settings["frontendTimeout"] == 500
        assert settings["suggestions"] is False
        languages = {each["code"]: each for each in client.get("/languages").json()}
        # The page looks up each target in the list, and fails if one is missing.
        assert all(code in languages for each in languages.values() for code in each["targets"])
        answer = client.post("/translate", files=form(q=LINES[0])).raise_for_status().json()
        assert answer["translatedText"] == expected[LINES[0]]
        alternatives = answer["alternatives"]
        assert 1 <= len(alternatives) <= 3
        assert len({*alternatives, answer["translatedText"]}) == len(alternatives) + 1
        answer = client.post("/translate", files=form(q=GERMAN, source="auto", target="en")).json()
        assert answer["detectedLanguage"]["language"] == "de"
        assert answer["detectedLanguage"]["confidence"] > 90
        # A browser ends lines with CR LF.
        lines = client.post("/translate", files=form(q="\r\n".join(LINES[:2]))).json()
        assert lines["translatedText"] == "\n".join(expected[line] for line in LINES[:2])
        refused = client.post("/translate", files=form(q="<b>A dog</b>", format="md"))
        assert refused.status_code == 400 and "format" in refused.json()["error"]


def form(**fields: str) -> dict[str, tuple[None, str]]:
    """The fields of the web page as multipart/form-data, some of them replaced."""
    defaults = {
        "source": "en",
        "target": "de",
        "format": "text",
        "alternatives": "3",
        "api_key": "",
        "secret": "x",
    }
    return {name: (None, value) for name, value in (defaults | fields).items()}


def test_multipart_forms_of_a_browser(server: RunningServer, expected: dict[str, str]) -> None:
    """The bytes that Chromium and Firefox send."""
    boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW"
    fields = {"q": LINES[0], "source": "en", "target": "de"}
    body = "".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    )
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    with server.client() as client:
        answer = client.post("/translate", content=f"{body}--{boundary}--\r\n", headers=headers)
        assert answer.json() == {"translatedText": expected[LINES[0]]}
        for damaged in (
            body,  # cut
            body.replace("name=", "nome=") + f"--{boundary}--",
            "x" + body + f"--{boundary}--",
            f"--{boundary}\r\nno header\r\n--{boundary}--",
            "",
            "\udcff",
        ):
            answer = client.post(
                "/translate", content=damaged.encode("utf-8", "surrogateescape"), headers=headers
            )
            assert answer.status_code == 400 and "not valid" in answer.json()["error"]
        nested = (
            f"--{boundary}\r\nContent-Type: multipart/mixed; boundary={boundary}\r\n\r\n" * 5_000
        )
        answer = client.post("/translate", content=nested, headers=headers)
        assert answer.status_code == 400
        answer = client.post("/translate", files={"q": ("a.txt", b"A dog.")})
        assert answer.status_code == 400 and "files" in answer.json()["error"]


def test_libretranslate_json(server: RunningServer, expected: dict[str, str]) -> None:
    pair = {"source": "en", "target": "de"}
    with server.client() as client:
        answer = client.post("/translate", json={"q": LINES, **pair, "api_key": None})
        assert answer.json() == {"translatedText": [expected[line] for line in LINES]}
        answer = client.post("/translate", json={"q": LINES[:2], **pair, "alternatives": 2})
        assert [len(each) <= 2 for each in answer.json()["alternatives"]] == [True, True]
        regional = client.post("/translate", json={"q": "Go!", "source": "en-GB", "target": "de"})
        assert regional.json()["translatedText"] == expected["Go!"]
        for content, message in (
            ({"q": "Go!", **pair, "alternatives": 99}, "alternatives parameter must be <= 15"),
            ({"q": "Go!", **pair, "alternatives": "x"}, "alternatives"),
            ({"q": {"a": "b"}, **pair}, "q"),
            ({"q": ["Go!"] * 21, **pair}, "the limit is 20"),
            ({"q": [], **pair}, "missing q"),
            ([], "JSON object"),
        ):
            answer = client.post("/translate", json=content)
            assert answer.status_code == 400 and message in answer.json()["error"]
        plain = client.post("/translate", content=b"Go!", headers={"Content-Type": "text/plain"})
        assert plain.status_code == 400 and "Content-Type" in plain.json()["error"]
        large = client.post("/translate", content=b"x" * (1 << 20) + b"x")
        assert large.status_code == 413 and "bytes" in large.json()["error"]
        assert client.get("/translate").status_code == 405


# DeepL, with its official client


def test_deepl_client_translates(server: RunningServer, expected: dict[str, str]) -> None:
    client = deepl.DeepLClient("any", server_url=server.url)
    one = client.translate_text(LINES[0], source_lang="EN", target_lang="DE")
    assert isinstance(one, deepl.TextResult)
    assert (one.text, one.detected_source_lang) == (expected[LINES[0]], "EN")
    assert one.billed_characters == len(LINES[0])
    many = client.translate_text([*LINES, ""], source_lang="EN", target_lang="DE")
    assert isinstance(many, list)
    assert [each.text for each in many] == [*(expected[line] for line in LINES), ""]


def test_deepl_client_names_no_source(server: RunningServer, expected: dict[str, str]) -> None:
    client = deepl.DeepLClient("any", server_url=server.url)
    found = client.translate_text("Go!", target_lang="EN-GB")  # only from de
    assert isinstance(found, deepl.TextResult)
    assert (found.text, found.detected_source_lang) == (expected["Go!"], "DE")
    several = client.translate_text([FRENCH, ENGLISH, FRENCH], target_lang="DE")
    assert isinstance(several, list)
    assert [each.detected_source_lang for each in several] == ["FR", "EN", "FR"]
    for text, each in zip((FRENCH, ENGLISH, FRENCH), several, strict=True):
        named = client.translate_text(text, source_lang="EN", target_lang="DE")
        assert isinstance(named, deepl.TextResult) and each.text == named.text


def test_deepl_client_lists_languages(server: RunningServer) -> None:
    client = deepl.DeepLClient("any", server_url=server.url)
    sources = [(each.code, each.name) for each in client.get_source_languages()]
    assert sources == [("EN", "English"), ("FR", "French"), ("DE", "German")]
    targets = client.get_target_languages()
    assert [each.code for each in targets] == ["DE", "EN-GB", "EN-US"]
    assert not any(each.supports_formality for each in targets)
    for target in targets:
        source = "EN" if target.code == "DE" else "DE"
        client.translate_text("Go!", source_lang=source, target_lang=target)


def test_deepl_languages_of_a_resource(
    server: RunningServer, guarded: RunningServer, keys: tuple[Path, str, str]
) -> None:
    """`GET /v3/languages`, as Weblate 2026.10 reads it."""
    with server.client() as client:
        languages = client.get("/v3/languages", params={"resource": "translate_text"}).json()
        assert languages[0] == {
            "lang": "en",
            "name": "English",
            "usable_as_source": True,
            "usable_as_target": False,
            "status": "stable",
            "features": {},
        }
        usable = [(each["lang"], each["usable_as_target"]) for each in languages]
        assert usable == [
            *(("en", False), ("en-GB", True), ("en-US", True)),
            *(("fr", False), ("de", True)),
        ]
        sources = [each["lang"] for each in languages if each["usable_as_source"]]
        assert sources == ["en", "fr", "de"]
        assert client.get("/v3/languages", params={"resource": "write"}).json() == []
        for parameters in ({}, {"resource": "all"}):
            answer = client.get("/v3/languages", params=parameters)
            assert answer.status_code == 400 and "resource" in answer.json()["message"]
        assert client.post("/v3/languages").status_code == 405
    with guarded.client(keys[1]) as client:
        query = {"resource": "translate_text"}
        assert client.get("/v3/languages", params=query).status_code == 200
        wrong = {"Authorization": "DeepL-Auth-Key wrong"}
        assert client.get("/v3/languages", params=query, headers=wrong).status_code == 403


def test_deepl_client_reads_the_usage(
    server: RunningServer, guarded: RunningServer, keys: tuple[Path, str, str]
) -> None:
    for url, key in ((server.url, "any"), (guarded.url, keys[1])):
        client = deepl.DeepLClient(key, server_url=url)
        before = client.get_usage().character
        client.translate_text(["A dog", "runs."], source_lang="EN", target_lang="DE")
        after = client.get_usage()
        assert before.count is not None and after.character.count == before.count + 10
        assert after.character.valid and not after.any_limit_reached


def test_deepl_client_accepts_parameters_that_change_nothing(
    server: RunningServer, expected: dict[str, str]
) -> None:
    client = deepl.DeepLClient("any", server_url=server.url)
    found = client.translate_text(
        LINES[0],
        source_lang="EN",
        target_lang="DE",
        split_sentences="0",
        preserve_formatting=True,
        formality="prefer_more",
        model_type="prefer_quality_optimized",
        outline_detection=False,
        context="",
        ignore_tags=[],
    )
    assert isinstance(found, deepl.TextResult)
    assert (found.text, found.model_type_used) == (expected[LINES[0]], "latency_optimized")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target_lang": "ZZ"}, "ZZ is not supported. The target languages are: de, en."),
        ({"source_lang": "XX"}, "XX is not supported"),
        ({"formality": "more"}, "formality"),
        ({"model_type": "quality_optimized"}, "model_type"),
        ({"glossary": "a-b-c"}, "Start it with `regard serve --store FILE`"),
        ({"tag_handling": "md"}, "tag_handling"),
        ({"ignore_tags": "x"}, "ignore_tags"),
        ({"context": "On a farm."}, "context"),
        ({"custom_instructions": ["Be brief."]}, "custom_instructions"),
        ({"split_sentences": "nonewlines", "text": "A\nB"}, "line breaks"),
        ({"extra_body_parameters": {"new_parameter": 7}}, "new_parameter"),
        ({"text": []}, "at least one text"),
    ],
)
def test_deepl_client_gets_errors(
    server: RunningServer, options: dict[str, Any], message: str
) -> None:
    client = deepl.DeepLClient("any", server_url=server.url)
    options = {"text": "A dog.", "source_lang": "EN", "target_lang": "DE"} | options
    with pytest.raises(deepl.DeepLException, match="Bad request") as error:
        client.translate_text(**options)
    assert message in str(error.value) and error.value.http_status_code == 400


def test_deepl_client_sends_too_much(server: RunningServer) -> None:
    client = deepl.DeepLClient("any", server_url=server.url)
    for text in ("A" * (MAX_CHARACTERS + 1), ["A dog."] * 21):
        with pytest.raises(deepl.DeepLException, match="the limit is") as error:
            client.translate_text(text, source_lang="EN", target_lang="DE")
        assert error.value.http_status_code == 413


def test_deepl_client_has_a_wrong_key(guarded: RunningServer) -> None:
    client = deepl.DeepLClient("rgd_wrong", server_url=guarded.url)
    for call in (
        client.get_usage,
        client.get_source_languages,
        client.get_target_languages,
        lambda: client.translate_text("A dog.", target_lang="DE"),
    ):
        with pytest.raises(deepl.AuthorizationException, match="DeepL-Auth-Key"):
            call()


@pytest.mark.usefixtures("_no_retries")
def test_deepl_client_exceeds_a_budget(guarded: RunningServer, keys: tuple[Path, str, str]) -> None:
    client = deepl.DeepLClient(keys[2], server_url=guarded.url)
    with pytest.raises(deepl.TooManyRequestsException, match="budget"):  # noqa: PT012
        for _ in range(20):
            client.translate_text("A man sees a dog.", target_lang="DE")


def test_deepl_forms(server: RunningServer, expected: dict[str, str]) -> None:
    """Older clients send forms in which `text` occurs several times."""
    with server.client() as client:
        answer = client.post(
            "/v2/translate", data={"text": LINES, "target_lang": "de", "source_lang": "en-US"}
        )
        assert answer.json() == {
            "translations": [
                {"detected_source_language": "EN", "text": expected[line]} for line in LINES
            ]
        }
        one = client.post("/v2/translate", data={"text": "Go!", "target_lang": "EN"}).json()
        assert one["translations"][0]["text"] == expected["Go!"]
        for way in ("GET", "POST"):
            found = client.request(way, "/v2/languages", params={"type": "target"}).json()
            assert found[0] == {"language": "DE", "name": "German", "supports_formality": False}
        assert client.post("/v2/usage").json()["character_limit"] == 10**12
        for answer in (
            client.post("/v2/translate", data={"target_lang": "DE"}),
            client.post("/v2/translate", content="text=%FF", headers=URLENCODED),
            client.get("/v2/languages", params={"type": "both"}),
        ):
            assert answer.status_code == 400 and list(answer.json()) == ["message"]
        assert "message" in client.get("/v2/nothing").json()


URLENCODED = httpx2.Headers({"Content-Type": "application/x-www-form-urlencoded"})
