"""From a run to a trained, sealed model: what `regard train` does, whatever the model is for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.bundle.bundle import RUN, SCORES, Bundle, seal
from regard.bundle.restore import restore
from regard.data.batches.shards import Prepared
from regard.data.preparation.prepare import Tell, prepare
from regard.data.preparation.runner import InProcess
from regard.errors import ArtefactError, SpecError
from regard.spec.read import write_run
from regard.spec.run import Run
from regard.tasks.sealed import sealed_run, sealed_tokenizer
from regard.tasks.stream import corpus_name
from regard.tasks.use import Use, use_of
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, SentencePiece
from regard.train import checkpoint
from regard.train.mesh import World, whole
from regard.train.observers.journal import Journal
from regard.train.rehearsal import Rehearsal
from regard.train.report import Observer
from regard.train.state import fill
from regard.train.trainer import Outcome, Trainer

FREE = ("train.save_every", "train.parallel", "train.speed")
"""Settings that a run may change on its way and be the same run; precision is watched apart."""


@dataclass(frozen=True, slots=True)
class Home:
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
        return checkpoint.steps(self.path / "checkpoints")

    @property
    def reached(self) -> int | None:
        """The step that the run goes on from; None: it has none, and begins."""
        return next(iter(self.checkpoints), None)

    def journal(self) -> Journal:
        return Journal(self.log, after=self.reached)


def prepare_data(run: Run, home: Home, tell: Tell) -> Prepared:
    """The run's corpora as token shards; what was prepared before is not prepared again."""
    use, data = use_of(run), run.data
    if not data.train:
        raise SpecError(f"data.train: names no corpus; say {use.options}, or write it in the run")
    if run.train.metric not in use.metrics:
        raise SpecError(
            f"train.metric: such a model is judged by {', '.join(use.metrics)}, and not by "
            f"{run.train.metric}; say train.metric={use.metrics[0]}"
        )
    if run.train.coverage and not use.covers:
        raise SpecError("train.coverage: is for models that look at pictures; say 0")
    if run.train.guide is not None and not use.guided:
        raise SpecError("train.guide: is for models that translate; say null")
    corpora = [use.corpus(corpus, corpus_name(i)) for i, corpus in enumerate(data.train)]
    valid = [] if data.valid is None else [use.corpus(data.valid, "valid")]
    settings = use.settings(data)
    prepared = prepare(corpora, str(home.data), settings, InProcess(), valid=valid, tell=tell)
    use.accompany(run, prepared.root, tell)
    return prepared


def train(
    run: Run,
    home: Home,
    world: World,
    *,
    observers: Sequence[Observer] = (),
    begin_from: Bundle | None = None,  # whose weights the run begins with
    accept_changes: bool = False,
) -> Outcome:
    """Train on prepared data, from the beginning or from where the folder's run stopped, and seal
    the best model."""
    use, trainer = _trainer(run, home, world, observers, begin_from, accept_changes)
    if world.leads:
        (home.path / RUN).write_text(write_run(run), "utf-8")
    outcome = trainer.run()
    if outcome.complete:
        weights = {name: whole(tensor) for name, tensor in trainer.state.weights().items()}
        if world.leads:
            model = use.build(trainer.task)
            with torch.no_grad():
                fill(dict(model.named_parameters()), weights)
            known = use.tell(trainer.task, model, outcome)
            _seal(run, home, outcome, weights, known)
    world.wait()
    return outcome


def foresee(run: Run, home: Home, world: World) -> tuple[int, Rehearsal]:
    """How many parameters a run on prepared data has, and what its steps take."""
    _, trainer = _trainer(run, home, world)
    count = sum(parameter.numel() for parameter in trainer.state.parameters.values())
    return count, trainer.rehearse()


def _trainer(
    run: Run,
    home: Home,
    world: World,
    observers: Sequence[Observer] = (),
    begin_from: Bundle | None = None,
    accept_changes: bool = False,
) -> tuple[Use[Any], Trainer]:
    prepared = Prepared.open(str(home.data))
    tokenizer = SentencePiece.load(home.data)
    use = use_of(run)
    task = use.begin(run, prepared, tokenizer)
    if begin_from is not None:
        _must_fit(tokenizer, begin_from)
        use.must_fit(task, begin_from)
        restore(task.model, begin_from)
    return use, Trainer(
        task,
        run.train.build(),
        home.path,
        world,
        observers,
        circumstances={**_circumstances(run), **use.circumstances(task)},
        accept_changes=accept_changes,
    )


def _seal(
    run: Run,
    home: Home,
    outcome: Outcome,
    weights: dict[str, Tensor],
    known: dict[str, bytes],
) -> None:
    found = outcome.scores
    scores = {} if found is None else {"values": found.values, "signatures": found.signatures}
    files = {
        RUN: write_run(run).encode(),
        SCORES: json.dumps({"step": outcome.best_step, **scores}, indent=1).encode(),
        **{name: (home.data / name).read_bytes() for name in (MODEL_FILE, SETTINGS_FILE)},
        **known,
    }
    seal(home.model, files, weights)


def fine_tuning(bundle: Bundle) -> list[str]:
    """What a run that goes on teaching a sealed model changes of the model's own run.

    A fifth of the rate that it was taught with, without a long rise and held, keeps what it knows;
    a thousand steps read 20,000 pairs some twenty times, and the validation says when it is enough.
    """
    rate = sealed_run(bundle).train.optimizer.rate
    return [
        "data.train=[]",
        "data.valid=null",
        f"data.tokenizer={json.dumps(str(bundle.path))}",
        f"train.optimizer.rate={rate / 5}",
        "train.schedule={kind: constant, warmup: 100}",
        "train.guide=null",  # it links other pairs than the new ones
        "train.steps=1000",
        "train.validate_every=100",
        "train.save_every=100",
        "train.patience=5",
        "train.ema=0",
        "train.average=1",
    ]


def _must_fit(tokenizer: SentencePiece, begin_from: Bundle) -> None:
    if sealed_tokenizer(begin_from).fingerprint != tokenizer.fingerprint:
        raise ArtefactError(
            f"{begin_from.path}: has another vocabulary than the prepared data; choose another "
            "--out, so that they are prepared with the model's own"
        )


def _circumstances(run: Run) -> dict[str, Any]:
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
