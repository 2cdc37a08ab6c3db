"""The file of glossaries and corrections, without a server."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from regard.documents.terms import Term
from regard.errors import ConfigError
from regard.serve import store_file
from regard.serve.limits import RequestError
from regard.serve.settings import ServerSettings
from regard.serve.store import (
    Dictionary,
    DictionarySummary,
    GlossaryStore,
    check_terms,
)
from regard.serve.store_file import StoreError, StoreFile

TERMS = (Term("dog", "Hund"), Term("run", "laufen"))
EN_DE = Dictionary("en", "de", TERMS)
EN_FR = Dictionary("en", "fr", (Term("dog", "chien"),))


@contextmanager
def glossaries(path: Path, **settings: Any) -> Iterator[GlossaryStore]:
    limits = ServerSettings(**settings)
    file = StoreFile(path, limits.max_store_bytes)
    with closing(file):
        yield GlossaryStore(file, limits)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GlossaryStore]:
    with glossaries(tmp_path / "store") as opened:
        yield opened


def status(error: pytest.ExceptionInfo[RequestError]) -> int:
    return error.value.status


def test_glossaries_are_found_by_their_owners_only(store: GlossaryStore) -> None:
    made = store.create("website", "first", [EN_DE, EN_FR])
    glossary = store.find("website", made.glossary_id)
    assert glossary is not None and glossary.dictionaries == (EN_DE, EN_FR)
    assert (glossary.glossary_id, glossary.name) == (made.glossary_id, "first")
    assert glossary.terms("EN-GB", "de") == TERMS
    assert glossary.terms("de", "en") is None
    for stranger in ("other", None, ""):
        assert store.find(stranger, made.glossary_id) is None
        assert store.summaries(stranger) == []
        for call in (store.summary, store.delete):
            with pytest.raises(RequestError, match="no glossary") as refused:
                call(stranger, made.glossary_id)
            assert status(refused) == 404
    without_keys = store.create(None, "second", [EN_DE])
    assert store.find(None, without_keys.glossary_id)
    assert store.find("website", without_keys.glossary_id) is None


def test_each_change_has_another_version(store: GlossaryStore) -> None:
    glossary_id = store.create(None, "a", [EN_DE]).glossary_id
    versions = set()

    def terms(source: str, target: str) -> tuple[Term, ...] | None:
        glossary = store.find(None, glossary_id)
        assert glossary is not None
        versions.add(glossary.version)
        return glossary.terms(source, target)

    assert terms("en", "de") == TERMS
    new = Dictionary("en", "de", (Term("dog", "Köter"), Term("cat", "Katze")))
    store.change(None, glossary_id, dictionaries=[new, EN_FR], merge=True)
    merged = (Term("dog", "Köter"), Term("run", "laufen"), Term("cat", "Katze"))
    assert (terms("en", "de"), terms("en", "fr")) == (merged, EN_FR.terms)
    store.change(None, glossary_id, dictionaries=[EN_DE])
    assert (terms("en", "de"), terms("en", "fr")) == (TERMS, EN_FR.terms)
    store.change(None, glossary_id, name="b")
    assert store.summary(None, glossary_id).name == "b" and terms("en", "de") == TERMS
    store.delete_dictionary(None, glossary_id, "en", "de")
    assert terms("en", "de") is None
    assert store.summary(None, glossary_id).dictionaries == (DictionarySummary("en", "fr", 1),)
    with pytest.raises(RequestError, match="no dictionary en-de") as refused:
        store.delete_dictionary(None, glossary_id, "en", "de")
    assert status(refused) == 404
    assert terms("en", "fr") and versions == {1, 2, 3, 4, 5}
    store.delete(None, glossary_id)
    assert store.find(None, glossary_id) is None and store.summaries(None) == []


def test_limits_are_reached_exactly(tmp_path: Path) -> None:
    size = len("dog\tHund\nrun\tlaufen")
    limits = {"max_glossaries": 2, "max_glossary_entries": 3, "max_glossary_bytes": size + 9}
    with glossaries(tmp_path / "store", **limits) as store:
        glossary_id = store.create("a", "x", [EN_DE, EN_FR]).glossary_id
        longer = Dictionary("en", "fr", (Term("dog", "chiens"),))
        further = Dictionary("en", "it", (Term("a", "b"),))
        for dictionary, message in ((longer, "bytes, and the limit"), (further, "4 entries")):
            with pytest.raises(RequestError, match=message) as refused:
                store.change("a", glossary_id, dictionaries=[dictionary], merge=True)
            assert status(refused) == 413
        glossary = store.find("a", glossary_id)
        assert glossary is not None and glossary.version == 1  # nothing has been changed
        assert glossary.dictionaries == (EN_DE, EN_FR)
        store.create("a", "y", [EN_DE])
        with pytest.raises(RequestError, match="2 glossaries of this key") as refused:
            store.create("a", "z", [EN_DE])
        assert status(refused) == 413
        store.create("b", "z", [EN_DE])
        store.delete("a", glossary_id)
        store.create("a", "z", [EN_DE])


@pytest.mark.parametrize("text", ["", " ", "a\tb", "a\nb", "a\0", "\x85", "\u2028", "ä" * 513])
def test_names_and_terms_are_short_lines(store: GlossaryStore, text: str) -> None:
    with pytest.raises(RequestError, match="name: "):
        store.create(None, text, [EN_DE])
    for term in (Term(text, "a"), Term("a", text)):
        with pytest.raises(RequestError, match="entry 2: "):
            check_terms([TERMS[0], term])
    assert store.summaries(None) == []


def test_terms_and_pairs_occur_once(store: GlossaryStore) -> None:
    with pytest.raises(RequestError, match="entry 3: has the same source term as entry 1"):
        check_terms([*TERMS, Term("dog", "Köter")])
    with pytest.raises(RequestError, match="entries: there are none"):
        check_terms([])
    with pytest.raises(RequestError, match="same languages"):
        store.create(None, "a", [EN_DE, EN_DE])
    exact = "ä" * 512
    check_terms(
        [
            Term(exact, exact),
            Term("<ä>'\"; DROP TABLE", "\udcff".encode("utf-8", "replace").decode()),
        ]
    )


def test_the_file_is_readable_for_its_user_only(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with glossaries(path) as store:
        store.create(None, "a", [EN_DE])
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert modes == dict.fromkeys(("store", "store-wal", "store-shm"), 0o600)
    with glossaries(path) as store:
        assert len(store.summaries(None)) == 1


def test_files_of_others_are_refused_and_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE a (b)")
    content = path.read_bytes()
    with pytest.raises(ConfigError, match="database of another program"):
        StoreFile(path, 1 << 20)
    assert path.read_bytes() == content
    path.write_text("a recipe\n" * 100)
    for wrong in (path, tmp_path, tmp_path / "none" / "store"):
        with pytest.raises(ConfigError, match="cannot be opened"):
            StoreFile(wrong, 1 << 20)
    assert path.read_text() == "a recipe\n" * 100
    newer = tmp_path / "newer"
    StoreFile(newer, 1 << 20).close()
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version = 2")
    with pytest.raises(ConfigError, match="has version 2, and this regard reads version 1"):
        StoreFile(newer, 1 << 20)


def test_a_full_file_keeps_what_it_has(tmp_path: Path) -> None:
    with glossaries(tmp_path / "store", max_store_bytes=80_000) as store:
        terms = tuple(Term(f"term {number}", "x" * 500) for number in range(30))
        made = []
        with pytest.raises(StoreError, match="full") as refused:  # noqa: PT012
            while True:
                made.append(store.create(None, "a", [Dictionary("en", "de", terms)]).glossary_id)
        assert status(refused) == 503 and made
        assert [glossary.glossary_id for glossary in store.summaries(None)] == made
        store.delete(None, made[0])
        store.create(None, "a", [Dictionary("en", "de", terms)])


def test_a_locked_file_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_file, "WAIT_SECONDS", 0.1)
    with glossaries(tmp_path / "store") as store:
        made = store.create(None, "a", [EN_DE])
        with closing(sqlite3.connect(tmp_path / "store", isolation_level=None)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            with pytest.raises(StoreError, match="locked") as refused:
                store.change(None, made.glossary_id, name="b")
            assert status(refused) == 503
            assert store.find(None, made.glossary_id)
        store.change(None, made.glossary_id, name="b")


def test_calls_beyond_the_limit_are_refused(store: GlossaryStore) -> None:
    release = threading.Event()

    async def call() -> None:
        waiting = [
            asyncio.ensure_future(store.file.run(release.wait)) for _ in range(store_file.MAX_CALLS)
        ]
        await asyncio.sleep(0)
        with pytest.raises(StoreError, match="too many requests"):
            await store.file.run(lambda: None)
        release.set()
        assert all(await asyncio.gather(*waiting))
        assert await store.file.run(lambda: store.summaries(None)) == []

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, call()).result()


WRITER = """
import sys
from pathlib import Path
from regard.documents.terms import Term
from regard.serve.settings import ServerSettings
from regard.serve.store import Dictionary, GlossaryStore
from regard.serve.store_file import StoreFile

