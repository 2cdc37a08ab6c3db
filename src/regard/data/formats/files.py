"""Reading files as streams: here or in an object store, packed or plain, in bytes or in lines.

The suffix says how a file is packed: .gz, .xz, .zst or not at all. A line ends at "\\n" and nowhere
else (Unicode knows seven more places, and one side of a pair may hold them), a "\\r" before it is
dropped, and an empty line is a line. Damage is a CorpusError that names the file and the line.
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

CHUNK = 1 << 17  # bytes read at once: more leave the cache and read slower (measured)
PACKED = (".gz", ".xz", ".zst")
_FETCH = 8 << 20  # bytes of one request to an object store, whose answer takes some 50 ms
_MARK = b"\xef\xbb\xbf"  # the byte order mark that some editors put first


def open_binary(path: str) -> io.BufferedReader:
    """The bytes of a file as they lie there."""
    try:
        if storage.is_remote(path):
            return io.BufferedReader(_Remote(path), _FETCH)
        return Path(path).open("rb")
    except OSError as error:
        raise CorpusError(f"{path}: cannot be opened ({error}); check the name") from error


def read_chunks(path: str) -> Iterator[bytes]:
    """The unpacked bytes of a file, piece by piece."""
    with open_binary(path) as raw:
        try:
            if path.endswith(".zst"):
                yield from _unzstd(raw, path)
                return
            stream: io.BufferedIOBase = raw
            if path.endswith(".gz"):
                stream = gzip.GzipFile(fileobj=raw, mode="rb")
            elif path.endswith(".xz"):
                stream = lzma.LZMAFile(raw)  # noqa: SIM115 — it owns nothing but `raw`
            while chunk := stream.read(CHUNK):
                yield chunk
        except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
            raise CorpusError(f"{path}: damaged or cut short ({error}); fetch it again") from error


def line_blocks(path: str, size: int, skip: int = 0) -> Iterator[list[str]]:
    """The lines of a file after the first `skip`, in lists of `size`; the last may be shorter."""
    held: list[str] = []
    for lines in _lines(path, skip):
        if not held and len(lines) == size:
            yield lines
            continue
        held += lines
        whole = len(held) - len(held) % size
        for at in range(0, whole, size):
            yield held[at : at + size]
        del held[:whole]
    if held:
        yield held


def _lines(path: str, skip: int) -> Iterator[list[str]]:
    read = 0  # lines before the chunk
    for chunk in _whole_lines(path):
        count = chunk.count(b"\n")
        if read == 0 and chunk.startswith(_MARK):
            chunk = chunk[len(_MARK) :]
        if read + count > skip:
            lines = decode_utf8(path, chunk, read).split("\n")
            lines.pop()  # nothing stands after the last line end
            yield lines[max(0, skip - read) :]
        read += count


def _whole_lines(path: str) -> Iterator[bytes]:
    """Pieces of a file that end where a line does; the last line gets its end if it has none."""
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
    """The text of whole lines of a file, `read` of which stand before them."""
    try:
        text = chunk.decode()
    except UnicodeDecodeError as error:
        line = read + chunk.count(b"\n", 0, error.start) + 1
        raise CorpusError(
            f"{path}, line {line}: byte 0x{chunk[error.start]:02x} is not UTF-8 ({error.reason}); "
            "convert the file to UTF-8"
        ) from None
    if "\0" in text:
        line = read + text.count("\n", 0, text.index("\0")) + 1
        raise CorpusError(f"{path}, line {line}: holds a NUL byte; the file is damaged")
    return text.replace("\r\n", "\n") if "\r" in text else text


def _unzstd(raw: io.BufferedReader, path: str) -> Iterator[bytes]:
    """Frame by frame: the library's own reader takes a file that was cut for a whole one."""
    try:
        import zstandard
    except ImportError:
        raise CorpusError(f"{path}: .zst needs zstandard; pip install 'regard[data]'") from None
    frame = zstandard.ZstdDecompressor().decompressobj()
    begun = False
    try:
        while packed := raw.read(CHUNK):
            while packed:
                begun = True
                if unpacked := frame.decompress(packed):
                    yield unpacked
                packed = b""
                if frame.eof:
                    packed, begun = frame.unused_data, False
                    frame = zstandard.ZstdDecompressor().decompressobj()
    except zstandard.ZstdError as error:
        raise EOFError(str(error)) from error
    if begun:
        raise EOFError("the last frame has no end")


class _Remote(io.RawIOBase):
    """A file in an object store, fetched range by range."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.size = int(storage.file_identity(path)["size"])
        self.place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self.place, io.SEEK_END: self.size}[whence]
        self.place = origin + offset
        return self.place

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        stop = min(self.place + len(buffer), self.size)
        if self.place >= stop:
            return 0
        content = storage.read_bytes(self.path, self.place, stop)
        buffer[: len(content)] = content
        self.place += len(content)
        return len(content)
