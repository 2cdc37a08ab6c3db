"""`regard prepare`: corpora to token shards, on this machine or on a cluster."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.corpus_options import Columns, corpus_argument

if TYPE_CHECKING:
    from regard.data.preparation.prepare import ProgressCallback, StageProgress
    from regard.data.preparation.runner import Runner


class EngineChoice(StrEnum):
    local = "local"
    ray = "ray"


class Sameness(StrEnum):
    none = "none"
    exact = "exact"
    near = "near"


def prepare(
    train: Annotated[
        list[str], typer.Argument(help="Two files of lines, or one .tsv, .jsonl, .parquet or .tmx.")
    ],
    out: Annotated[str, typer.Option(help="Where the shards go: a folder or a URL.")],
    columns: Columns = None,
    valid: Annotated[
        tuple[str, str] | None, typer.Option(help="Source and target files to validate on.")
    ] = None,
    held_out: Annotated[
        float, typer.Option(min=0, max=0.99, help="The share to validate on, if no files are.")
    ] = 0.0,
    vocabulary: Annotated[int, typer.Option(min=1, help="Pieces to learn.")] = 8000,
    tokenizer: Annotated[
        str | None, typer.Option(help="A folder whose tokeniser is used: learn none.")
    ] = None,
    dedupe: Annotated[Sameness, typer.Option(help="Which repeated pairs go.")] = Sameness.near,
    longest: Annotated[int, typer.Option(min=1, help="Pieces of a side.")] = 512,
    source_script: Annotated[str | None, typer.Option(help="Such as latin, cyrillic.")] = None,
    target_script: Annotated[str | None, typer.Option(help="Such as latin, cyrillic.")] = None,
    engine: Annotated[EngineChoice, typer.Option(help="Who does the work.")] = EngineChoice.local,
    workers: Annotated[int, typer.Option(min=1, help="Processes, or cores of the cluster.")] = 1,
    address: Annotated[
        str | None, typer.Option(help="A running Ray cluster; without one, Ray is started here.")
    ] = None,
) -> None:
    """Clean corpora, learn a vocabulary and write token shards; killed, it goes on when run again.

    Example: regard prepare train.en train.de --valid val.en val.de --out data/
    """
    from regard.data.filters import SCRIPTS, Limits
    from regard.data.preparation.prepare import PreparationSettings
    from regard.data.preparation.prepare import prepare_corpora as prepare_
    from regard.errors import ConfigError

    for script in (source_script, target_script):
        if script is not None and script not in SCRIPTS:
            raise ConfigError(f"script: {script} is not one of {', '.join(SCRIPTS)}")
    settings = PreparationSettings(
        vocabulary=vocabulary,
        tokenizer=tokenizer,
        limits=Limits(source_script=source_script, target_script=target_script),
        dedupe=dedupe.value,
        held_out=held_out,
        max_length=longest,
    )
    corpora = [corpus_argument(train, columns, "train")]
    checks = [corpus_argument(list(valid), None, "valid")] if valid is not None else []
    with _runner(engine, workers, address) as runner, show_preparation() as tell:
        prepared = prepare_(corpora, out, settings, runner, valid=checks, tell=tell)
    for split, shards in prepared.splits.items():
        pairs = sum(shard.pairs for shard in shards)
        tokens = [sum(shard.tokens[side] for shard in shards) for side in (0, 1)]
        print(f"{split}: {pairs:,} pairs, {tokens[0]:,} + {tokens[1]:,} tokens")


def _runner(engine: EngineChoice, workers: int, address: str | None) -> Runner:
    if engine is EngineChoice.ray:
        from regard.data.preparation.ray_runner import RayRunner

        return RayRunner(workers, address)
    from regard.data.preparation.runner import InProcessRunner, ProcessRunner

    return ProcessRunner(workers) if workers > 1 else InProcessRunner()


@contextmanager
def show_preparation() -> Iterator[ProgressCallback]:
    """Bars on a terminal; elsewhere a line now and then, and one at the end of each stage."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskID, TimeRemainingColumn
    from rich.progress import Progress as Bars

    bars = Bars(
        "{task.description:>8}",
        BarColumn(),
        "{task.completed}/{task.total}",
        "{task.fields[rate]:>10,.0f} pairs/s",
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    shown: dict[str, TaskID] = {}

    def draw(progress: StageProgress) -> None:
        if progress.done == 0:
            shown[progress.stage] = bars.add_task(progress.stage, total=progress.total, rate=0)
        bars.update(shown[progress.stage], completed=progress.done, rate=progress.rate)

    with bars:
        yield draw


class _Lines:
    """Says where a stage stands when it begins, every ten seconds, and when it ends."""

    def __init__(self) -> None:
        self.said = 0.0  # seconds into the stage when the last line was printed

    def __call__(self, progress: StageProgress) -> None:
        if progress.done == 0:
            self.said = 0.0
            print(f"{progress.stage} …", file=sys.stderr)
            return
        ended = progress.done == progress.total
        if not ended and progress.seconds < self.said + 10:
            return
        self.said = progress.seconds
        line = f"{progress.stage}: {progress.done}/{progress.total} in {progress.seconds:.0f} s"
        line += f", {progress.rate:,.0f} pairs/s"
        if progress.found:
            line += f", {progress.found} done before"
        if not ended:
            line += f", {progress.remaining:.0f} s to go"
        print(line, file=sys.stderr)
