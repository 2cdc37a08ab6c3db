"""Training a model for any task: data preparation, training, saving the model bundle."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.bundle.bundle import RUN, SCORES, WEIGHTS, Bundle, save_bundle
from regard.bundle.restore import restore
from regard.bundle.tokenizer import bundle_tokenizers
from regard.bundle.weights import pack
from regard.config.load import dump_config
from regard.config.run import RunConfig
from regard.data.directory_lock import lock_directory
from regard.data.formats.corpus import Corpus
from regard.data.loading.shards import PreparedData, describe_drops, shards_fingerprint
from regard.data.loading.tokenizers import load_tokenizers
from regard.data.preparation.prepare import (
    PreparationSettings,
    ProgressCallback,
    input_facts,
    prepare_corpora,
    prepared_facts,
)
from regard.data.preparation.runner import InProcessRunner
from regard.errors import ArtifactError, ConfigError
from regard.tasks.base import Task, task_for
from regard.tasks.batches import corpus_name, valid_name
from regard.text.stored_tokenizer import joint_fingerprint, tokenizer_files
from regard.text.tokenizer import Tokenizer
from regard.train import checkpoint
from regard.train.distributed import World, full_tensor
from regard.train.dry_run import DryRun
from regard.train.events import Event, EventHandler
from regard.train.loggers.jsonl import JsonlLogger
from regard.train.train_state import copy_into
from regard.train.trainer import Trainer, TrainingOutcome, cannot_resume

CHANGEABLE = (
    "train.save_every",
    "train.parallel",
    "train.performance",
    "train.max_loss_rise",
)
"""Settings that may change when a run resumes. The trainer checks the precision itself."""


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

    def lock(self) -> AbstractContextManager[None]:
        """Return a context that keeps other processes from writing to the directory."""
        return lock_directory(self.path)

    def jsonl_logger(self) -> JsonlLogger:
        """Return a logger that continues `log.jsonl` from the newest checkpoint."""
        return JsonlLogger(self.log, after=self.last_step)


def prepare_data(
    run: RunConfig,
    directory: RunDirectory,
    on_progress: ProgressCallback,
    *,
    accept_changes: bool = False,
) -> PreparedData:
    """Tokenize the run's corpora into shards. Data that are already prepared are reused.

    Args:
        accept_changes: as of `train_run`.

    Raises:
        ConfigError: the run names no corpus, or a setting does not apply to its task.
        ArtifactError: the directory has another run, which cannot resume. It stays as it was.
    """
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
    corpora = [task.corpus(corpus, corpus_name(i)) for i, corpus in enumerate(data.train)]
    valid = [task.corpus(corpus, valid_name(i)) for i, corpus in enumerate(data.valid)]
    settings = task.preparation(data)
    _check_resumable(run, directory, corpora, settings, valid, accept_changes)
    task.check_extras(run)
    prepared = prepare_corpora(
        corpora,
        str(directory.data),
        settings,
        InProcessRunner(),
        valid=valid,
        on_progress=on_progress,
    )
    task.prepare_extras(run, prepared, on_progress)
    return prepared


def _check_resumable(
    run: RunConfig,
    directory: RunDirectory,
    corpora: Sequence[Corpus],
    settings: PreparationSettings,
    valid: Sequence[Corpus],
    accept_changes: bool,
) -> None:
    """Refuse another run than that of the directory's checkpoint, before its data are replaced."""
    if (step := directory.last_step) is None:
        return
    path = checkpoint.checkpoint_folder(directory.path / "checkpoints", step)
    environment = _environment(run)
    environment.pop("train.guided_alignment.links", None)  # compared by content, when it is read
    changed = checkpoint.changed_environment(path, environment)
    facts, saved = input_facts(corpora, settings, valid), prepared_facts(str(directory.data))
    data = {
        name: f"data.{name} was {saved[name]} and is {value}"
        for name, value in facts.items()
        if saved and saved[name] != value
    }
    other_data = {name: text for name, text in data.items() if name != "valid"}
    if other_data:
        raise ArtifactError(
            f"{path}: the run was trained on other data: {'; '.join(other_data.values())}. Restore "
            "the original data and settings, or choose another --out."
        )
    if (changed or data) and not accept_changes:
        raise cannot_resume(path, {**changed, **data})


def train_run(
    run: RunConfig,
    directory: RunDirectory,
    world: World,
    *,
    loggers: Sequence[EventHandler] = (),
    initial: Bundle | None = None,
    accept_changes: bool = False,
    should_stop: Callable[[], bool] = lambda: False,
) -> TrainingOutcome:
    """Train on prepared data and save the best model as a bundle.

    Args:
        directory: its run is resumed if it has a checkpoint.
        loggers: called with each event, in the main process only.
        initial: bundle with the initial weights, for fine-tuning.
        accept_changes: resume even if settings have changed.
        should_stop: called after each event, in the main process only. Once it returns True, the
            run ends as if interrupted.
    """

    def stop_on_request(event: Event) -> None:
        if should_stop():
            trainer.stop()

    handlers = (*loggers, stop_on_request)
    task, trainer = make_trainer(run, directory, world, handlers, initial, accept_changes)
    trainer.start()
    if world.is_main:
        directory.config.write_text(dump_config(run), "utf-8")
    outcome = trainer.run()
    if outcome.complete:
        weights = {name: full_tensor(tensor) for name, tensor in trainer.state.weights().items()}
        if world.is_main:
            model = task.build_model(trainer.module)
            with torch.no_grad():
                copy_into(dict(model.named_parameters()), weights)
            task_files = task.bundle_files(trainer.module, model, outcome)
            _save_model(run, directory, outcome, weights, task_files)
    world.wait()
    return outcome


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
    accept_changes: bool = False,
) -> tuple[Task[Any], Trainer]:
    """Return the task of a run on prepared data, and its trainer, which has not started."""
    prepared = PreparedData.open(str(directory.data))
    tokenizers = load_tokenizers(str(directory.data))
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
            **_environment(run),
            "validation set": shards_fingerprint(prepared.shards("valid"))[:12],
            **task.environment(module),
        },
        accept_changes=accept_changes,
    )


def _save_model(
    run: RunConfig,
    directory: RunDirectory,
    outcome: TrainingOutcome,
    weights: dict[str, Tensor],
    task_files: dict[str, bytes],
) -> None:
    best = outcome.scores
    scores = {} if best is None else {"values": best.values, "signatures": best.signatures}
    files = {
        RUN: dump_config(run).encode(),
        WEIGHTS: pack(weights),
        SCORES: json.dumps({"step": outcome.best_step, **scores}, indent=1).encode(),
        **tokenizer_files(*load_tokenizers(str(directory.data))),
        **task_files,
    }
    save_bundle(directory.model, files)


def fine_tuning_settings(bundle: Bundle, run: RunConfig) -> dict[str, Any]:
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


def _environment(run: RunConfig) -> dict[str, Any]:
    """Return the settings that must not change when a run resumes, by their path."""
    settings: dict[str, Any] = {}

    def walk(path: str, value: Any) -> None:
        if path in CHANGEABLE:
            return
        if isinstance(value, dict):
            for name, item in value.items():
                walk(f"{path}.{name}", item)
        else:
            settings[path] = value

    for section in ("model", "train", "search"):
        walk(section, run.model_dump(mode="json")[section])
    return settings
