"""`regard train`: from text files to a model bundle."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from regard.bounds import THREADS, WORKERS
from regard.cli.corpus_options import (
    Columns,
    LanguagesOption,
    TaskFiles,
    Valid,
    ValidFile,
    files_option,
    parse_languages,
)
from regard.cli.options import UsageError, check_assignments, make_mode, option_groups
from regard.cli.train_options import ComparisonArguments, LoggerArguments, check_loggers
from regard.data.formats.corpus import is_pair_file
from regard.errors import INTERRUPTED

FINISH = make_mode(
    "with --finish: the run is finished as it was started", {"finish", "out", "threads"}
)


@option_groups
def train(
    config: Annotated[str | None, typer.Argument(metavar="CONFIG", help="A run file.")] = None,
    preset: Annotated[
        str | None, typer.Option(help="Use this preset instead of a run file.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Source sentences, one per line; or a .tsv, .jsonl, .parquet or .tmx file of "
            "pairs, without --target.",
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(metavar="FILE", help="Their translations, one per line.")
    ] = None,
    *,
    files: TaskFiles,
    columns: Columns = None,
    languages: LanguagesOption = None,
    valid: Valid = None,
    valid_file: ValidFile = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="The run directory.")
    ] = Path("run"),
    from_: Annotated[
        Path | None,
        typer.Option("--from", metavar="MODEL", help="Fine-tune this model bundle."),
    ] = None,
    mix: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="SOURCE TARGET",
            help="With --from: add earlier or general training data, as much text as the new data "
            "have.",
        ),
    ] = None,
    mix_file: Annotated[
        str | None, typer.Option(metavar="FILE", help="The same as --mix, in one file.")
    ] = None,
    comparison: ComparisonArguments,
    minutes: Annotated[
        float | None,
        typer.Option(
            min=1,
            max=1e6,
            help="Choose the number of steps, and the preset if none is given, so that the command "
            "takes about this long.",
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting: train.steps=4000."),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=WORKERS.low, max=WORKERS.high, help="Processes on this machine.")
    ] = 1,
    threads: Annotated[
        int | None, typer.Option(min=THREADS.low, max=THREADS.high, help="Threads per process.")
    ] = None,
    accept_changes: Annotated[
        bool,
        typer.Option(
            "--accept-changes", help="Resume although the settings or the data have changed."
        ),
    ] = False,
    finish: Annotated[
        bool,
        typer.Option(
            "--finish",
            help="Save the best weights of the interrupted run in --out as a model bundle, without "
            "more training.",
        ),
    ] = False,
    loggers: LoggerArguments,
) -> None:
    """Train a model and save the best weights as a model bundle.

    A translation model needs no preset: the number of pairs selects one, and with --minutes the
    speed of this machine.

    Run the same command again to resume after an interruption, or end the run with --finish.

    Examples:

    regard train --preset translate-tiny --source train.en --target train.de
    --valid val.en val.de --out run/

    regard train --minutes 10 --source train.en --target train.de --out run/

    regard train --source pairs.tmx --columns en de --out run/

    regard train --from model/ --source mine.en --target mine.de --general test.en test.de
    --out mine/

    regard train --preset lm-transformer --text novel.txt --out run/

    regard train --preset han --documents train.jsonl --valid-file dev.jsonl --out run/

    regard train --preset caption-soft --images train.jsonl --valid-file dev.jsonl --out run/

    regard train --finish --out run/
    """
    from regard.cli import training

    if finish:
        FINISH.check()
        training.finish(out, threads)
        return
    deadline = None if minutes is None else monotonic() + 60 * minutes
    check_assignments(set_)
    check_loggers(loggers)
    inputs = training.TrainingInputs.open(
        from_,
        _training_files(source, target, files),
        files_option("valid", valid, valid_file),
        files_option("mix", mix, mix_file),
        columns,
        parse_languages(languages),
    )
    report = inputs.comparison(comparison)
    request = training.TrainingRequest(
        inputs, config, preset, out, set_ or [], minutes, deadline, accept_changes
    )
    request.check_processes(workers)
    plan = request.plan(has_pairs=source is not None, also_read=comparison.files)
    if not plan.run(workers, threads, loggers, report):
        print(
            "To end the run here and save its best weights: "
            f"regard train --finish --out {shlex.quote(str(out))}",
            file=sys.stderr,
        )
        raise typer.Exit(INTERRUPTED)


def _training_files(source: str | None, target: str | None, files: TaskFiles) -> list[str] | None:
    """Return the training files, whichever option names them."""
    if source is None and target is not None:
        raise UsageError("--target needs --source.")
    if source is not None and target is None and not is_pair_file(source):
        raise UsageError(
            f"--source {source}: --target is missing. A file that has both sides ends in .tsv, "
            ".jsonl, .parquet or .tmx."
        )
    corpora = [[file] for file in files.given]
    if source is not None:
        corpora.append([source] if target is None else [source, target])
    if len(corpora) > 1:
        raise UsageError("Give only one of: --source, --text, --documents, --images.")
    return corpora[0] if corpora else None
