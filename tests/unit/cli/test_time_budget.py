"""`regard train --minutes`: the choice of preset and steps, and resuming with that choice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from regard.cli import train_minutes as time_budget
from regard.cli.main import app
from regard.cli.train_minutes import (
    MAX_VALIDATIONS,
    MeasuredPreset,
    RunCost,
    choose_preset,
    fit_steps,
)
from regard.config.load import load_config
from regard.errors import ConfigError
from regard.tasks.training import RunDirectory, make_trainer
from regard.train import checkpoint
from regard.train.distributed import World
from tests.toy_corpus import RECURRENT, make_toy

QUICK, TINY, BASE = (
    RunCost(step=0.15, validation=6.0),
    RunCost(step=1.1, validation=20.0),
    RunCost(step=40.0, validation=100.0),
)


def measured(seconds: float, read: list[str]) -> Iterator[MeasuredPreset]:
    """The presets with their costs, recording which of them were measured."""
    for name, steps, cost in (
        ("quick", 12_000, QUICK),
        ("tiny", 8_000, TINY),
        ("base", 50_000, BASE),
    ):
        read.append(name)
        yield MeasuredPreset(name, steps, cost, seconds)


@pytest.mark.parametrize("minutes", [2.0, 5.0, 10.0, 30.0, 120.0])
@pytest.mark.parametrize("cost", [QUICK, TINY])
def test_a_plan_ends_in_time_and_uses_most_of_it(minutes: float, cost: RunCost) -> None:
    plan = fit_steps(cost, 1_000_000, 60 * minutes)
    assert 0.85 * 60 * minutes <= plan.seconds <= 60 * minutes
    assert 1 <= plan.validations <= MAX_VALIDATIONS
    assert -(-plan.steps // plan.validate_every) <= plan.validations


def test_a_plan_has_at_most_the_steps_of_the_preset() -> None:
    plan = fit_steps(QUICK, 300, 3_600.0)
    assert plan.steps == 300 and plan.seconds < 200


@pytest.mark.parametrize("seconds", [-5.0, 0.0, 20.0])
def test_too_little_time_is_refused(seconds: float) -> None:
    with pytest.raises(ConfigError, match=r"--minutes: .*Allow more minutes"):
        fit_steps(TINY, 8_000, seconds)


@pytest.mark.parametrize(
    ("minutes", "preset", "read", "reason"),
    [
        (5, "quick", ["quick"], "12,000"),
        (35, "quick", ["quick", "tiny"], "tiny needs at least"),
        (60, "tiny", ["quick", "tiny"], "8,000"),
        (600, "tiny", ["quick", "tiny", "base"], "base needs at least"),
        (14 * 24 * 60, "base", ["quick", "tiny", "base"], "50,000"),
    ],
)
def test_more_time_selects_a_larger_preset(
    minutes: float, preset: str, read: list[str], reason: str
) -> None:
    seen: list[str] = []
    chosen, why = choose_preset(measured(60.0 * minutes, seen))
    assert chosen.name == preset and seen == read and reason in why


@pytest.mark.parametrize(
    ("preset", "kind", "warmup"),
    [
        ("translate-tiny", "linear", 0.125),
        ("translate-base", "linear", 0.08),
        ("bahdanau", "linear", 10),
    ],
)
def test_the_schedule_ends_with_the_steps(preset: str, kind: str, warmup: float) -> None:
    plan = fit_steps(RunCost(1.0, 1.0), 100, 3_600.0)
    train = plan.apply(load_config(preset)).train
    assert (train.steps, train.schedule.kind, train.schedule.warmup) == (100, kind, warmup)
    last = train.schedule.build(train.steps).factor(train.steps, train.steps)
    assert 0 < last < 0.05
    load_config(preset, [{"train": train.model_dump()}])  # a valid config


def test_costs_are_measured_without_changing_the_model(tmp_path: Path) -> None:
    toy = make_toy(tmp_path)
    directory = toy.run_directory("run")
    config = load_config(
        RECURRENT,
        [
            f'data.train=[{{"files": ["{tmp_path}/train.a", "{tmp_path}/train.b"]}}]',
            f'data.valid={{"files": ["{tmp_path}/valid.a", "{tmp_path}/valid.b"]}}',
            *("model.embedding_dim=16", "model.encoder.dim=16", "model.decoder.dim=16"),
            "train.batch_tokens=256",
        ],
    )
    cost = time_budget.measure_cost(config, directory, World())
    assert 0 < cost.step < 10 and 0 < cost.validation < 60
    assert directory.checkpoints == []
    _, trainer = make_trainer(config, directory, World())
    before = {name: weight.clone() for name, weight in trainer.state.weights().items()}
    trainer.dry_run(2)
    trainer.module.estimate_validation()
    assert all(before[name].equal(weight) for name, weight in trainer.state.weights().items())


def run_train(folder: Path, *options: str) -> Result:
    settings = [
        *("data.vocabulary=290", "train.batch_tokens=256"),
        *("data.aligner=false", "train.guided_alignment=null"),
        *(f"model.{name}=16" for name in ("embedding_dim", "encoder.dim", "decoder.dim")),
        "search.beam_size=1",
    ]
    files = [str(folder / name) for name in ("train.a", "train.b", "valid.a", "valid.b")]
    return CliRunner().invoke(
        app,
        [
            *("train", "--source", files[0], "--target", files[1], "--valid", *files[2:]),
            *("--out", str(folder / "run"), "--threads", "1", "--minutes", "1", *options),
            *(argument for setting in settings for argument in ("--set", setting)),
        ],
        catch_exceptions=False,
    )


@pytest.fixture
def costs(monkeypatch: pytest.MonkeyPatch) -> list[RunCost]:
    """The costs that the next commands measure. Preparation takes no time."""
    found: list[RunCost] = []
    for module in ("train", "train_minutes"):
        monkeypatch.setattr(f"regard.cli.{module}.monotonic", lambda: 0.0)
    monkeypatch.setattr("regard.cli.train_minutes.measure_cost", lambda *arguments: found[-1])
    return found


def test_a_resumed_run_keeps_its_preset_and_its_steps(tmp_path: Path, costs: list[RunCost]) -> None:
    make_toy(tmp_path)
    costs.append(RunCost(step=1.0, validation=1.0))
    first = run_train(tmp_path)
    assert first.exit_code == 0, first.output
    directory = RunDirectory(tmp_path / "run")
    chosen = load_config(directory.config)
    assert re.search(rf"translate-quick: {chosen.train.steps} steps of 1\.00 s", first.output)
    assert chosen.model.encoder.kind == "recurrent"
    assert 20 <= chosen.train.steps <= 60 and directory.last_step == chosen.train.steps
    weights = (directory.model / "weights.safetensors").read_bytes()

    # as if it had been interrupted, and the machine were faster now
    last = checkpoint.checkpoint_folder(directory.path / "checkpoints", directory.last_step)
    for path in sorted(last.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    last.rmdir()
    (directory.model / "weights.safetensors").unlink()
    costs.append(RunCost(step=0.1, validation=0.1))
    second = run_train(tmp_path)
    assert second.exit_code == 0, second.output
    assert f"resumes with the {chosen.train.steps} steps chosen at its start" in second.output
    assert load_config(directory.config) == chosen
    assert (directory.model / "weights.safetensors").read_bytes() == weights


def test_other_minutes_continue_the_run_with_the_steps_that_fit(
    tmp_path: Path, costs: list[RunCost]
) -> None:
    """It used to keep the steps of the first command."""
    make_toy(tmp_path)
    costs.append(RunCost(step=2.0, validation=1.0, epochs=0.01))
    first = run_train(tmp_path)
    assert first.exit_code == 0, first.output
    directory = RunDirectory(tmp_path / "run")
    done = load_config(directory.config).train.steps
    assert f"warning: {done} steps (0." in first.output and "--minutes 36" in first.output
    assert re.search("export .*only transformer can be exported", first.output)
    second = run_train(tmp_path, "--minutes", "1.5")
    assert second.exit_code == 0, second.output
    steps = load_config(directory.config).train.steps
    assert done + 20 <= steps <= done + 45 and directory.last_step == steps
    assert f"continues from step {done}; it was planned for 1 min" in second.output


def test_a_plan_of_few_steps_warns_with_the_minutes_that_it_needs() -> None:
    plan = fit_steps(QUICK, 12_000, 60.0)
    assert plan.shortage is not None and "expect poor output" in plan.shortage
    minutes = float(plan.shortage.partition("--minutes ")[2].split()[0])
    assert fit_steps(QUICK, 12_000, 60.0 * minutes).steps >= 1_000
    assert fit_steps(QUICK, 12_000, 60.0 * minutes).shortage is None


def test_several_processes_are_refused(tmp_path: Path) -> None:
    result = run_train(tmp_path, "--workers", "2")
    assert result.exit_code == 2 and "--minutes measures one process" in result.output


def test_no_time_is_left_after_preparation(tmp_path: Path, costs: list[RunCost]) -> None:
    make_toy(tmp_path)
    costs.append(RunCost(step=30.0, validation=30.0))
    with pytest.raises(ConfigError, match=r"30\.00 s per step"):
        run_train(tmp_path)
    assert not RunDirectory(tmp_path / "run").config.exists()
