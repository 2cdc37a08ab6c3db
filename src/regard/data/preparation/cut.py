"""Cut a corpus into pieces of a fixed number of lines that can be processed independently.

Plain text is cut into byte ranges, found in one pass over the line breaks, so that both sides of a
piece have the same lines. Other formats (compressed files, TMX …) are read once, in order, and
copied to plain text files.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TypedDict

import numpy as np

from regard.data import storage
from regard.data.formats.corpus import Corpus, read_blocks
from regard.data.formats.files import decode_utf8
from regard.data.preparation.fields import PARAGRAPH
from regard.data.preparation.runner import WHOLE, Share, Write
from regard.errors import CorpusError

_BLOCK = 1 << 22  # bytes scanned at a time
_BREAK = "\n"
_BOM = "\ufeff"  # byte order mark


@dataclass(frozen=True, slots=True)
class ByteRange:
    """A byte range of a file that consists of whole lines."""

    path: str
    start: int
    stop: int


class ByteRangeValues(TypedDict):
    """The JSON of a `ByteRange`."""

    path: str
    start: int
    stop: int


class CorpusPieceValues(TypedDict):
    """The JSON of a `CorpusPiece`."""

    source: ByteRangeValues
    target: ByteRangeValues
    first_line: int
    lines: int


@dataclass(frozen=True, slots=True)
class CorpusPiece:
    """Lines first_line … first_line + lines − 1 of both sides, counted from 0."""

    source: ByteRange
    target: ByteRange
    first_line: int
    lines: int

    def under(self, root: str) -> CorpusPiece:
        """Return the piece with its paths joined to `root`."""
        source, target = (
            replace(side, path=storage.join_path(root, side.path))
            for side in (self.source, self.target)
        )
        return replace(self, source=source, target=target)

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: CorpusPieceValues) -> CorpusPiece:
        return cls(
            ByteRange(**values["source"]),
            ByteRange(**values["target"]),
            values["first_line"],
            values["lines"],
        )


def copy_pieces(
    corpus: Corpus, lines: int, name: str, write: Write, share: Share = WHOLE
) -> list[CorpusPiece]:
    """Read the whole corpus and write the pieces of `lines` lines that are in a share.

    `name` is the prefix of their names.
    """
    pieces = []
    for number, block in enumerate(read_blocks(corpus, lines)):
        spans = []
        for side, texts in (("source", block.sources), ("target", block.targets)):
            copy = f"{name}-{number:05}.{side}.txt"
            # A record may contain line breaks; PARAGRAPH keeps it on one line.
            content = "".join(f"{text.replace(_BREAK, PARAGRAPH)}\n" for text in texts).encode()
            if share.has(number):
                write(copy, content)
            spans.append(ByteRange(copy, 0, len(content)))
        pieces.append(CorpusPiece(spans[0], spans[1], block.start, len(block)))
    return pieces


def cut_text(source: str, target: str, lines: int) -> list[CorpusPiece]:
    """Cut two parallel text files into pieces of `lines` lines."""
    source_edges, source_lines = _edges(source, lines)
    target_edges, target_lines = (
        (source_edges, source_lines) if target == source else _edges(target, lines)
    )
    if source_lines != target_lines:
        raise CorpusError(
            f"{source} has {source_lines:,} lines and {target} has {target_lines:,}. Line n of the "
            "target must be the translation of line n of the source. Run `regard doctor` to find "
            "where they diverge."
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
    """Read the lines of a byte range. Raises CorpusError if it does not have `lines` lines."""
    raw = storage.read_bytes(span.path, span.start, span.stop)
    text = decode_utf8(span.path, raw, first_line)
    text_lines = text.removesuffix("\n").split("\n") if text else []
    if len(text_lines) != lines:
        raise CorpusError(
            f"{span.path}: expected {lines:,} lines from line {first_line + 1} on, but found "
            f"{len(text_lines):,}. The file changed during preparation. Run it again."
        )
    return text_lines


def read_records(piece: CorpusPiece, *, copied: bool) -> tuple[list[str], list[str]]:
    """Return the sources and the targets of a piece; `copied`: by `copy_pieces`."""
    sides = []
    for span in dict.fromkeys((piece.source, piece.target)):
        lines = read_piece_lines(span, piece.first_line, piece.lines)
        if piece.first_line == 0 and lines:
            lines[0] = lines[0].removeprefix(_BOM)
        if copied:
            lines = [line.replace(PARAGRAPH, _BREAK) for line in lines]
        sides.append(lines)
    return sides[0], sides[-1]


def _edges(path: str, lines: int) -> tuple[list[int], int]:
    """Return the byte offsets of every `lines` lines and of the end, and the number of lines."""
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
    count += last != b"\n"  # the last line may have no line break
    return edges if edges[-1] == size else [*edges, size], count
