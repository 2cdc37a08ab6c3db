"""Documents that clients ask for again: under way, translated or failed. They are in memory only.

Those that have ended are kept for a time, up to a number and a size. Then the oldest are dropped.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from dataclasses import dataclass, field

from regard.serve.document_translation import Progress
from regard.serve.http import AnswerError
from regard.serve.limits import RequestError
from regard.serve.settings import ServerSettings

ANYBODY = ""  # the owner of a document for which its identifier and key are enough


@dataclass(slots=True, eq=False)
class KeptDocument:
    """A document, found by its identifier and its key.

    Args:
        owner: Digest of the key of the server that may ask for it, or ANYBODY.
        name: Of the translated file.
    """

    owner: str
    name: str
    identifier: str = field(default_factory=lambda: secrets.token_hex(16))
    key: str = field(default_factory=lambda: secrets.token_hex(32))
    started: float = field(default_factory=lambda: time.monotonic())
    progress: Progress | None = None
    content: bytes | None = None  # when it is translated
    error: str | None = None  # when it has failed

    @property
    def seconds_remaining(self) -> float | None:
        """The expected time until it is translated; None before its first texts are."""
        if self.progress is None or self.progress.done == 0:
            return None
        passed = time.monotonic() - self.started
        return passed * (self.progress.total / self.progress.done - 1)


class KeptDocuments:
    """The documents of a server.

    Args:
        settings: Have the limits of those that have ended.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._under_way: dict[str, KeptDocument] = {}
        self._ended: dict[str, KeptDocument] = {}  # the oldest first
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._bytes = 0

    def add(self, owner: str, name: str) -> KeptDocument:
        """Add a document that is under way, until `keep` or `fail`."""
        document = KeptDocument(owner, name)
        self._under_way[document.identifier] = document
        return document

    def keep(self, document: KeptDocument, content: bytes) -> None:
        """Keep the translation of a document. Raises RequestError if it is too large.

        The document need not have been under way.
        """
        if len(content) > self._settings.max_kept_bytes:
            raise RequestError(
                f"the translated document has {len(content):,} bytes, and this server keeps at "
                f"most {self._settings.max_kept_bytes:,}. Divide the document.",
                413,
            )
        document.content = content
        self._end(document)

    def fail(self, document: KeptDocument, error: str) -> None:
        """Keep why a document was not translated."""
        document.error = error
        self._end(document)

    def find(self, identifier: str, key: str, owner: str) -> KeptDocument:
        """Return a document. Raises AnswerError if it is not here, or if `owner` is another."""
        document = self._under_way.get(identifier) or self._ended.get(identifier)
        if document is None or not (_equal(document.key, key) and _equal(document.owner, owner)):
            raise AnswerError(
                404,
                "There is no such document, or its key is wrong. The server keeps the last "
                f"{self._settings.max_kept_documents:,} results, of at most "
                f"{self._settings.max_kept_bytes:,} bytes together, for "
                f"{self._settings.kept_seconds:,.0f} seconds. Send the document again.",
            )
        return document

    def drop(self, document: KeptDocument) -> None:
        """Forget a document that has ended."""
        del self._ended[document.identifier]
        self._timers.pop(document.identifier).cancel()
        self._bytes -= len(document.content or b"")

    def _end(self, document: KeptDocument) -> None:
        settings = self._settings
        self._under_way.pop(document.identifier, None)
        self._ended[document.identifier] = document
        self._bytes += len(document.content or b"")
        self._timers[document.identifier] = asyncio.get_running_loop().call_later(
            settings.kept_seconds, self.drop, document
        )
        while (
            len(self._ended) > settings.max_kept_documents or self._bytes > settings.max_kept_bytes
        ):
            self.drop(next(iter(self._ended.values())))


def _equal(expected: str, sent: str) -> bool:
    """Compare in a time that does not depend on how much is right."""
    return hmac.compare_digest(expected.encode(), sent.encode("utf-8", "surrogatepass"))
