"""Progress of a training run: lines, and a bar on a terminal."""

from __future__ import annotations

import io
import sys
from dataclasses import replace

import pytest
from rich.console import Console
from rich.live import Live

from regard.cli.progress import ProgressState, TrainingBar, TrainingLines, show_progress
from regard.train.events import (
    CheckpointSaved,
    Event,
    Scores,
    TrainingEnded,
    TrainingStarted,
    format_duration,
)
from tests.events import rolled_back, run, step_completed, validation_completed


def lines(capsys: pytest.CaptureFixture[str], *events: Event) -> list[str]:
    show = TrainingLines()
    for event in events:
        show(event)
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err.splitlines()


def test_the_plan_is_printed_first_and_the_end_last(capsys) -> None:
    printed = lines(capsys, *run(20))
    assert printed[0] == "model  transformer, 2,350,000 parameters"
    assert printed[1] == "steps  20"
    assert printed[-5:] == [
        "ended after step 20: all steps completed",
        "best step 20:",
        "  bleu       30.00  nrefs:1",
        "  chrf       60.00",
        "  nll        1.500",
    ]


def test_steps_are_printed_at_most_every_ten_seconds(capsys) -> None:
    printed = lines(
        capsys, TrainingStarted(0, 100, 1, {}), *map(step_completed, range(1, 51))
    )  # half a second each
    assert [line.split(",")[0] for line in printed] == [f"step {step}/100" for step in (20, 40)]
    assert "epoch 2: loss 3.000, 8,000 tokens/s, rate 2.00e-02, 40 s left" in printed[0]


def test_checkpoints_are_not_printed(capsys) -> None:
    assert lines(capsys, CheckpointSaved(10, "checkpoints/10", 0.1)) == []


def test_a_validation_line_names_the_best_score(capsys) -> None:
    worse = replace(validation_completed(20, 19.0, improved=False), patience=2)
    assert lines(capsys, validation_completed(10, 20.0), worse) == [
        "step 10: bleu 20.00, new best; chrf 40.00, nll 1.500 (2 s)",
        "step 20: bleu 19.00 (best 20.00 at step 10); chrf 38.00, nll 1.500; "
        "stops after 2 more without improvement (2 s)",
    ]


def test_a_resumed_run_prints_no_best_score_before_it_improves(capsys) -> None:
    endless = replace(validation_completed(20, 19.0, improved=False), patience=None)
    assert lines(capsys, endless) == ["step 20: bleu 19.00; chrf 38.00, nll 1.500 (2 s)"]


def test_a_rollback_is_printed_with_its_reason(capsys) -> None:
    assert lines(capsys, rolled_back(10, 14)) == [
        "step 14 diverged: the loss is not a number; rolled back to step 10, learning rate × 0.5"
    ]


def test_a_run_may_end_before_its_first_validation(capsys) -> None:
    assert lines(capsys, TrainingEnded(3, "interrupted", 0, None)) == [
        "ended after step 3: interrupted"
    ]


def state_after(*events: Event) -> ProgressState:
    state = ProgressState()
    for event in events:
        state.update(event)
    return state


def test_the_loss_is_a_moving_average() -> None:
    assert state_after(step_completed(1, 4.0), step_completed(2, 2.0)).loss == pytest.approx(3.0)
    late = state_after(
        *(step_completed(i, 9.0) for i in range(200)), *(step_completed(i, 1.0) for i in range(300))
    )
    assert late.loss == pytest.approx(1.0, abs=0.05)


def test_a_rollback_resets_the_average_loss() -> None:
    assert (
        state_after(
            step_completed(1),
            step_completed(2, float("nan")),
            rolled_back(1, 2),
            step_completed(2, 2.5),
        ).loss
        == 2.5
    )


def test_remaining_time_includes_validations_and_checkpoints() -> None:
    events = [
        TrainingStarted(0, 40, 1, {}),
        *map(step_completed, range(1, 11)),
        validation_completed(10, 20.0),
    ]
    assert state_after(*events).remaining == pytest.approx((10 * 0.5 + 2) / 10 * 30)
    assert state_after(
        TrainingStarted(30, 40, 1, {}), step_completed(31)
    ).remaining == pytest.approx(0.5 * 9)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(9.4, "9 s"), (61.0, "1 min"), (3599.0, "59 min"), (5400.0, "1 h 30 min")],
)
def test_a_duration_has_at_most_two_units(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def terminal() -> tuple[Console, io.StringIO]:
    screen = io.StringIO()
    return Console(file=screen, force_terminal=True, width=100, color_system=None), screen


def test_the_bar_shows_step_loss_and_scores() -> None:
    console, screen = terminal()
    bar = TrainingBar(console)
    for event in (
        TrainingStarted(0, 3000, 1, {}),
        *map(step_completed, range(1, 1501)),
        validation_completed(1500, 20.0),
    ):
        bar(event)
    console.print(bar.draw())
    first, second = screen.getvalue().splitlines()[-2:]
    assert first.startswith("step 1,500/3,000  ━━━") and first.endswith("epoch 150")
    assert first.count("━") == 35  # half of what the words leave of a hundred columns
    assert second.rstrip() == (
        "loss 3.000, 8,000 tokens/s, rate 1.50e+00, 12 min left, last bleu 20.00, best bleu 20.00"
    )


def test_no_bar_is_shown_before_the_run_starts() -> None:
    console, screen = terminal()
    console.print(TrainingBar(console).draw())
    assert screen.getvalue() == ""


def test_lines_are_printed_above_the_bar_without_markup() -> None:
    console, screen = terminal()
    bar = TrainingBar(console)
    with Live(get_renderable=bar.draw, console=console, transient=True):
        for event in run(20):
            bar(event)
        bar(TrainingEnded(20, "[interrupted]", 20, Scores({"bleu": 1.0})))
    assert "ended after step 20: [interrupted]" in screen.getvalue()
    assert "step 10: bleu 15.00, new best" in screen.getvalue()


def test_lines_are_printed_without_a_terminal(monkeypatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with show_progress() as handler:
        assert type(handler) is TrainingLines


def test_a_bar_is_shown_on_a_terminal(monkeypatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with show_progress() as handler:
        for event in run(20):
            handler(event)
        assert type(handler) is TrainingBar
    assert "step 20: bleu 30.00, new best" in screen.getvalue()
