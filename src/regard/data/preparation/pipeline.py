"""The stages of preparation as lists of tasks, each planned from the results of earlier stages.

Memory grows only with the number of shards. Intermediate files are kept in `work/` below the output
directory, so that a changed parameter reruns only the tasks that depend on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import NamedTuple, TypeAlias

from regard.data import storage
from regard.data.filters import Limits
from regard.data.formats.corpus import Corpus
from regard.data.loading.shards import MAX_TOKENS, PARTS
from regard.data.preparation.cut import CorpusPiece
from regard.data.preparation.fields import SLOTS, DedupeMode, FieldName, count_partitions
from regard.data.preparation.runner import (
    WHOLE,
    Facts,
    PreparationTask,
    Runner,
    Share,
    TaskResult,
)
from regard.data.preparation.stages import run_stage
from regard.errors import ConfigError, CorpusError
from regard.text.normalize import Form
from regard.text.tagged_tokenizer import TARGET
from regard.text.tokenizer import SETTINGS_FILE, Kind

_SAMPLE_LINES = 25_000  # of one side; training the tokenizer on them takes about a minute
_MAX_LABELS = 10_000


@dataclass(frozen=True, slots=True)
class PreparationSettings:
    """Settings of preparation."""

    vocabulary: int = 8_000  # joint for source and target, or that of the source
    target_vocabulary: int | None = None  # of a tokenizer for the target alone
    kind: Kind = "unigram"
    form: Form = "NFC"
    tokenizer: str | None = None  # directory of a tokenizer to use instead of training one
    fields: tuple[FieldName, FieldName] = ("text", "text")  # kinds of source and target
    limits: Limits | None = field(default_factory=Limits)  # None: drop only empty pairs
    dedupe: DedupeMode = "near"
    held_out: float = 0.0  # share of the sources that become the split `valid`
    max_length: int = 512  # pieces of a side; longer pairs are dropped
    shard_pairs: int = 1 << 16  # per shard: a million pairs keep 16 cores busy

    def __post_init__(self) -> None:
        if not 0 <= self.held_out < 1:
            raise ConfigError(f"held_out: {self.held_out} is not in the range 0 ≤ held_out < 1.")
        if self.tokenizer is not None and self.target_vocabulary is not None:
            raise ConfigError(
                "target_vocabulary: no vocabulary is trained, since a tokenizer is given. Set one "
                "of the two."
            )
        if not 0 < self.max_length <= MAX_TOKENS:
            raise ConfigError(f"max_length: {self.max_length} is not between 1 and {MAX_TOKENS}.")


@dataclass(frozen=True, slots=True)
class StageProgress:
    """Progress of a stage, reported when it starts and after each of its tasks."""

    stage: str
    done: int  # tasks
    total: int
    reused: int  # tasks that an earlier run had already done
    seconds: float  # since the stage started
    pairs: int  # in the corpus; 0 before they are counted

    @property
    def rate(self) -> float:
        """Pairs per second in this stage, without the tasks already done."""
        processed = self.pairs * (self.done - self.reused) / max(1, self.total)
        return processed / self.seconds if self.seconds else 0.0

    @property
    def remaining(self) -> float:
        """Estimated seconds to the end of the stage."""
        processed = self.done - self.reused
        return self.seconds * (self.total - self.done) / processed if processed else 0.0


ProgressCallback: TypeAlias = Callable[[StageProgress], None]


@dataclass(frozen=True, slots=True)
class CleanPiece:
    """A cleaned piece of a corpus."""

    corpus: str
    split: str
    number: int
    first: int  # number of its first record
    origin: Facts  # its files and lines
    done: TaskResult
    tags: tuple[str, ...]  # before each source


@dataclass(frozen=True, slots=True)
class EncodedPiece:
    clean: CleanPiece
    held: str | None
    done: TaskResult


class Pipeline:
    """Runs the stages of one preparation."""

    def __init__(
        self, out: str, settings: PreparationSettings, runner: Runner, on_progress: ProgressCallback
    ) -> None:
        self.out, self.settings, self.runner = out, settings, runner
        self.on_progress = on_progress
        self.pairs = 0

    def clean(
        self, corpora: Sequence[Corpus], split: str, limits: Facts | None, dedupe: DedupeMode
    ) -> list[CleanPiece]:
        """Cut the corpora into pieces, normalize and filter them."""
        lines = {"lines": self.settings.shard_pairs}
        cuts = [
            PreparationTask("cut", self.out, f"work/{split}-cut-{i:03}", corpus_identity(corpus),
                 lines, {"corpus": corpus})
            for i, corpus in enumerate(corpora)
        ]  # fmt: skip
        parameters = {
            "form": self.settings.form,
            "fields": self.settings.fields,
            "limits": limits,
            "dedupe": dedupe,
        }
        tasks: list[PreparationTask] = []
        heads: list[tuple[Corpus, int, Facts]] = []
        first = 0
        for corpus, cut, done in zip(corpora, cuts, self._run_stage("cut", cuts), strict=True):
            tagged = {**parameters, "tags": corpus.tags} if corpus.tags else parameters
            for piece in done.facts["pieces"]:
                inputs = {
                    **cut.inputs,
                    "lines": [piece["first_line"], piece["lines"]],
                    "first_record": first,
                }
                locations = {"piece": piece, "copied": done.facts["copied"]}
                name = f"work/{split}-clean-{len(tasks):05}"
                tasks.append(PreparationTask("clean", self.out, name, inputs, tagged, locations))
                heads.append((corpus, first, inputs))
                first += piece["lines"]
        self.pairs = max(self.pairs, first)
        done_tasks = self._run_stage("clean", tasks)
        return [
            CleanPiece(corpus.name, split, number, first, origin, done, corpus.tags)
            for number, ((corpus, first, origin), done) in enumerate(
                zip(heads, done_tasks, strict=True)
            )
        ]

    def dedupe(self, pieces: Sequence[CleanPiece]) -> list[TaskResult]:
        """Find duplicate records; one result for each partition of the hashes."""
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
            locations = {"ranges": ranges, "firsts": firsts}
            parameters = {"partition": partition, "partitions": partitions}
            name = f"work/train-repeats-{partition:03}"
            tasks.append(PreparationTask("dedupe", self.out, name, inputs, parameters, locations))
        return self._run_stage("dedupe", tasks)

    def tokenizer(
        self, pieces: Sequence[CleanPiece], repeats: Sequence[TaskResult], tags: Sequence[str]
    ) -> TaskResult:
        """Train a tokenizer with `tags` on a sample of the pieces, or import the given one.

        With `target_vocabulary`, one tokenizer is trained on the sources, with `tags`, and one on
        the targets.
        """
        settings = self.settings
        if settings.tokenizer is not None:
            settings_file = storage.join_path(settings.tokenizer, SETTINGS_FILE)
            inputs: Facts = {"model": storage.file_identity(settings_file)}
            target_file = storage.join_path(settings.tokenizer, f"{TARGET}{SETTINGS_FILE}")
            if storage.path_exists(target_file):
                inputs["target"] = storage.file_identity(target_file)
            locations: Facts = {"tokenizer": settings.tokenizer}
            return self._run_stage(
                "import",
                [
                    PreparationTask(
                        "import",
                        self.out,
                        "tokenizer-task",
                        inputs,
                        {"form": settings.form},
                        locations,
                    )
                ],
            )[0]
        share = min(1.0, _SAMPLE_LINES / max(1, sum(p.done.facts["lines"] for p in pieces)))
        parameters = {"share": share, "held_out": settings.held_out, "fields": settings.fields}
        if settings.target_vocabulary is not None:
            parameters["separate"] = True
        samples = self._run_stage(
            "sample",
            [
                PreparationTask("sample", self.out, f"work/train-sample-{piece.number:05}",
                     _kept_inputs(piece, repeats), parameters, _kept_where(piece, repeats))
                for piece in pieces
            ],
        )  # fmt: skip
        inputs = {"samples": [sha256 for done in samples for sha256 in done.outputs.values()]}
        locations = {"samples": [done.name for done in samples]}
        parameters = {"size": settings.vocabulary, "kind": settings.kind, "form": settings.form}
        if tags:
            parameters["tags"] = tags
        if settings.target_vocabulary is not None:
            parameters["target_size"] = settings.target_vocabulary
        task = PreparationTask("learn", self.out, "tokenizer-task", inputs, parameters, locations)
        return self._run_stage("learn", [task])[0]

    def labels(self, pieces: Sequence[CleanPiece]) -> list[str]:
        """Return the sorted class names of all pieces."""
        class_names = sorted({label for piece in pieces for label in piece.done.facts["labels"]})
        if len(class_names) > _MAX_LABELS:
            raise CorpusError(
                f"{pieces[0].corpus}: has {len(class_names):,} different labels; the maximum is "
                f"{_MAX_LABELS:,}. Check that text and label are not swapped."
            )
        return class_names

    def encode(
        self,
        pieces: Sequence[CleanPiece],
        repeats: Sequence[TaskResult],
        tokenizer: TaskResult,
        labels: Sequence[str],
    ) -> list[EncodedPiece]:
        """Encode the pieces as token shards, without the repeated records."""
        tasks, held_names = [], []
        for piece in pieces:
            held_out = self.settings.held_out if piece.split == "train" else 0.0
            held = f"work/held-{piece.number:05}" if held_out else None
            inputs = {
                **_kept_inputs(piece, repeats),
                "tokenizer": tokenizer.facts["fingerprint"],
            }
            parameters = {
                "held_out": held_out,
                "max_length": self.settings.max_length,
                "fields": self.settings.fields,
                "labels": labels,
            }
            if piece.tags:
                parameters["tags"] = piece.tags
            locations = {**_kept_where(piece, repeats), "held": held}
            name = f"{piece.split}-{piece.number:05}"
            tasks.append(PreparationTask("encode", self.out, name, inputs, parameters, locations))
            held_names.append(held)
        done = self._run_stage("encode", tasks)
        return [EncodedPiece(*values) for values in zip(pieces, held_names, done, strict=True)]

    def gather(self, shards: Sequence[EncodedPiece]) -> list[Facts]:
        """Join the held-out pairs of all shards to one shard; return its manifest entry.

        If there are tags, there is one shard for each corpus.
        """
        tagged = any(shard.clean.tags for shard in shards)
        groups: dict[str, list[EncodedPiece]] = {}
        for shard in shards:
            groups.setdefault(shard.clean.corpus if tagged else "held out", []).append(shard)
        tasks = [
            PreparationTask(
                "gather",
                self.out,
                f"valid-{number:05}",
                {"parts": [shard.done.outputs for shard in group]},
                {},
                {"parts": [shard.held for shard in group]},
            )
            for number, group in enumerate(groups.values())
        ]
        entries = []
        for (corpus, group), done in zip(
            groups.items(), self._run_stage("gather", tasks), strict=True
        ):
            held = [shard.done.facts["held"] for shard in group]
            entries.append(
                {
                    "name": done.name,
                    "corpus": corpus,
                    "pairs": sum(part["pairs"] for part in held),
                    "tokens": [sum(part["tokens"][side] for part in held) for side in (0, 1)],
                    "sha256": {part: done.outputs[f"{done.name}.{part}"] for part in PARTS},
                }
            )
        return entries

    def _run_stage(self, stage: str, tasks: Sequence[PreparationTask]) -> list[TaskResult]:
        return run_tasks(stage, run_stage, tasks, self.runner, self.pairs, self.on_progress)


def run_tasks(
    stage: str,
    function: Callable[[PreparationTask], TaskResult],
    tasks: Sequence[PreparationTask],
    runner: Runner,
    pairs: int,
    on_progress: ProgressCallback,
) -> list[TaskResult]:
    """Run the tasks of a stage and report its start and the end of each task."""
    start = time.monotonic()
    cached = done = 0
    if tasks:
        on_progress(StageProgress(stage, 0, len(tasks), 0, 0.0, pairs))

    def count(result: TaskResult) -> None:
        nonlocal cached, done
        done += 1
        cached += not result.fresh
        seconds = time.monotonic() - start
        on_progress(StageProgress(stage, done, len(tasks), cached, seconds, pairs))

    return runner.map(function, tasks, count)


class CutCorpus(NamedTuple):
    """The pieces of a corpus, and whether they are copies, of compressed files and the like."""

    identity: Facts  # of the corpus
    pieces: list[CorpusPiece]
    copied: bool


def cut_into_pieces(
    corpus: Corpus,
    lines: int,
    work: str,
    runner: Runner,
    on_progress: ProgressCallback,
    share: Share = WHOLE,
) -> CutCorpus:
    """Cut a corpus into pieces of `lines` lines. Copies of those in `share` are written to `work`.

    Shares that copy do not wait for each other: each reads the corpus.
    """
    identity = corpus_identity(corpus)
    name, parameters = "cut", Facts(lines=lines)
    if share != WHOLE and not corpus.in_place:
        name, parameters["share"] = f"cut-{share.number}", [share.number, share.count]
    task = PreparationTask("cut", work, name, identity, parameters, {"corpus": corpus})
    facts = run_tasks("cut", run_stage, [task], runner, 0, on_progress)[0].facts
    pieces, copied = map(CorpusPiece.from_json, facts["pieces"]), facts["copied"]
    return CutCorpus(identity, [p.under(work) if copied else p for p in pieces], copied)


def corpus_identity(corpus: Corpus) -> Facts:
    """Return what determines the records of a corpus: its format and the versions of its files."""
    fields = {
        name: value
        for name, value in asdict(corpus).items()
        if name not in ("name", "weight", "tags")
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
