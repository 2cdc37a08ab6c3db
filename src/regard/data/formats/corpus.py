"""Corpora as streams of (source, target) pairs, in several file formats.

A pair is a text and its translation, a document and its label, or an empty source and a text. A
corpus is a description of files. Reading it takes constant memory. It yields every pair in order
or raises a CorpusError with the file and the record; it never drops a line on one side only.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from regard.data.formats.files import COMPRESSED, line_blocks, open_binary
from regard.data.formats.tmx import tmx_pairs
from regard.errors import CorpusError

Columns = tuple[list[str], list[str]]


class UnequalCountError(CorpusError):
    """The two files of a corpus have different numbers of lines."""


class Pair(NamedTuple):
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive pairs; the first is record `start` of the corpus, counted from 0."""

    start: int
    sources: list[str]
    targets: list[str]

    def __len__(self) -> int:
        return len(self.sources)

    def pairs(self) -> Iterator[Pair]:
        return map(Pair, self.sources, self.targets)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus(ABC):
    """The files of a corpus. An epoch reads the corpus `weight` times.

    `tags`: tokens before each source, such as the tag of the target language.
    """

    name: str = "corpus"
    weight: float = 1.0
    tags: tuple[str, ...] = ()

    @property
    @abstractmethod
    def paths(self) -> tuple[str, ...]:
        """The files that are read."""

    @property
    def in_place(self) -> bool:
        """Whether the files are plain text lines, which byte ranges can address."""
        return False

    @abstractmethod
    def columns(self, size: int, skip: int) -> Iterator[Columns]:
        """Yield sources and targets after the first `skip` pairs, about `size` at a time."""


def read_blocks(
    corpus: Corpus, size: int, start: int = 0, stop: int | None = None
) -> Iterator[Block]:
    """Yield the records from `start` to `stop` in blocks of `size`; the last may be shorter.

    Records before `start` are skipped without decoding. A compressed file is still decompressed
    from its beginning, so read it in a single pass.
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
    """Yield every pair."""
    for block in read_blocks(corpus, 10_000):
        yield from block.pairs()


def read_parallel(source: str, target: str) -> tuple[list[str], list[str]]:
    """Return the lines of two files. Raises UnequalCountError if their counts differ."""
    pairs = list(read_pairs(ParallelFiles(source, target)))
    return [pair.source for pair in pairs], [pair.target for pair in pairs]


def open_corpus(path: str, second: str | None = None, **fields: Any) -> Corpus:
    """Return the corpus in two files of lines, or in one .tsv, .jsonl, .parquet or .tmx file.

    `fields` are passed to the corpus class, such as the columns of a TSV file or the languages of
    a TMX file.
    """
    if second is not None:
        return ParallelFiles(path, second, **fields)
    kinds = _pair_formats()
    suffix = _suffix(path, kinds)
    if suffix is None:
        raise CorpusError(
            f"{path}: a single file must be .tsv, .jsonl, .parquet or .tmx. For plain text, give "
            "a source file and a target file."
        )
    try:
        return kinds[suffix](path, **_with_names(kinds[suffix], path, fields))
    except TypeError:
        raise CorpusError(
            f"{path}: a TMX file needs a source and a target language (--columns en fr)."
        ) from None


def is_pair_file(path: str) -> bool:
    """Return whether the suffix of a file is that of a format with both sides in one file."""
    return _suffix(path, _pair_formats()) is not None


def _pair_formats() -> dict[str, type[Tsv] | type[Jsonl] | type[Parquet] | type[Tmx]]:
    return {".tsv": Tsv, ".jsonl": Jsonl, ".parquet": Parquet, ".tmx": Tmx}


def open_texts(path: str, column: str | int | None = None) -> Corpus:
    """Return the texts of a file as targets: its lines, or a column of a .parquet, .jsonl or .tsv.

    The default column of a .parquet file is "source". Other files have lines unless a column is
    given.
    """
    suffix = _suffix(path, (".tsv", ".jsonl", ".parquet"))
    if column is None and suffix == ".parquet":
        column = "source"
    if column is None:
        return TextLines(path)
    if suffix is None:
        raise CorpusError(
            f"{path}: only .parquet, .jsonl and .tsv files have columns. Leave the column out."
        )
    return TextColumn(open_corpus(path, source=column, target=column))


def open_documents(path: str, **fields: Any) -> Corpus:
    """Return the labelled documents in a file: the source is the text, the target is the label.

    A .tsv file has the columns label and text. A .jsonl or .parquet record has the keys "text" and
    "label". `fields` can set other columns or keys.
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
            '.parquet file with the keys "text" and "label".'
        )
    kind, names = kinds[suffix]
    return kind(path, **(names | _with_names(kind, path, fields)))


