"""Clients of other servers that are no packages of this environment, against real servers.

deepl-node and the machine translators of wagtail-localize run in processes of their own. The
requests of Weblate's two backends are replayed from their source (2026.10).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from regard.documents.formats.texts import XmlTags
from regard.serve.keys import add_key
from regard.tasks.translation.translator import Translator
from tests.bundles import LINES
from tests.running_server import RunningServer, running_server
from tests.server.foreign_packages import install_npm, install_pip

pytestmark = pytest.mark.xdist_group("server")

FRENCH = "La maison que mon père a construite se trouve sur la colline."


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    path = tmp_path_factory.mktemp("keys") / "keys.json"
    return path, add_key(path, "client")


@pytest.fixture(scope="module")
def served(bundle: Path, key: tuple[Path, str]) -> Iterator[RunningServer]:
    """A server of three pairs that needs a key, and has a store."""
    models = [f"{pair}={bundle}" for pair in ("en-de", "fr-de", "de-en")]
    store = key[0].with_name("store.db")
    with running_server(*models, "--workers", "1", "--keys", key[0], "--store", store) as running:
        yield running


@pytest.fixture(scope="module")
def expected(translator: Translator) -> dict[str, str]:
    return {each.source: each.text for each in translator.translate([*LINES, FRENCH])}


# deepl-node

NODE = """
const deepl = require("deepl-node");
const [url, key, lines, french] = JSON.parse(process.argv[1]);
(async () => {
  const client = new deepl.DeepLClient(key, { serverUrl: url, minTimeout: 200000 });
  const before = await client.getUsage();
  const found = {
    several: await client.translateText(lines, "en", "de"),
    detected: await client.translateText(french, null, "de"),
    sources: await client.getSourceLanguages(),
    targets: await client.getTargetLanguages(),
  };
  found.characters = (await client.getUsage()).character.count - before.character.count;
  try {
    await client.translateText(french, null, "pl");
  } catch (error) {
    found.error = [error.constructor.name, error.message];
  }
  try {
    await new deepl.DeepLClient("wrong", { serverUrl: url }).getUsage();
  } catch (error) {
    found.key = error.constructor.name;
  }
  console.log(JSON.stringify(found));
})();
"""


@pytest.mark.slow
def test_deepl_node(served: RunningServer, key: tuple[Path, str], expected: dict[str, str]) -> None:
    folder = install_npm("deepl-node@1.28.0")
    arguments = json.dumps([served.url, key[1], LINES, FRENCH])
    done = subprocess.run(
        ["node", "-e", NODE, arguments], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [each["text"] for each in found["several"]] == [expected[line] for line in LINES]
    assert {each["detectedSourceLang"] for each in found["several"]} == {"en"}
    detected = found["detected"]
    assert (detected["text"], detected["detectedSourceLang"]) == (expected[FRENCH], "fr")
    assert [each["code"] for each in found["sources"]] == ["en", "fr", "de"]
    assert [each["code"] for each in found["targets"]] == ["de", "en-GB", "en-US"]
    assert found["characters"] == sum(map(len, LINES)) + len(FRENCH)
    name, message = found["error"]
    assert name == "DeepLError" and "pl is not supported" in message
    assert found["key"] == "AuthorizationError"


# wagtail-localize

WAGTAIL = """
import json, sys
from django.conf import settings
settings.configure(USE_I18N=False)
from types import SimpleNamespace
from wagtail_localize.machine_translators.deepl import DeepLTranslator
from wagtail_localize.machine_translators.libretranslate import LibreTranslator
from wagtail_localize.strings import StringValue

url, key, kind, *texts = json.loads(sys.argv[1])


class LocalDeepL(DeepLTranslator):
    def get_api_endpoint(self):  # DeepL's own address otherwise
        return f"{url}/v2/translate"


if kind == "deepl":
    translator = LocalDeepL({"AUTH_KEY": key})
else:
    translator = LibreTranslator({"LIBRETRANSLATE_URL": url, "API_KEY": key})
