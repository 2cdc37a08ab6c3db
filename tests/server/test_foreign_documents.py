"""Documents by the interfaces of DeepL and LibreTranslate.

DeepL's Python client is the real one. Its Node client can minify documents, and LibreTranslate's
web page translates files: their requests are replayed.
"""

from __future__ import annotations

import io
import random
import re
import signal
import socket
import time
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import deepl
import httpx2
import psutil
import pytest

from regard.documents.formats.base import DOCUMENT_SUFFIXES
from regard.serve.keys import add_key
from regard.serve.run import STOP_MARGIN
from tests.documents import generated
from tests.running_server import RunningServer, running_server
from tests.server.test_answers import sentences
from tests.server.test_documents import PAGE, PO
from tests.server.test_stopping import (
    SLACK,
    STOP_SECONDS,
    settings_file,
    stop_processes,
    wait_until,
)

pytestmark = pytest.mark.xdist_group("server")

XLIFF = (
    '<xliff version="1.2"><file source-language="en" target-language="de"><body>'
    '<trans-unit id="1"><source>A <g id="1">dog</g> runs.</source></trans-unit>'
    "</body></file></xliff>"
)
SRT = "1\n00:00:01,000 --> 00:00:02,000\n<i>A dog</i> runs.\n"
MAX_BYTES = 20_000
MAX_KEPT_BYTES = 15_000
PLACEHOLDER = b"DeepL Media Placeholder"  # what the Node client sends instead of pictures


def docx(**members: bytes) -> bytes:
    """A document of Word with further members in its archive."""
    buffer = io.BytesIO(generated.docx(random.Random(4)))
    with zipfile.ZipFile(buffer, "a") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str, str]:
    """A key file with two keys, and one with a budget for no document."""
    path = tmp_path_factory.mktemp("keys") / "keys.json"
    return path, add_key(path, "one"), add_key(path, "two"), add_key(path, "little", budget=1)


@pytest.fixture(scope="module")
def locked(
    bundle: Path, keys: tuple[Path, str, str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningServer]:
    """A server with keys, for one document at a time, that keeps three."""
    settings = tmp_path_factory.mktemp("locked") / "settings.yaml"
    settings.write_text(
        f"max_documents: 1\nmax_document_bytes: {MAX_BYTES}\nmax_kept_documents: 3\n"
        f"max_kept_bytes: {MAX_KEPT_BYTES}\nmax_body_bytes: 5000\n"
    )
    options = ("--workers", "1", "--keys", keys[0], "--settings", settings)
    with running_server(f"en-de={bundle}", *options) as running:
        yield running


@pytest.fixture
def _no_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deepl.http_client, "max_network_retries", 0)


@pytest.fixture
def client(server: RunningServer) -> deepl.DeepLClient:
    return deepl.DeepLClient("any", server_url=server.url)


def upload(client: deepl.DeepLClient, content: Any, **options: Any) -> deepl.DocumentHandle:
    return client.translate_document_upload(
        content, **{"source_lang": "EN", "target_lang": "DE", "filename": "page.html"} | options
    )


def wait(client: deepl.DeepLClient, handle: deepl.DocumentHandle) -> deepl.DocumentStatus:
    """Ask until a document is done or has failed; the client's own method waits five seconds."""
    deadline = time.monotonic() + 120
    while not (status := client.translate_document_get_status(handle)).done and status.ok:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return status


def fetch(client: deepl.DeepLClient, handle: deepl.DocumentHandle) -> bytes:
    translated = io.BytesIO()
    client.translate_document_download(handle, translated, chunk_size=1 << 16)
    return translated.getvalue()


def own_answer(server: RunningServer, content: bytes, name: str) -> bytes:
    """The answer of /v1/documents."""
    with server.client() as client:
        answer = client.post("/v1/documents", params={"name": name}, content=content)
        return answer.raise_for_status().content


