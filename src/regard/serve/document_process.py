"""The server's side of the process of a document: see `document_worker`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import cast

from regard.errors import DocumentError
from regard.serve.engines import EngineError
from regard.serve.frames import (
    AlignedValues,
    DocumentAnswer,
    add_length,
    encode_frame,
    read_content,
    read_frame,
)
from regard.serve.pool import ChildProcess, start_child


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    """Options of the process of a document.

    Args:
        format: Of `FORMAT_NAMES`.
        name: Of the document, for the report.
        keep: Texts that are not translated.
        language: Code of the target, to write into the document.
        max_characters: Of the texts, after NFKC; the texts of a longer document are not sent.
        report: Whether to answer with a `DocumentResponse` instead of the document.
        model: For the response.
        version: Likewise.
        terms: Prescribed translations.
        languages: Codes of source and target of the terms, where known.
    """

    format: str
    name: str
    keep: tuple[str, ...]
    language: str | None
    max_characters: int
    report: bool
    model: str
    version: str
    terms: tuple[tuple[str, str], ...] = ()
    languages: tuple[str | None, str | None] = (None, None)


@dataclass(frozen=True, slots=True)
class DocumentTexts:
    """The texts of a document, and their lengths after NFKC; no texts if they are too long."""

    texts: list[str]
    lengths: list[int]


class DocumentProcess:
    """The process of one document."""

    def __init__(self, child: ChildProcess) -> None:
        self._child = child

    async def read(self, content: bytes, options: DocumentOptions) -> DocumentTexts:
        """Return the texts of a document. Raises RegardError, EngineError."""
        self._child.writer.write(encode_frame(asdict(options)))
        self._child.writer.write(add_length(content))
        answer = await self._answer()
        return DocumentTexts(answer["texts"], answer["lengths"])

    async def send(self, translations: Sequence[AlignedValues]) -> None:
        """Send the translations of the next texts: values of `assemble_aligned`."""
        self._child.writer.write(encode_frame({"translations": translations}))
        await self._child.writer.drain()

    async def restore(self) -> bytes:
        """Return the translated document or the response. Raises RegardError, EngineError."""
        await self._answer()
        content = await read_content(self._child.reader)
        if content is None:
            raise EngineError("the process of a document ended")
        return content

    async def _answer(self) -> DocumentAnswer:
        answer = cast("DocumentAnswer | None", await read_frame(self._child.reader))
        if answer is None:  # killed by the system, for example as memory ran out
            raise EngineError("the process of a document ended")
        if "error" not in answer:
            return answer
        if answer["kind"] == "regard":
            raise DocumentError(answer["error"])
        raise EngineError(answer["error"])


@asynccontextmanager
async def document_process() -> AsyncIterator[DocumentProcess]:
    """Start the process of a document; kill it at the end, whether it is done or not."""
    child = await start_child("regard.serve.document_worker", threads=1)
    try:
        yield DocumentProcess(child)
    finally:
        child.kill()
        child.writer.close()
        await child.process.wait()
