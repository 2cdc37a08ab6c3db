"""The steps of the trainer equal steps computed by hand, for all settings of a step."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from regard.data.loading.loader import Cursor, MicroBatch, TrainingStep
from regard.train.events import (
    CheckpointSaved,
    Event,
    RolledBack,
    Scores,
    StepCompleted,
    TrainingStarted,
    ValidationCompleted,
)
from regard.train.losses import Loss, TrainingModule
from regard.train.settings import Adam, Constant, InverseSqrt, Linear, Performance, TrainerSettings
from regard.train.trainer import Trainer

STEPS, INPUTS, OUTPUTS = 12, 3, 2
ROWS = (5, 1, 9)  # of the batches of a step: the mean of their means is not the mean


@dataclass(frozen=True)
class Points:
    x: Tensor
    y: Tensor
    level: float = 0.0  # added to each row's loss

    def to(self, device: torch.device) -> Points:
        return self


def points(step: int, index: int) -> Points:
    draws = torch.Generator().manual_seed(100 * step + index)
    rows = ROWS[index]
    x = torch.randn(rows, INPUTS, generator=draws, dtype=torch.float64)
    return Points(x, x[:, :OUTPUTS] * 2 + torch.randn(rows, 1, generator=draws))


class Steps:
    """A stream whose step has the batches of `ROWS`; those from `levels` have a scripted loss."""

    def __init__(self, batches: int, levels: Sequence[float] = ()) -> None:
        self.batches, self.levels = batches, levels

    def steps(self, cursor: Cursor) -> Iterator[TrainingStep[Points]]:
        for number in range(cursor.step + 1, 1 << 30):
            level = self.levels[min(number, len(self.levels)) - 1] if self.levels else 0.0
            batches = [replace(points(number, i), level=level) for i in range(self.batches)]
            micros = [MicroBatch(i, batch, True) for i, batch in enumerate(batches)]
            yield TrainingStep(tuple(micros), sum(ROWS[: self.batches]), Cursor(step=number))

    def state(self, cursor: Cursor) -> dict[str, int | str]:
        return {"step": cursor.step}

    def cursor(self, state: dict[str, Any]) -> Cursor:
        return Cursor(step=state["step"])


class Regression(TrainingModule[Points]):
    """Linear regression in double precision."""

    def __init__(self, batches: int = 1, levels: Sequence[float] = ()) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.model = nn.Linear(INPUTS, OUTPUTS).double()
        self.objective = nn.Identity()
        self.epoch_tokens, self.facts = 100, {}
        self.batches, self.levels = batches, levels
        self.draws: list[float] = []

    def forward(self, batch: Points) -> Loss:
        self.draws.append(float(torch.rand(())))
        errors = (self.model(batch.x) - batch.y).square().sum()
        if batch.level:
            errors = 0 * errors + batch.level * len(batch.x)
        return Loss(errors, len(batch.x), {"nll": errors.detach()})

    def stream(self, rank: int, world: int) -> Steps:
        return Steps(self.batches, self.levels)

    def validate(self) -> Scores:
        return Scores({"error": 1.0})


SETTINGS = TrainerSettings(
    steps=STEPS,
    optimizer=Adam(rate=0.05),
    schedule=Constant(0),
    metric="error",
    clip=1e9,
    validate_every=STEPS,
    save_every=STEPS,
    performance=Performance(precision="fp32", allocator="plain"),
)


def factor(settings: TrainerSettings, step: int) -> float:
    """The factor of the learning rate."""
    schedule, last = settings.schedule, settings.steps
    warmup = schedule.warmup
    if step < warmup:
        return step / warmup
    if isinstance(schedule, InverseSqrt):
        return math.sqrt(warmup / step)
    return 1 - (step - warmup) / (last - warmup + 1) if isinstance(schedule, Linear) else 1.0


class ByHand:
    """Full-batch gradients, clipping, AdamW and the moving average, in NumPy."""

    def __init__(self, settings: TrainerSettings, batches: int) -> None:
        start = Regression().model
        self.settings, self.batches = settings, batches
        weight, bias = start.weight.detach().numpy(), start.bias.detach().numpy()
        self.weights = np.concatenate([weight, bias[:, None]], axis=1)
        self.first, self.second = np.zeros_like(self.weights), np.zeros_like(self.weights)
        self.average = self.weights.copy()

    def step(self, number: int) -> tuple[float, float, float]:
        """Make a step; return its loss, the norm of its gradient and its learning rate."""
        settings, adam = self.settings, self.settings.optimizer
        batches = [points(number, i) for i in range(self.batches)]
        x = np.concatenate([np.c_[batch.x.numpy(), np.ones(len(batch.x))] for batch in batches])
        y = np.concatenate([batch.y.numpy() for batch in batches])
        errors = x @ self.weights.T - y
        gradient = 2 * errors.T @ x / len(x)
        norm = math.sqrt((gradient**2).sum())
        gradient = gradient * min(1.0, settings.clip / (norm + 1e-6))  # as torch does
        beta1, beta2 = adam.betas
        self.first = beta1 * self.first + (1 - beta1) * gradient
        self.second = beta2 * self.second + (1 - beta2) * gradient**2
        m, v = self.first / (1 - beta1**number), self.second / (1 - beta2**number)
        rate = adam.rate * factor(settings, number)
        update = m / (np.sqrt(v) + adam.epsilon) + adam.weight_decay * self.weights
        self.weights = self.weights - rate * update
        decay = min(settings.ema, (1 + number) / (10 + number))
        self.average = decay * self.average + (1 - decay) * self.weights
        return float((errors**2).sum() / len(x)), norm, rate


CASES = {
    "plain": SETTINGS,
    "betas": replace(SETTINGS, optimizer=Adam(rate=0.05, betas=(0.5, 0.7))),
    "epsilon": replace(SETTINGS, optimizer=Adam(rate=0.05, epsilon=0.5)),
    "weight decay": replace(SETTINGS, optimizer=Adam(rate=0.05, weight_decay=0.8)),
    # Adam's update hardly depends on the norm without ε
    "clip": replace(SETTINGS, clip=0.3, optimizer=Adam(rate=0.05, epsilon=0.5)),
    "clip some": replace(SETTINGS, clip=3.0, optimizer=Adam(rate=0.05, epsilon=0.5)),
    "ema": replace(SETTINGS, ema=0.9),
    "small ema": replace(SETTINGS, ema=0.3),
    "warmup": replace(SETTINGS, schedule=Constant(5)),
    "linear": replace(SETTINGS, schedule=Linear(4)),
    "inverse square root": replace(SETTINGS, schedule=InverseSqrt(4)),
}


@pytest.mark.parametrize("batches", [1, len(ROWS)])
@pytest.mark.parametrize("case", CASES)
def test_every_step_equals_the_step_computed_by_hand(
    tmp_path: Path, case: str, batches: int
) -> None:
    settings = CASES[case]
    expected = ByHand(settings, batches)
    numbers = []

    def compare(event: Event) -> None:
        if not isinstance(event, StepCompleted):
            return
        loss, norm, rate = expected.step(event.step)
        assert [event.loss, event.parts["nll"]] == pytest.approx([loss, loss], rel=1e-9)
        assert [event.norm, event.rate] == pytest.approx([norm, rate], rel=1e-9)
        assert event.tokens == sum(ROWS[:batches])
        model = trainer.module.model
        actual = torch.cat([model.weight, model.bias[:, None]], dim=1).detach().numpy()
        np.testing.assert_allclose(actual, expected.weights, rtol=1e-9)
        if settings.ema:
            names = ("model.weight", "model.bias")
            weight, bias = (trainer.state.ema[name] for name in names)
            average = torch.cat([weight, bias[:, None]], dim=1).numpy()
            np.testing.assert_allclose(average, expected.average, rtol=1e-9)
        numbers.append(event.step)

    trainer = Trainer(Regression(batches), settings, tmp_path, loggers=[compare])
    trainer.run()
    assert numbers == list(range(1, STEPS + 1))


def test_processes_exchange_gradients_in_the_last_batch_of_a_step_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, exchanges = Regression(len(ROWS)), list[bool]()

    @contextmanager
    def without_exchange(wrapped: nn.Module) -> Iterator[None]:
        assert wrapped is module
        module.exchange = False
        yield
        module.exchange = True

    forward = module.forward
    monkeypatch.setattr("regard.train.trainer.no_sync", without_exchange)
    monkeypatch.setattr(module, "exchange", True, raising=False)
    monkeypatch.setattr(
        module, "forward", lambda batch: (exchanges.append(module.exchange), forward(batch))[1]
    )
    Trainer(module, replace(SETTINGS, steps=2), tmp_path).run()
    assert exchanges[-6:] == [False, False, True] * 2


def random_draws(directory: Path, seed: int) -> list[tuple[float, ...]]:
    """The first random number of each batch, by step, as a dropout mask would draw it."""
    module, draws = Regression(len(ROWS)), defaultdict[int, tuple[float, ...]](tuple)

    def collect(event: Event) -> None:
        if isinstance(event, StepCompleted):
            draws[event.step] = tuple(module.draws)
        module.draws.clear()

    settings = replace(SETTINGS, seed=seed)
    Trainer(module, settings, directory, loggers=[collect]).run()
    return [draws[step] for step in range(1, STEPS + 1)]


def test_each_batch_of_each_step_has_its_own_random_numbers(tmp_path: Path) -> None:
    """Dropout masks depend on the seed, the step and the index of the batch only."""
    draws = random_draws(tmp_path / "a", seed=1)
    assert [len(numbers) for numbers in draws] == [len(ROWS)] * STEPS
    assert len({number for numbers in draws for number in numbers}) == STEPS * len(ROWS)
    assert random_draws(tmp_path / "b", seed=1) == draws
    assert not {*sum(draws, ())} & {*sum(random_draws(tmp_path / "c", seed=2), ())}


class WentBackError(Exception):
    """Ends a run at its first rollback."""


@pytest.mark.parametrize(
    ("settings", "limit"),
    [({}, 1.0), ({"max_loss_rise": 3.0}, 3.0), ({"max_loss_rise": None}, math.inf)],
    ids=str,
)
def test_a_run_goes_back_if_the_loss_rises_by_more_than_the_setting(
    tmp_path: Path, settings: dict[str, Any], limit: float
) -> None:
    def stop(event: Event) -> None:
        if isinstance(event, RolledBack):
            raise WentBackError(event.reason)

    def run(rise: float) -> None:
        module = Regression(levels=[2.0] * 130 + [2.0 + rise])
        changed = replace(SETTINGS, steps=330, validate_every=330, save_every=330, **settings)
        Trainer(module, changed, tmp_path / str(rise), loggers=[stop]).run()

    run(min(0.9 * limit, 1e6))
    if limit < math.inf:
        with pytest.raises(WentBackError, match="average loss has risen from 2"):
            run(1.2 * limit)


def test_a_run_is_validated_and_saved_at_the_steps_of_the_settings(tmp_path: Path) -> None:
    events: list[Event] = []
    settings = replace(SETTINGS, validate_every=7, save_every=5)
    Trainer(Regression(), settings, tmp_path, loggers=[events.append]).run()
    assert [event.step for event in events if isinstance(event, ValidationCompleted)] == [7, STEPS]
    saved = [event.step for event in events if isinstance(event, CheckpointSaved)]
    assert saved == [0, 5, 7, 10, STEPS]


def test_the_plan_states_the_size_of_the_run(tmp_path: Path) -> None:
    events: list[Event] = []
    Trainer(Regression(len(ROWS)), SETTINGS, tmp_path, loggers=[events.append]).run()
    (started,) = (event for event in events if isinstance(event, TrainingStarted))
    assert (started.step, started.last, started.epoch_tokens) == (0, STEPS, 100)
    assert started.plan["model"] == "8 parameters"
    assert started.plan["steps"] == "12 of about 15 target tokens: 1.8 epochs; from the beginning"