store = GlossaryStore(StoreFile(Path(sys.argv[1]), 1 << 30), ServerSettings())
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[2])):
    dictionary = Dictionary("en", "de", (Term(f"term {number}", "x"),))
    if number == 0:
        (summary,) = store.summaries(None) or [store.create(None, "a", [dictionary])]
    store.change(None, summary.glossary_id, dictionaries=[dictionary], merge=True)
"""


def test_processes_share_a_file(tmp_path: Path) -> None:
    """They make it at the same time, and change a glossary at the same time."""
    path, count = tmp_path / "store", 25
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    with glossaries(path) as store:
        made = store.create(None, "a", [EN_DE])
        for process in processes:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        for process in processes:
            process.communicate(timeout=60)
            assert process.returncode == 0
        glossary = store.find(None, made.glossary_id)
        assert glossary is not None and glossary.version == 1 + 2 * count
        assert glossary.dictionaries[0].terms == (
            *TERMS,
            *(Term(f"term {number}", "x") for number in range(count)),
        )
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_copy_of_the_files_at_any_time_is_complete(tmp_path: Path) -> None:
    """What a machine finds that has lost its power: the file and its log, as they are now."""
    with glossaries(tmp_path / "store") as store:
        made = []
        for number in range(5):
            made.append(store.create(None, f"glossary {number}", [EN_DE]))
            for suffix in ("", "-wal"):
                shutil.copy(tmp_path / f"store{suffix}", tmp_path / f"copy{suffix}")
            with glossaries(tmp_path / "copy") as copy:
                assert copy.summaries(None) == made
