"""Progress of a training run: a bar on a terminal, plain lines elsewhere.

Both print the plan, validations, rollbacks and the end as lines.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from regard.train.events import (
    CheckpointSaved,
    Event,
    EventHandler,
    RolledBack,
    Scores,
    StepCompleted,
    TrainingEnded,
    TrainingStarted,
    ValidationCompleted,
    format_duration,
)

REPORT_EVERY = 10.0  # seconds of training between two lines on its steps
AVERAGED_STEPS = 50  # loss and speed are moving averages over about this many steps


@contextmanager
def show_progress() -> Iterator[EventHandler]:
    """Yield an event handler that shows the run on stderr."""
    if not sys.stderr.isatty():
        yield TrainingLines()
        return
    bar = TrainingBar(Console(stderr=True))
    # Live draws in its own thread, four times a second, so no step waits for it
    with Live(get_renderable=bar.draw, console=bar.console, transient=True):
        yield bar


class ProgressState:
    """State of a run, computed from its events. Time is the sum of the events' durations."""

    def __init__(self) -> None:
        self.step = self.last = self.epoch = self.done = self.averaged = 0
        self.seconds = self.loss = self.rate = self.speed = 0.0
        self.latest: ValidationCompleted | None = None
        self.best: ValidationCompleted | None = None

    def update(self, event: Event) -> None:
        match event:
            case TrainingStarted():
                self.step, self.last = event.step, event.last
            case StepCompleted():
                self.step, self.epoch, self.rate = event.step, event.epoch, event.rate
                self.done += 1
                self.seconds += event.seconds
                self.averaged = min(self.averaged + 1, AVERAGED_STEPS)
                self.loss += (event.loss - self.loss) / self.averaged
                self.speed += (event.tokens / event.seconds - self.speed) / self.averaged
            case ValidationCompleted():
                self.seconds += event.seconds
                self.latest = event
                if event.improved:
                    self.best = event
            case CheckpointSaved():
                self.seconds += event.seconds
            case RolledBack():
                self.step, self.averaged, self.loss = event.step, 0, 0.0

    @property
    def remaining(self) -> float:
        """Seconds to the last step, including validations and checkpoints."""
        return self.seconds / max(self.done, 1) * (self.last - self.step)

    @property
    def summary(self) -> str:
        return (
            f"loss {self.loss:.3f}, {self.speed:,.0f} tokens/s, rate {self.rate:.2e}, "
            f"{format_duration(self.remaining)} left"
        )


def event_lines(event: Event, state: ProgressState) -> list[str]:
    """Return the lines that describe an event; none for steps and checkpoints."""
    match event:
        case TrainingStarted():
            width = max(map(len, event.plan), default=0)
            return [f"{name:{width}}  {text}" for name, text in event.plan.items()]
        case ValidationCompleted():
            return [f"step {event.step:,}: {_validation(event, state)}"]
        case RolledBack():
            return [
                f"step {event.diverged_at:,} diverged: {event.reason}; rolled back to step "
                f"{event.step:,}, learning rate × {event.lr_scale:g}"
            ]
        case TrainingEnded():
            ended = f"ended after step {event.step:,}: {event.reason}"
            return (
                [ended]
                if event.best is None
                else [ended, *_best_scores(event.best_step, event.best)]
            )
    return []


def _validation(event: ValidationCompleted, state: ProgressState) -> str:
    values = dict(event.scores.values)
    text = f"{event.metric} {values.pop(event.metric):#.4g}"
    if event.improved:
        text += ", new best"
    elif (best := state.best) is not None:
        text += f" (best {best.scores.values[best.metric]:#.4g} at step {best.step:,})"
    further_metrics = [f"{name} {value:#.4g}" for name, value in values.items()]
    text = "; ".join([text, ", ".join(further_metrics)]) if further_metrics else text
    if event.patience is not None and not event.improved:
        text += f"; stops after {event.patience} more without improvement"
    return f"{text} ({format_duration(event.seconds)})"


def _best_scores(step: int, scores: Scores) -> list[str]:
    width = max(8, *map(len, scores.values))
    rows = [
        f"  {name:{width}} {value:#7.4g}  {scores.signatures.get(name, '')}".rstrip()
        for name, value in scores.values.items()
    ]
    return [f"best step {step:,}:", *rows]


class TrainingLines:
    """Prints a line for each event, and for steps at most every ten seconds."""

    def __init__(self) -> None:
        self.state = ProgressState()
        self.last_report = 0.0  # seconds since the start

    def __call__(self, event: Event) -> None:
        state = self.state
        state.update(event)
        lines = event_lines(event, state)
        match event:
            case StepCompleted() if state.seconds >= self.last_report + REPORT_EVERY:
                self.last_report = state.seconds
                steps = f"step {state.step:,}/{state.last:,}, epoch {state.epoch}"
                lines = [f"{steps}: {state.summary}"]
        for line in lines:
            print(line, file=sys.stderr, flush=True)


class TrainingBar:
    """Shows step, loss and scores in two lines at the bottom of the terminal."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.state = ProgressState()

    def __call__(self, event: Event) -> None:
        self.state.update(event)
        if lines := event_lines(event, self.state):
            text = "\n".join(lines)
            self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def draw(self) -> Group:
        state = self.state
        if not state.last:  # not started yet
            return Group()
        first = Table.grid(padding=(0, 2), expand=True)
        first.add_column(no_wrap=True)
        first.add_column(ratio=1)
        first.add_column(no_wrap=True)
        first.add_row(
            f"step {state.step:,}/{state.last:,}",
            ProgressBar(total=state.last, completed=state.step),
            f"epoch {state.epoch}",
        )
        second = [state.summary] if state.done else []
        for label, event in (("last", state.latest), ("best", state.best)):
            if event is not None:
                second.append(f"{label} {event.metric} {event.scores.values[event.metric]:#.4g}")
        return Group(first, Text(", ".join(second), style="dim"))
