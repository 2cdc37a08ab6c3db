"""Pieces of a corpus: so many lines of two files that every piece can be worked on alone.

Plain text is cut by byte ranges, found in one pass over the line breaks, so that line n of one file
always stands beside line n of the other. Whatever cannot be read from the middle (compressed files,
TMX …) is read once, in order, and copied into plain pieces.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from regard.data import storage
from regard.data.formats.corpus import Corpus, read_blocks
from regard.data.formats.files import decode_utf8
from regard.data.preparation.fields import PARAGRAPH
from regard.data.preparation.tasks import Write
from regard.errors import CorpusError

_BLOCK = 1 << 22  # bytes looked through at a time
_BREAK = "\n"


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Whole lines of a file, by their bytes."""

    path: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class CorpusPiece:
    """Lines first_line … first_line + lines − 1 of both sides, counted from 0."""

    source: ByteRange
    target: ByteRange
    first_line: int
    lines: int

    def under(self, root: str) -> CorpusPiece:
        """The same piece, its paths no longer relative to a root."""
        source, target = (
            replace(side, path=storage.join_path(root, side.path))
            for side in (self.source, self.target)
        )
        return replace(self, source=source, target=target)

    def facts(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, facts: dict[str, Any]) -> CorpusPiece:
        return cls(
            ByteRange(**facts["source"]),
            ByteRange(**facts["target"]),
            facts["first_line"],
            facts["lines"],
        )


def copy_pieces(corpus: Corpus, lines: int, name: str, write: Write) -> list[CorpusPiece]:
    """Read the whole corpus and write pieces of so many lines, named after `name`."""
    pieces = []
    for number, block in enumerate(read_blocks(corpus, lines)):
        spans = []
        for side, texts in (("source", block.sources), ("target", block.targets)):
            copy = f"{name}-{number:05}.{side}.txt"
            # A record may hold line breaks. In a sentence they are white space like any other.
            content = "".join(f"{text.replace(_BREAK, PARAGRAPH)}\n" for text in texts).encode()
            write(copy, content)
            spans.append(ByteRange(copy, 0, len(content)))
        pieces.append(CorpusPiece(spans[0], spans[1], block.start, len(block)))
    return pieces


def cut_text(source: str, target: str, lines: int) -> list[CorpusPiece]:
    """Cut two aligned text files into pieces of so many lines."""
    (source_edges, source_lines), (target_edges, target_lines) = (
        _edges(path, lines) for path in (source, target)
    )
    if source_lines != target_lines:
        raise CorpusError(
            f"{source} has {source_lines:,} lines and {target} has {target_lines:,}: line n of one "
            "must be the translation of line n of the other; find where they part with the doctor"
        )
    return [
        CorpusPiece(
            ByteRange(source, source_edges[i], source_edges[i + 1]),
            ByteRange(target, target_edges[i], target_edges[i + 1]),
            i * lines,
            min(lines, source_lines - i * lines),
        )
        for i in range(len(source_edges) - 1)
    ]


def read_piece_lines(span: ByteRange, first_line: int, lines: int) -> list[str]:
    """The lines of a span, which is refused where it does not hold so many."""
    raw = storage.read_bytes(span.path, span.start, span.stop)
    text = decode_utf8(span.path, raw, first_line)
    found = text.removesuffix("\n").split("\n") if text else []
    if len(found) != lines:
        raise CorpusError(
            f"{span.path}: {lines:,} lines were counted from line {first_line + 1} on, and "
            f"{len(found):,} are there: the file changed meanwhile; run again"
        )
    return found


def _edges(path: str, lines: int) -> tuple[list[int], int]:
    """Where every `lines` lines begin, and the last ends; and how many lines there are in all."""
    size = int(storage.file_identity(path)["size"])
    edges = [0]
    count = 0
    last = b"\n"
    for start in range(0, size, _BLOCK):
        block = storage.read_bytes(path, start, min(start + _BLOCK, size))
        breaks = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
        to_next = lines - count % lines  # line breaks until the next edge
        edges += (breaks[to_next - 1 :: lines] + start + 1).tolist()
        count += len(breaks)
        last = block[-1:]
    count += last != b"\n"  # the last line may lack its break
    return edges if edges[-1] == size else [*edges, size], count
