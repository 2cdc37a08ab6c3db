"""How a run is shown: a line for each thing on record, a bar on a terminal."""

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
from tests.events import back, run, stepped, validated


def lines(capsys: pytest.CaptureFixture[str], *events: Event) -> list[str]:
    show = TrainingLines()
    for event in events:
        show(event)
    said = capsys.readouterr()
    assert said.out == ""
    return said.err.splitlines()


def test_the_plan_comes_first_and_the_end_last(capsys) -> None:
    said = lines(capsys, *run(20))
    assert said[0] == "model  transformer, 2,350,000 parameters"
    assert said[1] == "steps  20"
    assert said[-5:] == [
        "ended after step 20: the last step was made",
        "the best was step 20:",
        "  bleu       30.00  nrefs:1",
        "  chrf       60.00",
        "  nll        1.500",
    ]


def test_steps_are_told_every_ten_seconds_of_the_run_at_most(capsys) -> None:
    said = lines(
        capsys, TrainingStarted(0, 100, 1, {}), *map(stepped, range(1, 51))
    )  # half a second each
    assert [line.split(",")[0] for line in said] == [f"step {step}/100" for step in (20, 40)]
    assert "epoch 2: loss 3.000, 8,000 tokens/s, rate 2.00e-02, 40 s to go" in said[0]


def test_saves_are_not_told(capsys) -> None:
    assert lines(capsys, CheckpointSaved(10, "checkpoints/10", 0.1)) == []


def test_a_validation_says_whether_it_is_the_best(capsys) -> None:
    worse = replace(validated(20, 19.0, improved=False), patience=2)
    assert lines(capsys, validated(10, 20.0), worse) == [
        "step 10: bleu 20.00, the best so far; chrf 40.00, nll 1.500 (2 s)",
        "step 20: bleu 19.00, the best is 20.00 of step 10; chrf 38.00, nll 1.500; "
        "ends unless one of the next 2 is better (2 s)",
    ]


def test_a_validation_worse_than_one_that_was_not_seen_has_no_best_beside_it(capsys) -> None:
    endless = replace(validated(20, 19.0, improved=False), patience=None)
    assert lines(capsys, endless) == ["step 20: bleu 19.00; chrf 38.00, nll 1.500 (2 s)"]


def test_a_step_back_is_told_with_its_reason(capsys) -> None:
    assert lines(capsys, back(10, 14)) == [
        "step 14 went wrong: the loss is not a number; on from step 10, rates × 0.5"
    ]


def test_a_run_may_end_without_having_been_validated(capsys) -> None:
    assert lines(capsys, TrainingEnded(3, "asked to stop", 0, None)) == [
        "ended after step 3: asked to stop"
    ]


def course(*events: Event) -> ProgressState:
    heard = ProgressState()
    for event in events:
        heard.update(event)
    return heard


def test_the_loss_is_a_mean_that_forgets() -> None:
    assert course(stepped(1, 4.0), stepped(2, 2.0)).loss == pytest.approx(3.0)
    late = course(*(stepped(i, 9.0) for i in range(200)), *(stepped(i, 1.0) for i in range(300)))
    assert late.loss == pytest.approx(1.0, abs=0.05)


def test_what_went_wrong_leaves_no_trace_in_the_loss() -> None:
    assert course(stepped(1), stepped(2, float("nan")), back(1, 2), stepped(2, 2.5)).loss == 2.5


def test_the_time_to_go_counts_validations_and_saves() -> None:
    events = [TrainingStarted(0, 40, 1, {}), *map(stepped, range(1, 11)), validated(10, 20.0)]
    assert course(*events).remaining == pytest.approx((10 * 0.5 + 2) / 10 * 30)
    assert course(TrainingStarted(30, 40, 1, {}), stepped(31)).remaining == pytest.approx(0.5 * 9)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(9.4, "9 s"), (61.0, "1 min"), (3599.0, "59 min"), (5400.0, "1 h 30 min")],
)
def test_a_duration_has_two_parts_at_most(seconds: float, words: str) -> None:
    assert format_duration(seconds) == words


def terminal() -> tuple[Console, io.StringIO]:
    screen = io.StringIO()
    return Console(file=screen, force_terminal=True, width=100, color_system=None), screen


def test_a_bar_shows_where_the_run_stands() -> None:
    console, screen = terminal()
    bar = TrainingBar(console)
    for event in (
        TrainingStarted(0, 3000, 1, {}),
        *map(stepped, range(1, 1501)),
        validated(1500, 20.0),
    ):
        bar(event)
    console.print(bar.draw())
    first, second = screen.getvalue().splitlines()[-2:]
    assert first.startswith("step 1,500/3,000  ━━━") and first.endswith("epoch 150")
    assert first.count("━") == 35  # half of what the words leave of a hundred columns
    assert second.rstrip() == (
        "loss 3.000, 8,000 tokens/s, rate 1.50e+00, 12 min to go, last bleu 20.00, best bleu 20.00"
    )


def test_before_the_run_begins_no_bar_is_shown() -> None:
    console, screen = terminal()
    console.print(TrainingBar(console).draw())
    assert screen.getvalue() == ""


def test_what_is_said_once_stands_above_the_bar_and_is_taken_literally() -> None:
    console, screen = terminal()
    bar = TrainingBar(console)
    with Live(get_renderable=bar.draw, console=console, transient=True):
        for event in run(20):
            bar(event)
        bar(TrainingEnded(20, "asked to [stop]", 20, Scores({"bleu": 1.0})))
    assert "ended after step 20: asked to [stop]" in screen.getvalue()
    assert "step 10: bleu 15.00, the best so far" in screen.getvalue()


def test_where_there_is_no_terminal_there_are_lines(monkeypatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with show_progress() as observer:
        assert type(observer) is TrainingLines


def test_on_a_terminal_there_is_a_bar(monkeypatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with show_progress() as observer:
        for event in run(20):
            observer(event)
        assert type(observer) is TrainingBar
    assert "step 20: bleu 30.00, the best so far" in screen.getvalue()
