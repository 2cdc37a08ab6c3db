"""Corpora as streams of pairs, whatever file they lie in: a text and its translation, a document
and its label, or nothing and a text.

A corpus is a value that says where its pairs are. Reading it takes the same memory whatever its
size, and either gives every pair in its place or stops with a CorpusError that names the file and
the record: no line is ever dropped on one side only.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from regard.data.formats.files import PACKED, line_blocks, open_binary
from regard.data.formats.tmx import tmx_pairs
from regard.errors import CorpusError

Columns = tuple[list[str], list[str]]


class UnequalCountError(CorpusError):
    """One side has lines for which the other has none."""


class Pair(NamedTuple):
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Block:
    """Pairs that follow one another, the sides apart; the first is record `start` of its corpus."""

    start: int
    sources: list[str]
    targets: list[str]

    def __len__(self) -> int:
        return len(self.sources)

    def pairs(self) -> Iterator[Pair]:
        return map(Pair, self.sources, self.targets)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus(ABC):
    """Where pairs lie. Of several corpora an epoch reads each as often as its weight says."""

    name: str = "corpus"
    weight: float = 1.0

    @property
    @abstractmethod
    def paths(self) -> tuple[str, ...]:
        """The files that are read."""

    @property
    def in_place(self) -> bool:
        """Whether its files are plain lines, which can be read from the middle."""
        return False

    @abstractmethod
    def columns(self, size: int, skip: int) -> Iterator[Columns]:
        """The pairs after the first `skip`, in runs of about `size`."""


def read_blocks(
    corpus: Corpus, size: int, start: int = 0, stop: int | None = None
) -> Iterator[Block]:
    """The records from `start` to `stop` in blocks of `size`; the last may be shorter.

    What comes before `start` is passed over without being decoded; of a packed file it must still
    be unpacked, so read one in a single pass.
    """
    at = start
    sources: list[str] = []
    targets: list[str] = []
    for more_sources, more_targets in corpus.columns(size, start):
        sources += more_sources
        targets += more_targets
        while len(sources) >= size or (stop is not None and at + len(sources) >= stop):
            end = size if stop is None else min(size, stop - at)
            if end:
                yield Block(at, sources[:end], targets[:end])
            at += end
            if at == stop:
                return
            del sources[:end], targets[:end]
    if sources:
        yield Block(at, sources, targets)


def read_pairs(corpus: Corpus) -> Iterator[Pair]:
    """Every pair, one by one."""
    for block in read_blocks(corpus, 10_000):
        yield from block.pairs()


def read_parallel(source: str, target: str) -> tuple[list[str], list[str]]:
    """The lines of two files; refused where one has more than the other."""
    pairs = list(read_pairs(ParallelFiles(source, target)))
    return [pair.source for pair in pairs], [pair.target for pair in pairs]


def open_corpus(path: str, second: str | None = None, **fields: Any) -> Corpus:
    """The corpus in these files: two files of lines, or one whose suffix says what it is.

    `fields` are those of its kind, such as the columns of a TSV file or the languages of a TMX one.
    """
    if second is not None:
        return ParallelFiles(path, second, **fields)
    kinds: dict[str, type[Tsv] | type[Jsonl] | type[Parquet] | type[Tmx]]
    kinds = {".tsv": Tsv, ".jsonl": Jsonl, ".parquet": Parquet, ".tmx": Tmx}
    suffix = _suffix(path, kinds)
    if suffix is None:
        raise CorpusError(
            f"{path}: a single file must be .tsv, .jsonl, .parquet or .tmx; for lines of text, "
            "name two"
        )
    try:
        return kinds[suffix](path, **fields)
    except TypeError:
        raise CorpusError(
            f"{path}: say which two languages of it are meant (--columns en fr)"
        ) from None


def open_documents(path: str, **fields: Any) -> Corpus:
    """The labelled documents in a file: the document is the source, its label the target.

    A .tsv file has label and text in its columns, a .jsonl or .parquet file a "text" and a "label"
    in each record. `fields` may name other columns or keys.
    """
    kinds: dict[str, tuple[type[Tsv] | type[Jsonl] | type[Parquet], dict[str, Any]]] = {
        ".tsv": (Tsv, {"source": 1, "target": 0}),
        ".jsonl": (Jsonl, {"source": "text", "target": "label"}),
        ".parquet": (Parquet, {"source": "text", "target": "label"}),
    }
    suffix = _suffix(path, kinds)
    if suffix is None:
        raise CorpusError(
            f"{path}: labelled documents must be a .tsv file (label, tab, text), or a .jsonl or "
            '.parquet file with "text" and "label"'
        )
    kind, names = kinds[suffix]
    return kind(path, **(names | fields))


def _suffix(path: str, known: Container[str]) -> str | None:
    """The suffix that says what a file is; one that says how it is packed may come after it."""
    return next((one for one in PurePosixPath(path.lower()).suffixes[-2:] if one in known), None)


@dataclass(frozen=True, slots=True)
class ParallelFiles(Corpus):
    """Two files of text: line n of one is the translation of line n of the other."""

    source: str
    target: str

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.source, self.target)

    @property
    def in_place(self) -> bool:
        return not any(path.endswith(PACKED) for path in self.paths)

    def columns(self, size: int, skip: int) -> Iterator[Columns]:
        counts = [skip, skip]
        left, right = (line_blocks(path, size, skip) for path in self.paths)
        nothing: list[str] = []
        for sources, targets in zip_longest(left, right, fillvalue=nothing):
            counts[0] += len(sources)
            counts[1] += len(targets)
            if common := min(len(sources), len(targets)):
                yield sources[:common], targets[:common]
        if counts[0] != counts[1]:
            shorter, longer = sorted(zip(counts, self.paths, strict=True))
            raise UnequalCountError(
                f"{shorter[1]}: ends after line {shorter[0]}, but {longer[1]} has {longer[0]}: "
                "a line is missing or too many; `regard doctor` says where the two part"
            )


@dataclass(frozen=True, slots=True)
class SingleFile(Corpus):
    """Both sides in one file."""

    path: str

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,)


@dataclass(frozen=True, slots=True)
class TextLines(SingleFile):
    """A file of text, a line a record: nothing is its source."""

    @property
    def in_place(self) -> bool:
        return not self.path.endswith(PACKED)

    def columns(self, size: int, skip: int) -> Iterator[Columns]:
        for lines in line_blocks(self.path, size, skip):
            yield [""] * len(lines), lines


@dataclass(frozen=True, slots=True)
class Tsv(SingleFile):
    """A file of lines in columns, which tabs separate; nothing is quoted."""

    source: int = 0
    target: int = 1

    def columns(self, size: int, skip: int) -> Iterator[Columns]:
        width = 0
        read = skip
        for lines in line_blocks(self.path, size, skip):
            rows = [line.split("\t") for line in lines]
            width = width or len(rows[0])
            for place, row in enumerate(rows):
                if len(row) != width or max(self.source, self.target) >= width:
                    raise CorpusError(
                        f"{self.path}, line {read + place + 1}: has {len(row)} columns, where "
                        f"{max(width, self.source + 1, self.target + 1)} are expected"
                    )
            read += len(rows)
            yield [row[self.source] for row in rows], [row[self.target] for row in rows]


@dataclass(frozen=True, slots=True)
class Jsonl(SingleFile):
    """A JSON object in each line. A key may lead inwards: `translation.en`; a list of texts there
    is one text in paragraphs."""

    source: str = "source"
    target: str = "target"

    def columns(self, size: int, skip: int) -> Iterator[Columns]:
        read = skip
        for lines in line_blocks(self.path, size, skip):
            sources: list[str] = []
            targets: list[str] = []
            for line in lines:
                read += 1
                try:
                    record = json.loads(line)
                    sources.append(_text_at(record, self.source))
                    targets.append(_text_at(record, self.target))
                except (ValueError, RecursionError) as error:
                    raise CorpusError(f"{self.path}, line {read}: {error}") from None
            yield sources, targets


def _text_at(record: Any, keys: str) -> str:
    for key in keys.split("."):
        if not isinstance(record, dict) or key not in record:
            raise ValueError(f"has no {keys}")
        record = record[key]
    if isinstance(record, list) and all(isinstance(part, str) for part in record):
        record = "\n\n".join(record)
    if not isinstance(record, str) or "\0" in record:
        raise ValueError(f"{keys} is not a text")
    record.encode()  # JSON can write half a character, which no file can hold
    return record


@dataclass(frozen=True, slots=True)
class Parquet(SingleFile):
    """Two columns of a Parquet file."""

    source: str = "source"
    target: str = "target"

    def columns(self, size: int, skip: int) -> Iterator[Columns]:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise CorpusError(
                f"{self.path}: Parquet needs pyarrow; pip install 'regard[data]'"
            ) from None
        read = 0
        with open_binary(self.path) as file:
            try:
                table = parquet.ParquetFile(file)
                for group in range(table.num_row_groups):
                    rows = table.metadata.row_group(group).num_rows
                    if read + rows <= skip:
                        read += rows
                        continue
                    names = [self.source, self.target]
                    for batch in table.iter_batches(size, row_groups=[group], columns=names):
                        kept = batch.slice(max(0, skip - read))
                        read += len(batch)
                        yield (
                            self._texts(kept, self.source, read),
                            self._texts(kept, self.target, read),
                        )
            except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
                raise CorpusError(f"{self.path}, record {read + 1} or after: {error}") from error

    def _texts(self, batch: Any, name: str, read: int) -> list[str]:
        place = batch.schema.get_field_index(name)
        if place < 0:
            raise CorpusError(f"{self.path}: has no column {name}")
        texts = batch.column(place).to_pylist()
        for record, text in enumerate(texts, read - len(texts) + 1):
            if not isinstance(text, str) or "\0" in text:
                raise CorpusError(f"{self.path}, record {record}: {name} is not a text")
        return texts


@dataclass(frozen=True, slots=True)
class Tmx(SingleFile):
    """Two languages of a translation memory."""

    source: str
    target: str

    def columns(self, size: int, skip: int) -> Iterator[Columns]:
        held: list[tuple[str, str]] = []
        for pairs in tmx_pairs(self.path, self.source, self.target):
            held += pairs[skip:]
            skip = max(0, skip - len(pairs))
            if len(held) >= size:
                yield [source for source, _ in held], [target for _, target in held]
                held = []
        if held:
            yield [source for source, _ in held], [target for _, target in held]
