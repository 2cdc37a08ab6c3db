"""DeepL's glossary routes, with its official Python client and real servers."""

from __future__ import annotations

import csv
import io
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import deepl
import httpx2
import pytest
from deepl.api_data import MultilingualGlossaryDictionaryEntries as Entries

from regard.serve.keys import add_key
from regard.serve.settings import ServerSettings
from regard.serve.store import GlossaryStore
from regard.serve.store_file import StoreFile
from tests.running_server import RunningServer, running_server

pytestmark = pytest.mark.xdist_group("server")

TERMS = {"dog": "Hund", "to run": "laufen", 'a "quoted", term': "Begriff, übersetzt"}
MAX_ENTRIES = 40
BODY = {"name": "a", "source_lang": "en", "target_lang": "de", "entries": "dog\tHund"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store") / "store.db"


@pytest.fixture(scope="module")
def server(bundle: Path, store: Path) -> Iterator[RunningServer]:
    settings = store.with_name("limits.yaml")
    settings.write_text(f"max_glossary_entries: {MAX_ENTRIES}\nmax_glossaries: 5\n")
    models = [f"{pair}={bundle}" for pair in ("en-de", "fr-de", "de-en")]
    options = ("--workers", "1", "--store", store, "--settings", settings)
    with running_server(*models, *options) as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Iterator[deepl.DeepLClient]:
    client = deepl.DeepLClient("any", server_url=server.url)
    yield client
    for glossary in client.list_multilingual_glossaries():
        client.delete_multilingual_glossary(glossary)


@pytest.fixture(autouse=True)
def _no_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deepl.http_client, "max_network_retries", 0)


# /v2


def test_glossaries_of_a_pair(client: deepl.DeepLClient) -> None:
    made = client.create_glossary("Zoo 🦊", "EN-GB", "DE", TERMS)
    assert (made.name, made.source_lang, made.target_lang) == ("Zoo 🦊", "EN", "DE")
    assert made.ready and made.entry_count == 3
    assert abs(datetime.now(UTC) - made.creation_time) < timedelta(minutes=1)
    assert client.get_glossary_entries(made) == TERMS
    second = client.create_glossary("second", "de", "en", {"Hund": "dog"})
    listed = [glossary.glossary_id for glossary in client.list_glossaries()]
    assert listed == [made.glossary_id, second.glossary_id]
    again = client.get_glossary(made.glossary_id)
    assert vars(again) == vars(made)
    client.delete_glossary(made)
    for call in (client.get_glossary, client.get_glossary_entries, client.delete_glossary):
        with pytest.raises(deepl.GlossaryNotFoundException, match=made.glossary_id):
            call(made.glossary_id)
    assert client.get_glossary_entries(second) == {"Hund": "dog"}


def test_entries_as_csv(client: deepl.DeepLClient) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([*TERMS.items(), (), ("cat", "Katze", "EN", "de-DE")])
    made = client.create_glossary_from_csv("a", "en", "de", text.getvalue())
    assert client.get_glossary_entries(made) == {**TERMS, "cat": "Katze"}


def test_pairs_are_those_that_the_server_translates(client: deepl.DeepLClient) -> None:
    pairs = [(pair.source_lang, pair.target_lang) for pair in client.get_glossary_languages()]
    assert sorted(pairs) == [("de", "en"), ("en", "de"), ("fr", "de")]
    for source, target, message in (
        ("en", "it", "IT is not supported. The target languages are: de, en."),
        ("fr", "en", "not available as a target language from French"),
    ):
        with pytest.raises(deepl.DeepLException, match=message) as refused:
            client.create_glossary("a", source, target, {"a": "b"})
        assert refused.value.http_status_code == 400


