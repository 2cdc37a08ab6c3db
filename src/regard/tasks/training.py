"""From a run to a trained, sealed model: what `regard train` does, whatever the model is for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.bundle.bundle import RUN, SCORES, Bundle, save_bundle
from regard.bundle.restore import restore
from regard.config.load import dump_config
from regard.config.run import RunConfig
from regard.data.loading.shards import PreparedData
from regard.data.preparation.prepare import ProgressCallback, prepare_corpora
from regard.data.preparation.runner import InProcessRunner
from regard.errors import ArtifactError, ConfigError
from regard.tasks.base import Task, task_for
from regard.tasks.batches import corpus_name
from regard.tasks.bundles import bundle_tokenizer
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, SentencePiece
from regard.train import checkpoint
from regard.train.distributed import World, full_tensor
from regard.train.dry_run import DryRun
from regard.train.events import EventHandler
from regard.train.loggers.jsonl import JsonlLogger
from regard.train.train_state import copy_into
from regard.train.trainer import Trainer, TrainingOutcome

FREE = ("train.save_every", "train.parallel", "train.performance")
"""Settings that a run may change on its way and be the same run; precision is watched apart."""


@dataclass(frozen=True, slots=True)
class RunDirectory:
    """The folder of a run.

    data/         token shards
    checkpoints/  what the run goes on from
    weights/      what was validated and may still be wanted
    log.jsonl     all that happened
    run.yaml      the resolved run
    model/        the sealed model
    """

    path: Path

    @property
    def data(self) -> Path:
        return self.path / "data"

    @property
    def log(self) -> Path:
        return self.path / "log.jsonl"

    @property
    def model(self) -> Path:
        return self.path / "model"

    @property
    def checkpoints(self) -> list[int]:
        """Of which steps there are checkpoints, the newest first."""
        return checkpoint.checkpoint_steps(self.path / "checkpoints")

    @property
    def last_step(self) -> int | None:
        """The step that the run goes on from; None: it has none, and begins."""
        return next(iter(self.checkpoints), None)

    def journal(self) -> JsonlLogger:
        return JsonlLogger(self.log, after=self.last_step)


def prepare_data(run: RunConfig, directory: RunDirectory, tell: ProgressCallback) -> PreparedData:
    """The run's corpora as token shards; what was prepared before is not prepared again."""
    use, data = task_for(run), run.data
    if not data.train:
        raise ConfigError(f"data.train: names no corpus; say {use.options}, or write it in the run")
    if run.train.metric not in use.metrics:
        raise ConfigError(
            f"train.metric: such a model is judged by {', '.join(use.metrics)}, and not by "
            f"{run.train.metric}; say train.metric={use.metrics[0]}"
        )
    if run.train.coverage and not use.supports_coverage:
        raise ConfigError("train.coverage: is for models that look at pictures; say 0")
    if run.train.guided_alignment is not None and not use.supports_guide:
        raise ConfigError("train.guided_alignment: is for models that translate; say null")
    corpora = [use.corpus(corpus, corpus_name(i)) for i, corpus in enumerate(data.train)]
    valid = [] if data.valid is None else [use.corpus(data.valid, "valid")]
    settings = use.preparation(data)
    prepared = prepare_corpora(
        corpora, str(directory.data), settings, InProcessRunner(), valid=valid, tell=tell
    )
    use.prepare_extras(run, prepared.root, tell)
    return prepared


def train_run(
    run: RunConfig,
    directory: RunDirectory,
    world: World,
    *,
    loggers: Sequence[EventHandler] = (),
    initial: Bundle | None = None,  # whose weights the run begins with
    accept_changes: bool = False,
) -> TrainingOutcome:
    """Train on prepared data, from the beginning or from where the folder's run stopped, and seal
    the best model."""
    use, trainer = _trainer(run, directory, world, loggers, initial, accept_changes)
    if world.is_main:
        (directory.path / RUN).write_text(dump_config(run), "utf-8")
    outcome = trainer.run()
    if outcome.complete:
        weights = {name: full_tensor(tensor) for name, tensor in trainer.state.weights().items()}
        if world.is_main:
            model = use.build_model(trainer.module)
            with torch.no_grad():
                copy_into(dict(model.named_parameters()), weights)
            known = use.bundle_files(trainer.module, model, outcome)
            _save_model(run, directory, outcome, weights, known)
    world.wait()
    return outcome


