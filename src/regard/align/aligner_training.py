"""Train a word aligner on a corpus of any size: EM as a series of idempotent tasks.

    count     a chunk and a lexicon → the expected counts of the chunk
    update    all counts            → the next lexicon

IBM Model 1 runs first, then the HMM, with agreement of both directions from the second iteration
on (Liang et al. 2006). Chunks have a fixed size and counts are summed in their order, so the result
is the same for every runner and number of workers. After two iterations most pairs of words have no
counts left. They are pruned, and the memory of the rest is small. A training that was killed
resumes with the missing tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regard.align.chunks import (
    PARTITIONS,
    PairReader,
    cooccurring_words,
    load_pairs,
    merge_partition,
    merge_vocabularies,
    read_chunk,
)
from regard.align.hmm import (
    FLOOR,
    JUMPS,
    LEXICON_TYPES,
    REACH,
    ExpectedCounts,
    Floats,
    Ids,
    Lexicon,
    Model,
)
from regard.align.kernels.native_hmm import expected_counts
from regard.align.word_aligner import WordAligner
from regard.data import storage
from regard.data.preparation.pipeline import ProgressCallback, run_tasks
from regard.data.preparation.runner import Runner
from regard.data.preparation.tasks import (
    Facts,
    PreparationTask,
    Stage,
    TaskResult,
    Write,
    run_task,
)
from regard.errors import CorpusError

ITERATIONS: tuple[Model, ...] = ("ibm1", "ibm1", "ibm1", "hmm", "hmm", "hmm", "hmm")
MAX_TRAINING_WORDS = 200  # of a side; longer pairs are not trained on
MIN_SAVED = 1e-3  # entries that are less likely than this in both directions are not saved
JUMP_PRIOR = 0.5  # added to the count of each jump
FIRST_JUMPS = np.exp(-np.abs(np.arange(JUMPS) - REACH - 1) / 3) + 1e-3  # the next word is likeliest


def train_aligner(
    readers: Sequence[PairReader],
    work: str,
    runner: Runner,
    *,
    pretokenized: bool = False,
    on_progress: ProgressCallback = lambda progress: None,
) -> WordAligner:
    """Train an aligner on the pairs of `readers`; intermediate files are kept in `work`."""
    training = _Training(work, runner, on_progress)
    chunks = training.read(readers, pretokenized)
    kept = sum(chunk.facts["kept"] for chunk in chunks)
    if not kept:
        raise CorpusError("The corpus has no pairs of which both sides have words to align.")
    vocabularies = merge_vocabularies(work, chunks)
    done = training.first_lexicon(chunks, vocabularies)
    for number, model in enumerate(ITERATIONS):
        done = training.iterate(number, model, chunks, done)
    facts = {
        "pairs": kept,
        "skipped": sum(chunk.facts["read"] for chunk in chunks) - kept,
        "iterations": ITERATIONS,
    }
    lexicon = load_lexicon(work, done.name)
    return _compact(lexicon, vocabularies["source"], vocabularies["target"], facts)


@dataclass(slots=True)
class _Training:
    work: str
    runner: Runner
    on_progress: ProgressCallback
    pairs: int = 0

    def read(self, readers: Sequence[PairReader], pretokenized: bool) -> list[TaskResult]:
        parameters = {"pretokenized": pretokenized, "max_words": MAX_TRAINING_WORDS}
        tasks = [
            self._task("read", f"chunk-{n:05}", reader.identity, parameters, {"reader": reader})
            for n, reader in enumerate(readers)
        ]
        chunks = self._run("read", tasks)
        self.pairs = sum(chunk.facts["read"] for chunk in chunks)
        return chunks

    def first_lexicon(
        self, chunks: Sequence[TaskResult], vocabularies: dict[str, dict[str, int]]
    ) -> TaskResult:
        """All pairs of words that occur together, equally likely."""
        sources, targets = (len(vocabularies[side]) for side in ("source", "target"))
        partitions = min(PARTITIONS, len(chunks))
        edges = np.linspace(0, sources, partitions + 1).astype(int).tolist()
        inputs: Facts = {"chunks": [chunk.outputs for chunk in chunks]}
        found = self._run(
            "cooccur",
            [
                self._task("cooccur", f"words-{n:05}", inputs | {"chunk": n}, {"edges": edges},
                           {"chunk": chunk.name})
                for n, chunk in enumerate(chunks)
            ],
        )  # fmt: skip
        merges = []
        for part in range(partitions):
            ranges = [(each.name, *each.facts["edges"][part : part + 2]) for each in found]
            keys = {"keys": [each.outputs for each in found]}
            where = {"ranges": ranges}
            merges.append(self._task("merge", f"part-{part:02}", keys, {"part": part}, where))
        parts = self._run("merge", merges)
        names = {"parts": [part.name for part in parts], "sizes": (sources, targets)}
        inputs = {"parts": [part.outputs for part in parts]}
        return run_task(self._task("start", "lexicon-0", inputs, {}, names), _start)

    def iterate(
        self, number: int, model: Model, chunks: Sequence[TaskResult], lexicon: TaskResult
    ) -> TaskResult:
        """One iteration of EM; return the next lexicon."""
        agree = number > 0
        inputs: Facts = {"lexicon": lexicon.outputs}
        parameters: Facts = {"model": model, "agree": agree}
        counts = [
            self._task("count", f"counts-{number}-{n:05}", inputs | {"chunk": chunk.outputs},
                       parameters, {"chunk": chunk.name, "lexicon": lexicon.name})
            for n, chunk in enumerate(chunks)
        ]  # fmt: skip

        def update(task: PreparationTask, write: Write) -> Facts:
            found = self._run(f"{model} {number + 1}", counts)
            updated = _maximize(load_lexicon(self.work, lexicon.name), self.work, found)
            _write_lexicon(updated, task.name, write)
            return {"entries": len(updated.targets)}

        inputs = inputs | {"chunks": [chunk.outputs for chunk in chunks]}
        done = run_task(
            self._task("update", f"lexicon-{number + 1}", inputs, parameters, {}), update
        )
        if not storage.is_remote(self.work):  # as large as the lexicon, and not needed again
            for task in counts:
                for path in Path(self.work).glob(f"{task.name}.*"):
                    path.unlink(missing_ok=True)
        return done

    def _task(
        self, stage: str, name: str, inputs: Facts, parameters: Facts, where: Facts
    ) -> PreparationTask:
        return PreparationTask(f"align {stage}", self.work, name, inputs, parameters, where)

    def _run(self, stage: str, tasks: Sequence[PreparationTask]) -> list[TaskResult]:
        return run_tasks(stage, run_em_stage, tasks, self.runner, self.pairs, self.on_progress)


def count_chunk(task: PreparationTask, write: Write) -> Facts:
    """Write the counts of a chunk: of its entries that have any, of words and of jumps."""
    lexicon = load_lexicon(task.root, task.where["lexicon"])
    pairs = load_pairs(task.root, task.where["chunk"])
    model, agree = task.parameters["model"], task.parameters["agree"]
    counts = expected_counts(lexicon, pairs, model, agree=agree)
    used = np.flatnonzero((counts.forward > 0) | (counts.backward > 0)).astype(np.int32)
    write(f"{task.name}.entries", used.tobytes())
    write(f"{task.name}.forward", counts.forward[used].tobytes())
    write(f"{task.name}.backward", counts.backward[used].tobytes())
    write(f"{task.name}.null_targets", counts.null_targets.tobytes())
    write(f"{task.name}.null_sources", counts.null_sources.tobytes())
    write(f"{task.name}.jumps", counts.jumps.tobytes())
    return {}


STAGES: dict[str, Stage] = {
    "align read": read_chunk,
    "align cooccur": cooccurring_words,
    "align merge": merge_partition,
    "align count": count_chunk,
}


def run_em_stage(task: PreparationTask) -> TaskResult:
    return run_task(task, STAGES[task.stage])


def load_lexicon(root: str, name: str) -> Lexicon:
    arrays = {
        field: storage.map_array(storage.join_path(root, f"{name}.{field}"), dtype)
        for field, dtype in LEXICON_TYPES.items()
    }
    return Lexicon(**{**arrays, "jumps": arrays["jumps"].reshape(2, JUMPS)})


def _write_lexicon(lexicon: Lexicon, name: str, write: Write) -> None:
    for field in LEXICON_TYPES:
        write(f"{name}.{field}", np.ascontiguousarray(getattr(lexicon, field)).data.cast("B"))


def _start(task: PreparationTask, write: Write) -> Facts:
    sources, targets = task.where["sizes"]
    paths = [task.path(f"{name}.keys") for name in task.where["parts"]]
    keys = np.concatenate([storage.map_array(path, np.int64) for path in paths])
    source, target = (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)
    source_counts, target_counts = np.bincount(source, None, sources), np.bincount(target)
    jumps = (FIRST_JUMPS / FIRST_JUMPS.sum()).astype(np.float32)
    lexicon = Lexicon(
        rows=np.concatenate([[0], np.cumsum(source_counts)]),
        targets=target,
        forward=(1 / source_counts[source]).astype(np.float32),
        backward=(1 / target_counts[target]).astype(np.float32),
        null_targets=np.full(targets, 1 / targets, np.float32),
        null_sources=np.full(sources, 1 / sources, np.float32),
        jumps=np.stack([jumps, jumps]),
    )
    _write_lexicon(lexicon, task.name, write)
    return {"entries": len(keys)}


def _maximize(lexicon: Lexicon, work: str, chunks: Sequence[TaskResult]) -> Lexicon:
    """The M-step: normalize the summed counts; entries without counts are pruned."""
    total = ExpectedCounts.zeros(lexicon)
    for chunk in chunks:
        path = storage.join_path(work, chunk.name)
        entries = storage.map_array(f"{path}.entries", np.int32)
        for side, sums in (("forward", total.forward), ("backward", total.backward)):
            sums[entries] += storage.map_array(f"{path}.{side}", np.float32)
        total.null_targets[:] += storage.map_array(f"{path}.null_targets", np.float32)
        total.null_sources[:] += storage.map_array(f"{path}.null_sources", np.float32)
        total.jumps[:] += storage.map_array(f"{path}.jumps", np.float64).reshape(2, JUMPS)
    used = np.flatnonzero((total.forward > 0) | (total.backward > 0))
    source = _entry_sources(lexicon)[used]
    target = lexicon.targets[used]
    jumps = lexicon.jumps
    if total.jumps.any():
        smoothed = total.jumps + JUMP_PRIOR
        jumps = (smoothed / smoothed.sum(axis=1, keepdims=True)).astype(np.float32)
    return Lexicon(
        rows=np.concatenate([[0], np.cumsum(np.bincount(source, None, len(lexicon.rows) - 1))]),
        targets=target,
        forward=_normalized(total.forward[used], source, len(lexicon.null_sources)),
        backward=_normalized(total.backward[used], target, len(lexicon.null_targets)),
        null_targets=_normalized(total.null_targets),
        null_sources=_normalized(total.null_sources),
        jumps=jumps,
    )


def _normalized(counts: Floats, words: NDArray[np.int32] | None = None, size: int = 1) -> Floats:
    """Counts divided by their sum, or by the sum of those with the same word; at least FLOOR."""
    groups = np.zeros(len(counts), np.int32) if words is None else words
    total = np.bincount(groups, counts, size)[groups]
    shares = np.divide(counts, total, out=np.zeros(len(counts)), where=total > 0)
    return np.maximum(shares, FLOOR).astype(np.float32)


def _compact(
    lexicon: Lexicon, sources: dict[str, int], targets: dict[str, int], facts: Facts
) -> WordAligner:
    """Keep the likely entries and the words that have any."""
    kept = np.flatnonzero(np.maximum(lexicon.forward, lexicon.backward) >= MIN_SAVED)
    used_sources, source = np.unique(_entry_sources(lexicon)[kept], return_inverse=True)
    used_targets, target = np.unique(lexicon.targets[kept], return_inverse=True)
    small = replace(
        lexicon,
        rows=np.concatenate([[0], np.cumsum(np.bincount(source, None, len(used_sources)))]),
        targets=target.astype(np.int32),
        forward=lexicon.forward[kept],
        backward=lexicon.backward[kept],
        null_sources=lexicon.null_sources[used_sources],
        null_targets=lexicon.null_targets[used_targets],
        jumps=np.array(lexicon.jumps),
    )
    return WordAligner(
        _selected(sources, used_sources), _selected(targets, used_targets), small, facts
    )


def _entry_sources(lexicon: Lexicon) -> Ids:
    """The source word of each entry."""
    return np.repeat(np.arange(len(lexicon.rows) - 1, dtype=np.int32), np.diff(lexicon.rows))


def _selected(ids: dict[str, int], used: Ids) -> dict[str, int]:
    words = list(ids)
    return {words[old]: new for new, old in enumerate(used.tolist())}
