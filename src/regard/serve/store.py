"""Glossaries of `regard serve --store`: terms by pairs of languages, owned by a key.

A glossary belongs to the name of the key that made it, and no other key sees it.
"""

from __future__ import annotations

import re
import sqlite3
import time
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby

from regard.documents.terms import Term
from regard.serve.compatibility import base_language
from regard.serve.limits import RequestError
from regard.serve.settings import ServerSettings
from regard.serve.store_file import StoreFile, now

FRESH_SECONDS = 1.0
RECENT = 16  # glossaries that are kept for translations
MAX_TERM_BYTES = 1_024  # of a term, and of a glossary's name, as in DeepL
_NOT_IN_A_LINE = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Terms of a pair of languages, whose codes have no region: `en`, not `EN-GB`."""

    source: str
    target: str
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Glossary:
    """A glossary with its terms. `version` changes with every change of the glossary."""

    glossary_id: str
    name: str
    version: int
    dictionaries: tuple[Dictionary, ...]

    def terms(self, source: str, target: str) -> tuple[Term, ...] | None:
        """The terms of a pair; None: the glossary does not have this pair."""
        pair = base_language(source), base_language(target)
        for dictionary in self.dictionaries:
            if (dictionary.source, dictionary.target) == pair:
                return dictionary.terms
        return None


@dataclass(frozen=True, slots=True)
class DictionarySummary:
    """A pair of languages and the number of its terms."""

    source: str
    target: str
    entry_count: int


@dataclass(frozen=True, slots=True)
class GlossarySummary:
    """A glossary without its terms."""

    glossary_id: str
    name: str
    created: str
    dictionaries: tuple[DictionarySummary, ...]


class GlossaryStore:
    """The glossaries of all keys.

    The argument `owner` of all methods is the name of a key, and None on a server without keys.
    The methods wait for the disk: call them by `StoreFile.run`, or in another thread.
    """

    def __init__(self, file: StoreFile, settings: ServerSettings) -> None:
        self.file, self._settings = file, settings
        self._recent: OrderedDict[tuple[str | None, str], tuple[Glossary, float]] = OrderedDict()

    async def open(self, owner: str | None, glossary_id: str) -> Glossary:
        """Return a glossary for a translation.

        It may be FRESH_SECONDS old, if another server has changed it.

        Raises:
            RequestError: With the status 404: this owner does not have it.
        """
        key = owner, glossary_id
        glossary, read = self._recent.get(key, (None, 0.0))
        if glossary is None or time.monotonic() - read > FRESH_SECONDS:
            read = time.monotonic()
            glossary = await self.file.run(lambda: self.find(owner, glossary_id))
            if glossary is None:
                self._recent.pop(key, None)
                raise _unknown(glossary_id)
            self._recent[key] = glossary, read
            self._recent.move_to_end(key)
            while len(self._recent) > RECENT:
                self._recent.popitem(last=False)
        return glossary

    def find(self, owner: str | None, glossary_id: str) -> Glossary | None:
        """Return a glossary with its terms; None: this owner does not have it."""
        with self.file.reading() as connection:
            row = connection.execute(
                "SELECT name, version FROM glossaries WHERE glossary_id = ? AND owner = ?",
                (glossary_id, owner or ""),
            ).fetchone()
            if row is None:
                return None
            stored = connection.execute(
                "SELECT source, target, entries FROM dictionaries WHERE glossary_id = ?"
                " ORDER BY rowid",
                (glossary_id,),
            ).fetchall()
        name, version = row
        return Glossary(
            glossary_id,
            name,
            version,
            tuple(
                Dictionary(source, target, _decode(entries)) for source, target, entries in stored
            ),
        )

    def summaries(self, owner: str | None) -> list[GlossarySummary]:
        """Return all glossaries of an owner, in the order in which they were made."""
        with self.file.reading() as connection:
            return _summaries(connection, owner)

    def summary(self, owner: str | None, glossary_id: str) -> GlossarySummary:
        """Return a glossary without its terms.

        Raises:
            RequestError: With the status 404, here and below: this owner does not have it.
        """
        with self.file.reading() as connection:
            _check_owner(connection, owner, glossary_id)
            return _summaries(connection, owner, glossary_id)[0]

    def create(
        self, owner: str | None, name: str, dictionaries: Sequence[Dictionary]
    ) -> GlossarySummary:
        """Add a glossary.

        Raises:
            RequestError: A name or term is invalid, or with the status 413, here and below: a
                limit is exceeded.
        """
        _check_text("name", name)
        glossary_id, most = str(uuid.uuid4()), self._settings.max_glossaries
        with self.file.writing() as connection:
            query = "SELECT count(*) FROM glossaries WHERE owner = ?"
            if connection.execute(query, (owner or "",)).fetchone()[0] >= most:
                raise RequestError(
                    f"There are {most:,} glossaries of this key, and that is the limit. Delete one "
                    "first.",
                    413,
                )
            connection.execute(
                "INSERT INTO glossaries VALUES (?, ?, ?, 1, ?)",
                (glossary_id, owner or "", name, now()),
            )
            self._put(connection, glossary_id, dictionaries)
            return _summaries(connection, owner, glossary_id)[0]

    def change(
        self,
        owner: str | None,
        glossary_id: str,
        *,
        name: str | None = None,
        dictionaries: Sequence[Dictionary] = (),
        merge: bool = False,
    ) -> GlossarySummary:
        """Give a glossary another name, and add dictionaries or replace those of the same pairs.

        `merge`: keep the terms of a replaced dictionary that the new one does not have.
        """
        with self._changing(owner, glossary_id) as connection:
            if name is not None:
                _check_text("name", name)
                query = "UPDATE glossaries SET name = ? WHERE glossary_id = ?"
                connection.execute(query, (name, glossary_id))
            if merge:
                dictionaries = [_merged(connection, glossary_id, new) for new in dictionaries]
            self._put(connection, glossary_id, dictionaries)
            return _summaries(connection, owner, glossary_id)[0]

    def delete_dictionary(
        self, owner: str | None, glossary_id: str, source: str, target: str
    ) -> None:
        """Remove the terms of a pair."""
        with self._changing(owner, glossary_id) as connection:
            query = "DELETE FROM dictionaries WHERE glossary_id = ? AND source = ? AND target = ?"
            if not connection.execute(query, (glossary_id, source, target)).rowcount:
                pair = f"{source}-{target}"[:20]
                raise RequestError(f"The glossary has no dictionary {pair}.", 404)

    def delete(self, owner: str | None, glossary_id: str) -> None:
        """Remove a glossary."""
        with self._changing(owner, glossary_id) as connection:
            connection.execute("DELETE FROM glossaries WHERE glossary_id = ?", (glossary_id,))

    @contextmanager
    def _changing(self, owner: str | None, glossary_id: str) -> Iterator[sqlite3.Connection]:
        with self.file.writing() as connection:
            _check_owner(connection, owner, glossary_id)
            query = "UPDATE glossaries SET version = version + 1 WHERE glossary_id = ?"
            connection.execute(query, (glossary_id,))
            yield connection
        self._recent.pop((owner, glossary_id), None)

    def _put(
        self, connection: sqlite3.Connection, glossary_id: str, dictionaries: Sequence[Dictionary]
    ) -> None:
        pairs = {(dictionary.source, dictionary.target) for dictionary in dictionaries}
        if len(pairs) < len(dictionaries):
            raise RequestError("dictionaries: two have the same languages. Send one of them.")
        for dictionary in dictionaries:
            check_terms(dictionary.terms)
            connection.execute(
                "INSERT INTO dictionaries VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET entry_count = excluded.entry_count,"
                " entries = excluded.entries",
                (
                    *(glossary_id, dictionary.source, dictionary.target),
                    *(len(dictionary.terms), _encode(dictionary.terms)),
                ),
            )
        sizes = connection.execute(
            "SELECT total(entry_count), total(length(entries)) FROM dictionaries"
            " WHERE glossary_id = ?",
            (glossary_id,),
        ).fetchone()
        limits = self._settings.max_glossary_entries, self._settings.max_glossary_bytes
        for size, limit, unit in zip(sizes, limits, ("entries", "bytes"), strict=True):
            if size > limit:
                raise RequestError(
                    f"The glossary would have {size:,.0f} {unit}, and the limit is {limit:,}. "
                    "Divide it into several.",
                    413,
                )


def _check_owner(connection: sqlite3.Connection, owner: str | None, glossary_id: str) -> None:
    query = "SELECT 1 FROM glossaries WHERE glossary_id = ? AND owner = ?"
    if connection.execute(query, (glossary_id, owner or "")).fetchone() is None:
        raise _unknown(glossary_id)


def _unknown(glossary_id: str) -> RequestError:
    return RequestError(f"There is no glossary {glossary_id[:40]} of this key.", 404)


def _summaries(
    connection: sqlite3.Connection, owner: str | None, glossary_id: str | None = None
) -> list[GlossarySummary]:
    """All glossaries of an owner, or the one with this ID."""
    rows = connection.execute(
        "SELECT glossary_id, name, created, source, target, entry_count FROM glossaries"
        " LEFT JOIN dictionaries USING (glossary_id)"
        " WHERE owner = ? AND glossary_id = ifnull(?, glossary_id)"
        " ORDER BY glossaries.rowid, dictionaries.rowid",
        (owner or "", glossary_id),
    )
    return [
        GlossarySummary(
            *(glossary, name, created),
            tuple(DictionarySummary(*row[3:]) for row in group if row[3] is not None),
        )
        for (glossary, name, created), group in groupby(rows, lambda row: row[:3])
    ]


def _merged(connection: sqlite3.Connection, glossary_id: str, new: Dictionary) -> Dictionary:
    row = connection.execute(
        "SELECT entries FROM dictionaries WHERE glossary_id = ? AND source = ? AND target = ?",
        (glossary_id, new.source, new.target),
    ).fetchone()
    check_terms(new.terms)
    terms = {term.source: term for term in (*(() if row is None else _decode(row[0])), *new.terms)}
    return Dictionary(new.source, new.target, tuple(terms.values()))


def check_terms(terms: Iterable[Term]) -> None:
    """Raise RequestError if a term is empty, too long, not one line, or occurs twice."""
    sources: dict[str, int] = {}
    for number, term in enumerate(terms, 1):
        for text in (term.source, term.target):
            _check_text(f"entry {number}", text)
        first = sources.setdefault(term.source, number)
        if first != number:
            raise RequestError(f"entry {number}: has the same source term as entry {first}.")
    if not sources:
        raise RequestError("entries: there are none. Send a term and its translation in each line.")


def _check_text(name: str, text: str) -> None:
    if not text.strip():
        raise RequestError(f"{name}: is empty.")
    if len(text.encode()) > MAX_TERM_BYTES:
        raise RequestError(f"{name}: has more than {MAX_TERM_BYTES:,} bytes in UTF-8.")
    if _NOT_IN_A_LINE.search(text):
        raise RequestError(f"{name}: has a control character or a line break.")


def _encode(terms: Iterable[Term]) -> bytes:
    """The terms as lines with a tab, which neither a source nor a target has."""
    return "\n".join(f"{term.source}\t{term.target}" for term in terms).encode()


def _decode(entries: bytes) -> tuple[Term, ...]:
    return tuple(Term(*line.split("\t")) for line in entries.decode().split("\n"))
