"""The trainer, with a small task that is not part of regard."""

from __future__ import annotations

import hashlib
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from regard.errors import ArtifactError, ConfigError, TrainingError
from regard.train import checkpoint
from regard.train.checkpoint import TrainState
from regard.train.events import (
    CheckpointSaved,
    Event,
    RolledBack,
    StepCompleted,
    TrainingEnded,
    TrainingStarted,
    ValidationCompleted,
)
from regard.train.settings import Adam, Constant, Linear, Schedule, TrainerSettings
from regard.train.trainer import Trainer
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


def train(
    directory: Path, settings: TrainerSettings = SETTINGS, **options: object
) -> tuple[str, list[Event]]:
    """Train, and return the digest of the module and the events."""
    events: list[Event] = []
    module = Counting(**{k: options.pop(k) for k in ("micros", "broken_at") if k in options})  # type: ignore[arg-type]
    Trainer(module, settings, directory, loggers=[events.append], **options).run()  # type: ignore[arg-type]
    return digest(module), events


def losses(events: list[Event]) -> dict[int, float]:
    return {event.step: event.loss for event in events if isinstance(event, StepCompleted)}


def test_a_custom_task_is_trained_validated_and_saved(tmp_path: Path) -> None:
    _, events = train(tmp_path, replace(SETTINGS, steps=150))
    ended = events[-1]
    assert isinstance(events[1], TrainingStarted) and "parameters" in events[1].plan["model"]
    assert isinstance(ended, TrainingEnded) and ended.best is not None
    assert ended.best.values["accuracy"] > 0.95
    assert [e.step for e in events if isinstance(e, ValidationCompleted)] == [
        20,
        40,
        60,
        80,
        100,
        120,
        140,
        150,
    ]
    assert list(losses(events)) == list(range(1, 151))
    assert checkpoint.checkpoint_steps(tmp_path / "checkpoints") == [150, 140]


class Killed(BaseException):
    """Simulates the death of the process: nothing catches it."""


@pytest.mark.parametrize("step", [1, 7, 10, 11, 20, 39, 40, 59])
def test_a_run_killed_after_a_step_resumes_to_the_same_result(tmp_path: Path, step: int) -> None:
    expected, events = train(tmp_path / "uninterrupted")

    def die(event: Event) -> None:
        if isinstance(event, StepCompleted) and event.step == step:
            raise Killed

    with pytest.raises(Killed):
        Trainer(Counting(), SETTINGS, tmp_path / "killed", loggers=[die]).run()
    resumed, rest = train(tmp_path / "killed")
    assert resumed == expected
    assert losses(events) | losses(rest) == losses(events)


@pytest.mark.parametrize("method", ["signal", "stop"])
def test_an_interrupted_run_saves_and_resumes(tmp_path: Path, method: str) -> None:
    expected, _ = train(tmp_path / "uninterrupted")
    events: list[Event] = []

    def interrupt(event: Event) -> None:
        if isinstance(event, StepCompleted) and event.step == 13:
            if method == "stop":
                trainer.stop()
            else:
                os.kill(os.getpid(), signal.SIGTERM)

    directory = tmp_path / "interrupted"
    trainer = Trainer(Counting(), SETTINGS, directory, loggers=[events.append, interrupt])
    outcome = trainer.run()
    assert not outcome.complete and outcome.step == 14
    assert isinstance(events[-2], CheckpointSaved) and events[-2].step == 14
    assert checkpoint.checkpoint_steps(directory / "checkpoints")[0] == 14
    assert train(directory)[0] == expected


def test_stop_works_outside_the_main_thread(tmp_path: Path) -> None:
    """Signals do not: Python delivers them to the main thread only."""

    def stop(event: Event) -> None:
        if isinstance(event, StepCompleted) and event.step == 5:
            trainer.stop()

    trainer = Trainer(Counting(), SETTINGS, tmp_path, loggers=[stop])
    with ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(trainer.run).result()
    assert not outcome.complete and outcome.step == 6


