"""Small corpus jobs of every command, for tests of runners."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from regard.cli.align import ModelAlignBlocks
from regard.cli.job_options import JobModel
from regard.cli.score import ScoreBlocks
from regard.cli.translate_job import TranslateBlocks
from regard.data import corpus_job
from regard.data.corpus_job import BlockFunction, join_parts, run_corpus_job
from regard.data.formats.corpus import Corpus, open_corpus, open_texts
from regard.data.preparation.prepare import ProgressCallback
from regard.data.preparation.runner import Runner
from regard.inference.engine import SamplingOptions
from regard.tasks.translation.options import TranslateOptions
from tests.bundles import make_bundle

LINES, SIZE = 96, 8  # of the corpus, and of a block, which is a piece here
WORDS = [
    "A",
    "Two",
    "dog",
    "cat",
    "man",
    "men",
    "run",
    "runs",
    "sees",
    "away",
    "see",
    ".",
    "!",
    "Go",
]
OPTIONS = TranslateOptions(beam_size=2, n_best=1, quality=True, alignments=True)
VERBS = ("translate", "sample", "score", "align")


def make_job_files(folder: Path) -> Path:
    """Write a corpus and two model bundles."""
    generator = random.Random(1)
    for side in ("source", "target"):
        lines = [
            " ".join(generator.choices(WORDS, k=generator.randint(0, 9))) for _ in range(LINES)
        ]
        (folder / side).write_text("".join(f"{line}\n" for line in lines))
    make_bundle("transformer", folder / "model")
    make_bundle("bahdanau", folder / "reverse", seed=1)
    return folder


def job_function(verb: str, models: str) -> BlockFunction:
    model, reverse = (JobModel.find(f"{models}/{name}") for name in ("model", "reverse"))
    if verb in ("translate", "sample"):
        sampling = SamplingOptions() if verb == "sample" else None
        options = replace(OPTIONS, sampling=sampling)
        return TranslateBlocks((model,), "auto", options, as_json=True)
    if verb == "score":
        return ScoreBlocks(model, reverse, check=True, as_json=False)
    return ModelAlignBlocks(model, reverse, "attention", "grow-diag", False, as_json=True)


def job_corpus(verb: str, folder: str, suffix: str = "") -> Corpus:
    if verb in ("translate", "sample"):
        return open_texts(f"{folder}/source{suffix}")
    return open_corpus(f"{folder}/source{suffix}", f"{folder}/target{suffix}")


def run_verb(
    verb: str,
    folder: Path,
    out: str,
    runner: Runner,
    *,
    on_progress: ProgressCallback = lambda progress: None,
) -> bytes:
    """Run a job of SIZE lines a task in `folder/out`; return the output and the warnings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus_job, "BLOCK", SIZE)
        done = run_corpus_job(
            job_function(verb, str(folder)),
            job_corpus(verb, str(folder)),
            str(folder / out),
            runner,
            on_progress=on_progress,
        )
    output = folder / f"{out}.output"
    with output.open("wb") as file:
        join_parts([*done.parts, *done.warnings], "", file)
    return output.read_bytes()


def driver(
    folder: Path, verbs: Sequence[str], out: str, runner: str, threads: int | None = None
) -> subprocess.Popen[bytes]:
    """Start a process that runs jobs in `folder`, with names that begin with `out`.

    Args:
        runner: An expression, such as `ProcessRunner(2)`.
        threads: OMP_NUM_THREADS; by default that of this process.
    """
    code = f"""
if __name__ == "__main__":
    from pathlib import Path
    from tests.distributed.corpus_jobs import run_verb
    from regard.data.preparation.runner import InProcessRunner, ProcessRunner
    from regard.data.preparation.ray_runner import RayRunner
    with {runner} as runner:
        for verb in {tuple(verbs)!r}:
            run_verb(verb, Path({str(folder)!r}), f"{out}-{{verb}}", runner)
"""
    script = folder / f"{out}.py"
    script.write_text(code)
    paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    if threads is not None:
        environment["OMP_NUM_THREADS"] = str(threads)
    return subprocess.Popen([sys.executable, str(script)], start_new_session=True, env=environment)
