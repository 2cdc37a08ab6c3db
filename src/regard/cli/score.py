"""`regard score`: how well the targets of sentence pairs fit their sources."""

from __future__ import annotations

from typing import Annotated

import typer

from regard.cli.common_options import JsonLines, To
from regard.cli.corpus_options import (
    Columns,
    PairSource,
    PairTarget,
    check_columns,
    corpus_argument,
)
from regard.cli.job_models import JobModel
from regard.cli.job_options import (
    JobArguments,
    OutputFile,
    absolute_path,
    check_job_output,
    run_job,
)
from regard.cli.option_groups import option_groups
from regard.cli.score_job import ScoreBlocks


@option_groups
def score(
    model: Annotated[str, typer.Argument(help="A translation model bundle, or its URL.")],
    source: PairSource,
    target: PairTarget = None,
    out: OutputFile = None,
    columns: Columns = None,
    to: To = None,
    reverse: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="A model of the opposite direction, for the dual conditional cross-entropy.",
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Add the quality warnings of each pair.")
    ] = False,
    as_json: JsonLines = False,
    *,
    job: JobArguments,
) -> None:
    """Score sentence pairs, one line for each; a higher score is better.

    The columns are: score, log-probability of the target, its number of tokens; with --reverse
    also those two of the source; with --check also warnings, such as "short for its source". The
    score is the mean log-probability of a token, or with --reverse the adequacy of dual conditional
    cross-entropy, between 0 and 1. It is nan if a side is longer than all training texts.

    Examples:

    regard score model/ --source a.en --target a.de > a.scores

    regard score en-de/ --reverse de-en/ --source a.en --target a.de --out a.parquet --workers 8
    """
    check_job_output(out, source, target)
    files = [absolute_path(path) for path in (source, target) if path is not None]
    check_columns(columns, files)
    function = ScoreBlocks(
        JobModel.find(model, to),
        None if reverse is None else JobModel.find(reverse),
        check,
        as_json,
    )
    with job.open_runner(out) as engine:
        run_job(function, corpus_argument(files, columns), out, engine)