def test_a_finished_run_ends_at_once(tmp_path: Path) -> None:
    first, _ = train(tmp_path)
    second, events = train(tmp_path)
    assert second == first and not losses(events)
    assert isinstance(events[-1], TrainingEnded) and events[-1].reason == "all 60 steps completed"


def test_a_nan_loss_rolls_back_with_half_the_learning_rate(tmp_path: Path) -> None:
    dry_run_steps = 3
    _, events = train(tmp_path, broken_at=dry_run_steps + 25)
    back = [event for event in events if isinstance(event, RolledBack)]
    assert [(event.step, event.diverged_at, event.lr_scale) for event in back] == [(20, 25, 0.5)]
    rates = [
        event.rate for event in events if isinstance(event, StepCompleted) and event.step == 21
    ]
    assert rates[1] == rates[0] / 2
    assert isinstance(events[-1], TrainingEnded) and events[-1].step == 60


def test_a_loss_that_is_always_nan_ends_with_an_error(tmp_path: Path) -> None:
    module = Counting()
    with torch.no_grad():
        module.model.readout.bias.fill_(float("nan"))
    with pytest.raises(TrainingError, match=r"step 1: .*nan.*train\.optimizer\.rate"):
        Trainer(module, SETTINGS, tmp_path).run()


def test_a_run_without_improvement_stops_early(tmp_path: Path) -> None:
    constant = replace(SETTINGS, optimizer=Adam(rate=1e-12), patience=2, ema=0.0, steps=200)
    _, events = train(tmp_path, constant)
    assert isinstance(events[-1], TrainingEnded)
    assert (events[-1].step, events[-1].reason) == (60, "no better accuracy in 2 validations")
    left = [event.patience for event in events if isinstance(event, ValidationCompleted)]
    assert left == [2, 1, 0]


def test_patience_survives_a_killed_run(tmp_path: Path) -> None:
    constant = replace(SETTINGS, optimizer=Adam(rate=1e-12), patience=2, ema=0.0, steps=200)

    def die(event: Event) -> None:
        if isinstance(event, StepCompleted) and event.step == 45:
            raise Killed

    with pytest.raises(Killed):
        Trainer(Counting(), constant, tmp_path, loggers=[die]).run()
    _, events = train(tmp_path, constant)
    assert isinstance(events[-1], TrainingEnded) and events[-1].step == 60


@pytest.mark.parametrize(
    ("rate", "schedule", "is_better"), [(0.01, Linear(10), False), (0.05, Constant(0), True)]
)
def test_the_last_validated_weights_are_averaged_if_that_is_better(
    tmp_path: Path, rate: float, schedule: Schedule, is_better: bool
) -> None:
    """Of these runs, one ends with its best weights and the other with the average."""
    module, events = Counting(), list[Event]()
    settings = replace(SETTINGS, average=3, ema=0.0, optimizer=Adam(rate=rate), schedule=schedule)
    Trainer(module, settings, tmp_path, loggers=[events.append]).run()
    ended = events[-1]
    assert isinstance(ended, TrainingEnded) and ended.best is not None
    assert checkpoint.checkpoint_steps(tmp_path / "weights") == [60, 40, 20]
    weights = {step: saved_weights(tmp_path, step) for step in (20, 40, 60)}
    mean = {name: sum(w[name] for w in weights.values()) / 3 for name in weights[20]}
    scores = {
        event.step: event.scores.values["accuracy"]
        for event in events
        if isinstance(event, ValidationCompleted)
    }
    for step, tensors in weights.items():
        assert accuracy(tensors) == scores[step]
    best = max(scores, key=lambda step: scores[step])
    averaged = accuracy(mean)
    assert (averaged > scores[best]) == is_better
    expected = mean if is_better else weights[best]
    assert ended.best.values["accuracy"] == max(averaged, scores[best])
    for name, tensor in module.model.state_dict().items():
        torch.testing.assert_close(tensor, expected[name])


def saved_weights(directory: Path, step: int) -> dict[str, torch.Tensor]:
    (file,) = checkpoint.checkpoint_folder(directory / "weights", step).glob("*.safetensors")
    return load_file(file)