def dry_run(run: RunConfig, directory: RunDirectory, world: World) -> tuple[int, DryRun]:
    """How many parameters a run on prepared data has, and what its steps take."""
    _, trainer = _trainer(run, directory, world)
    count = sum(parameter.numel() for parameter in trainer.state.parameters.values())
    return count, trainer.dry_run()


def _trainer(
    run: RunConfig,
    home: RunDirectory,
    world: World,
    observers: Sequence[EventHandler] = (),
    begin_from: Bundle | None = None,
    accept_changes: bool = False,
) -> tuple[Task[Any], Trainer]:
    prepared = PreparedData.open(str(home.data))
    tokenizer = SentencePiece.load(home.data)
    use = task_for(run)
    task = use.make_module(run, prepared, tokenizer)
    if begin_from is not None:
        _check_vocabulary(tokenizer, begin_from)
        use.check_compatible(task, begin_from)
        restore(task.model, begin_from)
    return use, Trainer(
        task,
        run.train.build(),
        home.path,
        world,
        observers,
        environment={**_environment(run), **use.environment(task)},
        accept_changes=accept_changes,
    )


def _save_model(
    run: RunConfig,
    home: RunDirectory,
    outcome: TrainingOutcome,
    weights: dict[str, Tensor],
    known: dict[str, bytes],
) -> None:
    found = outcome.scores
    scores = {} if found is None else {"values": found.values, "signatures": found.signatures}
    files = {
        RUN: dump_config(run).encode(),
        SCORES: json.dumps({"step": outcome.best_step, **scores}, indent=1).encode(),
        **{name: (home.data / name).read_bytes() for name in (MODEL_FILE, SETTINGS_FILE)},
        **known,
    }
    save_bundle(home.model, files, weights)


def fine_tuning_settings(bundle: Bundle, run: RunConfig) -> dict[str, Any]:
    """Return the settings in which fine-tuning `bundle` differs from `run`, its own config.

    A fifth of the learning rate, with a short warmup and then constant, keeps what the model has
    learned. A thousand steps read 20,000 pairs about twenty times; patience ends the run earlier.
    """
    return {
        "data": {"train": [], "valid": None, "tokenizer": str(bundle.path)},
        "train": {
            "optimizer": {"rate": run.train.optimizer.rate / 5},
            "schedule": {"kind": "constant", "warmup": 100},
            "guided_alignment": None,  # its links belong to the old pairs
            "steps": 1000,
            "validate_every": 100,
            "save_every": 100,
            "patience": 5,
            "ema": 0,
            "average_checkpoints": 1,
        },
    }


def _check_vocabulary(tokenizer: SentencePiece, begin_from: Bundle) -> None:
    if bundle_tokenizer(begin_from).fingerprint != tokenizer.fingerprint:
        raise ArtifactError(
            f"{begin_from.path}: has another vocabulary than the prepared data; choose another "
            "--out, so that they are prepared with the model's own"
        )


def _environment(run: RunConfig) -> dict[str, Any]:
    """The settings that a checkpoint belongs to, by their places in the run file."""
    found: dict[str, Any] = {}

    def walk(path: str, settings: Any) -> None:
        if path in FREE:
            return
        if isinstance(settings, dict):
            for name, value in settings.items():
                walk(f"{path}.{name}", value)
        else:
            found[path] = settings

    for section in ("model", "train", "search"):
        walk(section, run.model_dump(mode="json")[section])
    return found
