"""The child process of `sandbox`: limits itself, then reads or writes one document."""

from __future__ import annotations

import codecs
import json
import sys
from dataclasses import asdict
from typing import Any, TypedDict

from regard.documents.formats.base import DocumentFormat, load_format
from regard.documents.sandbox import DirectReader, marked_from_json, segment_from_json
from regard.errors import DocumentError
from regard.text.normalize import replace_surrogates

MAX_MEMORY = 1 << 30  # bytes of address space
MAX_CPU = 60  # seconds
MAX_SEGMENTS = 200_000
MAX_MARKS = 500_000  # lines, tags or strings


def answer_request() -> None:
    """Answer the request on standard input; exit with 3 if the document is refused."""
    request = json.loads(sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(8), "big")))
    content = sys.stdin.buffer.read()
    document_format = load_format(request["format"])
    _limit(request["format"])
    try:
        if request["action"] == "extract":
            _check_size(content)
            segments = document_format.extract(content)
            if len(segments) > MAX_SEGMENTS:
                raise DocumentError(
                    f"the document has {len(segments):,} segments. At most {MAX_SEGMENTS:,} are "
                    "read: divide it."
                )
            # Escapes and character references can spell lone surrogates; UTF-8 cannot.
            values = json.dumps([asdict(segment) for segment in segments], ensure_ascii=False)
            answer = replace_surrogates(values).encode()
        else:
            answer = _restore(document_format, content, request)
    except DocumentError as error:
        sys.stdout.buffer.write(str(error).encode())
        sys.stdout.buffer.flush()
        raise SystemExit(3) from None
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()


class _RestoreRequest(TypedDict):
    format: str
    segments: list[dict[str, Any]]
    translations: list[dict[str, Any] | None]
    language: str | None


def _restore(document_format: DocumentFormat, content: bytes, request: _RestoreRequest) -> bytes:
    """The segments that keep their source, as a line of JSON, and the restored document."""
    segments = [segment_from_json(values) for values in request["segments"]]
    translations = [
        None if values is None else marked_from_json(values) for values in request["translations"]
    ]
    restored, unwritable = DirectReader(document_format).write(
        content, segments, translations, request["language"]
    )
    return json.dumps(unwritable).encode() + b"\n" + restored


def _check_size(content: bytes) -> None:
    """Refuse what has too many segments before it is parsed."""
    marks = max(content.count(b"\n"), content.count(b"<") // 2, content.count(b'"') // 2)
    if marks >= MAX_MARKS and not content.startswith(b"PK"):
        raise DocumentError(
            f"the document has {marks:,} lines, elements or strings. Fewer than {MAX_MARKS:,} are "
            "read: divide it."
        )


def _limit(name: str) -> None:
    """Limit memory and time; refuse files, sockets and programs from here on."""
    if name == "markdown":
        from regard.documents.formats.markdown import MARKDOWN

        document = b"# Imports\n\nall *modules* | of [the](parser)\n"
        segments = MARKDOWN.extract(document)
        MARKDOWN.restore(document, segments, [segment.marked for segment in segments])
    for encoding in ("cp437", "utf-16-le", "utf-16-be"):  # imported when they are first used
        codecs.lookup(encoding)
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU, MAX_CPU))
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" or event.startswith(("socket.", "subprocess.", "os.system", "os.exec")):
        raise PermissionError(f"{event} is not permitted while a document is read")
