"""What training a word aligner costs at growing sizes, by stage, and what larger ones would cost.

    nice python -m benchmarks.aligner_scale [--quick] [--pairs 25000 100000] [--out DIRECTORY]

The pairs are those of seven corpora in REGARD_DATA (Europarl and Multi30k from English to French
and German, Tatoeba, laws of Canada, Python's documentation), shuffled, so that twice as many pairs
have more different words. Each size is a process of its own with one thread. For each stage it
prints the CPU milliseconds and the bytes written for one pair, and for each size the memory and the
files on disk at most. Sizes of 10⁶ to 10⁸ pairs are computed: each figure grows on as it did
between the two largest measured sizes, as a power of the number of pairs. With --out, sizes that
are finished are not repeated. --quick has small sizes, to test the setup. The last line is a JSON
object. The exit code is 1 if the time of a pair grows faster than the logarithm of the number of
pairs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.figures import Figure, report
from benchmarks.multi30k import DATA
from regard.align import aligner_training, chunks
from regard.align.aligner_training import train_aligner
from regard.align.chunks import corpus_readers
from regard.data import storage
from regard.data.formats.corpus import open_corpus
from regard.data.preparation import runner as tasks
from regard.data.preparation import stages
from regard.data.preparation.runner import InProcessRunner, PreparationTask, Stage, TaskResult

CORPORA = [
    ("europarl-en-fr-de", "fr"),
    ("europarl-en-fr-de", "de"),
    ("tatoeba-en-fr", "fr"),
    ("canlaws-en-fr", "fr"),
    ("pydocs-en-fr", "fr"),
    ("multi30k", "fr"),
    ("multi30k", "de"),
]
LARGER = (1_000_000, 10_000_000, 100_000_000)
WORD_BYTES = 150  # of a word in a vocabulary: its text, its number and its place in a table
BASE = "start and end"  # what is outside of tasks: the vocabularies and the saved tables


@dataclass
class StageCost:
    seconds: float = 0.0
    memory: int = 0  # bytes, at most
    written: int = 0  # bytes


@dataclass
class Result:
    """What a training needed.

    Args:
        stages: The costs of each stage.
        disk: Bytes of all files at most.
        tables: Bytes of the saved aligner.
        cells: Pairs of words that occur together, in all chunks.
        words: Different words of source and target.
    """

    stages: dict[str, StageCost]
    disk: int
    tables: int
    cells: int
    words: list[int]

    @classmethod
    def read(cls, text: str) -> Result:
        values = json.loads(text)
        values["stages"] = {name: StageCost(**cost) for name, cost in values["stages"].items()}
        return cls(**values)


@dataclass
class Meter:
    """Measures tasks by stage, each without the tasks that it waits for."""

    stages: dict[str, StageCost] = field(default_factory=dict)
    on_disk: int = 0
    most_on_disk: int = 0
    _running: list[str] = field(default_factory=lambda: [BASE])
    _since: float = field(default_factory=time.process_time)
    _sizes: dict[str, int] = field(default_factory=dict)

    def install(self) -> None:
        """Measure every task, and every file that is written or removed."""
        run_task, write, remove = tasks.run_task, storage.write_bytes, storage.remove_file

        def measured(task: PreparationTask, stage: Stage) -> TaskResult:
            self._enter(_stage_name(task))
            try:
                return run_task(task, stage)
            finally:
                self._leave()

        def write_bytes(path: str, content: bytes | memoryview) -> None:
            write(path, content)
            self._count_file(path, len(content))
            self._stage().written += len(content)

        def remove_file(path: str) -> None:
            remove(path)
            self._count_file(path, 0)

        for module in (aligner_training, stages):
            module.run_task = measured  # type: ignore[attr-defined]
        storage.write_bytes, storage.remove_file = write_bytes, remove_file

    def finish(self) -> None:
        self._add()

    def _stage(self) -> StageCost:
        return self.stages.setdefault(self._running[-1], StageCost())

    def _enter(self, name: str) -> None:
        self._add()
        self._running.append(name)

    def _leave(self) -> None:
        self._add()
        self._running.pop()

    def _add(self) -> None:
        """Count the time since the last call, and the peak of memory, for the running stage."""
        now = time.process_time()
        stage = self._stage()
        stage.seconds += now - self._since
        stage.memory = max(stage.memory, _take_peak())
        self._since = time.process_time()

    def _count_file(self, path: str, size: int) -> None:
        self.on_disk += size - self._sizes.pop(path, 0)
        if size:
            self._sizes[path] = size
        self.most_on_disk = max(self.most_on_disk, self.on_disk)


def _stage_name(task: PreparationTask) -> str:
    """The stage, with the model where each iteration of one costs the same."""
    name = task.stage.removeprefix("align ")
    return f"{name} {task.parameters['model']}" if name in ("count", "sum") else name


def _take_peak() -> int:
    """The peak of resident memory since the last call, in bytes."""
    status = Path("/proc/self/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
    Path("/proc/self/clear_refs").write_text("5")  # starts the peak again
    return peak


def read_lines(folder: str, language: str) -> list[str]:
    with gzip.open(DATA / folder / f"train.{language}.gz", "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file]


def write_corpus(folder: Path, pairs: int) -> None:
    lines = [
        pair
        for name, language in CORPORA
        for pair in zip(read_lines(name, "en"), read_lines(name, language), strict=True)
    ]
    if pairs > len(lines):
        sys.exit(f"--pairs {pairs}: the corpora have {len(lines):,} pairs.")
    random.Random(1).shuffle(lines)
    for side, name in enumerate(("source", "target")):
        (folder / name).write_text("".join(f"{pair[side]}\n" for pair in lines[:pairs]), "utf-8")


def measure(folder: Path) -> Result:
    """Train on the files in `folder`, in this process."""
    meter = Meter()
    meter.install()
    work, runner = str(folder / "work"), InProcessRunner()
    corpus = open_corpus(str(folder / "source"), str(folder / "target"))
    aligner = train_aligner(corpus_readers(corpus, work, runner), work, runner)
    tables = len(aligner.to_bytes())
    meter.finish()
    manifests = [json.loads(path.read_text()) for path in Path(work).glob("cells-*.json")]
    words = [
        len({word for path in Path(work).glob(f"chunk-*.{side}_words")
             for word in path.read_text().split("\n")})
        for side in chunks.SIDES
    ]  # fmt: skip
    cells = sum(manifest["facts"]["cells"] for manifest in manifests)
    return Result(meter.stages, meter.most_on_disk, tables, cells, words)


def run(pairs: int, out: Path) -> Result:
    """Measure one size in a process of its own, unless it is done."""
    result = out / f"{pairs}.json"
    if not result.exists():
        with tempfile.TemporaryDirectory(dir=out) as folder:
            write_corpus(Path(folder), pairs)
            command = [sys.executable, "-m", "benchmarks.aligner_scale", "--measure", folder]
            environment = os.environ | {"OMP_NUM_THREADS": "1"}
            done = subprocess.run(
                command, check=True, stdout=subprocess.PIPE, text=True, env=environment
            )
        result.write_text(done.stdout)
    return Result.read(result.read_text())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only see that everything runs")
    parser.add_argument("--pairs", type=int, nargs="+", default=[25_000, 100_000])
    parser.add_argument("--out", type=Path, help="keep the results here")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(asdict(measure(options.measure))))
        return 0
    sizes = [500, 1_000, 2_000] if options.quick else sorted(options.pairs)
    with tempfile.TemporaryDirectory() as temporary:
        out: Path = options.out or Path(temporary)
        out.mkdir(parents=True, exist_ok=True)
        results = {pairs: run(pairs, out) for pairs in sizes}
    return print_tables(results, options.quick)


def print_tables(results: dict[int, Result], quick: bool) -> int:
    """Print what was measured, and what is computed from it for larger corpora."""
    *_, before, last = results
    power = math.log(last / before)

    def grown(pairs: int, small: float, large: float) -> float:
        """A figure at `pairs`, which grows as it did between the two largest sizes."""
        rate = math.log(large / small) / power if small > 0 and large > 0 else 0.0
        return large * (pairs / last) ** rate

    def stage_costs(pairs: int, field_name: str) -> dict[str, float]:
        """The cost of each stage, measured or computed."""
        if pairs in results:
            return {n: getattr(c, field_name) for n, c in results[pairs].stages.items()}
        small, large = (
            {n: getattr(c, field_name) / repeats(n, size) for n, c in results[size].stages.items()}
            for size in (before, last)
        )
        return {n: repeats(n, pairs) * grown(pairs, small[n], large[n]) for n in large}

    def repeats(stage: str, pairs: int) -> int:
        """Sums are written in each wave; small corpora have fewer waves."""
        return count_waves(pairs) if stage.startswith("sum") else 1

    sizes = [*results, *(() if quick else LARGER)]
    seconds = {pairs: stage_costs(pairs, "seconds") for pairs in sizes}
    written = {pairs: stage_costs(pairs, "written") for pairs in sizes}
    print(f"measured: {', '.join(f'{pairs:,}' for pairs in results)}; larger sizes are computed")
    print("\nCPU milliseconds and bytes written for one pair")
    for name in results[last].stages:
        cells = [
            f"{1e3 * seconds[pairs][name] / pairs:8.4f} {written[pairs][name] / pairs:9.0f}"
            for pairs in sizes
        ]
        print(f"{name:14} {' '.join(cells)}")
    for pairs in sizes:
        hours = sum(seconds[pairs].values()) / 3600
        disk, memory = largest_needs(pairs, results, written[pairs], grown, before, last)
        print(
            f"{pairs:12,} pairs: {hours:8.2f} core hours, {memory / 1e9:6.2f} GB of memory, "
            f"{disk / 1e9:7.2f} GB on disk, {sum(written[pairs].values()) / 1e9:8.1f} GB written"
        )
    small, large = (sum(seconds[pairs].values()) / pairs for pairs in (before, last))
    limit = math.log(last) / math.log(before)
    figures = [Figure("CPU time of a pair, growth", large / small, 1.15 * limit, at_most=True)]
    facts = {str(pairs): asdict(result) for pairs, result in results.items()}
    return report("aligner_scale", [] if quick else figures, quick=quick, measured=facts)


def count_waves(pairs: int) -> int:
    """The waves of an iteration."""
    parts = math.ceil(pairs / chunks.PAIRS)
    return math.ceil(parts / math.ceil(parts / aligner_training.WAVES))


def largest_needs(
    pairs: int,
    results: dict[int, Result],
    written: dict[str, float],
    grown: Callable[[int, float, float], float],
    before: int,
    last: int,
) -> tuple[float, float]:
    """The bytes on disk and in memory at most.

    On disk are the chunks, the counts of a wave and a few lexicons and sums. In memory is a part of
    the lexicon, while it is updated, and the vocabularies.
    """
    if pairs in results:
        memory = max(cost.memory for cost in results[pairs].stages.values())
        return results[pairs].disk, memory

    def files(stages: dict[str, float], size: int) -> float:
        waves = aligner_training.ITERATIONS.count("ibm1") * count_waves(size)
        return stages["read"] + stages["cells"] + stages["count ibm1"] / waves

    measured = {name: float(cost.written) for name, cost in results[last].stages.items()}
    lexicons = (results[last].disk - files(measured, last)) / measured["start"]
    disk = files(written, pairs) + lexicons * written["start"]

    def parts(cells: float) -> float:
        return min(chunks.MAX_PARTS, 1 + cells // chunks.PART_CELLS)

    cells = grown(pairs, results[before].cells, results[last].cells)
    part = written["start"] / parts(cells)
    base = min(cost.memory for cost in results[last].stages.values())
    largest = max(cost.memory for cost in results[last].stages.values())
    per_byte = (largest - base) / (measured["start"] / parts(results[last].cells))
    words = [
        grown(pairs, *sides)
        for sides in zip(results[before].words, results[last].words, strict=True)
    ]
    return disk, base + per_byte * part + WORD_BYTES * sum(words)


if __name__ == "__main__":
    sys.exit(main())
