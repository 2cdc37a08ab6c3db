"""The process of a document: it reads and protects its texts, and restores it with translations.

    python -m regard.serve.document_worker DESCRIPTOR

The server starts one for each document, sends the document, receives its texts, sends their
translations as they are made, and receives the translated document. The process has a limit of
memory. It ends at once, with the parsers that it has started, when the server closes the socket.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import sys
import threading
from base64 import b64encode
from collections.abc import Sequence
from queue import SimpleQueue
from typing import TYPE_CHECKING

import numpy as np

from regard.documents.marked_text import AlignedTranslation
from regard.documents.sandbox import SandboxReader
from regard.documents.terms import Term, TermBase
from regard.errors import DocumentError
from regard.serve.frames import (
    add_length,
    decode_weights,
    encode_frame,
    error_values,
    receive_content,
)
from regard.tasks.translation.documents import DocumentJob, TranslatedDocument
from regard.text.normalize import compose

if TYPE_CHECKING:
    from regard.serve.frames import AlignedValues

MAX_MEMORY = 2 << 30  # bytes of address space


class DocumentWorker:
    """Answers the messages about one document.

    Args:
        connection: To the server.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._received: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=self._receive, daemon=True).start()

    def run(self) -> None:
        """Translate a document. An error is an answer."""
        try:
            options = json.loads(self._received.get())
            job = DocumentJob(
                self._received.get(),
                SandboxReader(options["format"]),
                name=options["name"],
                keep=options["keep"],
                terms=_term_base(options["terms"], options["languages"]),
                language=options["language"],
            )
            self._connection.sendall(encode_frame(_prepared(job, options["max_characters"])))
            translated = job.finish(self._translations(job))
            content = translated.content
            if options["report"]:
                content = _with_report(translated, options["model"], options["version"])
            self._connection.sendall(encode_frame({}) + add_length(content))
        except MemoryError:
            error = DocumentError("the document takes too much memory. Divide it.")
            self._connection.sendall(encode_frame(error_values(error)))
        except Exception as error:
            self._connection.sendall(encode_frame(error_values(error)))

    def _translations(self, job: DocumentJob) -> dict[str, AlignedTranslation]:
        """Wait for the translations of all texts, which come in their order."""
        translations: list[AlignedTranslation] = []
        while len(translations) < len(job.texts):
            block = json.loads(self._received.get())
            translations += map(read_translation, block["translations"])
        return dict(zip(job.texts, translations, strict=True))

    def _receive(self) -> None:
        """Receive messages; end this process and its children when the connection is closed."""
        while (message := receive_content(self._connection)) is not None:
            self._received.put(message)
        os.killpg(os.getpid(), signal.SIGKILL)


def _term_base(
    terms: Sequence[tuple[str, str]], languages: Sequence[str | None]
) -> TermBase | None:
    source, target = languages
    return TermBase((Term(*pair) for pair in terms), (source, target)) if terms else None


def _prepared(job: DocumentJob, max_characters: int) -> dict[str, object]:
    """The texts with their lengths after NFKC; only the lengths if they are too long."""
    lengths = [len(compose(text, "NFKC")) for text in job.texts]
    too_long = sum(lengths) > max_characters
    return {"texts": [] if too_long else job.texts, "lengths": lengths}


def read_translation(values: AlignedValues) -> AlignedTranslation:
    """Read the values of `assemble_aligned`."""
    text, warnings = values["text"], tuple(values["warnings"])
    if "parts" not in values:
        return AlignedTranslation(text, warnings=warnings)
    source, target = (
        [(start, end) for start, end in spans] for spans in (values["source"], values["target"])
    )
    parts = [
        decode_weights(weights, rows) if rows else np.zeros((0, columns + 1), np.float32)
        for rows, columns, weights in values["parts"]
    ]
    return AlignedTranslation(text, source, target, parts, warnings)


def _with_report(translated: TranslatedDocument, model: str, version: str) -> bytes:
    """The JSON of a `DocumentResponse`."""
    answer = {
        "model": model,
        "version": version,
        "document": b64encode(translated.content).decode(),
        "report": translated.report.to_json(),
    }
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()


def answer_server() -> None:
    """Translate the document of the server that has started this process."""
    os.nice(5)  # the server answers while documents are processed
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would contain users' texts
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    worker = DocumentWorker(socket.socket(fileno=int(sys.argv[1])))
    try:
        worker.run()
        signal.pause()  # until the server has read the answer and closes the socket
    except ConnectionError:
        return


if __name__ == "__main__":
    answer_server()
