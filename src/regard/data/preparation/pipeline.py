"""The rounds of tasks that preparing data takes, each planned from the answers of those before.

Nothing here grows with the corpus but the list of shards. Intermediate files lie in `work/` under
the output and are kept: with them, a changed parameter runs again only what depends on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TypeAlias

from regard.data import storage
from regard.data.filters import Limits
from regard.data.formats.corpus import Corpus
from regard.data.loading.shards import MAX_TOKENS, PARTS
from regard.data.preparation.dedupe import SLOTS, Sameness, count_partitions
from regard.data.preparation.fields import FieldName
from regard.data.preparation.runner import Runner
from regard.data.preparation.stages import run_stage
from regard.data.preparation.tasks import Facts, PreparationTask, TaskResult
from regard.errors import ConfigError, CorpusError
from regard.text.normalize import Form
from regard.text.tokenizer import SETTINGS_FILE, Kind

_SAMPLE_LINES = 25_000  # of one side: learning takes more than a millisecond a line, so a minute
_MOST_LABELS = 10_000


@dataclass(frozen=True, slots=True)
class PreparationSettings:
    """How corpora are prepared."""

    vocabulary: int = 8_000
    kind: Kind = "unigram"
    form: Form = "NFC"
    tokenizer: str | None = None  # a folder with a tokeniser to use instead of learning one
    fields: tuple[FieldName, FieldName] = ("text", "text")  # what source and target are
    limits: Limits | None = field(default_factory=Limits)  # None: all is kept that is not empty
    dedupe: Sameness = "near"
    held_out: float = 0.0  # the share of sources that become the split `valid`
    max_length: int = 512  # pieces of a side; a pair with more is dropped
    shard_pairs: int = 1 << 16  # read into one shard: a million pairs keep 16 cores busy

    def __post_init__(self) -> None:
        if not 0 <= self.held_out < 1:
            raise ConfigError(f"held_out: {self.held_out} is not a share from 0 to below 1")
        if not 0 < self.max_length <= MAX_TOKENS:
            raise ConfigError(f"longest: {self.max_length} is not between 1 and {MAX_TOKENS}")


@dataclass(frozen=True, slots=True)
class StageProgress:
    """Where a stage stands, told when it begins and whenever one of its tasks ends."""

    stage: str
    done: int  # tasks
    total: int
    found: int  # of those done, how many had been done before
    seconds: float  # since the stage began
    pairs: int  # in the whole corpus, as far as is known

    @property
    def rate(self) -> float:
        """Pairs per second in this stage, those found done left out."""
        worked = self.pairs * (self.done - self.found) / max(1, self.total)
        return worked / self.seconds if self.seconds else 0.0

    @property
    def remaining(self) -> float:
        """Seconds to the end of the stage, if the rest goes on at the same rate."""
        worked = self.done - self.found
        return self.seconds * (self.total - self.done) / worked if worked else 0.0


ProgressCallback: TypeAlias = Callable[[StageProgress], None]


@dataclass(frozen=True, slots=True)
class CleanPiece:
    """A clean piece: of which corpus and split, and the number of its first record."""

    corpus: str
    split: str
    number: int
    first: int
    origin: Facts  # the files it was cut from, and which of their lines
    done: TaskResult


@dataclass(frozen=True, slots=True)
class EncodedPiece:
    clean: CleanPiece
    held: str | None
    done: TaskResult


class Pipeline:
    """The stages of one run, each a round of tasks."""

    def __init__(
        self, out: str, settings: PreparationSettings, runner: Runner, tell: ProgressCallback
    ) -> None:
        self.out, self.settings, self.runner, self.tell = out, settings, runner, tell
        self.pairs = 0

    def clean(
        self, corpora: Sequence[Corpus], split: str, limits: Facts | None, sameness: Sameness
    ) -> list[CleanPiece]:
        lines = {"lines": self.settings.shard_pairs}
        cuts = [
            PreparationTask("cut", self.out, f"work/{split}-cut-{i:03}", _identity(corpus), lines,
                 {"corpus": corpus})
            for i, corpus in enumerate(corpora)
        ]  # fmt: skip
        parameters = {
            "form": self.settings.form,
            "sides": self.settings.fields,
            "limits": limits,
            "dedupe": sameness,
        }
        tasks: list[PreparationTask] = []
        heads: list[tuple[str, int, Facts]] = []
        first = 0
        for corpus, cut, done in zip(corpora, cuts, self._run_stage("cut", cuts), strict=True):
            for piece in done.facts["pieces"]:
                inputs = {
                    **cut.inputs,
                    "lines": [piece["first_line"], piece["lines"]],
                    "first_record": first,
                }
                where = {"piece": piece, "copied": done.facts["copied"]}
                name = f"work/{split}-clean-{len(tasks):05}"
                tasks.append(PreparationTask("clean", self.out, name, inputs, parameters, where))
                heads.append((corpus.name, first, inputs))
                first += piece["lines"]
        self.pairs = max(self.pairs, first)
        done_tasks = self._run_stage("clean", tasks)
        return [
            CleanPiece(corpus, split, number, first, origin, done)
            for number, ((corpus, first, origin), done) in enumerate(
                zip(heads, done_tasks, strict=True)
            )
        ]

    def dedupe(self, pieces: Sequence[CleanPiece]) -> list[TaskResult]:
        if self.settings.dedupe == "none":
            return []
        partitions = count_partitions(sum(piece.done.facts["kept"] for piece in pieces))
        width = SLOTS // partitions
        tasks = []
        inputs = {"hashes": [p.done.outputs[f"{p.done.name}.hashes"] for p in pieces]}
        firsts = [piece.first for piece in pieces]
        for partition in range(partitions):
            ranges = []
            for piece in pieces:
                slots = piece.done.facts["slots"]
                start, stop = slots[partition * width], slots[(partition + 1) * width]
                ranges.append((piece.done.name, start, stop))
            where = {"ranges": ranges, "firsts": firsts}
            parameters = {"partition": partition, "partitions": partitions}
            name = f"work/train-repeats-{partition:03}"
            tasks.append(PreparationTask("dedupe", self.out, name, inputs, parameters, where))
        return self._run_stage("dedupe", tasks)

    def tokenizer(self, pieces: Sequence[CleanPiece], repeats: Sequence[TaskResult]) -> TaskResult:
        settings = self.settings
        if settings.tokenizer is not None:
            settings_file = storage.join_path(settings.tokenizer, SETTINGS_FILE)
            inputs: Facts = {"model": storage.file_identity(settings_file)}
            where: Facts = {"tokenizer": settings.tokenizer}
            return self._run_stage(
                "adopt",
                [
                    PreparationTask(
                        "adopt", self.out, "tokenizer-task", inputs, {"form": settings.form}, where
                    )
                ],
            )[0]
        share = min(1.0, _SAMPLE_LINES / max(1, sum(p.done.facts["lines"] for p in pieces)))
        parameters = {"share": share, "held_out": settings.held_out, "sides": settings.fields}
        samples = self._run_stage(
            "sample",
            [
                PreparationTask("sample", self.out, f"work/train-sample-{piece.number:05}",
                     _kept_inputs(piece, repeats), parameters, _kept_where(piece, repeats))
                for piece in pieces
            ],
        )  # fmt: skip
        inputs = {"samples": [sum_ for done in samples for sum_ in done.outputs.values()]}
        where = {"samples": [done.name for done in samples]}
        how = {"size": settings.vocabulary, "kind": settings.kind, "form": settings.form}
        task = PreparationTask("learn", self.out, "tokenizer-task", inputs, how, where)
        return self._run_stage("learn", [task])[0]

    def labels(self, pieces: Sequence[CleanPiece]) -> list[str]:
        """All names that occur, in order."""
        found = sorted({label for piece in pieces for label in piece.done.facts["labels"]})
        if len(found) > _MOST_LABELS:
            raise CorpusError(
                f"{pieces[0].corpus}: has {len(found):,} different labels, and {_MOST_LABELS:,} "
                "are the most; are the text and its label the wrong way round?"
            )
        return found

    def encode(
        self,
        pieces: Sequence[CleanPiece],
        repeats: Sequence[TaskResult],
        tokenizer: TaskResult,
        labels: Sequence[str],
    ) -> list[EncodedPiece]:
        tasks, helds = [], []
        for piece in pieces:
            held_out = self.settings.held_out if piece.split == "train" else 0.0
            held = f"work/held-{piece.number:05}" if held_out else None
            inputs = {
                **_kept_inputs(piece, repeats),
                "tokenizer": tokenizer.facts["fingerprint"],
            }
            parameters = {
                "held_out": held_out,
                "longest": self.settings.max_length,
                "sides": self.settings.fields,
                "labels": labels,
            }
            where = {**_kept_where(piece, repeats), "held": held}
            name = f"{piece.split}-{piece.number:05}"
            tasks.append(PreparationTask("encode", self.out, name, inputs, parameters, where))
            helds.append(held)
        done = self._run_stage("encode", tasks)
        return [EncodedPiece(*three) for three in zip(pieces, helds, done, strict=True)]

    def gather(self, shards: Sequence[EncodedPiece]) -> Facts:
        """The held-out pairs of all shards as one."""
        parts = [shard.held for shard in shards]
        inputs = {"parts": [shard.done.outputs for shard in shards]}
        task = PreparationTask("gather", self.out, "valid-00000", inputs, {}, {"parts": parts})
        done = self._run_stage("gather", [task])[0]
        held = [shard.done.facts["held"] for shard in shards]
        return {
            "name": done.name,
            "corpus": "held out",
            "pairs": sum(one["pairs"] for one in held),
            "tokens": [sum(one["tokens"][side] for one in held) for side in (0, 1)],
            "sha256": {part: done.outputs[f"{done.name}.{part}"] for part in PARTS},
        }

    def _run_stage(self, stage: str, tasks: Sequence[PreparationTask]) -> list[TaskResult]:
        begun = time.monotonic()
        found = done = 0
        if tasks:
            self.tell(StageProgress(stage, 0, len(tasks), 0, 0.0, self.pairs))

        def count(result: TaskResult) -> None:
            nonlocal found, done
            done += 1
            found += not result.fresh
            seconds = time.monotonic() - begun
            self.tell(StageProgress(stage, done, len(tasks), found, seconds, self.pairs))

        return self.runner.map(run_stage, tasks, count)


def _identity(corpus: Corpus) -> Facts:
    fields = {
        name: value for name, value in asdict(corpus).items() if name not in ("name", "weight")
    }
    return {
        "corpus": fields,
        "files": [storage.file_identity(path) for path in corpus.paths],
    }


def _kept_inputs(piece: CleanPiece, repeats: Sequence[TaskResult]) -> Facts:
    read = {name: sha for name, sha in piece.done.outputs.items() if not name.endswith(".hashes")}
    return {"clean": read, "repeats": [done.outputs for done in repeats]}


def _kept_where(piece: CleanPiece, repeats: Sequence[TaskResult]) -> Facts:
    ranges = []
    for done in repeats:
        start, stop = done.facts["edges"][piece.number : piece.number + 2]
        if start < stop:
            ranges.append((done.name, start, stop))
    return {"clean": piece.done.name, "first_record": piece.first, "repeats": ranges}
