"""The record of a corpus job that several processes compute in shares.

The processes do not know of each other. They agree by the file `job.json` in the directory of the
job's parts: the first process creates it, the others compare it with their own job. It has all that
joining the parts needs: their number and their keys, without the corpus and the model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

from regard.data import storage
from regard.data.preparation.runner import (
    VERSION,
    Facts,
    PreparationTask,
    dump_json,
    finished_result,
)
from regard.errors import ArtifactError, ConfigError

RECORD = "job.json"
_SHOWN = 24  # characters of the JSON of a value in a message; digests are longer


@dataclass(frozen=True, slots=True)
class JobRecord:
    """What the parts of a job depend on, and how many processes compute them."""

    command: str
    function: Facts  # identity of the function: the digest of its model, its options
    corpus: Facts  # identity of the corpus
    suffix: str  # of the output
    block: int  # records that the function computes at once
    lines: int  # records of a part
    shares: int | None = None  # None: one process computes all parts
    records: int = 0  # of the corpus; 0 before it is read
    version: int = VERSION

    def tasks(self, work: str) -> Iterator[PreparationTask]:
        """Yield the tasks of all parts in the directory `work`, without their locations."""
        parameters = {"function": self.function, "block": self.block, "suffix": self.suffix}
        for number, start in enumerate(range(0, self.records, self.lines)):
            piece = [start, min(self.lines, self.records - start)]
            inputs = {**self.corpus, "piece": piece}
            yield PreparationTask(self.command, work, f"part-{number:06}", inputs, parameters)

    def differences(self, earlier: JobRecord) -> list[str]:
        """Return how the job of an earlier record differs from this one."""
        ours, theirs = (
            dict(_leaves(json.loads(dump_json(asdict(record))))) for record in (self, earlier)
        )
        compared = (ours | theirs).keys() - {"records"}
        if self.shares is None or earlier.shares is None:
            compared -= {"shares"}
        described = (
            _describe(name, theirs.get(name), ours.get(name))
            for name in sorted(compared)
            if theirs.get(name) != ours.get(name)
        )
        return list(dict.fromkeys(described))


@dataclass(frozen=True, slots=True)
class JobParts:
    """The files of a finished job, in the order of the corpus."""

    parts: list[str]
    warnings: list[str]

    @classmethod
    def of(cls, work: str, names: Sequence[str]) -> JobParts:
        """Return the files of these names in the directory `work`."""
        paths = [storage.join_path(work, name) for name in names]
        return cls(
            [path for path in paths if not path.endswith(".warnings")],
            [path for path in paths if path.endswith(".warnings")],
        )


def read_record(work: str) -> JobRecord | None:
    """Return the record of the job in a directory; None if it is not computed in shares."""
    path = storage.join_path(work, RECORD)
    try:
        return JobRecord(**json.loads(storage.read_bytes(path)))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise ArtifactError(
            f"{path}: is damaged ({error}). Delete {work} and compute all parts again."
        ) from None


def check_record(work: str, record: JobRecord) -> None:
    """Refuse a directory in which shares of another job have been computed."""
    earlier = read_record(work)
    if earlier is not None and (differences := record.differences(earlier)):
        raise ConfigError(
            f"{work}: holds parts of another job. Different: {', '.join(differences)}. Use the "
            "command of the other shares, or delete this directory to compute all parts again."
        )


def create_record(work: str, record: JobRecord) -> None:
    """Write the record of a job, or compare it with that of another share."""
    content = dump_json(asdict(record))
    if not storage.create_bytes(storage.join_path(work, RECORD), content):
        check_record(work, record)


def finished_parts(work: str, record: JobRecord) -> JobParts:
    """Return the files of a job whose shares are all finished.

    Raises:
        ArtifactError: Parts are missing or damaged; names their shares.
    """
    names: list[str] = []
    missing: list[int] = []
    for number, task in enumerate(record.tasks(work)):
        result = finished_result(task)
        if result is None:
            missing.append(number)
        else:
            names += result.outputs
    if missing:
        count = record.shares or 1
        shares = number_ranges(sorted({number % count + 1 for number in missing}))
        raise ArtifactError(
            f"{work}: {len(missing):,} parts are missing or damaged, those of --part {shares} of "
            f"{count}. Run these shares again, then join."
        )
    return JobParts.of(work, names)


def number_ranges(numbers: Iterable[int]) -> str:
    """Return increasing numbers in the format of Slurm's --array, such as 1,4-9."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][-1] == number - 1:
            ranges[-1][1:] = [number]
        else:
            ranges.append([number])
    return ",".join("-".join(map(str, ends)) for ends in ranges)


# -- differences of two jobs -----------------------------------------------------------------------


_NAMES = {
    "command": "the command",
    "function.model": "the model",
    "function.models": "the models",
    "function.aligner": "the word aligner",
    "function.reverse": "the model of --reverse",
    "suffix": "the format of the output",
    "shares": "the number of shares",
    "version": "the version of regard's tasks",
}


def _leaves(value: object, name: str = "") -> Iterator[tuple[str, object]]:
    """Yield the values of nested objects, with names such as function.options.beam_size."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else str(key))
    else:
        yield name, value


def _describe(name: str, theirs: object, ours: object) -> str:
    if name.startswith("corpus."):
        return "the corpus (its name, columns, size or time of change)"
    shown = _NAMES.get(name) or name.removeprefix("function.").removeprefix("options.")
    values = [json.dumps(value, ensure_ascii=False) for value in (theirs, ours)]
    if max(map(len, values)) > _SHOWN:
        return shown
    return f"{shown} ({values[0]} there, {values[1]} here)"
