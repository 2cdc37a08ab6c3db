"""Corpus jobs: parts of a large file in, parts of the output out, resumed after interruptions.

Workers encode parts. Joining concatenates the parts of a text file: gzip, xz and zstd files may
have several members. The rows of a Parquet part become a row group.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, ClassVar, Protocol, TypeAlias, runtime_checkable

from regard.data import storage
from regard.data.formats.corpus import Block, Corpus
from regard.data.job_record import JobParts, JobRecord, check_record, create_record
from regard.data.preparation.cut import read_records
from regard.data.preparation.pipeline import (
    ProgressCallback,
    corpus_identity,
    cut_into_pieces,
    run_tasks,
)
from regard.data.preparation.runner import (
    WHOLE,
    Facts,
    PreparationTask,
    Runner,
    Share,
    TaskResult,
    Write,
    run_task,
)
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
        import pyarrow.parquet
    except ImportError:
        raise ConfigError(
            "Writing .parquet requires pyarrow. Install it with `pip install 'regard[data]'`."
        ) from None
    return pyarrow, pyarrow.parquet


# -- corpus jobs -----------------------------------------------------------------------------------
# Compute lines from the records of a corpus, as idempotent tasks.
#
#     cut     a corpus   → pieces: byte ranges of text files, copies of other formats
#     VERB    a piece    → a part of the output
#     join    all parts  → the output file (part_formats.py)
#
# A function computes BLOCK records at once. Pieces are whole blocks, so no result depends on the
# sizes of pieces, on the runner, on the number of workers or on an interruption. A worker loads the
# function's model with its first piece and keeps it for the next ones.


BLOCK = 1_000  # records that a function computes at once: enough for full batches of every length
SAMPLE = 256  # records that the cost is measured on
_PIECES = 64  # of a corpus that is large enough, to keep many workers busy
MAX_BLOCKS = 64  # of a piece
_RECORD_BYTES = 64  # of one side of a typical record
_PACKED = 4  # typical ratio of a compression


Compute: TypeAlias = Callable[[Block], BlockResult]


class BlockFunction(ABC):
    """A pure function of blocks. It is sent to the workers, so it holds names, not models."""

    verb: ClassVar[str]

    @property
    @abstractmethod
    def identity(self) -> Facts:
        """JSON values that change when the results do."""

    @abstractmethod
    def load(self) -> Compute:
        """Load the models; called once by each worker."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The cost of a job, measured on a sample by one worker."""

    total: int  # records of the corpus, or of the share
    remaining: int  # records that no earlier run has computed
    rate: float  # records per second and core
    seconds: float  # for all remaining records, with all workers

    @property
    def core_hours(self) -> float:
        return self.remaining / self.rate / 3600


def run_corpus_job(
    function: BlockFunction,
    corpus: Corpus,
    work: str,
    runner: Runner,
    *,
    suffix: str = "",
    share: Share | None = None,
    on_progress: ProgressCallback = lambda progress: None,
    on_estimate: Callable[[CostEstimate], None] = lambda estimate: None,
) -> JobParts:
    """Compute the parts of the output in the directory or URL `work`.

    Tasks that an earlier run completed are not run again. `suffix` is that of the output file and
    determines the format of the parts. Large jobs report an estimate of their cost before the
    start.

    With `share`, compute and return its parts alone. Processes that compute shares of one job, also
    the same one, may run at the same time: a file has the same bytes from each of them.
    """
    record = JobRecord(
        function.verb,
        function.identity,
        corpus_identity(corpus),
        suffix,
        BLOCK,
        BLOCK * _blocks_per_piece(corpus),
        None if share is None else share.count,
    )
    check_record(work, record)  # before the corpus is read
    _, pieces, copied = cut_into_pieces(
        corpus, record.lines, work, runner, on_progress, share or WHOLE
    )
    record = replace(record, records=sum(piece.lines for piece in pieces))
    if share is not None:
        create_record(work, record)
    tasks = (share or WHOLE).select(
        [
            replace(task, locations={"function": function, "piece": piece, "copied": copied})
            for task, piece in zip(record.tasks(work), pieces, strict=True)
        ]
    )
    total = sum(task.inputs["piece"][1] for task in tasks)
    names = storage.list_names(work)
    remaining = [task for task in tasks if f"{task.name}.json" not in names]
    _estimate(remaining, total, runner, on_estimate)
    results = run_tasks(function.verb, _run, tasks, runner, total, on_progress)
    return JobParts.of(work, [name for result in results for name in result.outputs])


def _run(task: PreparationTask) -> TaskResult:
    return run_task(task, compute_part)


def compute_part(task: PreparationTask, write: Write) -> Facts:
    compute = _load(task.locations["function"])
    results = [compute(block) for block in _read_blocks(task)]
    suffix = task.parameters["suffix"]
    write(f"{task.name}{suffix or '.txt'}", encode_part(results, suffix))
    if warnings := [line for result in results for line in result.warnings]:
        write(f"{task.name}.warnings", "".join(f"{line}\n" for line in warnings).encode())
    return {"records": task.inputs["piece"][1]}


def _read_blocks(task: PreparationTask) -> Iterator[Block]:
    piece = task.locations["piece"]
    sources, targets = read_records(piece, copied=task.locations["copied"])
    size = task.parameters["block"]
    for start in range(0, piece.lines, size):
        stop = start + size
        yield Block(piece.first_line + start, sources[start:stop], targets[start:stop])


_loaded: dict[str, Compute] = {}  # of this process: the last function


def _load(function: BlockFunction) -> Compute:
    key = json.dumps([function.verb, function.identity], sort_keys=True)
    if key not in _loaded:
        _loaded.clear()
        _loaded[key] = function.load()
    return _loaded[key]


def _estimate(
    tasks: Sequence[PreparationTask],
    total: int,
    runner: Runner,
    on_estimate: Callable[[CostEstimate], None],
) -> None:
    """Measure a sample that is spread over the pieces of `tasks`."""
    remaining = sum(task.inputs["piece"][1] for task in tasks)
    if remaining < 10 * SAMPLE:
        return
    chosen = tasks[:: -(-len(tasks) // 8)]
    ((records, seconds, cpu),) = runner.map(_measure, [chosen], lambda result: None)
    workers = min(runner.workers, len(tasks))
    on_estimate(
        CostEstimate(total, remaining, records / cpu, remaining * seconds / records / workers)
    )


def _measure(tasks: Sequence[PreparationTask]) -> tuple[int, float, float]:
    """Return the number of records of a sample, and the seconds and CPU seconds they take."""
    compute = _load(tasks[0].locations["function"])
    share = SAMPLE // len(tasks)
    sources: list[str] = []
    targets: list[str] = []
    for task in tasks:
        block = next(_read_blocks(task))
        sources += block.sources[:share]
        targets += block.targets[:share]
    start, cpu = time.perf_counter(), time.process_time()
    compute(Block(0, sources, targets))
    return (
        len(sources),
        max(time.perf_counter() - start, 1e-9),
        max(time.process_time() - cpu, 1e-9),
    )


def _blocks_per_piece(corpus: Corpus) -> int:
    """Return a number that depends on the sizes of the files only."""
    sizes = [int(storage.file_identity(path)["size"]) for path in corpus.paths]
    records = max(sizes) * (1 if corpus.in_place else _PACKED) // _RECORD_BYTES
    return min(MAX_BLOCKS, max(1, records // (_PIECES * BLOCK)))
