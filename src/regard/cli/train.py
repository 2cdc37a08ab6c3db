"""`regard train`: from text files to a model bundle."""

from __future__ import annotations

import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.bounds import CORPUS_WEIGHT, THREADS, WORKERS
from regard.cli.corpus_options import (
    Columns,
    LanguagesOption,
    Valid,
    ValidFile,
    check_columns,
    columns_setting,
    files_option,
    languages_setting,
    parse_languages,
)
from regard.cli.fine_tuning import (
    FineTuningReport,
    Gates,
    General,
    GeneralFile,
    Test,
    TestFile,
    languages_of_bundle,
)
from regard.cli.loggers import check_loggers, make_loggers
from regard.cli.option_modes import TRAIN_FINISH
from regard.cli.train_minutes import (
    PLANNED,
    choose_presets,
    chosen_before,
    continue_for,
    count_examples,
    fit_to_time,
)
from regard.cli.usage import UsageError, check_assignments
from regard.errors import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regard.bundle.bundle import Bundle
    from regard.config.load import Override
    from regard.config.run import RunConfig
    from regard.tasks.training import RunDirectory
    from regard.train.events import EventHandler
    from regard.train.trainer import AcceptChanges


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
    text: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="For a language model: one text or paragraph per line."),
    ] = None,
    documents: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="For a classifier: .tsv (label, text) or .jsonl."),
    ] = None,
    images: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="For a captioner: .jsonl with the keys `image` and `caption`."
        ),
    ] = None,
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
            help="With --from: add earlier or general training data, sampled as often as the new "
            "data.",
        ),
    ] = None,
    mix_file: Annotated[
        str | None, typer.Option(metavar="FILE", help="The same as --mix, in one file.")
    ] = None,
    test: Test = None,
    test_file: TestFile = None,
    general: General = None,
    general_file: GeneralFile = None,
    gate: Gates = None,
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
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Log to TensorBoard.")] = False,
    mlflow: Annotated[bool, typer.Option("--mlflow", help="Log to MLflow.")] = False,
    wandb: Annotated[bool, typer.Option("--wandb", help="Log to Weights & Biases.")] = False,
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
    from regard.bundle.bundle import open_bundle
    from regard.cli.prepare import show_stages
    from regard.cli.progress import show_progress
    from regard.tasks.training import RunDirectory, prepare_data, run_inputs, train_run
    from regard.train.distributed import join_world, launch, launched_by_torchrun

    started = monotonic()
    if finish:
        TRAIN_FINISH.check()
        _finish(RunDirectory(out), threads)
        return
    check_assignments(set_)
    check_loggers(tensorboard=tensorboard, mlflow=mlflow, wandb=wandb)
    bundle = None if from_ is None else open_bundle(from_)
    files = _training_files(source, target, text, documents, images)
    valid_files, old = files_option("valid", valid, valid_file), files_option("mix", mix, mix_file)
    tests = files_option("test", test, test_file), files_option("general", general, general_file)
    check_columns(columns, files, valid_files, old, *tests)
    pair = parse_languages(languages) or languages_of_bundle(bundle)
    report = FineTuningReport.from_options(bundle, *tests, columns, pair, gate)
    data = _data_settings(files, valid_files, columns, pair)
    if minutes is not None and (workers > 1 or launched_by_torchrun()):
        raise UsageError("--minutes measures one process. Leave out --workers, or set train.steps.")
    directory = RunDirectory(out)
    overrides: list[Override] = [data, *(set_ or [])]
    presets = [preset]
    resumed = minutes is not None and directory.last_step is not None
    accepted: AcceptChanges = accept_changes
    if resumed:
        overrides.append(chosen_before(directory))
        accepted = accept_changes or PLANNED
    if source is not None and config is None and preset is None and bundle is None:
        if resumed:
            config = str(directory.config)
        else:
            presets = choose_presets(data["data"]["train"][0], minutes)
    runs = [_load_run(config, name, bundle, overrides) for name in presets]
    if old is not None:
        mixed = {"files": old, **columns_setting(columns, old), **languages_setting(pair)}
        runs = [_mix_in(run, mixed) for run in runs]
    run = runs[0]
    inputs = [path for files in (*tests, old) for path in files or ()]
    inputs += [] if bundle is None else [str(bundle.path)]
    directory.check([*inputs, *(path for each in runs for path in run_inputs(each))])
    if workers > 1 and not launched_by_torchrun():
        with directory.lock(), show_stages("prepared") as on_progress:
            prepare_data(run, directory, on_progress, accept_changes=accept_changes)
        launch(workers, "regard", sys.argv[1:])
        if report is not None:
            report.show(run, directory)
        return
    if threads is not None:
        import torch

        torch.set_num_threads(threads)
    with join_world() as world, directory.lock() if world.is_main else nullcontext():
        if minutes is not None and not resumed:
            names = [str(config or name or from_) for name in presets]
            candidates = dict(zip(names, runs, strict=True))
            run = fit_to_time(candidates, directory, world, started + 60 * minutes, minutes)
        elif minutes is not None:
            run = continue_for(minutes, run, directory, world, started + 60 * minutes)
        if world.is_main:
            with show_stages("prepared") as on_progress:
                prepare_data(run, directory, on_progress, accept_changes=accepted)
        world.wait()
        with show_progress() as progress:
            loggers: list[EventHandler] = []
            if world.is_main:
                loggers = [progress, *make_loggers(directory, tensorboard, mlflow, wandb)]
            outcome = train_run(
                run,
                directory,
                world,
                loggers=loggers,
                initial=bundle,
                accept_changes=accepted,
            )
    if not outcome.complete and not launched_by_torchrun():  # torchrun would restart the process
        print(
            "To end the run here and save its best weights: "
            f"regard train --finish --out {shlex.quote(str(out))}",
            file=sys.stderr,
        )
        raise typer.Exit(INTERRUPTED)
    if world.is_main and outcome.complete:
        print(directory.model)
        if report is not None and not launched_by_torchrun():  # `launch` reports at its end
            report.show(run, directory)


