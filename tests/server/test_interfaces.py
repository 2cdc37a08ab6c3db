"""The handlers of DeepL's and LibreTranslate's interfaces, without engines.

`test_compatibility.py` runs their official clients against real servers. Here the translation is
a fixed text for each source text, so every parameter and every field of an answer is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from starlette.requests import Request
from starlette.routing import Router
from starlette.testclient import TestClient

from regard.serve.batcher import Batcher, QueueFullError
from regard.serve.compatibility import Translate
from regard.serve.deepl import DEEPL_ERRORS, NO_LIMIT, deepl_routes
from regard.serve.http import RequestMiddleware
from regard.serve.keys import Keyring, StoredKey, _digest
from regard.serve.libretranslate import LIBRETRANSLATE_ERRORS, libretranslate_routes
from regard.serve.limits import RequestError
from regard.serve.metrics import ServerMetrics
from regard.serve.models import ServedModel
from regard.serve.schemas import RankedTranslation, TranslateRequest, Translation
from regard.serve.service import TranslationService
from regard.serve.settings import ServerSettings
from tests.server.served_model import served_model

KEY, USED = "rgd_secret", 4_711
STORED = StoredKey(name="website", digest=_digest(KEY))


@dataclass
class Registry:
    models: dict[str, ServedModel]


class Service(TranslationService):
    """What the handlers use of the service: models, limits and the queue."""

    def __init__(self, *names: str) -> None:
        registry: Any = Registry({name: served_model(name) for name in names})
        self.registry = registry
        self.settings = ServerSettings(max_beam_size=4, max_characters=1_234)
        self.batcher = Batcher(batch_cost=1, wait=0.0, max_cost=1, max_seconds=10.0)


class Interfaces:
    """The routes of both interfaces, and what reached the translation."""

    def __init__(
        self, *names: str, keyring: Keyring | None = None, translate: Translate | None = None
    ) -> None:
        translate = translate or self.translate
        self.requests: list[tuple[TranslateRequest, StoredKey | None]] = []
        self.service = service = Service(*names)
        routes = [
            *libretranslate_routes(service, keyring, translate),
            *deepl_routes(service, keyring, translate, lambda key: USED if key else 0),
        ]
        errors = LIBRETRANSLATE_ERRORS | DEEPL_ERRORS
        self.client = TestClient(RequestMiddleware(Router(routes), ServerMetrics(), errors))

    async def translate(
        self, request: Request, asked: TranslateRequest, key: StoredKey | None
    ) -> tuple[ServedModel, list[Translation]]:
        self.requests.append((asked, key))
        return self.service.registry.models[str(asked.model)], [
            Translation(
                text=f"<{text}>",
                score=0.0,
                n_best=[
                    RankedTranslation(text=other, score=0.0)
                    for other in (f"<{text}>", "b", "", "b", "c")
                ],
            )
            for text in asked.texts
        ]

    def post(self, path: str, key: str | None = None, **body: Any) -> tuple[int, Any]:
        headers = {"Authorization": f"DeepL-Auth-Key {key}"} if key else {}
        answer = self.client.post(path, json=body, headers=headers)
        assert answer.headers["content-type"] == "application/json"
        return answer.status_code, answer.json()

    def get(self, path: str, key: str | None = None) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        answer = self.client.get(path, headers=headers)
        return answer.status_code, answer.json()


@pytest.fixture
def open_() -> Interfaces:
    return Interfaces("en-de", "fr-de", "de-en", "en-pt")


@pytest.fixture
def guarded() -> Interfaces:
    return Interfaces("en-de", keyring=Keyring([STORED]))


def test_deepl_translates_one_text_or_several(open_: Interfaces) -> None:
    one = open_.post("/v2/translate", text="A dog.", source_lang="EN", target_lang="DE")
    assert one == (
        200,
        {"translations": [{"detected_source_language": "EN", "text": "<A dog.>"}]},
    )
    status, several = open_.post("/v2/translate", text=["a", "b\nc"], target_lang="EN-US")
    assert status == 200 and [each["text"] for each in several["translations"]] == ["<a>", "<b\nc>"]
    assert {each["detected_source_language"] for each in several["translations"]} == {"DE"}
    assert open_.requests == [
        (
            TranslateRequest(
                model="en-de", source_language="en", target_language="de", texts=["A dog."]
            ),
            None,
        ),
        (
            TranslateRequest(
                model="de-en", source_language="de", target_language="en", texts=["a", "b\nc"]
            ),
            None,
        ),
    ]


@pytest.mark.parametrize(
    "nothing",
    [
        {"glossary_id": None, "context": "", "custom_instructions": [], "tags": {}, "x": False},
        {"formality": "prefer_more", "preserve_formatting": True, "outline_detection": False},
        {"split_sentences": None},
        {"split_sentences": 1},
        {"split_sentences": "0"},
        {"split_sentences": "nonewlines", "enable_beta_languages": True},
    ],
    ids=str,
)
def test_deepl_accepts_what_changes_nothing(open_: Interfaces, nothing: dict[str, Any]) -> None:
    status, answer = open_.post("/v2/translate", text="a", target_lang="EN-US", **nothing)
    assert (status, answer["translations"][0]["text"]) == (200, "<a>")


def test_deepl_states_characters_and_the_kind_of_model(open_: Interfaces) -> None:
    options = {"show_billed_characters": True, "model_type": "prefer_quality_optimized"}
    _, answer = open_.post("/v2/translate", text=["äh", "b"], target_lang="EN-GB", **options)
    assert [each["billed_characters"] for each in answer["translations"]] == [2, 1]
    assert {each["model_type_used"] for each in answer["translations"]} == {"latency_optimized"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"text": []}, "text: is empty"),
        ({"target_lang": None}, "target_lang"),
        ({"target_lang": "XX"}, "XX is not supported"),
        ({"source_lang": "EN", "target_lang": "EN-US"}, "not available as a target"),
        ({"glossary_id": "7"}, "glossary_id: needs source_lang"),
        ({"tag_handling": "md"}, "tag_handling"),
        ({"x" * 50: 1}, f"{'x' * 40}: this server"),
        ({"formality": "more"}, "formality"),
        ({"split_sentences": "2"}, "split_sentences"),
        ({"split_sentences": "0", "text": ["a", "b\nc"]}, "split_sentences: 0 is not supported"),
    ],
    ids=str,
)
def test_deepl_refuses_what_it_cannot_do(
    open_: Interfaces, body: dict[str, Any], message: str
) -> None:
    status, answer = open_.post("/v2/translate", **{"text": "a", "target_lang": "EN-US"} | body)
    assert status == 400 and list(answer) == ["message"] and message in answer["message"]
    assert not open_.requests


def test_deepl_lists_languages(open_: Interfaces) -> None:
    status, sources = open_.get("/v2/languages")
    assert status == 200 and sources == [
        {"language": "EN", "name": "English"},
        {"language": "FR", "name": "French"},
        {"language": "DE", "name": "German"},
    ]
    expected = [
        ("DE", "German"),
        ("EN-GB", "English (British)"),
        ("EN-US", "English (American)"),
        ("PT-BR", "Portuguese (Brazilian)"),
        ("PT-PT", "Portuguese (European)"),
    ]
    targets = [
        {"language": code, "name": name, "supports_formality": False} for code, name in expected
    ]
    assert open_.get("/v2/languages?type=target") == (200, targets)
    assert open_.post("/v2/languages", type="target") == (200, targets)
    assert open_.get("/v2/languages?type=all")[0] == 400


def test_deepl_needs_a_key(guarded: Interfaces) -> None:
    body = {"text": "a", "target_lang": "DE"}
    for key in (None, "wrong"):
        status, answer = guarded.post("/v2/translate", key, **body)
        assert status == 403 and "DeepL-Auth-Key KEY" in answer["message"]
        assert guarded.get("/v2/languages", key)[0] == guarded.get("/v2/usage", key)[0] == 403
    assert guarded.post("/v2/translate", KEY, **body)[0] == 200
    assert [key for _, key in guarded.requests] == [STORED]
    assert guarded.get("/v2/languages", KEY)[0] == 200
    usage = {"character_count": USED, "character_limit": NO_LIMIT}
    assert guarded.get("/v2/usage", KEY) == (200, usage)
    assert NO_LIMIT == 10**12  # DeepL's value for "no limit"


def test_libretranslate_translates_one_text_or_several(open_: Interfaces) -> None:
    one = open_.post("/translate", q="A dog.", source="en", target="de")
    assert one == (200, {"translatedText": "<A dog.>"})
    several = open_.post("/translate", q=["a", "b"], source="fr", target="de", format="text")
    assert several == (200, {"translatedText": ["<a>", "<b>"]})
    assert open_.requests == [
        (
            TranslateRequest(
                model="en-de", source_language="en", target_language="de", texts=["A dog."]
            ),
            None,
        ),
        (
            TranslateRequest(
                model="fr-de", source_language="fr", target_language="de", texts=["a", "b"]
            ),
            None,
        ),
    ]


ENGLISH = "The house that my father built stands on the hill behind the church."
FRENCH = "La maison que mon père a construite se trouve sur la colline derrière l'église."


def test_libretranslate_names_the_source_of_auto(open_: Interfaces) -> None:
    _, answer = open_.post("/translate", q="a", source="auto", target="en")
    assert answer["translatedText"] == "<a>"
    detected = answer["detectedLanguage"]
    assert detected["language"] == "de" and 0 <= detected["confidence"] < 20
    body = {"source": "auto", "target": "de", "alternatives": 1}
    _, answer = open_.post("/translate", q=[FRENCH, ENGLISH, FRENCH], **body)
    assert answer["translatedText"] == [f"<{FRENCH}>", f"<{ENGLISH}>", f"<{FRENCH}>"]
    assert [each["language"] for each in answer["detectedLanguage"]] == ["fr", "en", "fr"]
    assert min(each["confidence"] for each in answer["detectedLanguage"]) > 90
    assert open_.requests[1:] == [
        (
            TranslateRequest(
                model="fr-de",
                source_language="fr",
                target_language="de",
                texts=[FRENCH] * 2,
                n_best=2,
            ),
            None,
        ),
        (
            TranslateRequest(
                model="en-de", source_language="en", target_language="de", texts=[ENGLISH], n_best=2
            ),
            None,
        ),
    ]


def test_deepl_detects_the_source_of_each_text(open_: Interfaces) -> None:
    _, answer = open_.post("/v2/translate", text=[FRENCH, ENGLISH], target_lang="DE")
    assert answer["translations"] == [
        {"detected_source_language": "FR", "text": f"<{FRENCH}>"},
        {"detected_source_language": "EN", "text": f"<{ENGLISH}>"},
    ]
    assert [asked.model for asked, _ in open_.requests] == ["fr-de", "en-de"]


def test_libretranslate_detects_the_language_of_a_text(open_: Interfaces) -> None:
    for text in (FRENCH, [FRENCH, ENGLISH[:10]]):
        status, answer = open_.post("/detect", q=text)
        assert status == 200 and [each["language"] for each in answer[:1]] == ["fr"]
        assert {each["language"] for each in answer} == {"en", "fr", "de"}
        assert answer[0]["confidence"] > 50
    spanish = "La casa que construyó mi padre está en la colina detrás de la iglesia."
    _, answer = open_.post("/detect", q=spanish)
    assert answer[0]["confidence"] < 10  # the server does not translate from it
    for body, message in (({}, "missing q"), ({"q": "a" * 1_235}, "the limit is 1,234")):
        status, answer = open_.post("/detect", **body)
        assert status == 400 and message in answer["error"]
    status, answer = Interfaces("model").post("/detect", q="a")
    assert status == 400 and "languages of this server's models are not known" in answer["error"]


def test_libretranslate_answers_nemo_curator(open_: Interfaces) -> None:
    status, answer = open_.post("/translate", texts=["a", "b"], src_lang="en", tgt_lang="de")
    assert (status, answer["translations"]) == (200, ["<a>", "<b>"])
    status, answer = open_.post("/translate", texts=["a"], tgt_lang="de")
    assert (status, answer) == (400, {"error": "Invalid request: missing source parameter"})


def test_libretranslate_gives_other_alternatives(open_: Interfaces) -> None:
    body = {"source": "en", "target": "de", "alternatives": 3}
    _, answer = open_.post("/translate", q="a", **body)
    assert answer == {"translatedText": "<a>", "alternatives": ["b", "c"]}
    _, answer = open_.post("/translate", q=["a"], **body)
    assert answer == {"translatedText": ["<a>"], "alternatives": [["b", "c"]]}
    assert [asked.n_best for asked, _ in open_.requests] == [4, 4]
    status, answer = open_.post("/translate", q="a", **body | {"alternatives": 4})
    assert (status, answer) == (
        400,
        {"error": "Invalid request: alternatives parameter must be <= 3"},
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"q": ""}, "missing q"),
        ({"q": []}, "missing q"),
        ({"source": None}, "missing source"),
        ({"target": ""}, "missing target"),
        ({"format": "html", "alternatives": 1}, "alternatives are not available for html"),
        ({"format": "x" * 30}, "format: Input should be 'text' or 'html'"),
        ({"alternatives": -1}, "alternatives"),
        ({"target": "xx"}, "xx is not supported"),
    ],
    ids=str,
)
def test_libretranslate_refuses_what_it_cannot_do(
    open_: Interfaces, body: dict[str, Any], message: str
) -> None:
    whole = {"q": "a", "source": "en", "target": "de"} | body
    status, answer = open_.post("/translate", **whole)
    assert status == 400 and list(answer) == ["error"] and message in answer["error"]
    assert not open_.requests


def test_libretranslate_lists_languages_and_settings(open_: Interfaces) -> None:
    assert open_.get("/languages") == (
        200,
        [
            {"code": "en", "name": "English", "targets": ["de", "pt"]},
            {"code": "fr", "name": "French", "targets": ["de"]},
            {"code": "de", "name": "German", "targets": ["en"]},
            {"code": "pt", "name": "Portuguese", "targets": []},
        ],
    )
    _, settings = open_.get("/frontend/settings")
    assert {".docx", ".html", ".txt"} <= set(settings.pop("supportedFilesFormat"))
    assert settings == {
        "charLimit": 1_234,
        "frontendTimeout": 500,
        "apiKeys": False,
        "keyRequired": False,
        "suggestions": False,
        "filesTranslation": True,
        "language": {
            "source": {"code": "en", "name": "English"},
            "target": {"code": "de", "name": "German"},
        },
    }


def test_libretranslate_needs_a_key(guarded: Interfaces) -> None:
    body = {"q": "a", "source": "en", "target": "de"}
    for path in ("/translate", "/detect"):
        missing = {"error": "Invalid request: missing api_key parameter"}
        assert guarded.post(path, **body) == (400, missing)
        wrong = guarded.post(path, **body, api_key="wrong")
        assert wrong == (403, {"error": "Invalid API key"})
    assert guarded.post("/translate", **body, api_key=KEY)[0] == 200
    assert guarded.post("/translate", KEY, **body)[0] == 200
    assert [key for _, key in guarded.requests] == [STORED, STORED]
    assert guarded.get("/languages")[0] == 200
    _, settings = guarded.get("/frontend/settings")
    assert settings["apiKeys"] is settings["keyRequired"] is True


def test_a_busy_server_answers_at_once(open_: Interfaces, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise QueueFullError(7.2)

    monkeypatch.setattr(open_.service.batcher, "check", refuse)
    for path in ("/translate", "/v2/translate"):
        answer = open_.client.post(path, content=b"not read")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "8")
        assert "busy" in next(iter(answer.json().values()))


FORM = "application/x-www-form-urlencoded"


def send(
    interfaces: Interfaces, content: bytes, kind: str, path: str = "/translate"
) -> tuple[int, Any]:
    answer = interfaces.client.post(path, content=content, headers={"Content-Type": kind})
    return answer.status_code, answer.json()


def multipart(*parts: str, end: str = "--B--\r\n") -> bytes:
    return ("".join(f"--B\r\n{part}\r\n" for part in parts) + end).encode()


def part(name: str, value: str, extra: str = "") -> str:
    header = f'Content-Disposition: form-data; name="{name}"{extra}'
    return f"{header}\r\nContent-Type: text/plain\r\n\r\n{value}"


LANGUAGES = (part("source", "en"), part("target", "de"))


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (
            b'{"q": "a\\nb \xc3\xa9", "source": "en", "target": "de"}',
            "Application/JSON; charset=utf-8",
        ),
        (b"q=a%0D%0Ab+%C3%A9&source=en&target=de&format=", FORM),
        (multipart(part("q", "a\r\nb é"), *LANGUAGES), "multipart/form-data; boundary=B"),
        (multipart(part("q", "a\nb é"), *LANGUAGES), 'multipart/form-data; boundary="B"'),
    ],
)
def test_json_and_forms_give_the_same_request(open_: Interfaces, content: bytes, kind: str) -> None:
    assert send(open_, content, kind) == (200, {"translatedText": "<a\nb é>"})


def test_a_name_that_occurs_several_times_has_a_list(open_: Interfaces) -> None:
    status, answer = send(open_, b"q=a&q=b&source=en&target=de", FORM)
    assert (status, answer) == (200, {"translatedText": ["<a>", "<b>"]})
    status, answer = send(open_, b"text=a&text=b&target_lang=EN-US", FORM, "/v2/translate")
    assert [each["text"] for each in answer["translations"]] == ["<a>", "<b>"]


def test_the_query_is_read_and_the_body_decides(open_: Interfaces) -> None:
    path = "/translate?source=fr&target=de"
    assert send(open_, b"q=a", FORM, path)[0] == 200
    assert send(open_, b'{"q": "a", "source": "en"}', "application/json", path)[0] == 200
    assert open_.client.post(f"{path}&q=a").status_code == 200
    assert [asked.model for asked, _ in open_.requests] == ["fr-de", "en-de", "fr-de"]


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        (b"[]", "application/json", "The body must be a JSON object."),
        (b"{", "application/json", "The body is not valid application/json in UTF-8."),
        (b'{"q": "\xff"}', "application/json", "is not valid application/json"),
        (b"q=%ff", FORM, f"The body is not valid {FORM[:40]} in UTF-8."),
        (b"q=\xff", FORM, "is not valid"),
        (b"q", "text/plain", "Send JSON or a form"),
        (b"q", "", "Send JSON or a form"),
        (multipart(part("q", "a")), "multipart/form-data", "is not valid multipart/form-data"),
        (multipart(part("q", "a"), end=""), "multipart/form-data; boundary=B", "is not valid"),
        (b"x" + multipart(part("q", "a")), "multipart/form-data; boundary=B", "is not valid"),
        (multipart("X: y\r\n\r\nvalue"), "multipart/form-data; boundary=B", "is not valid"),
        (
            multipart('Content-Disposition: form-data; name="q"'),
            "multipart/form-data; boundary=B",
            "is not valid",
        ),
        (
            multipart(part("q", "a", '; filename="x.txt"')),
            "multipart/form-data; boundary=B",
            "q: files are not supported. Send texts.",
        ),
    ],
)
def test_damaged_bodies_are_refused(
    open_: Interfaces, content: bytes, kind: str, message: str
) -> None:
    status, answer = send(open_, content, kind)
    assert status == 400 and message in answer["error"], answer
    assert not open_.requests


def test_a_body_that_is_too_large_keeps_the_status_that_closes_the_connection() -> None:
    interfaces = Interfaces("en-de")
    interfaces.service.settings = ServerSettings(max_body_bytes=20)
    for path in ("/translate", "/v2/translate"):
        answer = interfaces.client.post(path, content=b"x" * 21)
        assert (answer.status_code, answer.headers["connection"]) == (413, "close")


@pytest.mark.parametrize("status", [401, 404, 408, 413, 415, 422, 500, 503])
@pytest.mark.parametrize("path", ["/translate", "/v2/translate"])
def test_errors_have_the_statuses_of_the_interface(path: str, status: int) -> None:
    async def fail(*arguments: Any) -> Any:
        raise RequestError("Zu groß: ü", status)

    statuses = {401: 403, 404: 400, 415: 400, 422: 400}
    body = {"text": "a", "target_lang": "DE"}
    if path == "/translate":
        body = {"q": "a", "source": "en", "target": "de"}
        statuses[413] = 400
    answer = Interfaces("en-de", translate=fail).client.post(path, json=body)
    assert answer.status_code == statuses.get(status, status)
    assert "Zu groß: ü" in answer.text  # not escaped