# DeepL, with its Python client


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page.html", PAGE.encode()),
        ("page.HTM", PAGE.encode()),
        ("text.txt", "\n".join(sentences(5, seed=1)).encode()),
        ("letter.docx", docx()),
        ("minified.docx", docx(**{"word/media/image1.png": PLACEHOLDER})),
        ("units.xlf", XLIFF.encode()),
        ("film.srt", SRT.encode()),
        ("messages.po", PO.encode()),
        ("empty.txt", b""),
    ],
)
def test_documents_of_deepl_are_those_of_the_server(
    server: RunningServer, client: deepl.DeepLClient, name: str, content: bytes
) -> None:
    handle = upload(client, content, filename=name)
    status = wait(client, handle)
    assert status.ok and (status.billed_characters == 0) == (content == b"")
    translated = fetch(client, handle)
    assert translated == own_answer(server, content, name)
    if name == "minified.docx":
        with zipfile.ZipFile(io.BytesIO(translated)) as archive:
            assert archive.read("word/media/image1.png") == PLACEHOLDER
    with pytest.raises(deepl.DeepLException, match="Not found"):
        fetch(client, handle)  # it can be fetched once
    with pytest.raises(deepl.DeepLException, match="There is no such document"):
        client.translate_document_get_status(handle)


def test_deepl_client_translates_files(
    server: RunningServer, client: deepl.DeepLClient, tmp_path: Path
) -> None:
    source, out = tmp_path / "page.htm", tmp_path / "page.de.html"  # sends output_format
    source.write_text(PAGE, "utf-8")
    before = client.get_usage().character.count or 0
    status = client.translate_document_from_filepath(
        source, out, source_lang="EN", target_lang="DE", formality="prefer_less"
    )
    assert status.done
    assert out.read_bytes() == own_answer(server, PAGE.encode(), "page.html")
    used = (client.get_usage().character.count or 0) - before
    assert used == 2 * (status.billed_characters or 0) > 0  # also by /v1/documents