english, german = (SimpleNamespace(language_code=code) for code in ("en-GB", "de"))
assert translator.can_translate(english, german)
strings = [StringValue(text) for text in texts]
found = translator.translate(english, german, strings)
print(json.dumps([found[string].data for string in strings]))
"""


def wagtail_translations(url: str, key: str, kind: str, texts: list[str]) -> list[str]:
    """What wagtail-localize gets for strings, which are fragments of HTML."""
    django = ("Django==5.2.*", "beautifulsoup4", "requests")
    folder = install_pip("wagtail-localize==1.14.5", *django)
    done = subprocess.run(
        [sys.executable, "-c", WAGTAIL, json.dumps([url, key, kind, *texts])],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    translations: list[str] = json.loads(done.stdout)
    return translations


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["libretranslate", "deepl"])
def test_wagtail_localize(
    served: RunningServer, key: tuple[Path, str], expected: dict[str, str], kind: str
) -> None:
    """It sends `format=html`, and to DeepL `tag_handling=xml`."""
    texts = [*LINES, "A <b>dog</b> runs &amp; sleeps."]
    *plain, marked = wagtail_translations(served.url, key[1], kind, texts)
    assert plain == [expected[line] for line in LINES]
    assert marked.count("<b>") == marked.count("</b>") == 1 and "&" not in marked.replace(
        "&amp;", ""
    )


# Weblate, replayed


def test_weblate_with_libretranslate(
    served: RunningServer, key: tuple[Path, str], expected: dict[str, str]
) -> None:
    with served.client() as client:
        languages = client.get("/languages").json()
        assert {each["code"] for each in languages} == {"en", "fr", "de"}
        body = {"api_key": key[1], "q": LINES, "source": "en", "target": "de"}
        answer = client.post("/translate", json=body).raise_for_status().json()
        assert answer["translatedText"] == [expected[line] for line in LINES]


def test_weblate_with_deepl_lists_languages(served: RunningServer, key: tuple[Path, str]) -> None:
    with served.client() as client:
        client.headers["Authorization"] = f"DeepL-Auth-Key {key[1]}"
        listed = client.get("/v3/languages", params={"resource": "translate_text"})
        languages = listed.raise_for_status().json()
        sources = {each["lang"].upper() for each in languages if each["usable_as_source"]}
        targets = {each["lang"].upper() for each in languages if each["usable_as_target"]}
        assert (sources, targets) == ({"EN", "FR", "DE"}, {"DE", "EN-GB", "EN-US"})
        assert not any("formality" in each["features"] for each in languages)
        write = client.get("/v3/languages", params={"resource": "write"})
        assert write.raise_for_status().json() == []


def test_weblate_with_deepl_translates(
    served: RunningServer, key: tuple[Path, str], expected: dict[str, str]
) -> None:
    """Placeables are elements `x`, and all other characters of markup are escaped."""
    body = {
        "text": [*LINES, 'Two dogs &amp; <x id="9"></x> run.'],
        "source_lang": "EN",
        "target_lang": "DE",
        "formality": "default",
        "tag_handling": "xml",
        "ignore_tags": ["x"],
    }
    with served.client() as client:
        client.headers["Authorization"] = f"DeepL-Auth-Key {key[1]}"
        answer = client.post("/v2/translate", json=body)
        assert answer.status_code == 200, answer.text
        *plain, marked = [each["text"] for each in answer.json()["translations"]]
        assert plain == [expected[line] for line in LINES]
        assert marked.count('<x id="9"></x>') == 1


def test_weblate_with_deepl_uses_a_glossary(
    served: RunningServer, key: tuple[Path, str], translator: Translator
) -> None:
    """It makes one for a project, finds it by its name, replaces its terms, and deletes it."""
    text, terms = 'A dog &amp; <x id="6"></x> run.', {"dog": "Hund"}

    def dictionary(entries: dict[str, str]) -> dict[str, str]:
        tsv = "\n".join(f"{source}\t{target}" for source, target in entries.items())
        return {"source_lang": "en", "target_lang": "de", "entries": tsv, "entries_format": "tsv"}

    def translation(glossary_id: str) -> str:
        body = {
            "text": [text],
            "source_lang": "EN",
            "target_lang": "DE",
            "formality": "default",
            "tag_handling": "xml",
            "ignore_tags": ["x"],
            "glossary_id": glossary_id,
        }
        answer = client.post("/v2/translate", json=body).raise_for_status().json()
        return str(answer["translations"][0]["text"])

    def expected(terms: dict[str, str]) -> str:
        tags = XmlTags(ignored=frozenset("x"))
        (translated,) = translator.translate_marked([text], format="xml", xml=tags, terms=terms)
        return translated.text

    with served.client() as client:
        client.headers["Authorization"] = f"DeepL-Auth-Key {key[1]}"
        listed = client.get("/v3/languages", params={"resource": "glossary"}).json()
        assert {item["lang"].upper() for item in listed if item["usable_as_source"]} >= {"EN"}
        assert {item["lang"].upper() for item in listed if item["usable_as_target"]} >= {"DE"}
        made = {"name": "weblate:1:EN:DE:a", "dictionaries": [dictionary(terms)]}
        client.post("/v3/glossaries", json=made).raise_for_status()
        glossaries = client.get("/v3/glossaries").json()["glossaries"]
        identifiers = {item["name"]: item["glossary_id"] for item in glossaries}
        identifier = identifiers["weblate:1:EN:DE:a"]
        assert all(item["creation_time"] for item in glossaries)
        assert translation(identifier) == expected(terms)
        path = f"/v3/glossaries/{identifier}"
        changed = {"dog": "Hündin"}
        client.put(f"{path}/dictionaries", json=dictionary(changed)).raise_for_status()
        client.patch(path, json={"name": "weblate:1:EN:DE:b"}).raise_for_status()
        assert translation(identifier) == expected(changed)
        assert client.delete(path).is_success
        assert client.delete(path).status_code == 404
