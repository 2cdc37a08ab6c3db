"""Speed and memory of data preparation and batching, compared with a plain loop.

    python -m benchmarks.data [--quick | --ray | --full] [--figures docs/figures]

The corpus is Europarl en-de in REGARD_DATA, repeated with changes so that one pair in twelve is a
duplicate. The plain loop does the same work on the same lines: normalize, filter, hash into a set,
SentencePiece, zstd Parquet with pyarrow. Each measurement runs in its own process, and the
implementations take turns. Figures compare medians, of CPU time where the number of cores does not
matter. --ray adds Ray, --full adds Ray and 10 million pairs. The last line is a JSON object. The
exit code is 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from typing import TypeVar

import numpy as np
import psutil

from benchmarks.figures import Figure, report
from benchmarks.multi30k import DATA
from regard.data.formats.corpus import open_corpus
from regard.data.loading.shards import PreparedData
from regard.data.preparation.prepare import PreparationSettings, prepare_corpora
from regard.data.preparation.runner import InProcessRunner, ProcessRunner, Runner
from regard.explain.pictures.charts import curve_chart
from regard.text.tokenizer import MODEL_FILE, SentencePiece
from regard.train.dry_run import process_peak

A = TypeVar("A")
R = TypeVar("R")

BUDGET = 4_096  # tokens per batch
MILLION = 1_000_000


# --- the corpus ----------------------------------------------------------------------------------


def read_side(folder: str, side: str) -> list[str]:
    path = DATA / folder / f"train.{side}.gz"
    if not path.is_file():
        sys.exit(f"{path}: no such file. Set REGARD_DATA to the directory that contains {folder}.")
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def write_corpus(folder: Path, sides: Sequence[list[str]], pairs: int) -> None:
    """Write Europarl repeatedly; each repetition appends a word to all but one pair in twelve."""
    for side, lines in zip(("en", "de"), sides, strict=True):
        with (folder / f"{pairs}.{side}").open("w", encoding="utf-8") as file:
            for start in range(0, pairs, len(lines)):
                turn = start // len(lines)
                word = "".join(chr(ord("a") + int(digit)) for digit in str(turn))
                for i, line in enumerate(lines[: pairs - start]):
                    file.write(line if turn == 0 or i % 12 == 0 else f"{line} {word}")
                    file.write("\n")


# --- child processes -----------------------------------------------------------------------------


def timed(call: tuple[Callable[[A], R], A]) -> tuple[R, float]:
    function, argument = call
    start = time.process_time()
    return function(argument), time.process_time() - start


class Timed(Runner):
    """A runner that measures the CPU time of the tasks of another runner."""

    def __init__(self, runner: Runner) -> None:
        self.runner, self.seconds = runner, 0.0

    def map(
        self, function: Callable[[A], R], arguments: Sequence[A], done: Callable[[R], None]
    ) -> list[R]:
        def count(pair: tuple[R, float]) -> None:
            self.seconds += pair[1]
            done(pair[0])

        calls = [(function, argument) for argument in arguments]
        return [result for result, _ in self.runner.map(timed, calls, count)]


def run_prepare(folder: Path, pairs: int, workers: int, engine: str) -> dict[str, float]:
    corpus = open_corpus(str(folder / f"{pairs}.en"), str(folder / f"{pairs}.de"))
    settings = PreparationSettings(tokenizer=str(folder / "tokenizer"))
    with tempfile.TemporaryDirectory(dir=folder) as out:
        inner: Runner
        if engine == "ray":
            from regard.data.preparation.ray_runner import RayRunner

            inner = RayRunner(workers)
        else:
            inner = InProcessRunner() if workers == 1 else ProcessRunner(workers)
        start = time.monotonic()
        with inner:
            runner = Timed(inner)
            prepared = prepare_corpora([corpus], out, settings, runner)
            wall = time.monotonic() - start
        kept = sum(shard.pairs for shard in prepared.shards("train"))
    return {"tasks": runner.seconds, "wall": wall, "kept": kept}


def run_plain(folder: Path, pairs: int) -> dict[str, float]:
    """The same work as a plain loop."""
    import unicodedata

    import pyarrow as pa
    import sentencepiece
    import xxhash
    from pyarrow import parquet

    model = sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer" / MODEL_FILE))
    schema = pa.schema([(side, pa.list_(pa.uint16())) for side in ("source", "target")])
    seen: set[int] = set()
    kept = 0
    start, cpu = time.monotonic(), time.process_time()
    with (
        tempfile.TemporaryDirectory(dir=folder) as out,
        (folder / f"{pairs}.en").open(encoding="utf-8") as sources,
        (folder / f"{pairs}.de").open(encoding="utf-8") as targets,
        parquet.ParquetWriter(f"{out}/tokens.parquet", schema, compression="zstd") as writer,
    ):
        while rows := list(islice(zip(sources, targets, strict=True), 1 << 16)):
            chosen: tuple[list[str], list[str]] = ([], [])
            for pair in rows:
                source, target = (
                    " ".join(unicodedata.normalize("NFC", text).split()) for text in pair
                )
                if not source or not target or source == target:
                    continue
                if not 1 / 3 < (len(source) + 16) / (len(target) + 16) < 3:
                    continue
                name = xxhash.xxh3_64_intdigest(f"{source}\t{target}".encode())
                if name in seen:
                    continue
                seen.add(name)
                chosen[0].append(source)
                chosen[1].append(target)
            ids = [model.encode(side, num_threads=1) for side in chosen]
            writer.write_table(pa.table(ids, schema=schema))
            kept += len(chosen[0])
    return {"tasks": time.process_time() - cpu, "wall": time.monotonic() - start, "kept": kept}


def child(folder: Path, *arguments: str) -> dict[str, float]:
    """Run one measurement in a child process, and measure its peak memory with its children's."""
    command = [sys.executable, "-m", "benchmarks.data", "--child", str(folder), *arguments]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    memory = 0
    while run.poll() is None:
        memory = max(memory, unique_memory(run.pid))
        time.sleep(0.2)
    output = run.stdout.read() if run.stdout is not None else ""
    if run.returncode:
        raise subprocess.CalledProcessError(run.returncode, command)
    return {**json.loads(output.splitlines()[-1]), "memory": memory}