def _with_names(kind: type[SingleFile], path: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields with the source and the target as `kind` names them.

    The columns of a TSV file are numbers, and the keys or languages of other formats are strings.
    """
    names = {side: fields[side] for side in ("source", "target") if side in fields}
    if kind is not Tsv:
        return fields | {side: str(name) for side, name in names.items()}
    for name in names.values():
        if type(name) is not int or name < 0:
            raise CorpusError(
                f"{path}: a TSV file has no column {name!r}. Count its columns from 0, as in "
                "--columns 0 1."
            )
    return fields


def _suffix(path: str, format_suffixes: Container[str]) -> str | None:
    """Return the suffix of the format; a suffix of the compression may follow it."""
    suffixes = PurePosixPath(path.lower()).suffixes[-2:]
    return next((suffix for suffix in suffixes if suffix in format_suffixes), None)


@dataclass(frozen=True, slots=True)
class ParallelFiles(Corpus):
    """Two text files: line n of the target is the translation of line n of the source."""

    source: str
    target: str

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.source, self.target)

    @property
    def in_place(self) -> bool:
        return not any(path.endswith(COMPRESSED) for path in self.paths)

    def columns(self, size: int, skip: int) -> Iterator[Columns]:
        counts = [skip, skip]
        source_blocks, target_blocks = (line_blocks(path, size, skip) for path in self.paths)
        nothing: list[str] = []
        for sources, targets in zip_longest(source_blocks, target_blocks, fillvalue=nothing):
            counts[0] += len(sources)
            counts[1] += len(targets)
            if common := min(len(sources), len(targets)):
                yield sources[:common], targets[:common]
        if counts[0] != counts[1]:
            shorter, longer = sorted(zip(counts, self.paths, strict=True))
            raise UnequalCountError(
                f"{shorter[1]}: ends after line {shorter[0]}, but {longer[1]} has {longer[0]} "
                "lines. Both need one line for each pair."
            )


@dataclass(frozen=True, slots=True)
class SingleFile(Corpus):
    """A corpus with source and target in one file."""

    path: str

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,)


@dataclass(frozen=True, slots=True)
class TextLines(SingleFile):
    """A text file with one record per line: the source is empty, the target is the line."""

    @property
    def in_place(self) -> bool:
        return not self.path.endswith(COMPRESSED)

    def columns(self, size: int, skip: int) -> Iterator[Columns]:
        for lines in line_blocks(self.path, size, skip):
            yield [""] * len(lines), lines


@dataclass(frozen=True, slots=True)
class TextColumn(Corpus):
    """One column of a table: the source is empty, the target is the text."""

    table: Corpus  # both columns are the same

    @property
    def paths(self) -> tuple[str, ...]:
        return self.table.paths

    def columns(self, size: int, skip: int) -> Iterator[Columns]:
        for _, texts in self.table.columns(size, skip):
            yield [""] * len(texts), texts


@dataclass(frozen=True, slots=True)
class Tsv(SingleFile):
    """A file of tab-separated columns, without quoting."""

    source: int = 0
    target: int = 1

    def columns(self, size: int, skip: int) -> Iterator[Columns]:
        width = 0
        read = skip
        for lines in line_blocks(self.path, size, skip):
            rows = [line.split("\t") for line in lines]
            width = width or len(rows[0])
            for i, row in enumerate(rows):
                if len(row) != width or max(self.source, self.target) >= width:
                    raise CorpusError(
                        f"{self.path}, line {read + i + 1}: has {len(row)} columns; "
                        f"{max(width, self.source + 1, self.target + 1)} are expected."
                    )
            read += len(rows)
            yield [row[self.source] for row in rows], [row[self.target] for row in rows]


@dataclass(frozen=True, slots=True)
class Jsonl(SingleFile):
    """A file with one JSON object per line.

    A key may be a dotted path such as `translation.en`. A list of texts is joined to one text with
    one paragraph per item.
    """

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
            raise ValueError(f"missing key {keys}")
        record = record[key]
    if isinstance(record, list) and all(isinstance(part, str) for part in record):
        record = "\n\n".join(record)
    if not isinstance(record, str) or "\0" in record:
        raise ValueError(f"{keys} is not a text")
    record.encode()  # JSON allows lone surrogates, which UTF-8 cannot encode
    return record


@dataclass(frozen=True, slots=True)
class Parquet(SingleFile):
    """Two columns of a Parquet file."""

    source: str = "source"
    target: str = "target"

    def columns(self, size: int, skip: int) -> Iterator[Columns]:
        try:
            import pyarrow.parquet
        except ImportError:
            raise CorpusError(
                f"{self.path}: reading Parquet requires pyarrow. "
                "Install it with `pip install 'regard[data]'`."
            ) from None
        read = 0
        with open_binary(self.path) as file:
            try:
                table = pyarrow.parquet.ParquetFile(file)
                for group in range(table.num_row_groups):
                    rows = table.metadata.row_group(group).num_rows
                    if read + rows <= skip:
                        read += rows
                        continue
                    names = [self.source, self.target]
                    for batch in table.iter_batches(size, row_groups=[group], columns=names):
                        unread = batch.slice(max(0, skip - read))
                        read += len(batch)
                        yield (
                            self._texts(unread, self.source, read),
                            self._texts(unread, self.target, read),
                        )
            except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
                raise CorpusError(f"{self.path}, record {read + 1} or after: {error}") from error

    def _texts(self, batch: Any, name: str, read: int) -> list[str]:
        index = batch.schema.get_field_index(name)
        if index < 0:
            raise CorpusError(f"{self.path}: has no column {name}.")
        texts = batch.column(index).to_pylist()
        for record, text in enumerate(texts, read - len(texts) + 1):
            if not isinstance(text, str) or "\0" in text:
                raise CorpusError(f"{self.path}, record {record}: {name} is not a text.")
        return texts


@dataclass(frozen=True, slots=True)
class Tmx(SingleFile):
    """Two languages of a translation memory in TMX."""

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
