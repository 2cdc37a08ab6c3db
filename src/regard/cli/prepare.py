"""`regard prepare`: convert corpora to token shards, on this machine or on a cluster."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from regard.cli.corpus_options import (
    Columns,
    TrainingFiles,
    Valid,
    ValidFile,
    check_columns,
    corpus_argument,
    files_option,
)
from regard.cli.usage import UsageError

if TYPE_CHECKING:
    from regard.data.preparation.prepare import ProgressCallback, StageProgress
    from regard.data.preparation.runner import Runner

REPORT_EVERY = 10  # seconds


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
    vocabulary: Annotated[int, typer.Option(min=1, help="Vocabulary size.")] = 8000,
    tokenizer: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Use the tokenizer in this directory; train none."),
    ] = None,
    dedupe: Annotated[
        Literal["none", "exact", "near"], typer.Option(help="Which duplicate pairs to drop.")
    ] = "near",
    max_length: Annotated[
        int, typer.Option(min=1, help="Drop pairs with more tokens than this on one side.")
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
    workers: Annotated[int, typer.Option(min=1, help="Processes, or cores of the cluster.")] = 1,
    address: Annotated[
        str | None,
        typer.Option(help="Address of a running Ray cluster. Default: start Ray on this machine."),
    ] = None,
) -> None:
    """Clean corpora, train a tokenizer and write token shards.

    Run the same command again to resume after an interruption.

    Example: regard prepare train.en train.de --valid val.en val.de --out data/
    """
    from regard.data.filters import SCRIPTS, Limits
    from regard.data.preparation.prepare import PreparationSettings, prepare_corpora

    for option, script in (("source", source_script), ("target", target_script)):
        if script is not None and script not in SCRIPTS:
            raise UsageError(
                f"--{option}-script {script}: unknown script. Use one of: {', '.join(SCRIPTS)}."
            )
    settings = PreparationSettings(
        vocabulary=vocabulary,
        tokenizer=tokenizer,
        limits=Limits(source_script=source_script, target_script=target_script),
        dedupe=dedupe,
        held_out=held_out,
        max_length=max_length,
    )
    valid_files = files_option("valid", valid, valid_file)
    check_columns(columns, train, valid_files)
    corpora = [corpus_argument(train, columns, "train")]
    valids = [] if valid_files is None else [corpus_argument(valid_files, columns, "valid")]
    with open_runner(runner, workers, address) as engine, show_preparation() as report:
        prepared = prepare_corpora(corpora, out, settings, engine, valid=valids, on_progress=report)
    for split, shards in prepared.splits.items():
        pairs = sum(shard.pairs for shard in shards)
        tokens = [sum(shard.tokens[side] for shard in shards) for side in (0, 1)]
        print(f"{split}: {pairs:,} pairs, {tokens[0]:,} + {tokens[1]:,} tokens")


def open_runner(name: str, workers: int, address: str | None) -> Runner:
    if name == "ray":
        from regard.data.preparation.ray_runner import RayRunner

        return RayRunner(workers, address)
    from regard.data.preparation.runner import InProcessRunner, ProcessRunner

    return ProcessRunner(workers) if workers > 1 else InProcessRunner()


@contextmanager
def show_preparation() -> Iterator[ProgressCallback]:
    """Yield a callback that shows progress: bars on a terminal, lines otherwise."""
    if not sys.stderr.isatty():
        yield _ProgressLines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TimeRemainingColumn

    bars = Progress(
        "{task.description:>8}",
        BarColumn(),
        "{task.completed}/{task.total}",
        "{task.fields[rate]:>10,.0f} pairs/s",
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    stages: dict[str, TaskID] = {}

    def draw(progress: StageProgress) -> None:
        if progress.done == 0:
            stages[progress.stage] = bars.add_task(progress.stage, total=progress.total, rate=0)
        bars.update(stages[progress.stage], completed=progress.done, rate=progress.rate)

    with bars:
        yield draw


class _ProgressLines:
    """Prints a line when a stage starts, every ten seconds, and when it ends."""

    def __init__(self) -> None:
        self.last_report = 0.0  # seconds since the stage started

    def __call__(self, progress: StageProgress) -> None:
        if progress.done == 0:
            self.last_report = 0.0
            print(f"{progress.stage} …", file=sys.stderr)
            return
        ended = progress.done == progress.total
        if not ended and progress.seconds < self.last_report + REPORT_EVERY:
            return
        self.last_report = progress.seconds
        line = f"{progress.stage}: {progress.done}/{progress.total} in {progress.seconds:.0f} s"
        line += f", {progress.rate:,.0f} pairs/s"
        if progress.found:
            line += f", {progress.found} already done"
        if not ended:
            line += f", {progress.remaining:.0f} s left"
        print(line, file=sys.stderr)