def unique_memory(pid: int) -> int:
    """The unique set size of a process and its children, in bytes."""
    total = 0
    try:
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            total += one.memory_full_info().uss
    except psutil.Error:  # a process ended meanwhile
        pass
    return total


def run_child(folder: Path, kind: str, pairs: str, *more: str) -> None:
    if kind == "plain":
        facts = run_plain(folder, int(pairs))
    else:
        facts = run_prepare(folder, int(pairs), int(more[0]), more[1])
    facts["rss"] = process_peak()
    print(json.dumps(facts))


# --- figures -------------------------------------------------------------------------------------


def measure_variants(
    folder: Path, pairs: int, rounds: int, variants: dict[str, tuple[str, ...]], key: str
) -> dict[str, float]:
    """The median seconds of each variant, of CPU (`tasks`) or of wall time (`wall`)."""
    measured: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(rounds):
        for name, (kind, *more) in variants.items():
            measured[name].append(child(folder, kind, str(pairs), *more)[key])
    medians = {name: median(seconds) for name, seconds in measured.items()}
    unit = {"tasks": "CPU s", "wall": "s"}[key]
    for name, seconds in medians.items():
        print(f"{name:>6}, {pairs:,} pairs: {seconds:.2f} {unit}, {pairs / seconds:,.0f} pairs/s")
    return medians


def measure_plain(folder: Path, pairs: int, rounds: int) -> Figure:
    variants = {"plain": ("plain",), "one": ("prepare", "1", "local")}
    cpu = measure_variants(folder, pairs, rounds, variants, "tasks")
    return Figure(f"speedup over a plain loop, {pairs:,} pairs", cpu["plain"] / cpu["one"], 0.8)