@pytest.mark.parametrize(
    ("entries", "format_", "message"),
    [
        ("dog", "tsv", "line 1 has 1 columns"),
        ("a\tb\n\ndog\tHund\tx", "tsv", "line 3 has 3 columns"),
        ("dog,Hund", "tsv", "separated by a tab"),
        ("dog\t", "tsv", "entry 1: is empty"),
        ("dog\tHund\ncat\tKatze\ndog\tKöter", "tsv", "entry 3: has the same source term as entry"),
        ("dog\tHu\0nd", "tsv", "entry 1: has a control character"),
        ("dog\tHund\u2028x", "tsv", "entry 1: has a control character"),
        ("dog\t" + "ä" * 513, "tsv", "entry 1: has more than 1,024 bytes"),
        ("", "tsv", "entries: there are none"),
        ("\n \n\t\n", "tsv", "entries: there are none"),
        ("dog,Hund,en", "csv", "line 1 has 3 columns"),
        ("dog,Hund,en,fr", "csv", "line 1 is for en-fr, and the dictionary for en-de"),
        ('dog,"Hund', "csv", "line 1 is not valid CSV"),
        ('"a\nb",c', "csv", "entry 1: has a control character"),
        ("dog;Hund", "xlsx", "entries_format"),
    ],
)
def test_invalid_entries(
    server: RunningServer, client: deepl.DeepLClient, entries: str, format_: str, message: str
) -> None:
    body = {**BODY, "entries": entries, "entries_format": format_}
    with server.client() as raw:
        for answer in (
            raw.post("/v2/glossaries", json=body),
            raw.post("/v2/glossaries", data=body),
            raw.post("/v3/glossaries", json={"name": "a", "dictionaries": [without_name(body)]}),
        ):
            assert answer.status_code == 400, answer.text
            assert list(answer.json()) == ["message"] and message in answer.json()["message"]
    assert client.list_multilingual_glossaries() == []


def without_name(body: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in body.items() if name != "name"}


# /v3


def pairs(glossary: deepl.MultilingualGlossaryInfo) -> list[tuple[str, str, int]]:
    return [
        (entry.source_lang, entry.target_lang, entry.entry_count) for entry in glossary.dictionaries
    ]


def entries(client: deepl.DeepLClient, glossary_id: str, source: str, target: str) -> str:
    (dictionary,) = client.get_multilingual_glossary_entries(
        glossary_id, source, target
    ).dictionaries
    assert (dictionary.source_lang, dictionary.target_lang) == (source, target)
    return str(dictionary.entries)


def test_glossaries_of_several_pairs(client: deepl.DeepLClient) -> None:
    dictionaries = [Entries("EN-US", "de", TERMS), Entries("de", "EN", {"Hund": "dog"})]
    made = client.create_multilingual_glossary("both", dictionaries)
    assert pairs(made) == [("EN", "DE", 3), ("DE", "EN", 1)]
    key = made.glossary_id
    assert entries(client, key, "en", "de") == deepl.convert_dict_to_tsv(TERMS)

    renamed = client.update_multilingual_glossary_name(key, "new name")
    assert (renamed.name, pairs(renamed)) == ("new name", pairs(made))
    more = Entries("en", "de", {"dog": "Köter", "cat": "Katze"})
    assert pairs(client.update_multilingual_glossary_dictionary(key, more))[0] == ("EN", "DE", 4)
    merged = deepl.convert_tsv_to_dict(entries(client, key, "en", "de"))
    assert merged == {**TERMS, "dog": "Köter", "cat": "Katze"}
    client.update_multilingual_glossary_dictionary_from_csv(key, "fr", "de", "chien,Hund")
    new = Entries("en", "de", {"cat": "Kater"})
    replaced = client.replace_multilingual_glossary_dictionary(key, new)
    assert (replaced.source_lang, replaced.target_lang, replaced.entry_count) == ("EN", "DE", 1)
    client.replace_multilingual_glossary_dictionary_from_csv(
        key, "de", "en", "Hund,hound\nKatze,cat"
    )
    assert entries(client, key, "en", "de") == "cat\tKater"
    assert entries(client, key, "de", "en") == "Hund\thound\nKatze\tcat"

    client.delete_multilingual_glossary_dictionary(key, source_lang="EN", target_lang="DE")
    again = client.get_multilingual_glossary(key)
    assert pairs(again) == [("DE", "EN", 2), ("FR", "DE", 1)]
    assert [glossary.name for glossary in client.list_multilingual_glossaries()] == ["new name"]
    for call in (client.get_multilingual_glossary_entries, deleted(client)):
        with pytest.raises(deepl.GlossaryNotFoundException, match="en-de"):
            call(key, "en", "de")
    client.delete_multilingual_glossary(key)
    for missing in (key, "none", "'; DROP TABLE glossaries --", "%00", "%ed%a0%80", "ä" * 5_000):
        with pytest.raises(deepl.GlossaryNotFoundException):
            client.get_multilingual_glossary(missing)
        with pytest.raises(deepl.GlossaryNotFoundException):
            client.update_multilingual_glossary_name(missing, "x")
        with pytest.raises(deepl.GlossaryNotFoundException):
            client.replace_multilingual_glossary_dictionary(missing, new)


def deleted(client: deepl.DeepLClient):  # type: ignore[no-untyped-def]
    return lambda key, source, target: client.delete_multilingual_glossary_dictionary(
        key, source_lang=source, target_lang=target
    )


