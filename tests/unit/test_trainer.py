"""The trainer, with a task that it knows nothing of."""

from __future__ import annotations

import hashlib
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from regard.errors import ArtifactError, ConfigError, TrainingError
from regard.train import checkpoint
from regard.train.events import (
    CheckpointSaved,
    Event,
    RolledBack,
    StepCompleted,
    TrainingEnded,
    TrainingStarted,
    ValidationCompleted,
)
from regard.train.optim import Adam, Constant, InverseSqrt, Linear
from regard.train.trainer import Trainer, TrainerSettings
from tests.counting import Counting

SETTINGS = TrainerSettings(
    steps=60,
    optimizer=Adam(rate=0.01),
    schedule=Linear(warmup=10),
    metric="accuracy",
    validate_every=20,
    save_every=10,
    ema=0.9,
)


def digest(module: torch.nn.Module) -> str:
    hashed = hashlib.sha256()
    for name, tensor in sorted(module.state_dict().items()):
        hashed.update(name.encode() + tensor.numpy().tobytes())
    return hashed.hexdigest()


def trained(
    home: Path, settings: TrainerSettings = SETTINGS, **said: object
) -> tuple[str, list[Event]]:
    """The digest of the model and of all that the run remembers, and what was told."""
    told: list[Event] = []
    task = Counting(**{k: said.pop(k) for k in ("micros", "broken_at") if k in said})  # type: ignore[arg-type]
    trainer = Trainer(task, settings, home, loggers=[told.append], **said)  # type: ignore[arg-type]
    trainer.run()
    return digest(task), told


def losses(told: list[Event]) -> dict[int, float]:
    return {event.step: event.loss for event in told if isinstance(event, StepCompleted)}


def test_a_task_that_it_knows_nothing_of_is_learnt_validated_and_saved(tmp_path: Path) -> None:
    _, told = trained(tmp_path, replace(SETTINGS, steps=150))
    ended = told[-1]
    assert isinstance(told[1], TrainingStarted) and "60" not in told[1].plan["model"]
    assert isinstance(ended, TrainingEnded) and ended.best is not None
    assert ended.best.values["accuracy"] > 0.95
    assert [e.step for e in told if isinstance(e, ValidationCompleted)] == [
        20,
        40,
        60,
        80,
        100,
        120,
        140,
        150,
    ]
    assert list(losses(told)) == list(range(1, 151))
    assert checkpoint.checkpoint_steps(tmp_path / "checkpoints") == [150, 140]


class Killed(BaseException):
    """Stands for whatever ends a process: nothing catches it."""


@pytest.mark.parametrize("moment", [1, 7, 10, 11, 20, 39, 40, 59])
def test_law_10_resume_n_and_m_steps_are_n_a_death_and_m(tmp_path: Path, moment: int) -> None:
    whole, told = trained(tmp_path / "whole")

    def die(event: Event) -> None:
        if isinstance(event, StepCompleted) and event.step == moment:
            raise Killed

    task = Counting()
    with pytest.raises(Killed):
        Trainer(task, SETTINGS, tmp_path / "killed", loggers=[die]).run()
    again, rest = trained(tmp_path / "killed")
    assert again == whole
    assert losses(told) | losses(rest) == losses(told)


def test_being_asked_to_stop_saves_and_the_same_command_goes_on(tmp_path: Path) -> None:
    whole, _ = trained(tmp_path / "whole")

    def ask(event: Event) -> None:
        if isinstance(event, StepCompleted) and event.step == 13:
            os.kill(os.getpid(), signal.SIGTERM)

    told: list[Event] = []
    outcome = Trainer(Counting(), SETTINGS, tmp_path / "asked", loggers=[told.append, ask]).run()
    assert not outcome.complete and outcome.step in (13, 14)
    assert isinstance(told[-2], CheckpointSaved)
    assert trained(tmp_path / "asked")[0] == whole


def test_a_finished_run_ends_at_once_and_says_so(tmp_path: Path) -> None:
    first, _ = trained(tmp_path)
    second, told = trained(tmp_path)
    assert second == first and not losses(told)
    assert isinstance(told[-1], TrainingEnded) and told[-1].why == "all 60 steps were made"


def test_gradients_add_up_over_micro_batches(tmp_path: Path) -> None:
    """Two batches of a step weigh each of their tokens alike."""
    _, told = trained(tmp_path, replace(SETTINGS, steps=2), micros=2)
    tokens = [event.tokens for event in told if isinstance(event, StepCompleted)]
    assert tokens == [64, 64]


