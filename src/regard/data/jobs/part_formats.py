"""Formats of the output of a corpus job: lines, compressed lines, or a Parquet table.

Workers encode parts. Joining concatenates the parts of a text file: gzip, xz and zstd files may
have several members. The rows of a Parquet part become a row group.
"""

from __future__ import annotations

import gzip
import io
import lzma
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Protocol, runtime_checkable

from regard.data import storage
from regard.errors import ConfigError

TABLE = ".parquet"


@runtime_checkable
class BinaryOutput(Protocol):
    """A file on a disk or an upload to a store."""

    def write(self, content: bytes, /) -> int: ...


@dataclass(frozen=True, slots=True)
class BlockResult:
    """What a function computes from a block: lines of text, and the same as table columns."""

    lines: list[str]
    columns: dict[str, list[Any]]
    warnings: list[str] = field(default_factory=list)


def output_suffix(path: str) -> str:
    """Return the suffix that determines the format of an output file; empty for plain lines."""
    suffix = PurePosixPath(path).suffix
    return suffix if suffix == TABLE or suffix in _COMPRESS else ""


def encode_part(results: Sequence[BlockResult], suffix: str) -> bytes:
    """Return the content of a part."""
    if suffix == TABLE:
        columns: dict[str, list[Any]] = {}
        for result in results:
            for name, values in result.columns.items():
                columns.setdefault(name, []).extend(values)
        arrow, parquet = _import_parquet()
        buffer = io.BytesIO()
        parquet.write_table(arrow.table(columns), buffer)
        return buffer.getvalue()
    content = "".join(f"{line}\n" for result in results for line in result.lines)
    return _COMPRESS[suffix](content.encode(errors="backslashreplace"))


def join_parts(paths: Sequence[str], suffix: str, file: BinaryOutput) -> None:
    """Write the parts to `file`, one at a time."""
    if suffix != TABLE:
        for path in paths:
            file.write(storage.read_bytes(path))
        return
    arrow, parquet = _import_parquet()
    writer = None
    for path in paths:
        table = parquet.read_table(io.BytesIO(storage.read_bytes(path)))
        if writer is None:
            writer = parquet.ParquetWriter(file, table.schema, compression="zstd")
        writer.write_table(table)
    if writer is None:  # an empty corpus
        writer = parquet.ParquetWriter(file, arrow.schema([]))
    writer.close()


def _zstd(content: bytes) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise ConfigError(
            "Writing .zst requires zstandard. Install it with `pip install 'regard[data]'`."
        ) from None
    return zstandard.ZstdCompressor().compress(content)


_COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda content: content,
    ".gz": lambda content: gzip.compress(content, mtime=0),
    ".xz": lzma.compress,
    ".zst": _zstd,
}


def _import_parquet() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise ConfigError(
            "Writing .parquet requires pyarrow. Install it with `pip install 'regard[data]'`."
        ) from None
    return pyarrow, parquet
