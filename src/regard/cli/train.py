"""`regard train`: from text files to a model bundle."""

from __future__ import annotations

import math
import sys
from contextlib import nullcontext
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

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
from regard.cli.usage import UsageError, check_assignments
from regard.errors import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from regard.bundle.bundle import Bundle
    from regard.config.load import Override
    from regard.config.run import RunConfig
    from regard.data.formats.corpus import Corpus
    from regard.tasks.training import RunDirectory
    from regard.train.distributed import World
    from regard.train.events import EventHandler

QUICK_PRESET = "translate-quick"  # with --minutes, if there is no time for the others
PRESET_SIZES = {"translate-tiny": 300_000, "translate-base": 30_000_000, "translate-big": math.inf}
"""The most training pairs for which each preset is chosen."""


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
            help="Choose the number of steps, and the preset if none is given, so that the command "
            "takes about this long.",
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting: train.steps=4000."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes on this machine.")] = 1,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads per process.")] = None,
    accept_changes: Annotated[
        bool,
        typer.Option(
            "--accept-changes", help="Resume although the settings or the data have changed."
        ),
    ] = False,
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Log to TensorBoard.")] = False,
    mlflow: Annotated[bool, typer.Option("--mlflow", help="Log to MLflow.")] = False,
    wandb: Annotated[bool, typer.Option("--wandb", help="Log to Weights & Biases.")] = False,
) -> None:
    """Train a model and save the best weights as a model bundle.

    A translation model needs no preset: the number of pairs selects one, and with --minutes the
    speed of this machine.

    Run the same command again to resume after an interruption.

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
    """
    from regard.bundle.bundle import open_bundle
    from regard.cli.prepare import show_stages
    from regard.cli.progress import show_progress
    from regard.tasks.training import RunDirectory, prepare_data, train_run
    from regard.train.distributed import join_world, launch, launched_by_torchrun

    started = monotonic()
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
    if resumed:
        overrides.append(_chosen_before(directory))
    if source is not None and config is None and preset is None and bundle is None:
        if resumed:
            config = str(directory.config)
        else:
            presets = _choose_presets(data["data"]["train"][0], minutes)
    runs = [_load_run(config, name, bundle, overrides) for name in presets]
    if old is not None:
        mixed = {"files": old, **columns_setting(columns, old), **languages_setting(pair)}
        runs = [_mix_in(run, mixed) for run in runs]
    run = runs[0]
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
            run = _fit_to_time(candidates, directory, world, started + 60 * minutes)
        if world.is_main:
            with show_stages("prepared") as on_progress:
                prepare_data(run, directory, on_progress, accept_changes=accept_changes)
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
                accept_changes=accept_changes,
            )
    if not outcome.complete and not launched_by_torchrun():  # torchrun would restart the process
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


def _choose_presets(train: dict[str, Any], minutes: float | None) -> list[str | None]:
    """Return the translation preset for the number of training pairs.

    With `minutes`, also return the presets for less time before it, the smallest first.
    """
    from regard.config.data import CorpusConfig

    pairs = _count_examples(CorpusConfig(**train).build("train"))
    by_size = list(PRESET_SIZES)
    preset = next(name for name, most in PRESET_SIZES.items() if pairs <= most)
    if minutes is not None:
        return [QUICK_PRESET, *by_size[: by_size.index(preset) + 1]]
    print(f"{pairs:,} training pairs: preset {preset}. Use --preset for another.", file=sys.stderr)
    return [preset]


def _fit_to_time(
    candidates: dict[str, RunConfig], directory: RunDirectory, world: World, deadline: float
) -> RunConfig:
    """Return the candidate and the number of steps with which the command ends in time.

    The choice is saved in the run directory, so that a resumed run keeps it. Candidates are in the
    order of their size.
    """
    from regard.cli.prepare import show_stages
    from regard.config.load import dump_config
    from regard.data import storage
    from regard.tasks.time_budget import (
        MeasuredPreset,
        choose_preset,
        fit_steps,
        measure_cost,
    )
    from regard.tasks.training import prepare_data

    def prepare(run: RunConfig) -> None:
        with show_stages("prepared") as report:
            prepare_data(run, directory, report)

    def measure() -> Iterator[MeasuredPreset]:
        for name, run in candidates.items():
            prepare(run)
            print(f"measuring {name} …", file=sys.stderr, flush=True)
            cost = measure_cost(run, directory, world)
            yield MeasuredPreset(name, run.train.steps, cost, deadline - monotonic())

    preset, reason = choose_preset(measure())
    prepare(candidates[preset.name])  # a larger candidate may have replaced the data
    plan = fit_steps(preset.cost, preset.steps, deadline - monotonic())
    run = plan.apply(candidates[preset.name])
    storage.write_bytes(str(directory.config), dump_config(run).encode())
    print(f"{preset.name}: {plan}. {reason}", file=sys.stderr, flush=True)
    return run


def _chosen_before(directory: RunDirectory) -> dict[str, Any]:
    """Return the settings that `--minutes` has chosen when the run started."""
    from regard.config.load import load_config

    train = load_config(directory.config).train.model_dump(mode="json")
    print(
        f"{directory.path}: the run resumes with the {train['steps']:,} steps chosen at its start. "
        "Use another --out to choose anew.",
        file=sys.stderr,
    )
    return {"train": {key: train[key] for key in ("steps", "validate_every", "schedule")}}


def _count_examples(corpus: Corpus) -> int:
    from regard.data.formats.corpus import read_blocks

    return sum(len(block) for block in read_blocks(corpus, 1 << 16))


def _mix_in(run: RunConfig, old: dict[str, Any]) -> RunConfig:
    """Add a training corpus, weighted so that an epoch reads it as often as all other data."""
    from regard.config.data import CorpusConfig
    from regard.tasks.base import task_for

    def count(corpus: CorpusConfig) -> int:
        return _count_examples(task_for(run).corpus(corpus, "mix"))

    new = sum(map(count, run.data.train))
    if not new:
        raise UsageError("--mix needs new training data to mix with. Add --source and --target.")
    weight = new / max(1, count(CorpusConfig(**old)))
    mixed = (*run.data.train, CorpusConfig(**old, weight=weight))
    data = run.data.model_copy(update={"train": mixed, "mix_corpora": True})
    return run.model_copy(update={"data": data})