def test_both_versions_show_the_same_glossaries(client: deepl.DeepLClient) -> None:
    made = client.create_glossary("one", "en", "de", {"dog": "Hund"})
    both = [Entries("en", "de", {"dog": "Hund"}), Entries("de", "en", {"Hund": "dog"})]
    two = client.create_multilingual_glossary("two", both)
    assert [glossary.name for glossary in client.list_multilingual_glossaries()] == ["one", "two"]
    assert pairs(client.get_multilingual_glossary(made.glossary_id)) == [("EN", "DE", 1)]
    assert [glossary.name for glossary in client.list_glossaries()] == ["one"]
    for call in (client.get_glossary, client.get_glossary_entries):
        with pytest.raises(deepl.GlossaryNotFoundException, match="Use /v3/glossaries"):
            call(two.glossary_id)


def test_limits(server: RunningServer, client: deepl.DeepLClient) -> None:
    full = {f"term {number}": "x" for number in range(MAX_ENTRIES)}
    made = client.create_multilingual_glossary("full", [Entries("en", "de", full)])
    with pytest.raises(deepl.QuotaExceededException, match="41 entries, and the limit is 40"):
        client.update_multilingual_glossary_dictionary(made, Entries("en", "de", {"one": "more"}))
    for _ in range(4):
        client.create_glossary("a", "en", "de", {"a": "b"})
    with pytest.raises(deepl.QuotaExceededException, match="5 glossaries of this key"):
        client.create_glossary("a", "en", "de", {"a": "b"})
    with server.client() as raw:
        large = raw.post("/v2/glossaries", json={**BODY, "entries": "x" * (1 << 20)})
        assert large.status_code == 413 and "bytes" in large.json()["message"]
        fields = "&".join(f"dictionaries[{number}].entries=x" for number in range(1_500))
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        many = raw.post("/v3/glossaries", content=fields, headers=headers)
        assert many.status_code == 400 and "1,000 fields" in many.json()["message"]


@pytest.mark.parametrize(
    ("method", "path", "body", "message"),
    [
        ("POST", "/v2/glossaries", without_name(BODY), "name"),
        ("POST", "/v2/glossaries", BODY | {"name": ""}, "name: is empty"),
        ("POST", "/v2/glossaries", BODY | {"name": "a\nb"}, "name: has a control character"),
        ("POST", "/v2/glossaries", BODY | {"formality": "more"}, "formality"),
        ("POST", "/v3/glossaries", {"name": "a"}, "dictionaries"),
        ("POST", "/v3/glossaries", {"name": "a", "dictionaries": []}, "dictionaries"),
        ("POST", "/v3/glossaries", {"name": "a", "dictionaries": ["x"]}, "dictionaries"),
        (
            "POST",
            "/v3/glossaries",
            {"name": "a", "dictionaries": [without_name(BODY)] * 2},
            "two have the same languages",
        ),
        ("PATCH", "/v3/glossaries/x", {}, "nothing to change"),
        ("PUT", "/v3/glossaries/x/dictionaries", {"source_lang": "en"}, "target_lang"),
        ("GET", "/v3/glossaries/x/entries", None, "source_lang"),
        ("DELETE", "/v3/glossaries/x/dictionaries", None, "source_lang"),
    ],
)
def test_invalid_requests(
    server: RunningServer, method: str, path: str, body: dict[str, str] | None, message: str
) -> None:
    with server.client() as raw:
        answer = raw.request(method, path, json=body)
        assert answer.status_code == 400 and message in answer.json()["message"], answer.text
        assert raw.put("/v2/glossaries").status_code == 405
        assert list(raw.get("/v3/none").json()) == ["message"]


def test_forms_have_indexed_dictionaries(server: RunningServer, client: deepl.DeepLClient) -> None:
    """As deepl-node sends them."""
    form = {"name": "a b"}
    for number, (source, target) in ((10, ("de", "en")), (2, ("en", "de"))):
        form |= {
            f"dictionaries[{number}].source_lang": source,
            f"dictionaries[{number}].target_lang": target,
            f"dictionaries[{number}].entries": f"{source}\t{target}",
            f"dictionaries[{number}].entries_format": "tsv",
        }
    with server.client() as raw:
        answer = raw.post("/v3/glossaries", data=form)
    assert answer.status_code == 201
    made = client.get_multilingual_glossary(answer.json()["glossary_id"])
    assert pairs(made) == [("EN", "DE", 1), ("DE", "EN", 1)]


# keys, and servers without a store