@pytest.mark.usefixtures("_no_retries")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"filename": "page.pdf"}, "no document format has the suffix '.pdf'"),
        ({"filename": "page"}, "no document format has the suffix ''"),
        ({"filename": "../../.html"}, "no document format has the suffix ''"),
        ({"filename": "a" * 252 + ".html"}, "at most 255 characters"),
        ({"output_format": "pdf"}, "output_format: pdf is not the format of the document"),
        ({"output_format": "docx"}, "output_format: docx"),
        ({"formality": "more"}, "formality"),
        ({"glossary": "a-b-c"}, "Start it with `regard serve --store FILE`"),
        ({"target_lang": "ZZ"}, "ZZ is not supported"),
        ({"source_lang": "XX"}, "XX is not supported"),
        ({"extra_body_parameters": {"new_parameter": "7"}}, "new_parameter"),
    ],
)
def test_deepl_client_gets_errors(
    client: deepl.DeepLClient, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(deepl.DeepLException, match="Bad request") as error:
        upload(client, PAGE.encode(), **options)
    assert message in str(error.value) and error.value.http_status_code == 400


DAMAGED = [
    ("damaged.docx", b"PK\x03\x04" + b"\0" * 1_000, "DOCX"),
    ("latin.txt", b"caf\xe9", "UTF-8"),
    ("strings.xml", b"<!DOCTYPE a><resources/>", "DOCTYPE"),
    ("long.json", b'{"a": "' + b"word " * 110_000 + b'"}', "Divide the document"),
]


def test_damaged_documents_fail(client: deepl.DeepLClient) -> None:
    handles = [upload(client, content, filename=name) for name, content, _ in DAMAGED]
    for handle, (_, _, message) in zip(handles, DAMAGED, strict=True):
        status = wait(client, handle)
        assert not status.ok and message in str(status.error_message)
        with pytest.raises(deepl.DeepLException, match="Not found"):
            fetch(client, handle)
        assert not client.translate_document_get_status(handle).ok  # also afterwards


HOSTILE_NAMES = [
    "../../etc/passwd.html",
    "C:\\Windows\\x.html",
    "a\"b'; filename*=x.html",
    "naïve 犬 \u202e.html",
    "a\0b.html",
    "a\x1b[31m.html",
    "%0d%0aSet-Cookie: a=b.html",
    "<script>.html",
]


@pytest.mark.parametrize("names", [HOSTILE_NAMES[:4], HOSTILE_NAMES[4:]])
def test_hostile_file_names(
    server: RunningServer, client: deepl.DeepLClient, names: list[str]
) -> None:
    """They select the format; the translation is offered under a harmless name."""
    with server.client() as other:
        handles = []
        for name in names:
            fields = {"target_lang": (None, "DE"), "filename": (None, name)}
            answer = other.post("/v2/document", files=fields | {"file": ("x", b"<p>A dog.</p>")})
            assert answer.status_code == 200, answer.text
            handles.append(deepl.DocumentHandle(**answer.json()))
        for handle in handles:
            assert wait(client, handle).ok
            result = client.translate_document_download(handle)
            assert result is not None and b"<p>" in result.content
            disposition = result.headers["content-disposition"]
            assert re.fullmatch(r"attachment; filename\*=UTF-8''[\w.%~-]+\.de\.html", disposition)
            assert not {"%2F", "%00", "%1B", "%0D", "%5C"} & set(re.findall("%..", disposition))
            assert result.headers["content-type"] == "application/octet-stream"
            assert result.headers["x-content-type-options"] == "nosniff"
            assert "set-cookie" not in result.headers


def part(disposition: bytes, content: bytes = b"A dog.") -> bytes:
    return b"--B\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n" % (disposition, content)


FILE = part(b'name="file"; filename="a.txt"')
LANGUAGES = (
    part(b'name="target_lang"', b"de")
    + part(b'name="target"', b"de")
    + part(b'name="source"', b"en")
)
END = b"--B--\r\n"


@pytest.mark.parametrize("path", ["/v2/document", "/translate_file"])
@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(LANGUAGES + END, "file: is missing", id="no file"),
        pytest.param(
            LANGUAGES + part(b'name="file"; filename=""') + END, "file: is missing", id="no name"
        ),
        pytest.param(LANGUAGES + FILE + FILE + END, "send one file", id="two files"),
        pytest.param(
            LANGUAGES + FILE.replace(b'"file"', b'"other"') + END, "one file", id="other field"
        ),
        pytest.param(LANGUAGES + FILE, "not valid", id="cut"),
        pytest.param(
            LANGUAGES + FILE.replace(b"a.txt", b"\xed\xa0\x80.txt") + END,
            "not valid",
            id="lone surrogate",
        ),
        pytest.param(
            LANGUAGES + FILE.replace(b"a.txt", b"\xff.txt") + END, "not valid", id="no UTF-8"
        ),
        pytest.param(FILE + END, "target", id="no languages"),
        pytest.param(b"", "not valid", id="empty"),
    ],
)
def test_forms_that_are_refused(
    server: RunningServer, path: str, body: bytes, message: str
) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=B"}
    with server.client() as client:
        answer = client.post(path, content=body, headers=headers)
        assert answer.status_code == 400, answer.text
        assert message in answer.text and len(answer.json()) == 1
        other = client.post(path, json={"target_lang": "DE"})
        assert other.status_code == 400 and "multipart" in other.text


def test_files_of_other_routes_are_refused(server: RunningServer) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=B"}
    with server.client() as client:
        for path in ("/translate", "/v2/translate"):
            answer = client.post(path, content=FILE + END, headers=headers)
            assert answer.status_code == 400 and "files are not supported" in answer.text


