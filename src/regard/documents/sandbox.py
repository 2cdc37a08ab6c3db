"""Read and write documents: in this process, or in a short-lived child process with limits.

The child reads one request from standard input and writes one JSON answer. It has a limit of memory
and of time, and opens no file and no socket once it has imported its modules.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from regard.documents.formats.base import DocumentFormat, DocumentSegment, load_format
from regard.documents.formats.languages import set_language
from regard.documents.marked_text import InlineElement, MarkedText
from regard.errors import DocumentError

MAX_DOCUMENT = 32 * 2**20  # bytes
MAX_SECONDS = 60.0
_SOURCE = str(Path(__file__).parents[2])


@runtime_checkable
class DocumentReader(Protocol):
    """Finds the segments of a document, and writes their translations into it."""

    @property
    def name(self) -> str:
        """The name of the format."""
        ...

    def extract(self, content: bytes) -> list[DocumentSegment]:
        """Return the segments of a document. Raises DocumentError."""
        ...

    def escape(self, text: str, style: str) -> str:
        """Return text as it is between the tags of a segment."""
        ...

    def write(
        self,
        content: bytes,
        segments: Sequence[DocumentSegment],
        translations: Sequence[MarkedText | None],
        language: str | None,
    ) -> tuple[bytes, list[int]]:
        """Return the document with its segments replaced.

        Also returns the segments that keep their source, because their translation would be read
        differently. `language`: the code of the translation's language, where known.
        """
        ...


@dataclass(frozen=True, slots=True)
class DirectReader:
    """Reads documents in this process."""

    document_format: DocumentFormat

    @property
    def name(self) -> str:
        return self.document_format.name

    def extract(self, content: bytes) -> list[DocumentSegment]:
        return self.document_format.extract(content)

    def escape(self, text: str, style: str) -> str:
        return self.document_format.escape(text, style)

    def write(
        self,
        content: bytes,
        segments: Sequence[DocumentSegment],
        translations: Sequence[MarkedText | None],
        language: str | None,
    ) -> tuple[bytes, list[int]]:
        unwritable = self.document_format.unwritable(content, segments, translations)
        written = [
            None if index in unwritable else translation
            for index, translation in enumerate(translations)
        ]
        restored = self.document_format.restore(content, segments, written)
        if language is not None:
            restored = set_language(restored, self.name, language)
        return restored, unwritable


@dataclass(frozen=True, slots=True)
class SandboxReader:
    """Reads documents in child processes. `name` is that of a format."""

    name: str

    def extract(self, content: bytes) -> list[DocumentSegment]:
        if len(content) > MAX_DOCUMENT:
            raise DocumentError(
                f"the document has {len(content):,} bytes. At most {MAX_DOCUMENT:,} are read: "
                "divide it."
            )
        answer = _call({"format": self.name, "action": "extract"}, content)
        return [segment_from_json(record) for record in json.loads(answer)]

    def escape(self, text: str, style: str) -> str:
        return load_format(self.name).escape(text, style)

    def write(
        self,
        content: bytes,
        segments: Sequence[DocumentSegment],
        translations: Sequence[MarkedText | None],
        language: str | None,
    ) -> tuple[bytes, list[int]]:
        if all(translation is None for translation in translations):
            return content, []
        request = {
            "format": self.name,
            "action": "restore",
            "segments": [asdict(segment) for segment in segments],
            "language": language,
            "translations": [
                None if translation is None else asdict(translation) for translation in translations
            ],
        }
        unwritable, _, restored = _call(request, content).partition(b"\n")
        return restored, json.loads(unwritable)


def segment_from_json(values: dict[str, Any]) -> DocumentSegment:
    return DocumentSegment(**(values | {"marked": marked_from_json(values["marked"])}))


def marked_from_json(values: dict[str, Any]) -> MarkedText:
    return MarkedText(
        values["text"], tuple(InlineElement(**record) for record in values["elements"])
    )


def child_command(program: str = "answer_request()") -> list[str]:
    """The command of a child process that runs `program`."""
    start = f"import sys; sys.path.insert(0, {_SOURCE!r})\n"
    return [
        sys.executable,
        "-I",
        "-c",
        f"{start}from regard.documents.sandbox_child import answer_request\n{program}",
    ]


def pack_request(request: Mapping[str, object], content: bytes) -> bytes:
    """The standard input of the child process."""
    head = json.dumps(request).encode()
    return len(head).to_bytes(8, "big") + head + content


def _call(request: Mapping[str, object], content: bytes) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603  the interpreter that runs this
            child_command(),
            input=pack_request(request, content),
            capture_output=True,
            timeout=MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise DocumentError(
            f"the document took more than {MAX_SECONDS:.0f} seconds to read. Divide it."
        ) from None
    if done.returncode == 0:
        return done.stdout
    if done.returncode == 3:
        raise DocumentError(done.stdout.decode("utf-8", "replace"))
    reason = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    if done.returncode == 1 and not reason.startswith("MemoryError"):
        raise DocumentError(f"the parser failed ({reason}). Please report it with the document.")
    raise DocumentError("the document takes too much memory or time to read. Divide it.")
