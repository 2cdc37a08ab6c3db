"""Run the parser of a format in a short-lived child process with limits.

The child reads one request from standard input and writes one JSON answer. It has a limit of memory
and of time, and opens no file and no socket once it has imported its modules.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from regard.documents.formats.base import DocumentSegment
from regard.documents.marked_text import InlineElement, MarkedText
from regard.errors import DocumentError

MAX_DOCUMENT = 32 * 2**20  # bytes
MAX_SECONDS = 60.0
_SOURCE = str(Path(__file__).parents[2])


def extract_segments(content: bytes, name: str) -> list[DocumentSegment]:
    """The segments of a document, found in a child process. Raises DocumentError."""
    if len(content) > MAX_DOCUMENT:
        raise DocumentError(
            f"the document has {len(content):,} bytes. At most {MAX_DOCUMENT:,} are read: "
            "divide it."
        )
    answer = _call({"format": name, "action": "extract"}, content)
    return [segment_from_json(record) for record in json.loads(answer)]


def restore_document(
    content: bytes,
    name: str,
    segments: Sequence[DocumentSegment],
    translations: Sequence[MarkedText | None],
    language: str | None = None,
) -> tuple[bytes, list[int]]:
    """The document with its segments replaced, written in a child process.

    Also returns the segments that keep their source, because their translation would be read
    differently. `language`: the code of the translation's language, where known.
    """
    if all(translation is None for translation in translations):
        return content, []
    request = {
        "format": name,
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