def test_a_loss_that_is_no_number_steps_back_with_half_the_rate(tmp_path: Path) -> None:
    rehearsed = 3
    _, told = trained(tmp_path, broken_at=rehearsed + 25)
    back = [event for event in told if isinstance(event, RolledBack)]
    assert [(event.step, event.diverged_at, event.lr_scale) for event in back] == [(20, 25, 0.5)]
    rates = [event.rate for event in told if isinstance(event, StepCompleted) and event.step == 21]
    assert rates[1] == rates[0] / 2
    assert isinstance(told[-1], TrainingEnded) and told[-1].step == 60


def test_what_never_becomes_a_number_ends_with_a_remedy(tmp_path: Path) -> None:
    task = Counting()
    with torch.no_grad():
        task.model.readout.bias.fill_(float("nan"))
    with pytest.raises(
        TrainingError, match=r"step 1: the loss is nan.*lower train\.optimizer\.rate"
    ):
        Trainer(task, SETTINGS, tmp_path).run()


def test_a_run_that_gets_no_better_stops_early(tmp_path: Path) -> None:
    still = replace(SETTINGS, optimizer=Adam(rate=1e-12), patience=2, ema=0.0)
    _, told = trained(tmp_path, still)
    assert isinstance(told[-1], TrainingEnded)
    assert (told[-1].step, told[-1].why) == (60, "no better accuracy in 2 validations") or told[
        -1
    ].why == "all 60 steps were made"
    left = [event.patience for event in told if isinstance(event, ValidationCompleted)]
    assert left == [2, 1, 0]


def test_patience_survives_a_death(tmp_path: Path) -> None:
    still = replace(SETTINGS, optimizer=Adam(rate=1e-12), patience=2, ema=0.0, steps=200)

    def die(event: Event) -> None:
        if isinstance(event, StepCompleted) and event.step == 45:
            raise Killed

    with pytest.raises(Killed):
        Trainer(Counting(), still, tmp_path, loggers=[die]).run()
    _, told = trained(tmp_path, still)
    assert isinstance(told[-1], TrainingEnded) and told[-1].step == 60


def test_the_last_validated_weights_are_averaged_where_that_is_better(tmp_path: Path) -> None:
    _, told = trained(tmp_path, replace(SETTINGS, average=3, ema=0.0))
    ended = told[-1]
    validated = [e.scores.values["accuracy"] for e in told if isinstance(e, ValidationCompleted)]
    assert isinstance(ended, TrainingEnded) and ended.best is not None
    assert ended.best.values["accuracy"] >= max(validated)
    assert checkpoint.checkpoint_steps(tmp_path / "weights") == [60, 40, 20]


def test_a_silent_change_of_threads_or_settings_is_refused(tmp_path: Path) -> None:
    trained(tmp_path, replace(SETTINGS, steps=10), environment={"train.clip_norm": 1.0})
    longer = replace(SETTINGS, steps=20)
    torch.set_num_threads(2)
    try:
        with pytest.raises(ArtifactError, match=r"threads: 1 then, 2 now.*--accept-changes"):
            trained(tmp_path, longer, environment={"train.clip_norm": 1.0})
    finally:
        torch.set_num_threads(1)
    with pytest.raises(ArtifactError, match=r"train\.clip_norm: 1\.0 then, 2\.0 now"):
        trained(tmp_path, longer, environment={"train.clip_norm": 2.0})
    _, told = trained(tmp_path, longer, environment={"train.clip_norm": 2.0}, accept_changes=True)
    assert list(losses(told)) == list(range(11, 21))


def test_a_metric_that_validation_does_not_find_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"train\.metric: a validation finds accuracy, and no bleu"):
        trained(tmp_path, replace(SETTINGS, metric="bleu"))


def test_a_damaged_checkpoint_is_named_and_an_older_one_is_left(tmp_path: Path) -> None:
    trained(tmp_path, replace(SETTINGS, steps=20))
    newest = checkpoint.checkpoint_folder(tmp_path / "checkpoints", 20)
    tensors = next(newest.glob("*.safetensors"))
    data = bytearray(tensors.read_bytes())
    data[-1] ^= 1
    tensors.write_bytes(data)
    with pytest.raises(ArtifactError, match=f"{tensors}: is not what .* remove the folder"):
        trained(tmp_path, replace(SETTINGS, steps=20))


def test_schedules_rise_straight_and_go_down_as_they_say() -> None:
    shares = [Linear(10).factor(step, 100) for step in (1, 5, 10, 55, 100, 101)]
    assert shares == pytest.approx([0.1, 0.5, 1.0, 46 / 91, 1 / 91, 0.0])
    assert InverseSqrt(100).factor(400, 1000) == 0.5
    assert InverseSqrt(0).factor(4, 10) == 0.5
    assert [Constant(2).factor(step, 9) for step in (1, 2, 9)] == [0.5, 1.0, 1.0]
