"""What `regard train` does with its options: choose the run, prepare its data, train and report.

With `--minutes` the presets that may be chosen are measured first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import torch

from regard.bounds import CORPUS_WEIGHT
from regard.bundle.bundle import Bundle, open_bundle
from regard.cli.corpus_options import check_columns, columns_setting, languages_setting
from regard.cli.fine_tuning import FineTuningReport, languages_of_bundle
from regard.cli.options import UsageError
from regard.cli.prepare import show_stages
from regard.cli.progress import show_progress
from regard.cli.train_minutes import (
    PLANNED,
    choose_presets,
    chosen_before,
    continue_for,
    count_characters,
    fit_to_time,
)
from regard.cli.train_options import ComparisonArguments, LoggerArguments, make_loggers
from regard.config.data import CorpusConfig
from regard.config.load import Override, change_config, load_config
from regard.config.run import RunConfig
from regard.tasks.base import task_for
from regard.tasks.bundles import bundle_config
from regard.tasks.training import (
    RunDirectory,
    fine_tuning_settings,
    finish_run,
    prepare_data,
    run_inputs,
    saved_config,
    train_run,
)
from regard.train.distributed import World, join_world, launch, launched_by_torchrun
from regard.train.events import EventHandler
from regard.train.trainer import AcceptChanges, TrainingOutcome


@dataclass(frozen=True, slots=True)
class TrainingInputs:
    """What a run starts from: files of corpora, and a bundle to fine-tune."""

    bundle: Bundle | None
    train: list[str] | None
    valid: list[str] | None
    mix: list[str] | None
    columns: tuple[str, str] | None
    languages: tuple[str, str] | None

    @classmethod
    def open(
        cls,
        model: Path | None,
        train: list[str] | None,
        valid: list[str] | None,
        mix: list[str] | None,
        columns: tuple[str, str] | None,
        languages: tuple[str, str] | None,
    ) -> TrainingInputs:
        """Open the bundle; its languages are those of the corpora unless `languages` are given."""
        bundle = None if model is None else open_bundle(model)
        pair = languages or languages_of_bundle(bundle)
        return cls(bundle, train, valid, mix, columns, pair)

    def comparison(self, arguments: ComparisonArguments) -> FineTuningReport | None:
        """Return the report of the scores before and after; None if there is none."""
        check_columns(
            self.columns,
            self.train,
            self.valid,
            self.mix,
            arguments.test_files,
            arguments.general_files,
        )
        return FineTuningReport.from_options(self.bundle, arguments, self.columns, self.languages)

    def corpus(self, files: list[str]) -> dict[str, object]:
        """Return the settings of a corpus."""
        columns = columns_setting(self.columns, files)
        return {"files": files, **columns, **languages_setting(self.languages)}

    def settings(self) -> dict[str, dict[str, object]]:
        """Return the `data` settings of the corpora."""
        corpora = {"train": self.train, "valid": self.valid}
        return {
            "data": {
                name: [self.corpus(files)] for name, files in corpora.items() if files is not None
            }
        }

    def add_mixed(self, run: RunConfig) -> RunConfig:
        """Add the earlier corpus, weighted so that as much of it is read as of all other data.

        Texts are measured in characters: sentences of two corpora may differ in length. A step has
        twice as many batches, so that it still reads as much of the new data.
        """
        if self.mix is None:
            return run
        new = sum(_count_characters(run, corpus) for corpus in run.data.train)
        if not new:
            raise UsageError(
                "--mix needs new training data to mix with. Add --source and --target."
            )
        earlier = CorpusConfig.model_validate(self.corpus(self.mix))
        mixed_in = max(1, _count_characters(run, earlier))
        weight = new / mixed_in
        if not CORPUS_WEIGHT.low <= weight <= CORPUS_WEIGHT.high:
            raise UsageError(
                f"--mix: has {mixed_in:,} characters, and the new data have {new:,}. An epoch "
                f"would read it {weight:g} times; from {CORPUS_WEIGHT.low:g} to "
                f"{CORPUS_WEIGHT.high:,.0f} times are possible. Mix in "
                f"{'more' if weight > 1 else 'less'} text."
            )
        mixed = (*run.data.train, earlier.model_copy(update={"weight": weight}))
        data = run.data.model_copy(update={"train": mixed, "mix_corpora": True})
        train = run.train.model_copy(update={"micro_batches": 2 * run.train.micro_batches})
        return run.model_copy(update={"data": data, "train": train})


@dataclass(frozen=True, slots=True)
class TrainingRequest:
    """The run that the options describe."""

    inputs: TrainingInputs
    config: str | None
    preset: str | None
    out: Path
    settings: list[str]
    minutes: float | None
    deadline: float | None  # of the clock `monotonic`, with `minutes`
    accept_changes: bool

    def check_processes(self, workers: int) -> None:
        if self.minutes is not None and (workers > 1 or launched_by_torchrun()):
            raise UsageError(
                "--minutes measures one process. Leave out --workers, or set train.steps."
            )

    def plan(self, *, has_pairs: bool, also_read: Iterable[str]) -> TrainingPlan:
        """Read the configs of the run, and check its directory.

        Args:
            has_pairs: Sentence pairs are given: their number can select a preset.
            also_read: Files besides those of the run, which it must not replace.
        """
        directory, bundle = RunDirectory(self.out), self.inputs.bundle
        resumed = self.minutes is not None and directory.last_step is not None
        overrides: list[Override] = [self.inputs.settings(), *self.settings]
        if resumed:
            overrides.append(chosen_before(directory))
        config, presets = self.config, [self.preset]
        if has_pairs and config is None and self.preset is None and bundle is None:
            config, presets = self._choose(directory, resumed)
        candidates = {
            str(config or preset or (bundle and bundle.path)): self.inputs.add_mixed(
                self._load(config, preset, overrides)
            )
            for preset in presets
        }
        inputs = [*also_read, *(self.inputs.mix or ())]
        inputs += [] if bundle is None else [str(bundle.path)]
        inputs += [path for run in candidates.values() for path in run_inputs(run)]
        directory.check(inputs)
        return TrainingPlan(self, directory, candidates, resumed)

    def _choose(
        self, directory: RunDirectory, resumed: bool
    ) -> tuple[str | None, list[str | None]]:
        """Return the run file of a run that continues, or the presets for sentence pairs."""
        if resumed:
            return str(directory.config), [None]
        return None, choose_presets(self.inputs.corpus(self.inputs.train or []), self.minutes)

    def _load(
        self, config: str | None, preset: str | None, overrides: Iterable[Override]
    ) -> RunConfig:
        bundle = self.inputs.bundle
        names = [name for name in (config, preset) if name is not None]
        if len(names) + (bundle is not None) != 1:
            raise UsageError(
                "Give exactly one of: a run file, --preset NAME, --from MODEL. "
                "`regard describe` lists the presets."
            )
        if bundle is None:
            return load_config(names[0], overrides)
        run = bundle_config(bundle)
        settings = [fine_tuning_settings(bundle, run), *overrides]
        return change_config(run, settings, str(bundle.path))


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """A run that can start: its directory, and the configs of which `--minutes` chooses one."""

    request: TrainingRequest
    directory: RunDirectory
    candidates: Mapping[str, RunConfig]
    resumed: bool  # with --minutes

    @property
    def accepted(self) -> AcceptChanges:
        """The changes with which the run may resume."""
        return self.request.accept_changes or (PLANNED if self.resumed else False)

    @property
    def first(self) -> RunConfig:
        return next(iter(self.candidates.values()))

    def run(
        self,
        workers: int,
        threads: int | None,
        loggers: LoggerArguments,
        report: FineTuningReport | None,
    ) -> bool:
        """Prepare the data, train and report; return False if the run was interrupted."""
        if workers > 1 and not launched_by_torchrun():
            with self.directory.lock(), show_stages("prepared") as on_progress:
                prepare_data(self.first, self.directory, on_progress, accept_changes=self.accepted)
            launch(workers, "regard", sys.argv[1:])
            if report is not None:
                report.show(self.first, self.directory)
            return True
        if threads is not None:
            torch.set_num_threads(threads)
        with join_world() as world, self.directory.lock() if world.is_main else nullcontext():
            run, outcome = self._train(world, loggers)
        if world.is_main and outcome.complete:
            print(self.directory.model)
            if report is not None and not launched_by_torchrun():  # `launch` reports at its end
                report.show(run, self.directory)
        return outcome.complete or launched_by_torchrun()  # torchrun would restart the process

    def _train(self, world: World, loggers: LoggerArguments) -> tuple[RunConfig, TrainingOutcome]:
        run = self._fit(world)
        if world.is_main:
            with show_stages("prepared") as on_progress:
                prepare_data(run, self.directory, on_progress, accept_changes=self.accepted)
        world.wait()
        with show_progress() as progress:
            handlers: list[EventHandler] = []
            if world.is_main:
                handlers = [progress, *make_loggers(self.directory, loggers)]
            outcome = train_run(
                run,
                self.directory,
                world,
                loggers=handlers,
                initial=self.request.inputs.bundle,
                accept_changes=self.accepted,
            )
        return run, outcome

    def _fit(self, world: World) -> RunConfig:
        """Return the run whose steps fit into the time."""
        minutes, deadline = self.request.minutes, self.request.deadline
        if minutes is None or deadline is None:
            return self.first
        if self.resumed:
            return continue_for(minutes, self.first, self.directory, world, deadline)
        return fit_to_time(dict(self.candidates), self.directory, world, deadline, minutes)


def finish(out: Path, threads: int | None) -> None:
    """Save the best weights of an interrupted run."""
    directory = RunDirectory(out)
    if threads is not None:
        torch.set_num_threads(threads)
    saved_config(directory)
    directory.check()
    with join_world() as world, directory.lock(), show_progress() as progress:
        finish_run(directory, world, loggers=[progress, directory.jsonl_logger()])
    print(directory.model)


def _count_characters(run: RunConfig, corpus: CorpusConfig) -> int:
    return count_characters(task_for(run).corpus(corpus, "mix"))
