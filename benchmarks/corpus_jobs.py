"""Corpus jobs beside bare CTranslate2, on Ray, and over a growing corpus.

    python -m benchmarks.corpus_jobs [--quick] [--model MODEL] [--figure FILE.svg]

- Throughput: `regard translate` as a job of one process for each core, with running workers, beside
  CTranslate2 alone, which gets the same sentences as pieces in one call. Both take turns.
- Ray: CPU time of all processes for the same job on Ray and on local processes, both running.
- Memory: the peak of a job that copies its lines, with 10 thousand to a million of them, in a
  process of its own: what the job needs besides its models.

The sentences are Multi30k's training set; without --model, a small Transformer is trained once, as
for `benchmarks.serve`. The last line is a JSON object.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, ClassVar

import ctranslate2
import psutil

from benchmarks.figures import Figure, report
from benchmarks.multi30k import read_pairs
from benchmarks.serve import trained_model
from regard.bundle.bundle import open_bundle
from regard.cli.job_options import JobModel
from regard.cli.translate_job import TranslateBlocks
from regard.cores import available_cores
from regard.data.corpus_job import BlockFunction, BlockResult, Compute, join_parts, run_corpus_job
from regard.data.formats.corpus import open_texts
from regard.data.preparation.ray_runner import RayRunner
from regard.data.preparation.runner import InProcessRunner, ProcessRunner, Runner
from regard.explain.pictures.charts import curve_chart
from regard.inference.engine import max_target_length
from regard.tasks.translation.translator import Translator
from regard.train.dry_run import process_peak

OPTIONS: dict[str, Any] = {"beam_size": None, "n_best": 1, "quality": False}


@dataclass(frozen=True)
class CopyLines(BlockFunction):
    """A job without a model."""

    verb: ClassVar[str] = "copy"

    @property
    def identity(self) -> dict[str, Any]:
        return {}

    def load(self) -> Compute:
        return lambda block: BlockResult(block.targets, {"target": block.targets})


class TranslationJob:
    """A job over the same sentences, in a new directory each time."""

    def __init__(self, model: Path, sentences: list[str], folder: Path) -> None:
        self.function = TranslateBlocks((JobModel.find(str(model)),), "auto", OPTIONS, None, False)
        self.folder, self.turn = folder, 0
        self.corpus = folder / "corpus.en"
        self.corpus.write_text("".join(f"{line}\n" for line in sentences))

    def run(self, runner: Runner) -> bytes:
        self.turn += 1
        work = self.folder / f"job-{self.turn}"
        done = run_corpus_job(self.function, open_texts(str(self.corpus)), str(work), runner)
        out = self.folder / "out"
        with out.open("wb") as file:
            join_parts(done.parts, "", file)
        return out.read_bytes()


def tree_cpu() -> float:
    """CPU seconds of this process and of all below it that live."""
    me = psutil.Process()
    seconds = 0.0
    for process in (me, *me.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        seconds += times.user + times.system
    return seconds


def copy_peak(lines: int, sentences: list[str]) -> float:
    """MiB that a job of so many lines needs, in this new process."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.en"
        with corpus.open("w", encoding="utf-8") as file:
            for number in range(lines):
                file.write(f"{sentences[number % len(sentences)]} {number}\n")
        before = process_peak()
        done = run_corpus_job(
            CopyLines(), open_texts(str(corpus)), f"{folder}/work", InProcessRunner()
        )
        with (Path(folder) / "out").open("wb") as out:
            join_parts(done.parts, "", out)
        peak = process_peak() - before
        assert (Path(folder) / "out").read_bytes() == corpus.read_bytes()
        return peak / 2**20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--model", type=Path, help="a bundle exported to CTranslate2")
    parser.add_argument("--figure", type=Path, help="draw memory against the number of lines")
    options = parser.parse_args()
    model = options.model or trained_model()
    rounds, count = (2, 2_000) if options.quick else (3, 8_000)
    sentences = read_pairs("train")[0]
    sizes = (10_000, 100_000) if options.quick else (10_000, 100_000, 1_000_000)
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        peaks = {size: pool.apply(copy_peak, (size, sentences[:1_000])) for size in sizes}
    print(f"  memory: {peaks}", flush=True)

    cores, sample = available_cores(), sentences[:count]
    translator = Translator.load(model)
    read = [[*translator.tokenizer.pieces(text).pieces, "</s>"] for text in sample]
    bundle = open_bundle(model)
    names = [name for name in bundle.names if name.startswith("ctranslate2/")]
    alone = ctranslate2.Translator(
        "model",
        files={name.partition("/")[2]: bundle.read(name) for name in names},
        inter_threads=cores,
        intra_threads=1,
    )

    def bare() -> float:
        start = time.perf_counter()
        alone.translate_batch(
            read,
            max_batch_size=32,
            beam_size=translator.options.beam_size,
            length_penalty=translator.options.length_penalty,
            max_decoding_length=max_target_length(max(map(len, read))),
            return_scores=True,
        )
        return len(read) / (time.perf_counter() - start)

    ratios: list[float] = []
    rates: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        job = TranslationJob(model, sample, Path(name))
        with ProcessRunner(cores) as local:
            expected = job.run(local)  # loads the models
            bare()
            for _ in range(rounds):
                before, start = bare(), time.perf_counter()
                job.run(local)
                rates.append(count / (time.perf_counter() - start))
                ratios.append(2 * rates[-1] / (before + bare()))
                print(f"  {rates[-1]:.0f} a second, {ratios[-1]:.2f} of bare", flush=True)
            start_cpu = tree_cpu()
            job.run(local)
            local_cpu = tree_cpu() - start_cpu
        with RayRunner(cores) as ray:
            assert job.run(ray) == expected
            start_cpu, start = tree_cpu(), time.perf_counter()
            job.run(ray)
            ray_cpu, seconds = tree_cpu() - start_cpu, time.perf_counter() - start
        print(f"  CPU: local {local_cpu:.1f} s, Ray {ray_cpu:.1f} s in {seconds:.1f} s", flush=True)
    if options.figure is not None:
        highest = max(50.0, 10.0 * -(-max(peaks.values()) // 10))
        options.figure.write_text(
            curve_chart(
                {"job": [(size / 1000, peak) for size, peak in peaks.items()]},
                title="Memory of a corpus job besides its models",
                x="thousand lines",
                y="MiB",
                y_range=(0.0, highest),
            ),
            encoding="utf-8",
        )
    smallest, largest = peaks[sizes[0]], peaks[sizes[-1]]
    return report(
        "corpus_jobs",
        [
            Figure("throughput, of CTranslate2", median(ratios), 0.9),
            Figure("CPU time on Ray, of local processes", ray_cpu / local_cpu, 1.1, at_most=True),
            Figure("memory, largest corpus, MiB", largest, 200, at_most=True),
        ],
        sentences=count,
        rate=round(median(rates), 1),
        memory={str(size): round(peak, 1) for size, peak in peaks.items()},
        growth=round(largest - smallest, 1),
    )


if __name__ == "__main__":
    sys.exit(main())