def accuracy(weights: dict[str, torch.Tensor]) -> float:
    module = Counting()
    module.model.load_state_dict(weights)
    module.eval()
    with torch.no_grad():
        return module.validate().values["accuracy"]


def test_resuming_with_other_threads_or_settings_is_refused(tmp_path: Path) -> None:
    train(tmp_path, replace(SETTINGS, steps=10), environment={"train.clip_norm": 1.0})
    longer = replace(SETTINGS, steps=20)
    torch.set_num_threads(2)
    try:
        with pytest.raises(ArtifactError, match=r"threads was 1 and is 2.*--accept-changes"):
            train(tmp_path, longer, environment={"train.clip_norm": 1.0})
    finally:
        torch.set_num_threads(1)
    with pytest.raises(ArtifactError, match=r"train\.clip_norm was 1\.0 and is 2\.0"):
        train(tmp_path, longer, environment={"train.clip_norm": 2.0})
    _, events = train(tmp_path, longer, environment={"train.clip_norm": 2.0}, accept_changes=True)
    assert list(losses(events)) == list(range(11, 21))


def test_scores_of_another_validation_set_are_not_compared(tmp_path: Path) -> None:
    constant = replace(SETTINGS, optimizer=Adam(rate=1e-12), patience=3, ema=0.0)
    train(tmp_path, replace(constant, steps=40), environment={"validation set": "a"})
    longer = {"environment": {"validation set": "b"}, "accept_changes": True}
    _, events = train(tmp_path, constant, **longer)
    validated = [event for event in events if isinstance(event, ValidationCompleted)]
    assert [(event.step, event.improved) for event in validated] == [(40, True), (60, False)]
    assert isinstance(events[-1], TrainingEnded) and events[-1].best_step == 40


def test_a_resumed_run_may_turn_the_moving_average_on_or_off(tmp_path: Path) -> None:
    """The average starts at the weights of the checkpoint, and leaves nothing behind."""
    averages: dict[int, torch.Tensor] = {}
    weights: dict[int, torch.Tensor] = {}
    name = "model.readout.weight"
    for steps, ema in ((20, 0.0), (40, 0.9), (60, 0.0)):
        trainer = Trainer(
            Counting(),
            replace(SETTINGS, steps=steps, ema=ema),
            tmp_path,
            environment={"train.ema": ema},
            accept_changes=True,
        )

        def copy(event: Event, state: TrainState = trainer.state) -> None:
            if isinstance(event, StepCompleted):
                weights[event.step] = state.parameters[name].detach().clone()
                if state.ema:
                    averages[event.step] = state.ema[name].clone()

        trainer.loggers = (copy,)
        trainer.run()
        newest = checkpoint.checkpoint_folder(tmp_path / "checkpoints", steps)
        (file,) = newest.glob("*.safetensors")
        assert (f"ema.{name}" in load_file(file)) == bool(ema)
    assert list(averages) == list(range(21, 41)) and list(weights) == list(range(1, 61))
    average = weights[20]
    for step, actual in averages.items():
        decay = min(0.9, (1 + step) / (10 + step))
        average = decay * average + (1 - decay) * weights[step]
        torch.testing.assert_close(actual, average)


def test_a_checkpoint_of_another_model_is_refused(tmp_path: Path) -> None:
    train(tmp_path, replace(SETTINGS, steps=10))
    module = Counting()
    module.model.add_module("another", torch.nn.Linear(2, 2))
    with pytest.raises(ArtifactError, match=r"does not fit the run.*another"):
        Trainer(module, SETTINGS, tmp_path).run()


def test_an_unknown_metric_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"train\.metric: bleu .*accuracy"):
        train(tmp_path, replace(SETTINGS, metric="bleu"))


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    train(tmp_path, replace(SETTINGS, steps=20))
    newest = checkpoint.checkpoint_folder(tmp_path / "checkpoints", 20)
    tensors = next(newest.glob("*.safetensors"))
    data = bytearray(tensors.read_bytes())
    data[-1] ^= 1
    tensors.write_bytes(data)
    with pytest.raises(ArtifactError, match=f"{tensors}: .*Delete the directory {newest}"):
        train(tmp_path, replace(SETTINGS, steps=20))