def test_documents_belong_to_a_key(locked: RunningServer, keys: tuple[Path, str, str, str]) -> None:
    client = deepl.DeepLClient(keys[1], server_url=locked.url)
    stranger = deepl.DeepLClient(keys[2], server_url=locked.url)
    handle = upload(client, PO, filename="a.po")
    assert wait(client, handle).ok
    wrong = deepl.DocumentHandle(handle.document_id, "0" * 64)
    for asking, asked in (
        (stranger, handle),
        (client, wrong),
        (client, deepl.DocumentHandle("0" * 32, handle.document_key)),
        (client, deepl.DocumentHandle(handle.document_id, "ä\0")),
    ):
        for call in (asking.translate_document_get_status, asking.translate_document_download):
            with pytest.raises(deepl.DeepLException, match="Not found") as error:
                call(asked)
            assert error.value.http_status_code == 404
    with locked.client(keys[1]) as other:
        path = f"/v2/document/{handle.document_id}"
        json_header = {"Content-Type": "application/json"}
        surrogate = other.post(path, content=b'{"document_key": "\\ud800"}', headers=json_header)
        assert surrogate.status_code == 400
        assert other.post(path).status_code == 400
        address = f"/download_file/{handle.document_id}.{handle.document_key}.po"
        assert other.get(address).status_code == 404  # the other interface asks for no key
    with pytest.raises(deepl.AuthorizationException):
        upload(deepl.DeepLClient("rgd_wrong", server_url=locked.url), PAGE.encode())
    assert fetch(client, handle)


def test_a_document_above_the_budget_fails(
    locked: RunningServer, keys: tuple[Path, str, str, str]
) -> None:
    client = deepl.DeepLClient(keys[3], server_url=locked.url)
    wait(client, upload(client, b"A dog runs.", filename="a.txt"))  # takes what is there
    status = wait(client, upload(client, b"A cat runs.", filename="a.txt"))
    assert "budget" in str(status.error_message)
    lines = [line for line in locked.lines if '"event": "document"' in line]
    assert '"status": 429' in lines[-1] and '"texts": 1' in lines[-1]


@contextmanager
def held(server: RunningServer, key: str) -> Iterator[deepl.DocumentHandle]:
    """A document under way whose process hangs."""
    client = deepl.DeepLClient(key, server_url=server.url)
    handle = upload(client, PO, filename="a.po")
    wait_until(lambda: bool(server.document_processes))
    documents = server.document_processes
    stop_processes(documents)
    try:
        yield handle
    finally:
        for process in documents:
            with suppress(psutil.NoSuchProcess):  # it was killed at its deadline
                process.send_signal(signal.SIGCONT)
        wait(client, handle)


@pytest.mark.usefixtures("_no_retries")
def test_documents_at_once_are_limited(
    locked: RunningServer, keys: tuple[Path, str, str, str]
) -> None:
    """Those of all interfaces together."""
    client = deepl.DeepLClient(keys[1], server_url=locked.url)
    form = {"source": (None, "en"), "target": (None, "de"), "file": ("a.po", PO)}
    with locked.client(keys[2]) as other, held(locked, keys[1]) as handle:
        status = client.translate_document_get_status(handle)
        assert status.status.value == "queued" and status.seconds_remaining is None
        with pytest.raises(deepl.DocumentNotReadyException, match="not ready"):
            fetch(client, handle)
        for path in ("/v2/document?target_lang=DE", "/translate_file", "/v1/documents?format=po"):
            answer = other.post(path, content=PO) if "v1" in path else other.post(path, files=form)
            assert answer.status_code == 503, (path, answer.text)
            assert answer.headers["retry-after"] == "5"
        with pytest.raises(deepl.DeepLException, match="busy"):
            upload(client, PAGE.encode())
    assert fetch(client, handle)
    with locked.client(keys[2]) as other:
        assert other.post("/translate_file", files=form).status_code == 200


@pytest.mark.usefixtures("_no_retries")
def test_files_and_fields_have_limits(
    locked: RunningServer, keys: tuple[Path, str, str, str]
) -> None:
    client = deepl.DeepLClient(keys[1], server_url=locked.url)
    with pytest.raises(deepl.DeepLException, match=f"more than {MAX_BYTES:,} bytes") as error:
        upload(client, b"a" * (MAX_BYTES + 1), filename="a.txt")
    assert error.value.http_status_code == 413
    with pytest.raises(deepl.DeepLException, match="fields have more than 5,000 bytes"):
        upload(client, b"a", filename="a.txt", extra_body_parameters={"x": "y" * 5_001})
    form = {"source": (None, "en"), "target": (None, "de"), "file": ("a.po", b"a" * 30_000)}
    with locked.client(keys[1]) as other:
        answer = other.post("/translate_file", files=form)
        assert answer.status_code == 413 and "error" in answer.json()


