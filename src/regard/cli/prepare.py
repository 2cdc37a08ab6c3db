"""`regard prepare`: convert corpora to token shards, on this machine or on a cluster."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from regard.bounds import TOKENS, VOCABULARY, WORKERS
from regard.cli.corpus_options import (
    Columns,
    TrainingFiles,
    Valid,
    ValidFile,
    check_columns,
    corpus_argument,
    files_option,
)
from regard.cli.options import UsageError
from regard.data import storage
from regard.data.filters import SCRIPTS, Limits
from regard.data.loading.shards import describe_drops
from regard.data.ownership import RUN, read_marker
from regard.data.preparation.prepare import PreparationSettings, prepare_corpora
from regard.data.preparation.runner import InProcessRunner, ProcessRunner

if TYPE_CHECKING:
    from regard.data.preparation.prepare import ProgressCallback, StageProgress
    from regard.data.preparation.runner import Runner

REPORT_EVERY = 10  # seconds
BEGIN_AFTER = 2  # seconds


def prepare(
    train: TrainingFiles,
    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="DIR", help="Directory or URL for the shards."),
    ],
    columns: Columns = None,
    valid: Valid = None,
    valid_file: ValidFile = None,
    held_out: Annotated[
        float,
        typer.Option(
            min=0,
            max=0.99,
            help="Fraction of the corpus to validate on if there is no validation set.",
        ),
    ] = 0.0,
    vocabulary: Annotated[
        int, typer.Option(min=VOCABULARY.low, max=VOCABULARY.high, help="Vocabulary size.")
    ] = 8000,
    target_vocabulary: Annotated[
        int | None,
        typer.Option(
            min=VOCABULARY.low,
            max=VOCABULARY.high,
            help="Size of a separate vocabulary of the target. Default: one for both.",
        ),
    ] = None,
    tokenizer: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Use the tokenizer in this directory; train none."),
    ] = None,
    dedupe: Annotated[
        Literal["none", "exact", "near"], typer.Option(help="Which duplicate pairs to drop.")
    ] = "near",
    max_punctuation: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="Drop sentences with a larger share of digits and punctuation."
        ),
    ] = 0.6,
    max_length: Annotated[
        int,
        typer.Option(
            min=TOKENS.low,
            max=TOKENS.high,
            help="Drop pairs with more tokens than this on one side.",
        ),
    ] = 512,
    source_script: Annotated[
        str | None, typer.Option(help="Drop sources in another script, such as latin or cyrillic.")
    ] = None,
    target_script: Annotated[
        str | None, typer.Option(help="Drop targets in another script, such as latin or cyrillic.")
    ] = None,
    runner: Annotated[
        Literal["local", "ray"], typer.Option(help="Run on this machine or on a Ray cluster.")
    ] = "local",
    workers: Annotated[
        int,
        typer.Option(min=WORKERS.low, max=WORKERS.high, help="Processes, or cores of the cluster."),
    ] = 1,
    address: Annotated[
        str | None,
        typer.Option(help="Address of a running Ray cluster. Default: start Ray on this machine."),
    ] = None,
) -> None:
    """Clean corpora, train a tokenizer and write token shards.

    Run the same command again to resume after an interruption.

    Example: regard prepare train.en train.de --valid val.en val.de --out data/
    """
    for option, script in (("source", source_script), ("target", target_script)):
        if script is not None and script not in SCRIPTS:
            raise UsageError(
                f"--{option}-script {script}: unknown script. Use one of: {', '.join(SCRIPTS)}."
            )
    settings = PreparationSettings(
        vocabulary=vocabulary,
        target_vocabulary=target_vocabulary,
        tokenizer=tokenizer,
        limits=Limits(
            max_punctuation=max_punctuation,
            source_script=source_script,
            target_script=target_script,
        ),
        dedupe=dedupe,
        held_out=held_out,
        max_length=max_length,
    )
    _check_no_run(out)
    valid_files = files_option("valid", valid, valid_file)
    check_columns(columns, train, valid_files)
    corpora = [corpus_argument(train, columns, "train")]
    valids = [] if valid_files is None else [corpus_argument(valid_files, columns, "valid")]
    with open_runner(runner, workers, address) as engine, show_stages("prepared") as report:
        prepared = prepare_corpora(corpora, out, settings, engine, valid=valids, on_progress=report)
    for split, shards in prepared.splits.items():
        pairs = sum(shard.pairs for shard in shards)
        tokens = [sum(shard.tokens[side] for shard in shards) for side in (0, 1)]
        print(f"{split}: {pairs:,} pairs, {tokens[0]:,} + {tokens[1]:,} tokens")
    for split, dropped in (("train", prepared.dropped), ("valid", prepared.valid_dropped)):
        if reasons := describe_drops(dropped):
            print(f"{split}: dropped {sum(dropped.values()):,} pairs ({reasons})")


def _check_no_run(out: str) -> None:
    """Refuse to replace the data of a run that has been trained."""
    if storage.is_remote(out):
        return
    run = Path(out).absolute().parent
    marker = read_marker(str(run))
    if marker is not None and marker.kind == RUN.name and (run / "checkpoints").exists():
        raise UsageError(
            f"{out}: is in the directory of a training run, which needs its own data. Choose "
            "another --out."
        )


def open_runner(name: str, workers: int, address: str | None) -> Runner:
    if name != "ray" and address is not None:
        raise UsageError("--address needs --runner ray.")
    if name == "ray":
        from regard.data.preparation.ray_runner import RayRunner

        return RayRunner(workers, address)
    return ProcessRunner(workers) if workers > 1 else InProcessRunner()


STAGES = {
    "cut": "reading",
    "clean": "cleaning",
    "dedupe": "finding duplicates",
    "sample": "sampling lines for the vocabulary",
    "learn": "training the vocabulary",
    "import": "copying the vocabulary",
    "encode": "encoding",
    "gather": "collecting held-out pairs",
    "images": "reading images",
    "guide": "mapping word links to pieces",
    "read": "reading words",
    "cooccur": "counting words",
    "merge": "merging counts",
    "align": "aligning",
    "score": "scoring",
    "translate": "translating",
}
"""What the stages do. Others, the iterations of the word aligner, keep their names."""


@contextmanager
def show_stages(end: str) -> Iterator[ProgressCallback]:
    """Yield a callback that shows the stages in one line on a terminal, else in a few lines.

    `end`: what the last line says, such as `prepared`, before the time.
    """
    if not sys.stderr.isatty():
        lines = _ProgressLines(end)
        yield lines
        lines.finish()
        return
    with Console(stderr=True).status("reading") as status:
        yield lambda progress: status.update(stage_line(progress))


def stage_line(progress: StageProgress) -> str:
    """Return one line: the stage, its progress, and the remaining time."""
    line = STAGES.get(progress.stage, f"training the word aligner, {progress.stage}")
    if progress.total > 1:
        line += f", {progress.done:,} of {progress.total:,} parts"
        if progress.reused:
            line += f" ({progress.reused:,} from an earlier run)"
    if progress.remaining >= 1:
        if progress.pairs:
            line += f", {progress.rate:,.0f} pairs/s"
        line += f", {progress.remaining:.0f} s left"
    return line


class _ProgressLines:
    """Prints a line every ten seconds, and when a stage begins two seconds after the last line."""

    def __init__(self, end: str) -> None:
        self.end = end
        self.start = self.last_report = time.monotonic()

    def __call__(self, progress: StageProgress) -> None:
        now = time.monotonic()
        if now >= self.last_report + (REPORT_EVERY if progress.done else BEGIN_AFTER):
            self.last_report = now
            print(stage_line(progress), file=sys.stderr, flush=True)

    def finish(self) -> None:
        print(f"{self.end} in {time.monotonic() - self.start:.0f} s", file=sys.stderr, flush=True)
