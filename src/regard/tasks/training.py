"""Training a model for any task: data preparation, training, saving the model bundle."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import yaml
from torch import Tensor

from regard.bundle.bundle import RUN, SCORES, WEIGHTS, Bundle, bundle_tokenizers, save_bundle
from regard.bundle.parts import pack, restore
from regard.config.load import dump_config, parse_config
from regard.config.run import RunConfig
from regard.data.directory_lock import lock_directory
from regard.data.loading.shards import (
    PreparedData,
    describe_drops,
    load_tokenizers,
    tokenizer_paths,
)
from regard.data.ownership import RUN as RUN_DIRECTORY
from regard.data.ownership import (
    adopt_file,
    check_claim,
    claim,
    read_marker,
    replace_file,
    write_file,
)
from regard.data.preparation.prepare import (
    ProgressCallback,
    prepare_corpora,
    updated_copy,
)
from regard.data.preparation.runner import InProcessRunner
from regard.errors import ArtifactError, ConfigError
from regard.tasks.base import Task, corpus_name, task_for, valid_name
from regard.tasks.resuming import check_resumable, check_same_data, data_facts, setting_facts
from regard.text.tagged_tokenizer import joint_fingerprint, tokenizer_files
from regard.text.tokenizer import Tokenizer
from regard.train import checkpoint
from regard.train.checkpoint import copy_into
from regard.train.distributed import World, full_tensor
from regard.train.dry_run import DryRun
from regard.train.events import Event, EventHandler
from regard.train.loggers.jsonl import JsonlLogger
from regard.train.trainer import (
    AcceptChanges,
    Trainer,
    TrainingOutcome,
)

MODEL_WEIGHTS = f"model/{WEIGHTS}"


@dataclass(frozen=True, slots=True)
class RunDirectory:
    """The directory of a run.

    data/         token shards
    checkpoints/  the last checkpoints
    weights/      weights of validated steps
    log.jsonl     events of the run
    run.yaml      the resolved config
    model/        the model bundle
    """

    path: Path

    @property
    def data(self) -> Path:
        return self.path / "data"

    @property
    def config(self) -> Path:
        return self.path / RUN

    @property
    def log(self) -> Path:
        return self.path / "log.jsonl"

    @property
    def model(self) -> Path:
        return self.path / "model"

    @property
    def checkpoints(self) -> list[int]:
        """Steps that have a checkpoint, newest first."""
        return checkpoint.checkpoint_steps(self.path / "checkpoints")

    @property
    def last_step(self) -> int | None:
        """Step of the newest checkpoint; None if there is none."""
        return next(iter(self.checkpoints), None)

    @property
    def last_checkpoint(self) -> Path | None:
        """The directory of the newest checkpoint; None if there is none."""
        step = self.last_step
        root = self.path / "checkpoints"
        return None if step is None else checkpoint.checkpoint_folder(root, step)

    def check(self, inputs: Iterable[str] = ()) -> None:
        """Refuse a directory in which training would replace files that it did not create."""
        path = str(self.path)
        check_claim(path, RUN_DIRECTORY, inputs)
        if read_marker(path) is None and self.config.exists():
            _check_generated(self.config)

    def claim(self, inputs: Iterable[str] = ()) -> None:
        """Check the directory as `check` does, and mark it as that of a run."""
        self.check(inputs)
        path = str(self.path)
        new = read_marker(path) is None
        claim(path, RUN_DIRECTORY)
        if new:  # of version 0.2, which wrote no markers
            for name in (RUN, MODEL_WEIGHTS):
                adopt_file(path, name)

    def lock(self) -> AbstractContextManager[None]:
        """Return a context that keeps other processes from writing to the directory."""
        return lock_directory(self.path)

    def jsonl_logger(self) -> JsonlLogger:
        """Return a logger that continues `log.jsonl` from the newest checkpoint."""
        return JsonlLogger(self.log, resume_step=self.last_step)


def prepare_data(
    run: RunConfig,
    directory: RunDirectory,
    on_progress: ProgressCallback,
    *,
    accept_changes: AcceptChanges = False,
) -> PreparedData:
    """Tokenize the run's corpora into shards. Data that are already prepared are reused.

    Args:
        accept_changes: as of `train_run`.

    Raises:
        ConfigError: the run names no corpus, a setting does not apply to its task, or the directory
            has files that are not of a run.
        ArtifactError: the directory has another run, which cannot resume. It stays as it was.
    """
    task, data = task_for(run), run.data
    _check_settings(run)
    corpora = [task.corpus(corpus, corpus_name(i)) for i, corpus in enumerate(data.train)]
    valid = [task.corpus(corpus, valid_name(i)) for i, corpus in enumerate(data.valid)]
    settings = task.preparation(data)
    directory.check(run_inputs(run))
    last = directory.last_checkpoint
    if last is not None:
        check_resumable(run, last, directory.data, corpora, settings, valid, accept_changes)
    task.check_extras(run)

    def prepare(folder: Path) -> PreparedData:
        prepared = prepare_corpora(
            corpora,
            str(folder),
            settings,
            InProcessRunner(),
            valid=valid,
            on_progress=on_progress,
        )
        task.prepare_extras(run, prepared, on_progress)
        return prepared

    directory.claim()
    if last is None:
        return prepare(directory.data)
    with updated_copy(directory.data) as copy:
        check_same_data(run, last, directory.data, prepare(copy), accept_changes)
    return PreparedData.open(str(directory.data))


def _check_settings(run: RunConfig) -> None:
    """Refuse settings that do not apply to the task of a run, and a run without a corpus."""
    task, data = task_for(run), run.data
    if not data.train:
        raise ConfigError(
            f"data.train: no corpus is given. Pass {task.options}, or name it in the run file."
        )
    if run.train.metric not in task.metrics:
        raise ConfigError(
            f"train.metric: {run.train.metric} is not a metric of this task. Choose one of "
            f"{', '.join(task.metrics)}."
        )
    if run.train.coverage and not task.supports_coverage:
        raise ConfigError("train.coverage: applies to captioning models only. Set it to 0.")
    if run.train.guided_alignment is not None and not task.supports_guide:
        raise ConfigError(
            "train.guided_alignment: applies to translation models only. Set it to null."
        )
    if data.target_vocabulary is not None and not task.supports_separate_tokenizers:
        raise ConfigError(
            "data.target_vocabulary: only translation models have a source and a target "
            "vocabulary. Set it to null."
        )
    if not task.supports_tags and (len(data.valid) > 1 or any(c.tags for c in data.train)):
        raise ConfigError(
            "data: `languages`, `tag` and a list of validation corpora apply to translation models "
            "only. Remove them."
        )


def run_inputs(run: RunConfig) -> list[str]:
    """Return the paths of the files that a run reads."""
    paths = [path for corpus in (*run.data.train, *run.data.valid) for path in corpus.files]
    if run.data.tokenizer is not None:
        paths += tokenizer_paths(run.data.tokenizer)
    guided = run.train.guided_alignment
    if guided is not None and guided.links != "auto":
        paths.append(guided.links)
    return paths


def _check_generated(path: Path) -> None:
    """Refuse to replace a run file that was written or edited by hand."""
    text = path.read_text("utf-8")
    if yaml.safe_dump(yaml.safe_load(text), sort_keys=False, allow_unicode=True) != text:
        raise ConfigError(
            f"{path}: has been edited, and training would replace it. Move it away, and pass it as "
            "CONFIG."
        )


def train_run(
    run: RunConfig,
    directory: RunDirectory,
    world: World,
    *,
    loggers: Sequence[EventHandler] = (),
    initial: Bundle | None = None,
    accept_changes: AcceptChanges = False,
    should_stop: Callable[[], bool] = lambda: False,
    finish: bool = False,
) -> TrainingOutcome:
    """Train on prepared data and save the best model as a bundle.

    Args:
        directory: its run is resumed if it has a checkpoint.
        loggers: called with each event, in the main process only.
        initial: bundle with the initial weights, for fine-tuning.
        accept_changes: resume even if settings have changed, or those of these names.
        should_stop: called after each event, in the main process only. Once it returns True, the
            run ends as if interrupted.
        finish: do not train, but save the best weights so far.
    """

    def stop_on_request(event: Event) -> None:
        if should_stop():
            trainer.stop()

    handlers = (*loggers, stop_on_request)
    if world.is_main:
        directory.claim(run_inputs(run))
    prepared = PreparedData.open(str(directory.data))
    tokenizers = load_tokenizers(str(directory.data))
    task, trainer = make_trainer(run, directory, world, handlers, initial, accept_changes)
    if finish:
        outcome = trainer.finish()
    else:
        trainer.start()
        if world.is_main:
            write_file(str(directory.path), RUN, dump_config(run).encode())
        outcome = trainer.run()
    if outcome.complete:
        weights = {name: full_tensor(tensor) for name, tensor in trainer.state.weights().items()}
        if world.is_main:
            model = task.build_model(trainer.module)
            with torch.no_grad():
                copy_into(dict(model.named_parameters()), weights)
            _check_unchanged(prepared)
            task_files = task.bundle_files(trainer.module, model, outcome)
            files = task_files | tokenizer_files(*tokenizers)
            _save_model(run, directory, outcome, weights, files)
    world.wait()
    return outcome


def finish_run(
    directory: RunDirectory, world: World, *, loggers: Sequence[EventHandler] = ()
) -> TrainingOutcome:
    """Save the best weights of a run as a bundle, without more training.

    The same run can be resumed afterwards.

    Raises:
        ArtifactError: the directory has no checkpoint of a run.
    """
    run = saved_config(directory)
    return train_run(run, directory, world, loggers=loggers, finish=True)


def saved_config(directory: RunDirectory) -> RunConfig:
    """Return the config of a run that has a checkpoint. Raises ArtifactError if it has none."""
    if directory.last_step is None or not directory.config.exists():
        raise ArtifactError(
            f"{directory.path}: has no checkpoint of a run. Name a directory that `regard train` "
            "has written."
        )
    return parse_config(directory.config.read_text("utf-8"), str(directory.config), imports=True)


def dry_run(run: RunConfig, directory: RunDirectory, world: World) -> tuple[int, DryRun]:
    """Return the number of parameters of a run on prepared data, and the cost of its steps."""
    _, trainer = make_trainer(run, directory, world)
    count = sum(parameter.numel() for parameter in trainer.state.parameters.values())
    return count, trainer.dry_run()


def make_trainer(
    run: RunConfig,
    directory: RunDirectory,
    world: World,
    loggers: Sequence[EventHandler] = (),
    initial: Bundle | None = None,
    accept_changes: AcceptChanges = False,
) -> tuple[Task[Any], Trainer]:
    """Return the task of a run on prepared data, and its trainer, which has not started."""
    prepared = PreparedData.open(str(directory.data))
    tokenizers = load_tokenizers(str(directory.data))
    if joint_fingerprint(*tokenizers) != prepared.tokenizer:
        raise ArtifactError(
            f"{directory.data}: the tokenizer is not that of the shards. Prepare the data again, "
            "in another directory."
        )
    task = task_for(run)
    if tokenizers[0] is not tokenizers[1] and not task.supports_separate_tokenizers:
        raise ConfigError(
            "data.tokenizer: has separate tokenizers of source and target, which only translation "
            "models can use. Name another tokenizer, or none."
        )
    module = task.make_module(run, prepared, tokenizers[0])
    if dropped := sum(prepared.dropped.values()):
        reasons = describe_drops(prepared.dropped)
        module.facts["dropped"] = f"{dropped:,} of {prepared.read:,} records ({reasons})"
    if reasons := describe_drops(prepared.valid_dropped):
        module.facts["dropped to validate"] = f"records of the validation set ({reasons})"
    if initial is not None:
        _check_vocabulary(tokenizers, initial)
        task.check_compatible(module, initial)
        restore(module.model, initial)
    return task, Trainer(
        module,
        run.train.build(),
        directory.path,
        world,
        loggers,
        environment={
            **setting_facts(run),
            **data_facts(run, prepared),
        },
        accept_changes=accept_changes,
    )


def _save_model(
    run: RunConfig,
    directory: RunDirectory,
    outcome: TrainingOutcome,
    weights: dict[str, Tensor],
    other_files: dict[str, bytes],
) -> None:
    best = outcome.scores
    scores = {} if best is None else {"values": best.values, "signatures": best.signatures}
    files = {
        RUN: dump_config(run).encode(),
        WEIGHTS: pack(weights),
        SCORES: json.dumps({"step": outcome.best_step, **scores}, indent=1).encode(),
        **other_files,
    }
    replace_file(
        str(directory.path),
        MODEL_WEIGHTS,
        files[WEIGHTS],
        lambda: save_bundle(directory.model, files),
    )


def _check_unchanged(prepared: PreparedData) -> None:
    """Refuse to save a model with other data than those that it was trained on."""
    now = PreparedData.open(prepared.root)
    if now != prepared or joint_fingerprint(*load_tokenizers(prepared.root)) != prepared.tokenizer:
        raise ArtifactError(
            f"{prepared.root}: was replaced by another command during the training, so the model "
            "is not saved. Run the same command again to restore the data and save the model."
        )


def fine_tuning_settings(bundle: Bundle, run: RunConfig) -> dict[str, object]:
    """Return the settings in which fine-tuning `bundle` differs from `run`, its own config.

    A fifth of the learning rate, with a short warmup and then constant, keeps what the model has
    learned. A thousand steps read 20,000 pairs about twenty times; patience ends the run earlier.
    """
    guided = run.train.guided_alignment
    if guided is not None and guided.links != "auto":
        guided = None  # the file belongs to the old pairs
    weights = bundle.files[WEIGHTS].sha256[:12]
    return {
        "fine_tuned_from": f"{bundle.path}, weights {weights}",
        "data": {
            "train": [],
            "valid": None,
            "tokenizer": str(bundle.path),
            "target_vocabulary": None,  # that of the model
        },
        "train": {
            "optimizer": {"rate": run.train.optimizer.rate / 5},
            "schedule": {"kind": "constant", "warmup": 100},
            "guided_alignment": None if guided is None else guided.model_dump(),
            "steps": 1000,
            "validate_every": 100,
            "save_every": 100,
            "patience": 5,
            "ema": 0,
            "average_checkpoints": 1,
        },
    }


def _check_vocabulary(tokenizers: tuple[Tokenizer, Tokenizer], initial: Bundle) -> None:
    if joint_fingerprint(*bundle_tokenizers(initial)) != joint_fingerprint(*tokenizers):
        raise ArtifactError(
            f"{initial.path}: the vocabulary differs from that of the prepared data. Choose "
            "another --out, so that the data are prepared with the model's vocabulary."
        )
