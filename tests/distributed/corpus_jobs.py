"""Small corpus jobs of every command, for tests of runners."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from regard.cli.align_job import ModelAlignBlocks
from regard.cli.job_models import JobModel
from regard.cli.score_job import ScoreBlocks
from regard.cli.translate_job import TranslateBlocks
from regard.data.formats.corpus import Corpus, open_corpus, open_texts
from regard.data.jobs import corpus_job
from regard.data.jobs.corpus_job import BlockFunction, run_corpus_job
from regard.data.jobs.part_formats import join_parts
from regard.data.preparation.prepare import ProgressCallback
from regard.data.preparation.runner import Runner
from regard.inference.engine import SamplingOptions
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
OPTIONS = {"beam_size": 2, "n_best": 1, "quality": True, "alignments": True}
VERBS = ("translate", "score", "align")


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
    if verb == "translate":
        return TranslateBlocks((model,), "auto", OPTIONS, SamplingOptions(), as_json=True)
    if verb == "score":
        return ScoreBlocks(model, reverse, check=True, as_json=False)
    return ModelAlignBlocks(model, reverse, "attention", "grow-diag", False, as_json=True)


def job_corpus(verb: str, folder: str, suffix: str = "") -> Corpus:
    if verb == "translate":
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