def measure_cores(folder: Path, pairs: int, rounds: int) -> Figure:
    """Wall time; needs a machine with two idle cores."""
    variants = {"one": ("prepare", "1", "local"), "two": ("prepare", "2", "local")}
    wall = measure_variants(folder, pairs, rounds, variants, "wall")
    return Figure(f"speedup of two cores, {pairs:,} pairs", wall["one"] / wall["two"], 1.7)


def measure_ray(folder: Path, pairs: int, rounds: int) -> Figure:
    variants = {"local": ("prepare", "1", "local"), "ray": ("prepare", "1", "ray")}
    cpu = measure_variants(folder, pairs, rounds, variants, "tasks")
    overhead = cpu["ray"] / cpu["local"] - 1
    return Figure(f"CPU overhead of Ray, {pairs:,} pairs", overhead, 0.1, at_most=True)


def measure_growth(
    folder: Path, sides: Sequence[list[str]], sizes: list[int], with_ray: bool, figures: Path | None
) -> list[Figure]:
    seconds: dict[str, dict[int, float]] = {"local": {}}
    memory: dict[str, dict[int, float]] = {"local": {}}
    if with_ray:
        seconds["ray"], memory["ray"] = {}, {}
    for pairs in sizes:
        write_corpus(folder, sides, pairs)
        for engine in seconds:
            if engine == "ray" and pairs > MILLION:
                continue
            facts = child(folder, "prepare", str(pairs), "1", engine)
            seconds[engine][pairs] = facts["tasks"] / pairs * MILLION
            memory[engine][pairs] = facts["memory"]
            print(
                f"{pairs:>11,} pairs, {engine}: {facts['kept']:,.0f} kept, "
                f"{seconds[engine][pairs]:.1f} CPU s per million, {facts['wall']:.1f} s in total, "
                f"{facts['memory'] / 2**20:,.0f} MiB peak memory",
                flush=True,
            )
    if figures is not None:
        draw_growth(figures, seconds, memory)
    steady = [value for pairs, value in seconds["local"].items() if pairs >= 100_000]
    peaks = memory["local"]
    found = [Figure("peak memory, GiB", max(peaks.values()) / 2**30, 1.5, at_most=True)]
    if len(steady) > 1:
        middle = (max(steady) + min(steady)) / 2
        spread = (max(steady) - min(steady)) / 2 / middle
        found.append(Figure("CPU per pair from 1e5 pairs on, ±", spread, 0.15, at_most=True))
    if 10 * MILLION in peaks:
        growth = peaks[10 * MILLION] / peaks[MILLION]
        found.append(Figure("peak memory, 1e7 / 1e6 pairs", growth, 1.3, at_most=True))
    return found