def test_the_oldest_documents_are_dropped(
    locked: RunningServer, keys: tuple[Path, str, str, str]
) -> None:
    client = deepl.DeepLClient(keys[1], server_url=locked.url)
    handles = []
    for _ in range(4):
        handles.append(upload(client, PO, filename="a.po"))
        wait(client, handles[-1])
    with pytest.raises(deepl.DeepLException, match=r"last 3 results.* 15,000 bytes.* 900 seconds"):
        client.translate_document_get_status(handles[0])
    large = upload(client, b"A dog.\n" * 1_200, filename="a.txt")  # pushes out by its size
    assert wait(client, large).ok
    assert wait(client, handles[3]).ok
    second = upload(client, b"A dog.\n" * 1_200, filename="a.txt")
    assert wait(client, second).ok
    with pytest.raises(deepl.DeepLException, match="There is no such document"):
        client.translate_document_get_status(large)
    assert fetch(client, second)
    huge = wait(client, upload(client, b"A dog.\n" * 2_400, filename="a.txt"))
    assert not huge.ok and "keeps at most 15,000" in str(huge.error_message)


def test_a_client_that_leaves_during_an_upload_makes_room(
    locked: RunningServer, keys: tuple[Path, str, str, str]
) -> None:
    head = (
        "POST {} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n"
        "Content-Type: multipart/form-data; boundary=B\r\nContent-Length: 9999\r\n\r\n"
    )
    url = httpx2.URL(locked.url)
    client = deepl.DeepLClient(keys[1], server_url=locked.url)
    for path in ("/v2/document", "/translate_file"):
        for _ in range(3):
            with socket.create_connection((url.host, url.port or 80)) as connection:
                connection.sendall(head.format(path, keys[1]).encode() + FILE)
    deadline = time.monotonic() + 30
    while True:
        with locked.client(keys[1]) as other:
            form = {"target_lang": (None, "de"), "file": ("a.po", PO)}
            answer = other.post("/v2/document", files=form)
        if answer.status_code == 200:
            break
        assert answer.status_code == 503 and time.monotonic() < deadline
    handle = deepl.DocumentHandle(**answer.json())
    assert wait(client, handle).ok


