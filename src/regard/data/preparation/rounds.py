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
from regard.data.batches.shards import LONGEST, PARTS
from regard.data.corpus import Corpus
from regard.data.filters import Limits
from regard.data.preparation.dedupe import SLOTS, Sameness, count_partitions
from regard.data.preparation.runner import Runner
from regard.data.preparation.sides import SideName
from regard.data.preparation.stages import perform
from regard.data.preparation.task import Done, Facts, Task
from regard.errors import CorpusError, SpecError
from regard.text.normalize import Form
from regard.text.tokenizer import SETTINGS_FILE, Kind

_SAMPLE_LINES = 25_000  # of one side: learning takes more than a millisecond a line, so a minute
_MOST_LABELS = 10_000


@dataclass(frozen=True, slots=True)
class Settings:
    """How corpora are prepared."""

    vocabulary: int = 8_000
    kind: Kind = "unigram"
    form: Form = "NFC"
    tokenizer: str | None = None  # a folder with a tokeniser to use instead of learning one
    sides: tuple[SideName, SideName] = ("text", "text")  # what source and target are
    limits: Limits | None = field(default_factory=Limits)  # None: all is kept that is not empty
    dedupe: Sameness = "near"
    held_out: float = 0.0  # the share of sources that become the split `valid`
    longest: int = 512  # pieces of a side; a pair with more is dropped
    shard_pairs: int = 1 << 16  # read into one shard: a million pairs keep 16 cores busy

    def __post_init__(self) -> None:
        if not 0 <= self.held_out < 1:
            raise SpecError(f"held_out: {self.held_out} is not a share from 0 to below 1")
        if not 0 < self.longest <= LONGEST:
            raise SpecError(f"longest: {self.longest} is not between 1 and {LONGEST}")


@dataclass(frozen=True, slots=True)
class Progress:
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


Tell: TypeAlias = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Clean:
    """A clean piece: of which corpus and split, and the number of its first record."""

    corpus: str
    split: str
    number: int
    first: int
    origin: Facts  # the files it was cut from, and which of their lines
    done: Done


@dataclass(frozen=True, slots=True)
class Encoded:
    clean: Clean
    held: str | None
    done: Done