def draw_growth(
    folder: Path, seconds: dict[str, dict[int, float]], memory: dict[str, dict[int, float]]
) -> None:
    def points(
        series: dict[str, dict[int, float]], unit: float
    ) -> dict[str, list[tuple[float, float]]]:
        return {
            engine: [(math.log10(pairs), value / unit) for pairs, value in found.items()]
            for engine, found in series.items()
        }

    charts = {
        "prepare-time.svg": curve_chart(
            points(seconds, 1),
            title="Preparation: CPU time per pair does not grow with the corpus",
            x="pairs, log10",
            y="CPU seconds per million pairs, one core",
            y_range=(0, 100),
        ),
        "prepare-memory.svg": curve_chart(
            points(memory, 2**20),
            title="Preparation: memory does not grow with the corpus",
            x="pairs, log10",
            y="peak memory of all processes, MiB",
            y_range=(0, 1500),
        ),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, chart in charts.items():
        (folder / name).write_text(chart)


def measure_padding(lengths: np.ndarray, name: str) -> Figure:
    from regard.data.loading.shard_pool import plan_batches

    widths = lengths + np.array([1, 2], np.uint32)
    batches = plan_batches(1, 0, 0, widths, np.ones(len(widths)), BUDGET)
    padded = sum(
        len(rows) * int(widths[rows].max(axis=0).sum())
        for rows in (batches.rows(i) for i in range(len(batches)))
    )
    return Figure(f"padding, {name}", 1 - int(widths.sum()) / padded, 0.09, at_most=True)


def measure_batches(folder: Path, pairs: int) -> list[Figure]:
    """The time to build a batch, and to resume in the middle of ten million pairs."""
    from regard.data.loading.loader import Cursor, Loader
    from regard.data.loading.shard_pool import BatchOrder, ShardPool

    corpus = open_corpus(str(folder / f"{pairs}.en"), str(folder / f"{pairs}.de"))
    settings = PreparationSettings(tokenizer=str(folder / "tokenizer"))
    prepared: PreparedData = prepare_corpora(
        [corpus], str(folder / "out"), settings, InProcessRunner()
    )
    shards = prepared.shards("train")
    order = BatchOrder(seed=1, budget=BUDGET)
    loader = Loader(list(shards) * -(-10 * MILLION // sum(shard.pairs for shard in shards)), order)
    visits = loader._pools(0)[0]
    pool = ShardPool(loader.shards, visits, order, 0, 0, None)
    costs = []
    for batch in range(min(len(pool), 400)):
        start = time.perf_counter()
        pool.read(batch)
        costs.append(time.perf_counter() - start)
    middle = Cursor(epoch=1, pool=len(loader._pools(1)) // 2, batch=len(pool) // 2, step=10_000)
    resumes = []
    for _ in range(5):
        start = time.perf_counter()
        steps = loader.steps(middle)
        next(steps)
        resumes.append(time.perf_counter() - start)
        steps.close()  # type: ignore[attr-defined]
    return [
        Figure(
            f"time to build a batch of {BUDGET:,} tokens, ms",
            median(costs) * 1e3,
            0.5,
            at_most=True,
        ),
        Figure("time to resume in the middle of 1e7 pairs, s", median(resumes), 0.2, at_most=True),
    ]


def measure(folder: Path, options: argparse.Namespace) -> list[Figure]:
    europarl = [read_side("europarl-en-fr-de", side) for side in ("en", "de")]
    multi30k = [read_side("multi30k", side) for side in ("en", "de")]
    step = 40 if options.quick else 10
    tokenizer = SentencePiece.train(
        [line for side in europarl for line in side[::step]], size=8_000
    )
    tokenizer.save(folder / "tokenizer")
    shard = PreparationSettings().shard_pairs
    few, many = shard, 8 * shard
    write_corpus(folder, europarl, few)
    figures = []
    for name, sides in (("Multi30k", multi30k), ("Europarl", europarl)):
        chosen = [side[:50_000] if options.quick else side for side in sides]
        lengths = [
            tokenizer.encode_flat([tokenizer.normalize(line) for line in side]).lengths
            for side in chosen
        ]
        figures.append(measure_padding(np.stack(lengths, axis=1), name))
    figures += measure_batches(folder, few)
    figures.append(measure_plain(folder, few, rounds=3 if options.quick else 7))
    if not options.quick:
        write_corpus(folder, europarl, many)
        figures.append(measure_cores(folder, many, rounds=3))
    sizes = [10_000] if options.quick else [10_000, 100_000, MILLION]
    if options.full:
        sizes.append(10 * MILLION)
    figures += measure_growth(folder, europarl, sizes, options.ray or options.full, options.figures)
    if options.ray or options.full:
        figures.append(measure_ray(folder, MILLION, rounds=3))
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, under a minute")
    parser.add_argument("--ray", action="store_true", help="also measure Ray")
    parser.add_argument("--full", action="store_true", help="also measure Ray and 10 million pairs")
    parser.add_argument("--figures", type=Path, help="directory for the figures")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        run_child(Path(options.child[0]), *options.child[1:])
        return 0
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), options)
    return report("data", figures, cores=os.cpu_count())


if __name__ == "__main__":
    sys.exit(main())
