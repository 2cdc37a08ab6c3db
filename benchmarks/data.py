"""What preparing and batching data cost, beside the bare work that one would write without regard.

    python -m benchmarks.data [--quick | --ray | --full] [--figures docs/figures]

The corpus is Europarl en-de, found through REGARD_DATA and repeated with changes, so that one pair
in twelve repeats another. The bare work is a plain loop over the same lines in the same run:
normalise, filter, hash into a set, SentencePiece, zstd Parquet by pyarrow. Each measurement is a
process of its own and all sides take turns; CPU time is compared where the number of cores does not
matter, medians everywhere. --ray adds Ray, --full also 10 million pairs. The last line is one JSON
object; the exit code tells whether every aim was met.
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
from regard.explain.pictures.curves import curve_chart
from regard.text.tokenizer import MODEL_FILE, SentencePiece
from regard.train.peak_memory import process_peak

A = TypeVar("A")
R = TypeVar("R")

BUDGET = 4_096  # tokens of a batch
MILLION = 1_000_000


# --- the corpus ----------------------------------------------------------------------------------


def read_side(folder: str, side: str) -> list[str]:
    path = DATA / folder / f"train.{side}.gz"
    if not path.is_file():
        sys.exit(f"{path}: not here; let REGARD_DATA name the folder that holds {folder}")
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def write_corpus(folder: Path, sides: Sequence[list[str]], pairs: int) -> None:
    """Europarl again and again; a word is put into every repetition, but for one pair in twelve."""
    for side, lines in zip(("en", "de"), sides, strict=True):
        with (folder / f"{pairs}.{side}").open("w", encoding="utf-8") as file:
            for start in range(0, pairs, len(lines)):
                turn = start // len(lines)
                word = "".join(chr(ord("a") + int(digit)) for digit in str(turn))
                for i, line in enumerate(lines[: pairs - start]):
                    file.write(line if turn == 0 or i % 12 == 0 else f"{line} {word}")
                    file.write("\n")


# --- what a child process does -------------------------------------------------------------------


def timed(call: tuple[Callable[[A], R], A]) -> tuple[R, float]:
    function, argument = call
    begun = time.process_time()
    return function(argument), time.process_time() - begun


class Timed(Runner):
    """Another runner, and the CPU time of the tasks it ran."""

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
        begun = time.monotonic()
        with inner:
            runner = Timed(inner)
            prepared = prepare_corpora([corpus], out, settings, runner)
            wall = time.monotonic() - begun
        kept = sum(shard.pairs for shard in prepared.shards("train"))
    return {"tasks": runner.seconds, "wall": wall, "kept": kept}


def run_bare(folder: Path, pairs: int) -> dict[str, float]:
    """The same work as one would write it down at first."""
    import unicodedata

    import pyarrow as pa
    import sentencepiece
    import xxhash
    from pyarrow import parquet

    model = sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer" / MODEL_FILE))
    schema = pa.schema([(side, pa.list_(pa.uint16())) for side in ("source", "target")])
    seen: set[int] = set()
    kept = 0
    begun, cpu = time.monotonic(), time.process_time()
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
    return {"tasks": time.process_time() - cpu, "wall": time.monotonic() - begun, "kept": kept}


def child(folder: Path, *arguments: str) -> dict[str, float]:
    """Run one measurement in a process of its own, and watch what it and its children hold."""
    command = [sys.executable, "-m", "benchmarks.data", "--child", str(folder), *arguments]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    held = 0
    while run.poll() is None:
        held = max(held, held_by(run.pid))
        time.sleep(0.2)
    said = run.stdout.read() if run.stdout is not None else ""
    if run.returncode:
        raise subprocess.CalledProcessError(run.returncode, command)
    return {**json.loads(said.splitlines()[-1]), "held": held}


def held_by(pid: int) -> int:
    """The bytes that a process and its children have to themselves."""
    total = 0
    try:
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            total += one.memory_full_info().uss
    except psutil.Error:  # one of them ended meanwhile
        pass
    return total


def be_child(folder: Path, what: str, pairs: str, *more: str) -> None:
    if what == "bare":
        facts = run_bare(folder, int(pairs))
    else:
        facts = run_prepare(folder, int(pairs), int(more[0]), more[1])
    facts["rss"] = process_peak()
    print(json.dumps(facts))


# --- figures -------------------------------------------------------------------------------------


def measure_sides(
    folder: Path, pairs: int, rounds: int, sides: dict[str, tuple[str, ...]], what: str
) -> dict[str, float]:
    """The median of what each side took, `tasks` of CPU or `wall` of the clock, in turns."""
    seen: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, (kind, *more) in sides.items():
            seen[name].append(child(folder, kind, str(pairs), *more)[what])
    medians = {name: median(seconds) for name, seconds in seen.items()}
    for name, seconds in medians.items():
        print(f"{name:>6}, {pairs:,} pairs: {seconds:.2f} s of {what}, {pairs / seconds:,.0f}/s")
    return medians


def measure_bare(folder: Path, pairs: int, rounds: int) -> Figure:
    sides = {"bare": ("bare",), "one": ("prepare", "1", "local")}
    cpu = measure_sides(folder, pairs, rounds, sides, "tasks")
    return Figure(f"one core against bare, {pairs:,} pairs", cpu["bare"] / cpu["one"], 0.8)


def measure_cores(folder: Path, pairs: int, rounds: int) -> Figure:
    """By the clock: it takes a machine with two cores that have nothing else to do."""
    sides = {"one": ("prepare", "1", "local"), "two": ("prepare", "2", "local")}
    wall = measure_sides(folder, pairs, rounds, sides, "wall")
    return Figure(f"two cores against one, {pairs:,} pairs", wall["one"] / wall["two"], 1.7)


def measure_ray(folder: Path, pairs: int, rounds: int) -> Figure:
    sides = {"local": ("prepare", "1", "local"), "ray": ("prepare", "1", "ray")}
    cpu = measure_sides(folder, pairs, rounds, sides, "tasks")
    overhead = cpu["ray"] / cpu["local"] - 1
    return Figure(f"CPU of Ray's tasks over local, {pairs:,} pairs", overhead, 0.1, at_most=True)


def measure_growth(
    folder: Path, sides: Sequence[list[str]], sizes: list[int], with_ray: bool, drawn: Path | None
) -> list[Figure]:
    seconds: dict[str, dict[int, float]] = {"local": {}}
    held: dict[str, dict[int, float]] = {"local": {}}
    if with_ray:
        seconds["ray"], held["ray"] = {}, {}
    for pairs in sizes:
        write_corpus(folder, sides, pairs)
        for engine in seconds:
            if engine == "ray" and pairs > MILLION:
                continue
            facts = child(folder, "prepare", str(pairs), "1", engine)
            seconds[engine][pairs] = facts["tasks"] / pairs * MILLION
            held[engine][pairs] = facts["held"]
            print(
                f"{pairs:>11,} pairs, {engine}: {facts['kept']:,.0f} kept, "
                f"{seconds[engine][pairs]:.1f} CPU s a million, {facts['wall']:.1f} s in all, "
                f"{facts['held'] / 2**20:,.0f} MiB held",
                flush=True,
            )
    if drawn is not None:
        draw_growth(drawn, seconds, held)
    steady = [value for pairs, value in seconds["local"].items() if pairs >= 100_000]
    peaks = held["local"]
    figures = [Figure("peak memory, GiB", max(peaks.values()) / 2**30, 1.5, at_most=True)]
    if len(steady) > 1:
        middle = (max(steady) + min(steady)) / 2
        spread = (max(steady) - min(steady)) / 2 / middle
        figures.append(Figure("CPU a pair from 1e5 on, ±", spread, 0.15, at_most=True))
    if 10 * MILLION in peaks:
        growth = peaks[10 * MILLION] / peaks[MILLION]
        figures.append(Figure("peak memory, 1e7 against 1e6", growth, 1.3, at_most=True))
    return figures


def draw_growth(
    folder: Path, seconds: dict[str, dict[int, float]], held: dict[str, dict[int, float]]
) -> None:
    def points(
        of: dict[str, dict[int, float]], unit: float
    ) -> dict[str, list[tuple[float, float]]]:
        return {
            engine: [(math.log10(pairs), value / unit) for pairs, value in found.items()]
            for engine, found in of.items()
        }

    pictures = {
        "prepare-time.svg": curve_chart(
            points(seconds, 1),
            title="Preparing: CPU time a pair does not grow with the corpus",
            x="pairs, as a power of ten",
            y="CPU seconds for a million pairs, one core",
            y_range=(0, 100),
        ),
        "prepare-memory.svg": curve_chart(
            points(held, 2**20),
            title="Preparing: nor does memory",
            x="pairs, as a power of ten",
            y="MiB held by all processes, at most",
            y_range=(0, 1500),
        ),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures.items():
        (folder / name).write_text(picture)


def measure_padding(lengths: np.ndarray, name: str) -> Figure:
    from regard.data.loading.batch_plan import cut_pool

    widths = lengths + np.array([1, 2], np.uint32)
    batches = cut_pool(1, 0, 0, widths, np.ones(len(widths)), BUDGET)
    padded = sum(
        len(rows) * int(widths[rows].max(axis=0).sum())
        for rows in (batches.rows(i) for i in range(len(batches)))
    )
    return Figure(f"padding, {name}", 1 - int(widths.sum()) / padded, 0.09, at_most=True)


def measure_batches(folder: Path, pairs: int) -> list[Figure]:
    """Building a batch, and going on from the middle of ten million pairs: a shard many times."""
    from regard.data.loading.cursor import Cursor
    from regard.data.loading.loader import Loader
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
        begun = time.perf_counter()
        pool.read(batch)
        costs.append(time.perf_counter() - begun)
    middle = Cursor(epoch=1, pool=len(loader._pools(1)) // 2, batch=len(pool) // 2, step=10_000)
    resumes = []
    for _ in range(5):
        begun = time.perf_counter()
        steps = loader.steps(middle)
        next(steps)
        resumes.append(time.perf_counter() - begun)
        steps.close()  # type: ignore[attr-defined]
    return [
        Figure(
            f"building a batch of {BUDGET:,} tokens, ms", median(costs) * 1e3, 0.5, at_most=True
        ),
        Figure("going on in the middle of 1e7 pairs, s", median(resumes), 0.2, at_most=True),
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
    figures.append(measure_bare(folder, few, rounds=3 if options.quick else 7))
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
    parser.add_argument("--ray", action="store_true", help="also the tasks on Ray")
    parser.add_argument("--full", action="store_true", help="also Ray and 10 million pairs")
    parser.add_argument("--figures", type=Path, help="draw the growth into this folder")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        be_child(Path(options.child[0]), *options.child[1:])
        return 0
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), options)
    return report("data", figures, cores=os.cpu_count())


if __name__ == "__main__":
    sys.exit(main())
