"""Read files as streams of bytes or lines, from disk or an object store.

The suffixes .gz, .xz and .zst mean compression. A line ends at "\\n" only: one side of a pair may
contain one of Unicode's seven other line breaks. A "\\r" before "\\n" is dropped; an empty line
counts as a line. Damage raises a CorpusError with the file and the line.
"""

from __future__ import annotations

import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path

from regard.data import storage
from regard.errors import CorpusError

CHUNK = 1 << 17  # bytes read at once; larger chunks exceed the CPU cache and are slower (measured)
COMPRESSED = (".gz", ".xz", ".zst")
_FETCH = 8 << 20  # bytes per request to an object store, which takes about 50 ms
_BOM = b"\xef\xbb\xbf"  # byte order mark


def open_binary(path: str) -> io.BufferedReader:
    """Open a file without decompression."""
    try:
        if storage.is_remote(path):
            return io.BufferedReader(_Remote(path), _FETCH)
        return Path(path).open("rb")
    except OSError as error:
        raise CorpusError(f"{path}: cannot be opened ({error}). Check the path.") from error


def read_chunks(path: str) -> Iterator[bytes]:
    """Yield the decompressed bytes of a file in chunks."""
    with open_binary(path) as raw:
        try:
            if path.endswith(".zst"):
                yield from _unzstd(raw, path)
                return
            stream: io.BufferedIOBase = raw
            if path.endswith(".gz"):
                stream = gzip.GzipFile(fileobj=raw, mode="rb")
            elif path.endswith(".xz"):
                stream = lzma.LZMAFile(raw)  # noqa: SIM115 — `raw` is closed above
            while chunk := stream.read(CHUNK):
                yield chunk
        except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
            raise CorpusError(
                f"{path}: damaged or truncated ({error}). Download it again."
            ) from error


def line_blocks(path: str, size: int, skip: int = 0) -> Iterator[list[str]]:
    """Yield the lines after the first `skip` in lists of `size`; the last may be shorter."""
    held: list[str] = []
    for lines in _lines(path, skip):
        if not held and len(lines) == size:
            yield lines
            continue
        held += lines
        full = len(held) - len(held) % size
        for at in range(0, full, size):
            yield held[at : at + size]
        del held[:full]
    if held:
        yield held


def _lines(path: str, skip: int) -> Iterator[list[str]]:
    read = 0  # lines before the chunk
    for chunk in _whole_lines(path):
        count = chunk.count(b"\n")
        if read == 0 and chunk.startswith(_BOM):
            chunk = chunk[len(_BOM) :]
        if read + count > skip:
            lines = decode_utf8(path, chunk, read).split("\n")
            lines.pop()  # the empty string after the last line end
            yield lines[max(0, skip - read) :]
        read += count


def _whole_lines(path: str) -> Iterator[bytes]:
    """Yield chunks that end with a line end; one is added to the last line if it has none."""
    parts: list[bytes] = []
    for chunk in read_chunks(path):
        end = chunk.rfind(b"\n") + 1
        if end:
            parts.append(chunk[:end])
            yield b"".join(parts)
            parts = [chunk[end:]]
        else:
            parts.append(chunk)
    if last := b"".join(parts):
        yield last + b"\n"


def decode_utf8(path: str, chunk: bytes, read: int) -> str:
    """Decode whole lines of a file; `read` is the number of lines before them, for errors."""
    try:
        text = chunk.decode()
    except UnicodeDecodeError as error:
        line = read + chunk.count(b"\n", 0, error.start) + 1
        raise CorpusError(
            f"{path}, line {line}: byte 0x{chunk[error.start]:02x} is not UTF-8 ({error.reason}). "
            "Convert the file to UTF-8."
        ) from None
    if "\0" in text:
        line = read + text.count("\n", 0, text.index("\0")) + 1
        raise CorpusError(f"{path}, line {line}: contains a NUL byte. The file is damaged.")
    return text.replace("\r\n", "\n") if "\r" in text else text


def _unzstd(raw: io.BufferedReader, path: str) -> Iterator[bytes]:
    """Decompress frame by frame: the library's stream reader does not detect truncation."""
    try:
        import zstandard
    except ImportError:
        raise CorpusError(
            f"{path}: reading .zst requires zstandard. "
            "Install it with `pip install 'regard[data]'`."
        ) from None
    frame = zstandard.ZstdDecompressor().decompressobj()
    in_frame = False
    try:
        while compressed := raw.read(CHUNK):
            while compressed:
                in_frame = True
                if content := frame.decompress(compressed):
                    yield content
                compressed = b""
                if frame.eof:
                    compressed, in_frame = frame.unused_data, False
                    frame = zstandard.ZstdDecompressor().decompressobj()
    except zstandard.ZstdError as error:
        raise EOFError(str(error)) from error
    if in_frame:
        raise EOFError("the last frame has no end")


class _Remote(io.RawIOBase):
    """A file in an object store, read in byte ranges."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.size = int(storage.file_identity(path)["size"])
        self.position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self.position, io.SEEK_END: self.size}[whence]
        self.position = origin + offset
        return self.position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        stop = min(self.position + len(buffer), self.size)
        if self.position >= stop:
            return 0
        content = storage.read_bytes(self.path, self.position, stop)
        buffer[: len(content)] = content
        self.position += len(content)
        return len(content)
