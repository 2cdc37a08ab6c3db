"""Train a word aligner on a corpus of any size: EM as a series of idempotent tasks.

    count     a chunk and a lexicon → the expected counts of the chunk
    sum       the counts of a wave  → their sum with those of the waves before it
    update    the sum of all waves  → the next lexicon

IBM Model 1 runs first, then the HMM, with agreement of both directions from the second iteration
on (Liang et al. 2006). Chunks have a fixed size and counts are summed in their order, so the result
is the same for every runner and number of workers.

Time, memory and files grow with the corpus at most. The counts of a chunk are those of its own
words; they are removed as soon as they are summed, a wave at a time, and a lexicon as soon as the
next one is complete. An entry whose expected count is 0 in both directions is pruned; after two
iterations most entries are. A training that was killed resumes with the missing tasks: the name of
a lexicon's task is its iteration, and its key needs none of the removed files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regard.align.chunks import (
    PairReader,
    Vocabularies,
    choose_edges,
    find_cells,
    load_chunk,
    load_words,
    merge_part,
    merge_vocabularies,
    read_chunk,
)
from regard.align.hmm import JUMPS, Floats, Ids, Lexicon, Model
from regard.align.kernels.native_hmm import expected_counts
from regard.align.stored_lexicon import (
    SUM_TYPES,
    StoredLexicon,
    WordSums,
    load_chunk_lexicon,
    write_first_lexicon,
    write_next_lexicon,
)
from regard.align.word_aligner import AlignerFacts, WordAligner
from regard.data import storage
from regard.data.preparation.pipeline import ProgressCallback, run_tasks
from regard.data.preparation.runner import (
    Facts,
    PreparationTask,
    Runner,
    Stage,
    TaskResult,
    Write,
    dump_json,
    remove_result,
    run_task,
)
from regard.errors import CorpusError

ITERATIONS: tuple[Model, ...] = ("ibm1", "ibm1", "ibm1", "hmm", "hmm", "hmm", "hmm")
WAVES = 8  # of an iteration; at most the counts of one are on disk
MAX_TRAINING_WORDS = 200  # of a side; longer pairs are not trained on
MIN_SAVED = 1e-3  # entries that are less likely than this in both directions are not saved
DIRECTIONS = ("forward", "backward")


def train_aligner(
    readers: Sequence[PairReader],
    work: str,
    runner: Runner,
    *,
    pretokenized: bool = False,
    on_progress: ProgressCallback = lambda progress: None,
) -> WordAligner:
    """Train an aligner on the pairs of `readers`; intermediate files are kept in `work`."""
    training = _read(readers, work, runner, on_progress, pretokenized)
    pairs = sum(chunk.facts["kept"] for chunk in training.chunks)
    if not pairs:
        raise CorpusError("The corpus has no pairs of which both sides have words to align.")
    lexicon = StoredLexicon.of(work, training.lexicon(len(ITERATIONS)))
    facts: AlignerFacts = {
        "pairs": pairs,
        "skipped": sum(chunk.facts["read"] for chunk in training.chunks) - pairs,
        "iterations": ITERATIONS,
    }
    return _compact(lexicon, training.vocabularies, facts)


def _read(
    readers: Sequence[PairReader],
    work: str,
    runner: Runner,
    on_progress: ProgressCallback,
    pretokenized: bool,
) -> _Training:
    """Read all chunks and number their words."""
    parameters = {"pretokenized": pretokenized, "max_words": MAX_TRAINING_WORDS}
    tasks = [
        PreparationTask(
            "align read",
            work,
            f"chunk-{n:05}",
            {"reader": _digest(reader.identity)},
            parameters,
            {"reader": reader},
        )
        for n, reader in enumerate(readers)
    ]
    chunks = run_tasks("read", run_em_stage, tasks, runner, 0, on_progress)
    pairs = sum(chunk.facts["read"] for chunk in chunks)
    vocabularies = merge_vocabularies(work, chunks)
    inputs = {"chunks": _digest([chunk.outputs for chunk in chunks])}
    return _Training(work, runner, on_progress, chunks, vocabularies, inputs, pairs)


@dataclass(frozen=True, slots=True)
class _Training:
    work: str
    runner: Runner
    on_progress: ProgressCallback
    chunks: list[TaskResult]
    vocabularies: Vocabularies
    inputs: Facts  # identity of all chunks
    pairs: int

    def lexicon(self, number: int) -> TaskResult:
        """The lexicon after `number` iterations. An earlier one is trained only for it."""
        name = f"lexicon-{number}"
        parameters: Facts = {"iterations": ITERATIONS[:number]}
        if number == 0:
            task = self._task("start", name, self.inputs, parameters, {})
            return run_task(task, self._first_lexicon)
        model = ITERATIONS[number - 1]

        def update(task: PreparationTask, write: Write) -> Facts:
            previous = self.lexicon(number - 1)
            stored = StoredLexicon.of(self.work, previous)
            waves = self._waves()
            summed = self._sum(number, model, previous, waves, len(waves) - 1)
            counts = [_load_sums(self.work, summed.name, part) for part in range(len(stored))]
            return write_next_lexicon(
                stored, counts, _load_word_sums(self.work, summed.name), name, write
            )

        lexicon = run_task(self._task("update", name, self.inputs, parameters, {}), update)
        remove_result(self.work, f"lexicon-{number - 1}")
        remove_result(self.work, f"sum-{number}-{len(self._waves()) - 1}")
        return lexicon

    def _first_lexicon(self, task: PreparationTask, write: Write) -> Facts:
        """All pairs of words that occur together, equally likely."""
        sizes = len(self.vocabularies.source), len(self.vocabularies.target)
        checksums = self.vocabularies.checksums
        cells = self._run(
            "cells",
            [
                self._task("cells", f"cells-{n:05}",
                           {"chunk": chunk.outputs, "ids": checksums[n]}, {}, {"chunk": chunk.name})
                for n, chunk in enumerate(self.chunks)
            ],
        )  # fmt: skip
        edges = choose_edges(self.work, self.chunks, sizes[0])
        inputs = {"cells": _digest([done.outputs for done in cells])}
        origins = {"chunks": [chunk.name for chunk in self.chunks]}
        merges = [
            self._task("merge", f"part-{n:02}", inputs, {"range": edges[n : n + 2]}, origins)
            for n in range(len(edges) - 1)
        ]
        parts = self._run("merge", merges)
        keys = [storage.map_array(task.path(f"{part.name}.keys"), np.int64) for part in parts]
        facts = write_first_lexicon(task.name, keys, edges, sizes, write)
        for part in parts:
            remove_result(self.work, part.name)
        return facts

    def _waves(self) -> list[range]:
        size = -(-len(self.chunks) // WAVES)
        return [
            range(start, min(start + size, len(self.chunks)))
            for start in range(0, len(self.chunks), size)
        ]

    def _sum(
        self, number: int, model: Model, lexicon: TaskResult, waves: Sequence[range], wave: int
    ) -> TaskResult:
        """The counts of an iteration up to a wave. Earlier waves are counted only for it."""
        inputs: Facts = {"lexicon": _digest(lexicon.outputs)}
        parameters: Facts = {"model": model, "agree": number > 1}
        names = [f"counts-{number}-{n:05}" for n in waves[wave]]

        def add(task: PreparationTask, write: Write) -> Facts:
            previous = None
            if wave:
                previous = self._sum(number, model, lexicon, waves, wave - 1).name
            stored = StoredLexicon.of(self.work, lexicon)
            tasks = [
                self._task("count", name, inputs | {"chunk": _digest(self.chunks[n].outputs)},
                           parameters, {"chunk": self.chunks[n].name, "lexicon": stored})
                for n, name in zip(waves[wave], names, strict=True)
            ]  # fmt: skip
            counted = self._run(f"{model} {number} ({wave + 1} of {len(waves)})", tasks)
            for part in range(len(stored)):
                sums = _add_entries(stored, part, previous, counted)
                for direction, array in zip(DIRECTIONS, sums, strict=True):
                    write(f"{task.name}-{part:02}.{direction}", array.data.cast("B"))
            chunks = [self.chunks[n].name for n in waves[wave]]
            for field, array in _add_words(stored, previous, counted, chunks).items():
                write(f"{task.name}-words.{field}", array.data.cast("B"))
            return {}

        task = self._task("sum", f"sum-{number}-{wave}", inputs | self.inputs, parameters, {})
        done = run_task(task, add)
        for name in names:
            remove_result(self.work, name)
        if wave:
            remove_result(self.work, f"sum-{number}-{wave - 1}")
        return done

    def _task(
        self, stage: str, name: str, inputs: Facts, parameters: Facts, origins: Facts
    ) -> PreparationTask:
        return PreparationTask(f"align {stage}", self.work, name, inputs, parameters, origins)

    def _run(self, stage: str, tasks: Sequence[PreparationTask]) -> list[TaskResult]:
        return run_tasks(stage, run_em_stage, tasks, self.runner, self.pairs, self.on_progress)


def count_chunk(task: PreparationTask, write: Write) -> Facts:
    """Write the counts of a chunk: of its entries that have any, of its words and of jumps."""
    words, pairs = load_chunk(task.root, task.locations["chunk"])
    chunk = load_chunk_lexicon(task.locations["lexicon"], task.locations["chunk"], words)
    model, agree = task.parameters["model"], task.parameters["agree"]
    counts = expected_counts(chunk.lexicon, pairs, model, agree=agree)
    used = np.flatnonzero((counts.forward > 0) | (counts.backward > 0))
    write(f"{task.name}.entries", chunk.entries[used].tobytes())
    write(f"{task.name}.forward", counts.forward[used].tobytes())
    write(f"{task.name}.backward", counts.backward[used].tobytes())
    for field in SUM_TYPES:
        write(f"{task.name}.{field}", getattr(counts, field).tobytes())
    return {"edges": np.searchsorted(used, chunk.edges).tolist()}


STAGES: dict[str, Stage] = {
    "align read": read_chunk,
    "align cells": find_cells,
    "align merge": merge_part,
    "align count": count_chunk,
}


def run_em_stage(task: PreparationTask) -> TaskResult:
    return run_task(task, STAGES[task.stage])


def _add_entries(
    stored: StoredLexicon, part: int, previous: str | None, counted: Sequence[TaskResult]
) -> tuple[Floats, Floats]:
    """The counts of the entries of a part: those of `previous` and those of chunks."""
    if previous is None:
        size = len(stored.part(part).targets)
        sums = np.zeros(size, np.float32), np.zeros(size, np.float32)
    else:
        sums = _load_sums(stored.root, previous, part)
        sums = sums[0].copy(), sums[1].copy()
    for done in counted:
        path = storage.join_path(stored.root, done.name)
        start, stop = done.facts["edges"][part : part + 2]
        entries = storage.map_array(f"{path}.entries", np.int32)[start:stop]
        for direction, total in zip(DIRECTIONS, sums, strict=True):
            total[entries] += storage.map_array(f"{path}.{direction}", np.float32)[start:stop]
    return sums


def _add_words(
    stored: StoredLexicon,
    previous: str | None,
    counted: Sequence[TaskResult],
    chunks: Sequence[str],
) -> WordSums:
    """The counts of words and jumps: those of `previous` and those of chunks."""
    if previous is None:
        shapes = {field: array.shape for field, array in stored.words().items()}
        sums = {field: np.zeros(shapes[field], dtype) for field, dtype in SUM_TYPES.items()}
    else:
        sums = {
            field: array.copy() for field, array in _load_word_sums(stored.root, previous).items()
        }
    for done, chunk in zip(counted, chunks, strict=True):
        path = storage.join_path(stored.root, done.name)
        words = load_words(stored.root, chunk)
        chunk_sums = {
            field: storage.map_array(f"{path}.{field}", dtype) for field, dtype in SUM_TYPES.items()
        }
        sums["null_targets"][words.targets] += chunk_sums["null_targets"]
        sums["null_sources"][words.sources] += chunk_sums["null_sources"]
        sums["jumps"] += chunk_sums["jumps"].reshape(2, JUMPS)
    return sums


def _load_sums(root: str, name: str, part: int) -> tuple[Floats, Floats]:
    path = storage.join_path(root, f"{name}-{part:02}")
    forward, backward = (
        storage.map_array(f"{path}.{direction}", np.float32) for direction in DIRECTIONS
    )
    return forward, backward


def _load_word_sums(root: str, name: str) -> WordSums:
    path = storage.join_path(root, f"{name}-words")
    sums = {
        field: storage.map_array(f"{path}.{field}", dtype) for field, dtype in SUM_TYPES.items()
    }
    return {**sums, "jumps": sums["jumps"].reshape(2, JUMPS)}


def _compact(stored: StoredLexicon, vocabularies: Vocabularies, facts: AlignerFacts) -> WordAligner:
    """Keep the likely entries and the words that have any."""
    parts = []
    for number in range(len(stored)):
        part = stored.part(number)
        likely = np.flatnonzero(np.maximum(part.forward, part.backward) >= MIN_SAVED)
        parts.append(
            (
                part.sources[likely],
                part.targets[likely],
                part.forward[likely],
                part.backward[likely],
            )
        )
    all_sources, all_targets, forward, backward = map(np.concatenate, zip(*parts, strict=True))
    used_sources, source = np.unique(all_sources, return_inverse=True)
    used_targets, target = np.unique(all_targets, return_inverse=True)
    words = stored.words()
    small = Lexicon(
        rows=np.concatenate([[0], np.cumsum(np.bincount(source, None, len(used_sources)))]),
        targets=target.astype(np.int32),
        forward=forward,
        backward=backward,
        null_targets=words["null_targets"][used_targets],
        null_sources=words["null_sources"][used_sources],
        jumps=np.array(words["jumps"]),
    )
    return WordAligner(
        _selected(vocabularies.source, used_sources),
        _selected(vocabularies.target, used_targets),
        small,
        facts,
    )


def _selected(ids: dict[str, int], used: Ids) -> dict[str, int]:
    words = list(ids)
    return {words[old]: new for new, old in enumerate(used.tolist())}


def _digest(identity: object) -> str:
    """Identifies JSON values in the key of a task, whose manifest then stays small."""
    return hashlib.sha256(dump_json({"value": identity})).hexdigest()
