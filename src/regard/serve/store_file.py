"""The file of `regard serve --store`, in SQLite: its tables, connections and transactions.

A change is on the disk before it is answered (write-ahead log, `synchronous=FULL`): a process that
is killed loses none. Several servers on one machine can share a file.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from regard.errors import ConfigError
from regard.serve.limits import RequestError

R = TypeVar("R")

APPLICATION = 0x72676473  # marks the file as ours
SCHEMA_VERSION = 1
SCHEMA = """
CREATE TABLE glossaries (
    glossary_id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    created TEXT NOT NULL
);
CREATE INDEX glossaries_of_owner ON glossaries (owner);
CREATE TABLE dictionaries (
    glossary_id TEXT NOT NULL REFERENCES glossaries ON DELETE CASCADE,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    entry_count INTEGER NOT NULL,
    entries BLOB NOT NULL,
    PRIMARY KEY (glossary_id, source, target)
);
CREATE TABLE corrections (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    created TEXT NOT NULL,
    source_language TEXT NOT NULL,
    target_language TEXT NOT NULL,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    model TEXT NOT NULL,
    version TEXT NOT NULL
);
CREATE TABLE correction_bytes (owner TEXT PRIMARY KEY, bytes INTEGER NOT NULL);
"""

WAIT_SECONDS = 2.0  # for a file that another process has locked
THREADS = 4
MAX_CALLS = 32  # under way at once; further ones are refused


class StoreError(RequestError):
    """The file cannot be read or written now."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The server's store cannot be used now: {reason}.", 503, 2.0)


class _Connection:
    """A connection that one thread uses at a time."""

    def __init__(self, path: Path, max_pages: int) -> None:
        self._lock = threading.Lock()
        self._sqlite = sqlite3.connect(
            path.absolute(), timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._sqlite.execute("PRAGMA synchronous = FULL")
        self._sqlite.execute("PRAGMA foreign_keys = ON")
        self._sqlite.execute(f"PRAGMA max_page_count = {max(1, max_pages)}")

    @contextmanager
    def transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        """Commit what is done with the connection, or nothing if an error is raised."""
        if not self._lock.acquire(timeout=WAIT_SECONDS):
            raise StoreError("other requests are using it")
        try:
            self._sqlite.execute(begin)
            try:
                yield self._sqlite
                self._sqlite.execute("COMMIT")
            finally:
                if self._sqlite.in_transaction:
                    self._sqlite.execute("ROLLBACK")
        except sqlite3.DatabaseError as error:
            raise StoreError(str(error)) from error
        finally:
            self._lock.release()

    def close(self) -> None:
        with self._lock:
            self._sqlite.close()


class StoreFile:
    """The SQLite file. It is made if it does not exist, and readable only for its user.

    Args:
        path: On a local disk: a write-ahead log does not work on a network's file system.
        max_bytes: Size that the file does not exceed.

    Raises:
        ConfigError: The file cannot be used as a store.
    """

    def __init__(self, path: Path, max_bytes: int) -> None:
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            with closing(sqlite3.connect(path.absolute(), WAIT_SECONDS)) as connection:
                _prepare(path, connection)
                (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
            self._writer = _Connection(path, max_bytes // page_bytes)
            # A second one: reading does not wait for writing.
            self._reader = _Connection(path, max_bytes // page_bytes)
        except (OSError, sqlite3.DatabaseError) as error:
            raise ConfigError(
                f"--store {path}: cannot be opened ({error}). Name a file that does not exist, or "
                "that `regard serve --store` has made."
            ) from None
        self._threads = ThreadPoolExecutor(THREADS, "store")
        self._free_calls = threading.Semaphore(MAX_CALLS)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A transaction in which all that is read is of one state."""
        with self._reader.transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that no other writer interrupts."""
        with self._writer.transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    async def run(self, call: Callable[[], R]) -> R:
        """Make a call in a thread, so that the event loop does not wait for the disk."""
        if not self._free_calls.acquire(blocking=False):
            raise StoreError("too many requests wait for it")
        future: Future[R] = self._threads.submit(call)
        future.add_done_callback(lambda _: self._free_calls.release())
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Finish the calls under way, and close the file."""
        self._threads.shutdown(cancel_futures=True)
        self._reader.close()
        self._writer.close()


def _prepare(path: Path, connection: sqlite3.Connection) -> None:
    """Make the tables of a new file. Refuse a file with others, before it is changed."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if tables and application != APPLICATION:
        raise ConfigError(f"--store {path}: is a database of another program. Name another file.")
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise ConfigError(f"--store {path}: needs a local disk. Name a file on one.")
    connection.execute("BEGIN IMMEDIATE")  # of several servers, one makes the tables
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if not tables:
        for statement in filter(str.strip, SCHEMA.split(";")):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.commit()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != SCHEMA_VERSION:
        raise ConfigError(
            f"--store {path}: has version {version}, and this regard reads version "
            f"{SCHEMA_VERSION}. Use the regard that wrote it, or name another file."
        )


def now() -> str:
    """The time, as DeepL writes it: 2026-11-19T14:20:00.123Z."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