def test_documents_end_at_their_deadline(bundle: Path, tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("document_seconds: 2\nkept_seconds: 3\n")
    options = ("--workers", "1", "--settings", settings)
    with running_server(f"en-de={bundle}", *options) as server:
        client = deepl.DeepLClient("any", server_url=server.url)
        with held(server, "any") as handle:
            status = wait(client, handle)
            assert "not translated in time" in str(status.error_message)
            wait_until(lambda: not server.document_processes)
        time.sleep(3)
        with pytest.raises(deepl.DeepLException, match="for 3 seconds"):
            client.translate_document_get_status(handle)


def test_a_server_stops_with_documents_in_the_background(bundle: Path, tmp_path: Path) -> None:
    """They end, as nobody can fetch them any more."""
    options = ("--workers", "1", "--settings", settings_file(tmp_path))
    with running_server(f"en-de={bundle}", *options) as server:
        client = deepl.DeepLClient("any", server_url=server.url)
        for _ in range(3):
            upload(client, PO, filename="a.po")
        wait_until(lambda: len(server.document_processes) == 3)
        stop_processes(server.document_processes[:2])
        children = psutil.Process(server.process.pid).children(recursive=True)
        client.close()
        start = time.monotonic()
        assert server.stop() == 0, server.lines
        assert time.monotonic() - start < STOP_SECONDS + STOP_MARGIN + SLACK
        _, alive = psutil.wait_procs(children, timeout=5)
        assert not alive
        stopped = [line for line in server.lines if '"event": "document"' in line]
        assert len(stopped) == 3 and '"status": 503' in stopped[0]


# LibreTranslate, as its web page uses it


def libretranslate_form(name: str, content: bytes, **fields: str) -> dict[str, Any]:
    """The form of the page: the file first."""
    values = {"source": "en", "target": "de", "api_key": "", "secret": "x"} | fields
    return {"file": (name, content), **{key: (None, value) for key, value in values.items()}}


def test_files_of_libretranslate(server: RunningServer) -> None:
    with server.client() as client:
        settings = client.get("/frontend/settings").json()
        assert settings["filesTranslation"] is True
        assert settings["supportedFilesFormat"] == list(DOCUMENT_SUFFIXES)
        for name, content in (("my page.html", PAGE.encode()), ("a.docx", docx())):
            for source in ("en", "auto"):
                form = libretranslate_form(name, content, source=source)
                answer = client.post("/translate_file", files=form)
                assert answer.status_code == 200, answer.text
                (address,) = answer.json().values()
                assert address.startswith(f"{server.url}/download_file/")
                for _ in range(2):  # the page has a link
                    found = client.get(address)
                    assert found.content == own_answer(server, content, name)
        assert "my%20page.de.html" not in found.headers["content-disposition"]
        assert "UTF-8''a.de.docx" in found.headers["content-disposition"]
        changed = address.replace(".docx", "")[:-1]
        for path in (
            changed,
            f"{changed}g",
            "/download_file/a",
            "/download_file/%00",
        ):
            answer = client.get(path)
            assert answer.status_code == 404, path


@pytest.mark.parametrize(
    ("name", "content", "fields", "message"),
    [
        ("a.pdf", b"x", {}, "no document format has the suffix '.pdf'"),
        ("a.docx", b"no archive", {}, "DOCX"),
        ("a.txt", b"caf\xe9", {}, "UTF-8"),
        ("a.txt", b"x", {"source": ""}, "source"),
        ("a.txt", b"x", {"target": "zz"}, "zz is not supported"),
        ("a.txt", b"x", {"source": "xx"}, "xx is not supported"),
    ],
)
def test_files_of_libretranslate_that_are_refused(
    server: RunningServer, name: str, content: bytes, fields: dict[str, str], message: str
) -> None:
    with server.client() as client:
        form = libretranslate_form(name, content, **fields)
        answer = client.post("/translate_file", files=form)
    assert answer.status_code == 400 and message in answer.json()["error"]


def test_files_of_libretranslate_need_a_key(
    locked: RunningServer, keys: tuple[Path, str, str, str]
) -> None:
    with locked.client() as client:
        for key, status in (("", 400), ("rgd_wrong", 403), (keys[1], 200)):
            form = libretranslate_form("a.po", PO.encode(), api_key=key)
            answer = client.post("/translate_file", files=form)
            assert answer.status_code == status, answer.text
        assert client.get(answer.json()["translatedFileUrl"]).status_code == 200


@pytest.mark.slow
def test_many_documents_keep_memory_and_descriptors(bundle: Path, tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("max_kept_documents: 20\n")
    content = "\n".join(sentences(300, seed=5)).encode()

    with (
        running_server(f"en-de={bundle}", "--workers", "1", "--settings", settings) as server,
        ExitStack() as stack,
    ):
        own = stack.enter_context(server.client())
        client = deepl.DeepLClient("any", server_url=server.url)
        process = psutil.Process(server.process.pid)

        def translate(number: int) -> None:
            if number % 3 == 0:
                form = libretranslate_form("a.txt", content)
                assert own.post("/translate_file", files=form).status_code == 200
            else:
                handle = upload(client, content, filename="a.txt")
                assert wait(client, handle).ok
                if number % 3 == 1:
                    fetch(client, handle)

        sizes = []
        for number in range(300):
            translate(number)
            if number % 50 == 49:
                sizes.append((process.memory_info().rss, process.num_fds()))
        print("resident bytes and descriptors:", sizes)
        assert sizes[-1][0] < sizes[1][0] + 8e6
        assert sizes[-1][1] <= sizes[0][1] + 2
        assert not server.document_processes