class Rounds:
    """The stages of one run, each a round of tasks."""

    def __init__(self, out: str, settings: Settings, runner: Runner, tell: Tell) -> None:
        self.out, self.settings, self.runner, self.tell = out, settings, runner, tell
        self.pairs = 0

    def clean(
        self, corpora: Sequence[Corpus], split: str, limits: Facts | None, sameness: Sameness
    ) -> list[Clean]:
        lines = {"lines": self.settings.shard_pairs}
        cuts = [
            Task("cut", self.out, f"work/{split}-cut-{i:03}", _identity(corpus), lines,
                 {"corpus": corpus})
            for i, corpus in enumerate(corpora)
        ]  # fmt: skip
        parameters = {
            "form": self.settings.form,
            "sides": self.settings.sides,
            "limits": limits,
            "dedupe": sameness,
        }
        tasks: list[Task] = []
        heads: list[tuple[str, int, Facts]] = []
        first = 0
        for corpus, cut, done in zip(corpora, cuts, self._round("cut", cuts), strict=True):
            for piece in done.facts["pieces"]:
                inputs = {
                    **cut.inputs,
                    "lines": [piece["first_line"], piece["lines"]],
                    "first_record": first,
                }
                where = {"piece": piece, "copied": done.facts["copied"]}
                name = f"work/{split}-clean-{len(tasks):05}"
                tasks.append(Task("clean", self.out, name, inputs, parameters, where))
                heads.append((corpus.name, first, inputs))
                first += piece["lines"]
        self.pairs = max(self.pairs, first)
        done_tasks = self._round("clean", tasks)
        return [
            Clean(corpus, split, number, first, origin, done)
            for number, ((corpus, first, origin), done) in enumerate(
                zip(heads, done_tasks, strict=True)
            )
        ]

    def dedupe(self, pieces: Sequence[Clean]) -> list[Done]:
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
            tasks.append(Task("dedupe", self.out, name, inputs, parameters, where))
        return self._round("dedupe", tasks)

    def tokenizer(self, pieces: Sequence[Clean], repeats: Sequence[Done]) -> Done:
        settings = self.settings
        if settings.tokenizer is not None:
            settings_file = storage.join(settings.tokenizer, SETTINGS_FILE)
            inputs: Facts = {"model": storage.identity(settings_file)}
            where: Facts = {"tokenizer": settings.tokenizer}
            return self._round(
                "adopt",
                [Task("adopt", self.out, "tokenizer-task", inputs, {"form": settings.form}, where)],
            )[0]
        share = min(1.0, _SAMPLE_LINES / max(1, sum(p.done.facts["lines"] for p in pieces)))
        parameters = {"share": share, "held_out": settings.held_out, "sides": settings.sides}
        samples = self._round(
            "sample",
            [
                Task("sample", self.out, f"work/train-sample-{piece.number:05}",
                     _kept_inputs(piece, repeats), parameters, _kept_where(piece, repeats))
                for piece in pieces
            ],
        )  # fmt: skip
        inputs = {"samples": [sum_ for done in samples for sum_ in done.outputs.values()]}
        where = {"samples": [done.name for done in samples]}
        how = {"size": settings.vocabulary, "kind": settings.kind, "form": settings.form}
        task = Task("learn", self.out, "tokenizer-task", inputs, how, where)
        return self._round("learn", [task])[0]

    def labels(self, pieces: Sequence[Clean]) -> list[str]:
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
        pieces: Sequence[Clean],
        repeats: Sequence[Done],
        tokenizer: Done,
        labels: Sequence[str],
    ) -> list[Encoded]:
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
                "longest": self.settings.longest,
                "sides": self.settings.sides,
                "labels": labels,
            }
            where = {**_kept_where(piece, repeats), "held": held}
            name = f"{piece.split}-{piece.number:05}"
            tasks.append(Task("encode", self.out, name, inputs, parameters, where))
            helds.append(held)
        done = self._round("encode", tasks)
        return [Encoded(*three) for three in zip(pieces, helds, done, strict=True)]

    def gather(self, shards: Sequence[Encoded]) -> Facts:
        """The held-out pairs of all shards as one."""
        parts = [shard.held for shard in shards]
        inputs = {"parts": [shard.done.outputs for shard in shards]}
        task = Task("gather", self.out, "valid-00000", inputs, {}, {"parts": parts})
        done = self._round("gather", [task])[0]
        held = [shard.done.facts["held"] for shard in shards]
        return {
            "name": done.name,
            "corpus": "held out",
            "pairs": sum(one["pairs"] for one in held),
            "tokens": [sum(one["tokens"][side] for one in held) for side in (0, 1)],
            "sha256": {part: done.outputs[f"{done.name}.{part}"] for part in PARTS},
        }

    def _round(self, stage: str, tasks: Sequence[Task]) -> list[Done]:
        begun = time.monotonic()
        found = done = 0
        if tasks:
            self.tell(Progress(stage, 0, len(tasks), 0, 0.0, self.pairs))

        def count(result: Done) -> None:
            nonlocal found, done
            done += 1
            found += not result.fresh
            seconds = time.monotonic() - begun
            self.tell(Progress(stage, done, len(tasks), found, seconds, self.pairs))

        return self.runner.map(perform, tasks, count)


def _identity(corpus: Corpus) -> Facts:
    fields = {
        name: value for name, value in asdict(corpus).items() if name not in ("name", "weight")
    }
    return {
        "corpus": fields,
        "files": [storage.identity(path) for path in corpus.paths],
    }


def _kept_inputs(piece: Clean, repeats: Sequence[Done]) -> Facts:
    read = {name: sha for name, sha in piece.done.outputs.items() if not name.endswith(".hashes")}
    return {"clean": read, "repeats": [done.outputs for done in repeats]}


def _kept_where(piece: Clean, repeats: Sequence[Done]) -> Facts:
    ranges = []
    for done in repeats:
        start, stop = done.facts["edges"][piece.number : piece.number + 2]
        if start < stop:
            ranges.append((done.name, start, stop))
    return {"clean": piece.done.name, "first_record": piece.first, "repeats": ranges}
