"""Texts with markup, placeholders and terms, through every interface that takes texts."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import deepl
import httpx2
import psutil
import pytest
from deepl.api_data import MultilingualGlossaryDictionaryEntries
from libretranslatepy import LibreTranslateAPI

from regard.client import Client
from regard.documents.formats.texts import XmlTags
from regard.errors import ConfigError
from regard.serve.keys import add_key
from regard.tasks.translation.marked_texts import MarkupOptions
from regard.tasks.translation.options import TranslateOptions
from regard.tasks.translation.translator import Translator
from tests.running_server import RunningServer, running_server
from tests.server.test_answers import sentences

pytestmark = pytest.mark.xdist_group("server")

CALL_SECONDS = 4
CHANGES = f"import regard.serve.markup as markup\nmarkup.CALL_SECONDS = {CALL_SECONDS}"
HTML = "<p>A <b>man</b> sees two <i>cats</i> &amp; a dog.</p><img alt='The house'>"
XML = "<t>A <b>man</b> sees <x>a cat</x>.</t><t>Two dogs run.</t>"
LINE = "A man {name} sees the <b>dog</b> at https://example.org/a."
TERMS = {"dog": "Wauwau", "two cats": "Katzenpaar"}
TAG = re.compile(r"</?\w+")


@pytest.fixture(scope="module")
def server(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    settings = tmp_path_factory.mktemp("settings") / "limits.yaml"
    settings.write_text("max_texts: 20\nmax_characters: 20000\n")
    options = ("--workers", "2", "--settings", settings)
    with running_server(f"en-de={bundle}", *options) as running:
        yield running


def post(server: RunningServer, **body: Any) -> httpx2.Response:
    with server.client() as client:
        return client.post("/v1/translate", json=body)


def translate(server: RunningServer, **body: Any) -> list[str]:
    answer = post(server, **body)
    assert answer.status_code == 200, answer.text
    return [translation["text"] for translation in answer.json()["translations"]]


def markup_process(server: RunningServer) -> psutil.Process:
    (process,) = server.markup_processes
    return process


def offline(translator: Translator, markup: MarkupOptions, text: str, **options: Any) -> str:
    (translation,) = translator.translate_marked(
        [text], format=markup.markup, keep=markup.keep, xml=markup.xml, **options
    )
    return translation.text


@pytest.mark.parametrize(
    ("text", "body", "markup"),
    [
        (HTML, {"format": "html"}, MarkupOptions("html")),
        (XML, {"format": "xml"}, MarkupOptions("xml")),
        (
            XML,
            {"format": "xml", "xml_tags": {"ignored": ["x"], "outline": False}},
            MarkupOptions("xml", xml=XmlTags(ignored=frozenset("x"), outline=False)),
        ),
        (LINE, {}, MarkupOptions()),
        (LINE, {"keep": ["man"]}, MarkupOptions(keep=("man",))),
    ],
)
def test_an_answer_is_that_of_the_offline_translation(
    server: RunningServer,
    translator: Translator,
    text: str,
    body: dict[str, Any],
    markup: MarkupOptions,
) -> None:
    for options in ({}, {"beam_size": 2}, {"length_penalty": 0.3}):
        expected = offline(translator, markup, text, **options)
        assert translate(server, texts=[text], **body, **options) == [expected]
        assert sorted(TAG.findall(expected)) == sorted(TAG.findall(text))


def test_the_client_translates_markup(server: RunningServer, translator: Translator) -> None:
    with Client(server.url) as client:
        for markup in ("text", "html"):
            for texts in ([HTML, LINE], [f"<p>{text}</p>" for text in sentences(30, 5)]):
                offered = translator.translate_marked(texts, format=markup, terms=TERMS)
                served = client.translate_marked(texts, format=markup, terms=TERMS)
                assert [text.text for text in served] == [text.text for text in offered]
        (plain,) = client.translate([LINE])
        assert plain.text == translator.translate([LINE])[0].text
        with pytest.raises(ConfigError, match="n_best"):
            client.translate_marked([LINE], TranslateOptions(n_best=2))
    assert post(server, texts=["A dog"], format="plain", keep=["dog"]).status_code == 422


def test_terms_are_placed_as_offline(server: RunningServer, translator: Translator) -> None:
    text = "A dog sees two cats."
    expected = offline(translator, MarkupOptions(), text, terms=TERMS)
    assert translate(server, texts=[text], terms=TERMS) == [expected]
    (translation,) = post(server, texts=[text], terms=TERMS).json()["translations"]
    assert any(term in expected for term in TERMS.values())
    for term in TERMS.values():  # replaced, or not placed
        assert any(term in warning for warning in translation["warnings"])


def test_placeholders_that_cannot_be_placed_are_in_the_warnings(server: RunningServer) -> None:
    (translation,) = post(server, texts=[LINE], alignments=True).json()["translations"]
    lost = [mark for mark in ("{name}", "<b>", "</b>") if mark not in translation["text"]]
    assert lost
    for mark in lost:
        assert any(mark in warning for warning in translation["warnings"])


@pytest.mark.parametrize("name", ["html", "xml"])
@pytest.mark.parametrize(
    "options", [{"alignments": True}, {"n_best": 2}, {"prefix": "A"}, {"stream": True}]
)
def test_options_that_are_not_available_are_refused(
    server: RunningServer, name: str, options: dict[str, Any]
) -> None:
    answer = post(server, texts=["<b>A dog</b>"], format=name, **options)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(next(iter(options)))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"format": "xml", "texts": ["<b>A dog"]}, "not well-formed"),
        ({"format": "md", "texts": ["A dog"]}, "format"),
        ({"xml_tags": {"ignored": ["x"]}, "texts": ["A dog"]}, "xml_tags: needs format xml"),
        ({"format": "html", "texts": ["<b>" + "A dog. " * 5_000 + "</b>"]}, "characters"),
        ({"terms": {"dog": ""}, "texts": ["A dog"]}, "terms"),
        ({"format": "html", "texts": ["<i>A dog</i>"] * 21}, "there are 21"),
    ],
)
def test_requests_are_refused(server: RunningServer, body: dict[str, Any], message: str) -> None:
    answer = post(server, **body)
    assert answer.status_code in (413, 422)
    assert message in answer.json()["error"]


def test_a_text_has_more_segments_than_a_request_has_texts(server: RunningServer) -> None:
    page = "".join(f"<p>{sentence}</p>" for sentence in sentences(60, 3))
    (translated,) = translate(server, texts=[page], format="html")
    assert translated.count("<p>") == 60


def test_libretranslate_client_sends_html(server: RunningServer, translator: Translator) -> None:
    expected = offline(translator, MarkupOptions("html"), HTML)
    body = {"q": HTML, "source": "en", "target": "de", "format": "html"}
    with server.client() as client:
        assert client.post("/translate", json=body).json() == {"translatedText": expected}
        form = client.post("/translate", data=body)
        assert form.json() == {"translatedText": expected}
        refused = client.post("/translate", json=body | {"alternatives": 2})
        assert refused.status_code == 400 and "alternatives" in refused.json()["error"]
    plain = LibreTranslateAPI(server.url).translate(LINE, "en", "de")
    assert plain == offline(translator, MarkupOptions(), LINE)


def test_deepl_client_sends_tags(server: RunningServer, translator: Translator) -> None:
    client = deepl.DeepLClient("any", server_url=server.url)

    def send(text: str, **options: Any) -> str:
        result = client.translate_text(text, source_lang="EN", target_lang="DE", **options)
        assert isinstance(result, deepl.TextResult)
        return result.text

    html = offline(translator, MarkupOptions("html"), HTML)
    assert send(HTML, tag_handling="html") == html
    assert send(XML, tag_handling="xml") == offline(translator, MarkupOptions("xml"), XML)
    tags = XmlTags(ignored=frozenset("x"), splitting=frozenset("b"), outline=False)
    assert send(
        XML,
        tag_handling="xml",
        ignore_tags=["x"],
        splitting_tags="b",
        outline_detection=False,
    ) == offline(translator, MarkupOptions("xml", xml=tags), XML)
    lines = MarkupOptions("xml", xml=XmlTags(lines=False))
    text = "A man sees\ntwo <b>dogs</b>."
    found = send(text, tag_handling="xml", split_sentences=deepl.SplitSentences.NO_NEWLINES)
    assert found == offline(translator, lines, text)
    assert "\n" in found
    for options in ({"ignore_tags": ["x"]}, {"tag_handling": "html", "ignore_tags": ["x"]}):
        with pytest.raises(deepl.DeepLException, match="needs tag_handling=xml"):
            send(XML, **options)
    with pytest.raises(deepl.DeepLException, match="not well-formed"):
        send("<b>A dog", tag_handling="xml")


def test_glossaries_are_placed(bundle: Path, translator: Translator, tmp_path: Path) -> None:
    """As terms are; a change holds for the next translation, and other keys do not see it."""
    keys, store = tmp_path / "keys.json", tmp_path / "store.db"
    owner, stranger = (add_key(keys, name) for name in ("owner", "stranger"))
    text, changed = "A dog sees two cats.", {"dog": "Hündin"}
    options = ("--workers", "1", "--keys", keys, "--store", store)
    with running_server(f"en-de={bundle}", *options) as server:
        client = deepl.DeepLClient(owner, server_url=server.url)

        def send(client: deepl.DeepLClient, text: str = text, **more: Any) -> str:
            result = client.translate_text(
                text, source_lang="EN", target_lang="DE", glossary=glossary, **more
            )
            assert isinstance(result, deepl.TextResult)
            return result.text

        glossary = client.create_glossary("Zoo", "EN", "DE", TERMS)
        assert send(client) == offline(translator, MarkupOptions(), text, terms=TERMS)
        html = f"<p>{text} <b>{text}</b></p>"
        expected = offline(translator, MarkupOptions("html"), html, terms=TERMS)
        assert send(client, html, tag_handling="html") == expected
        several = client.get_multilingual_glossary(glossary.glossary_id)
        entries = MultilingualGlossaryDictionaryEntries("EN", "DE", changed)
        client.replace_multilingual_glossary_dictionary(several, entries)
        assert send(client) == offline(translator, MarkupOptions(), text, terms=changed)
        with pytest.raises(deepl.DeepLException, match="no glossary"):
            send(deepl.DeepLClient(stranger, server_url=server.url))
        with server.client(owner) as own:
            body = {"texts": [text], "glossary": glossary.glossary_id}
            merged = own.post("/v1/translate", json=body | {"terms": {"two cats": "Paar"}})
            both = changed | {"two cats": "Paar"}
            (translation,) = merged.json()["translations"]
            assert translation["text"] == offline(translator, MarkupOptions(), text, terms=both)
            unknown = own.post("/v1/translate", json=body | {"glossary": "x"})
            assert unknown.status_code == 404 and "no glossary x" in unknown.json()["error"]
        expected = offline(translator, MarkupOptions("html"), html, terms=changed)
        source, target = tmp_path / "page.html", tmp_path / "page.de.html"
        source.write_text(html)
        client.translate_document_from_filepath(
            source, target, source_lang="EN", target_lang="DE", glossary=glossary
        )
        assert target.read_text() == expected
        client.delete_glossary(glossary)
        with pytest.raises(deepl.DeepLException, match="no glossary"):
            send(client)


def test_a_process_that_ends_is_replaced(server: RunningServer, translator: Translator) -> None:
    """Requests under way are answered, as their calls are repeated."""
    pages = [f"<p>{' '.join(sentences(3, seed))} <b>{seed}</b></p>" for seed in range(60)]
    expected = [offline(translator, MarkupOptions("html"), page) for page in pages]
    translate(server, texts=[HTML], format="html")
    with ThreadPoolExecutor(6) as threads:
        answers = threads.map(lambda page: translate(server, texts=[page], format="html"), pages)
        for _ in range(3):
            time.sleep(0.1)
            for process in server.markup_processes:
                process.kill()
        assert [text for (text,) in answers] == expected


def test_a_process_that_hangs_fails_one_request(bundle: Path) -> None:
    with running_server(f"en-de={bundle}", "--workers", "1", changes=CHANGES) as server:
        translate(server, texts=[HTML], format="html")
        process = markup_process(server)
        process.send_signal(signal.SIGSTOP)
        start = time.monotonic()
        assert post(server, texts=[HTML], format="html").status_code == 504
        assert CALL_SECONDS <= time.monotonic() - start < 3 * CALL_SECONDS
        assert translate(server, texts=[HTML], format="html")
        assert markup_process(server).pid != process.pid


def test_plain_texts_do_not_wait_for_the_process(server: RunningServer) -> None:
    translate(server, texts=[HTML], format="html")
    process = markup_process(server)
    process.send_signal(signal.SIGSTOP)
    with ThreadPoolExecutor(1) as threads:
        stalled = threads.submit(post, server, texts=[HTML], format="html")
        try:
            start = time.monotonic()
            assert translate(server, texts=["A dog runs."])
            assert time.monotonic() - start < CALL_SECONDS / 2
            assert not stalled.done()
        finally:
            process.send_signal(signal.SIGCONT)
    assert stalled.result().status_code == 200