def test_keys_see_their_own(bundle: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    first, second = add_key(keys, "first"), add_key(keys, "second", admin=True)
    options = ("--workers", "1", "--keys", keys, "--store", tmp_path / "store.db")
    with running_server(f"en-de={bundle}", *options) as server:
        mine, other = (deepl.DeepLClient(key, server_url=server.url) for key in (first, second))
        made = mine.create_glossary("a", "en", "de", {"dog": "Hund"})
        assert other.list_glossaries() == []
        for call in (other.get_glossary, other.get_glossary_entries, other.delete_glossary):
            with pytest.raises(deepl.GlossaryNotFoundException):
                call(made.glossary_id)
        assert mine.get_glossary_entries(made) == {"dog": "Hund"}
        stranger = deepl.DeepLClient("rgd_wrong", server_url=server.url)
        for refused in (stranger.list_glossaries, stranger.get_glossary_languages):
            with pytest.raises(deepl.AuthorizationException, match="DeepL-Auth-Key"):
                refused()


def test_a_server_without_a_store_says_how_to_start_it(bundle: Path) -> None:
    with running_server(f"en-de={bundle}", "--workers", "1") as server:
        with server.client() as raw:
            assert raw.get("/frontend/settings").json()["suggestions"] is False
            correction = {"q": "A dog.", "s": "Ein Hund.", "source": "en", "target": "de"}
            for answer, status in (
                (raw.post("/suggest", json=correction), 403),
                (raw.get("/v1/corrections"), 404),
            ):
                assert answer.status_code == status
                assert "regard serve --store FILE" in answer.json()["error"]
        client = deepl.DeepLClient("any", server_url=server.url)
        for call in (client.list_glossaries, client.list_multilingual_glossaries):
            with pytest.raises(deepl.DeepLException, match="regard serve --store FILE") as refused:
                call()
            assert refused.value.http_status_code == 400


# a server that is killed, a locked file, a disk that is full


def create(client: httpx2.Client, name: str) -> httpx2.Response:
    return client.post("/v2/glossaries", json={**BODY, "name": name})


def names(client: httpx2.Client) -> set[str]:
    answer = client.get("/v3/glossaries").raise_for_status()
    return {glossary["name"] for glossary in answer.json()["glossaries"]}


def stored_names(path: Path) -> set[str]:
    """What a new server reads of the file."""
    with closing(StoreFile(path, 1 << 30)) as file:
        summaries = GlossaryStore(file, ServerSettings()).summaries(None)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return {summary.name for summary in summaries}


def test_a_killed_server_loses_nothing_that_it_answered(bundle: Path, tmp_path: Path) -> None:
    options = (f"en-de={bundle}", "--workers", "1", "--store", tmp_path / "store.db")
    answered: list[str] = []

    def write(server: RunningServer, thread: int) -> None:
        with server.client() as client:
            for number in range(200):
                try:
                    if create(client, f"{thread} {number}").status_code == 201:
                        answered.append(f"{thread} {number}")
                except httpx2.HTTPError:
                    return

    with running_server(*options) as server:
        with ThreadPoolExecutor(4) as threads:
            writers = [threads.submit(write, server, thread) for thread in range(4)]
            while len(answered) < 40:
                assert not all(writer.done() for writer in writers)
                time.sleep(0.001)
            server.process.send_signal(signal.SIGKILL)
        server.process.wait()
    stored = stored_names(tmp_path / "store.db")
    assert stored >= set(answered) and len(answered) >= 40
    assert len(stored) <= len(answered) + 4  # under way when it was killed


def test_a_locked_file_is_busy(server: RunningServer, store: Path) -> None:
    with server.client() as client:
        made = create(client, "before").json()["glossary_id"]
        with closing(sqlite3.connect(store, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            with ThreadPoolExecutor(1) as thread:
                waiting = thread.submit(create, client, "during")
                assert names(client) == {"before"}  # reading does not wait
                texts = {"texts": ["A dog."], "model": "en-de"}
                assert client.post("/v1/translate", json=texts).status_code == 200
                assert not waiting.done()
            answer = waiting.result()
            assert answer.status_code == 503 and "locked" in answer.json()["message"]
            assert int(answer.headers["Retry-After"]) >= 1
        assert client.delete(f"/v2/glossaries/{made}").status_code == 204
    assert any("database is locked" in line for line in server.lines)


FULL_DISK = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
"""


def test_a_full_disk(bundle: Path, tmp_path: Path) -> None:
    """No file of the process may be larger: writing fails, as on a full disk."""
    options = (f"en-de={bundle}", "--workers", "1", "--store", tmp_path / "store.db")
    with running_server(*options, changes=FULL_DISK) as server, server.client() as client:
        entries = "\n".join(f"term {number}\t{'x' * 900}" for number in range(40))
        made = set[str]()
        for number in range(50):
            answer = client.post(
                "/v2/glossaries", json={**BODY, "name": str(number), "entries": entries}
            )
            if answer.status_code != 201:
                break
            made.add(str(number))
        assert answer.status_code == 503 and "store cannot be used" in answer.json()["message"]
        assert made and names(client) == made
        assert client.post("/v1/translate", json={"texts": ["A dog."]}).status_code == 200
    assert stored_names(tmp_path / "store.db") == made


def test_two_servers_share_a_file(bundle: Path, server: RunningServer, store: Path) -> None:
    options = (f"en-de={bundle}", "--workers", "1", "--store", store)
    with running_server(*options) as second, second.client() as there, server.client() as here:
        made = create(here, "shared").json()["glossary_id"]
        assert names(there) == {"shared"}
        patch = {"dictionaries": [{**without_name(BODY), "entries": "cat\tKatze"}]}
        assert there.patch(f"/v3/glossaries/{made}", json=patch).status_code == 200
        assert here.get(f"/v2/glossaries/{made}/entries").text == "dog\tHund\ncat\tKatze"
        assert there.delete(f"/v2/glossaries/{made}").status_code == 204
        assert names(here) == set()


NODE = """
const assert = require("node:assert/strict");
const deepl = require("deepl-node");
const client = new deepl.DeepLClient("any", {serverUrl: process.argv[2], maxRetries: 0});
const words = (object) => new deepl.GlossaryEntries({entries: object});
const dictionary = (from, to, object) =>
  ({sourceLangCode: from, targetLangCode: to, entries: words(object)});

async function main() {
  const pairs = await client.getGlossaryLanguagePairs();
  assert.equal(pairs.length, 3);
  const one = await client.createGlossary("one", "en", "de", words({"dog": "Hund", "a + b": "ä"}));
  assert.equal(one.entryCount, 2);
  assert.ok(Math.abs(new Date() - one.creationTime) < 60_000);
  const entries = await client.getGlossaryEntries(one);
  assert.deepEqual(entries.entries(), {"dog": "Hund", "a + b": "ä"});
  const csv = await client.createGlossaryWithCsv("csv", "de", "en", Buffer.from('"Hund","dog, x"'));
  assert.deepEqual((await client.getGlossaryEntries(csv)).entries(), {"Hund": "dog, x"});
  assert.deepEqual((await client.listGlossaries()).map((each) => each.name), ["one", "csv"]);

  const two = await client.createMultilingualGlossary("two", [
    dictionary("en", "de", {"dog": "Hund"}), dictionary("de", "en", {"Hund": "dog"}),
  ]);
  assert.deepEqual(two.dictionaries.map((each) => each.entryCount), [1, 1]);
  await client.updateMultilingualGlossaryName(two, "new name");
  await client.updateMultilingualGlossaryDictionary(two, dictionary("en", "de", {"cat": "Katze"}));
  await client.replaceMultilingualGlossaryDictionaryWithCsv(two, "de", "en", "Katze,cat");
  const read = (from, to) => client.getMultilingualGlossaryDictionaryEntries(two, from, to);
  assert.deepEqual((await read("en", "de")).entries.entries(), {"dog": "Hund", "cat": "Katze"});
  assert.deepEqual((await read("de", "en")).entries.entries(), {"Katze": "cat"});
  await client.deleteMultilingualGlossaryDictionary(two, "de", "en");
  await assert.rejects(read("de", "en"), deepl.GlossaryNotFoundError);
  assert.equal((await client.getMultilingualGlossary(two.glossaryId)).name, "new name");
  for (const glossary of await client.listMultilingualGlossaries()) {
    await client.deleteMultilingualGlossary(glossary);
  }
  await assert.rejects(client.getGlossary(one.glossaryId), deepl.GlossaryNotFoundError);
}
main().catch((error) => { console.error(error); process.exit(1); });
"""


@pytest.mark.slow
def test_deepl_node(server: RunningServer, tmp_path: Path) -> None:
    """The official client for Node.js, which sends forms."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("needs npm and node")
    install = ["npm", "install", "--no-audit", "--no-fund", "deepl-node@1.28.0"]
    if subprocess.run(install, cwd=tmp_path, capture_output=True, timeout=300).returncode:
        pytest.skip("npm cannot install deepl-node")
    (tmp_path / "main.js").write_text(NODE, "utf-8")
    command = ["node", "main.js", server.url]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