def _training_files(
    source: str | None, target: str | None, *single_files: str | None
) -> list[str] | None:
    """Return the training files, whichever option names them."""
    from regard.data.formats.corpus import is_pair_file

    if source is None and target is not None:
        raise UsageError("--target needs --source.")
    if source is not None and target is None and not is_pair_file(source):
        raise UsageError(
            f"--source {source}: --target is missing. A file that has both sides ends in .tsv, "
            ".jsonl, .parquet or .tmx."
        )
    corpora = [[file] for file in single_files if file is not None]
    if source is not None:
        corpora.append([source] if target is None else [source, target])
    if len(corpora) > 1:
        raise UsageError("Give only one of: --source, --text, --documents, --images.")
    return corpora[0] if corpora else None


def _data_settings(
    train: list[str] | None,
    valid: list[str] | None,
    columns: tuple[str, str] | None,
    languages: tuple[str, str] | None,
) -> dict[str, Any]:
    """Return the `data` settings that the options give."""

    def corpus(files: list[str]) -> dict[str, Any]:
        return {"files": files, **columns_setting(columns, files), **languages_setting(languages)}

    data: dict[str, Any] = {}
    if train is not None:
        data["train"] = [corpus(train)]
    if valid is not None:
        data["valid"] = [corpus(valid)]
    return {"data": data}


def _load_run(
    config: str | None, preset: str | None, bundle: Bundle | None, overrides: Sequence[Override]
) -> RunConfig:
    from regard.config.load import change_config, load_config
    from regard.tasks.bundles import bundle_config
    from regard.tasks.training import fine_tuning_settings

    names = [name for name in (config, preset) if name is not None]
    if len(names) + (bundle is not None) != 1:
        raise UsageError(
            "Give exactly one of: a run file, --preset NAME, --from MODEL. "
            "`regard describe` lists the presets."
        )
    if bundle is None:
        return load_config(names[0], overrides)
    run = bundle_config(bundle)
    return change_config(run, [fine_tuning_settings(bundle, run), *overrides], str(bundle.path))


def _finish(directory: RunDirectory, threads: int | None) -> None:
    """Save the best weights of a run."""
    import torch

    from regard.cli.progress import show_progress
    from regard.tasks.training import finish_run, saved_config
    from regard.train.distributed import join_world

    if threads is not None:
        torch.set_num_threads(threads)
    saved_config(directory)
    directory.check()
    with join_world() as world, directory.lock(), show_progress() as progress:
        finish_run(directory, world, loggers=[progress, directory.jsonl_logger()])
    print(directory.model)


def _mix_in(run: RunConfig, old: dict[str, Any]) -> RunConfig:
    """Add a training corpus, weighted so that an epoch reads it as often as all other data."""
    from regard.config.data import CorpusConfig
    from regard.tasks.base import task_for

    def count(corpus: CorpusConfig) -> int:
        return count_examples(task_for(run).corpus(corpus, "mix"))

    new = sum(map(count, run.data.train))
    if not new:
        raise UsageError("--mix needs new training data to mix with. Add --source and --target.")
    examples = max(1, count(CorpusConfig(**old)))
    weight = new / examples
    if not CORPUS_WEIGHT.low <= weight <= CORPUS_WEIGHT.high:
        raise UsageError(
            f"--mix: has {examples:,} examples, and the new data have {new:,}. An epoch would read "
            f"it {weight:g} times; from {CORPUS_WEIGHT.low:g} to {CORPUS_WEIGHT.high:,.0f} times "
            f"are possible. Mix in {'more' if weight > 1 else 'fewer'} examples."
        )
    mixed = (*run.data.train, CorpusConfig(**old, weight=weight))
    data = run.data.model_copy(update={"train": mixed, "mix_corpora": True})
    return run.model_copy(update={"data": data})
