"""How a training run is shown while it runs: a bar on a terminal, plain lines elsewhere.

What is said once (the plan, validations, steps back, the end) is the same in both.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from rich.console import Console, Group

PAUSE = 10.0  # seconds of the run between two lines on its steps
MEMORY = 50  # steps that the loss shown is the mean of, about


@contextmanager
def show_progress() -> Iterator[EventHandler]:
    """An observer that tells on stderr how the run goes, for as long as the block lasts."""
    if not sys.stderr.isatty():
        yield TrainingLines()
        return
    from rich.console import Console
    from rich.live import Live

    bar = TrainingBar(Console(stderr=True))
    # drawn in a thread of its own, four times a second, so that no step waits for it
    with Live(get_renderable=bar.draw, console=bar.console, transient=True):
        yield bar


class ProgressState:
    """Where a run stands, by what was told of it. Its clock is the events' own."""

    def __init__(self) -> None:
        self.step = self.last = self.epoch = self.made = self.counted = 0
        self.seconds = self.loss = self.rate = self.speed = 0.0
        self.latest: ValidationCompleted | None = None
        self.best: ValidationCompleted | None = None

    def update(self, event: Event) -> None:
        match event:
            case TrainingStarted():
                self.step, self.last = event.step, event.last
            case StepCompleted():
                self.step, self.epoch, self.rate = event.step, event.epoch, event.rate
                self.made += 1
                self.seconds += event.seconds
                self.counted = min(self.counted + 1, MEMORY)
                self.loss += (event.loss - self.loss) / self.counted
                self.speed += (event.tokens / event.seconds - self.speed) / self.counted
            case ValidationCompleted():
                self.seconds += event.seconds
                self.latest = event
                if event.improved:
                    self.best = event
            case CheckpointSaved():
                self.seconds += event.seconds
            case RolledBack():
                self.step, self.counted, self.loss = event.step, 0, 0.0

    @property
    def remaining(self) -> float:
        """Seconds to the last step, validations and saves in between counted."""
        return self.seconds / max(self.made, 1) * (self.last - self.step)

    @property
    def numbers(self) -> str:
        return (
            f"loss {self.loss:.3f}, {self.speed:,.0f} tokens/s, rate {self.rate:.2e}, "
            f"{format_duration(self.remaining)} to go"
        )


def event_line(event: Event, course: ProgressState) -> list[str]:
    """The lines on what is said once; on steps and saves none."""
    match event:
        case TrainingStarted():
            width = max(map(len, event.plan), default=0)
            return [f"{name:{width}}  {words}" for name, words in event.plan.items()]
        case ValidationCompleted():
            return [f"step {event.step:,}: {_found(event, course)}"]
        case RolledBack():
            return [
                f"step {event.diverged_at:,} went wrong: {event.why}; on from step {event.step:,}, "
                f"rates × {event.lr_scale:g}"
            ]
        case TrainingEnded():
            ended = f"ended after step {event.step:,}: {event.why}"
            return [ended] if event.best is None else [ended, *_best(event.best_step, event.best)]
    return []


def _found(event: ValidationCompleted, course: ProgressState) -> str:
    values = dict(event.scores.values)
    words = f"{event.metric} {values.pop(event.metric):#.4g}"
    if event.improved:
        words += ", the best so far"
    elif course.best is not None:
        best = course.best
        words += f", the best is {best.scores.values[best.metric]:#.4g} of step {best.step:,}"
    others = [f"{name} {value:#.4g}" for name, value in values.items()]
    words = "; ".join([words, ", ".join(others)]) if others else words
    if event.patience is not None and not event.improved:
        words += f"; ends unless one of the next {event.patience} is better"
    return f"{words} ({format_duration(event.seconds)})"


def _best(step: int, scores: Scores) -> list[str]:
    width = max(8, *map(len, scores.values))
    rows = [
        f"  {name:{width}} {value:#7.4g}  {scores.signatures.get(name, '')}".rstrip()
        for name, value in scores.values.items()
    ]
    return [f"the best was step {step:,}:", *rows]


class TrainingLines:
    """Says each thing in a line, and every ten seconds at most where the steps stand."""

    def __init__(self) -> None:
        self.course = ProgressState()
        self.said = 0.0  # seconds into the run

    def __call__(self, event: Event) -> None:
        course = self.course
        course.update(event)
        lines = event_line(event, course)
        match event:
            case StepCompleted() if course.seconds >= self.said + PAUSE:
                self.said = course.seconds
                place = f"step {course.step:,}/{course.last:,}, epoch {course.epoch}"
                lines = [f"{place}: {course.numbers}"]
        for line in lines:
            print(line, file=sys.stderr, flush=True)


class TrainingBar:
    """Two lines that stay at the bottom: how far the run is, and how well it goes."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.course = ProgressState()

    def __call__(self, event: Event) -> None:
        self.course.update(event)
        if lines := event_line(event, self.course):
            text = "\n".join(lines)
            self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def draw(self) -> Group:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        course = self.course
        if not course.last:  # not yet begun
            return Group()
        first = Table.grid(padding=(0, 2), expand=True)
        first.add_column(no_wrap=True)
        first.add_column(ratio=1)
        first.add_column(no_wrap=True)
        first.add_row(
            f"step {course.step:,}/{course.last:,}",
            ProgressBar(total=course.last, completed=course.step),
            f"epoch {course.epoch}",
        )
        second = [course.numbers] if course.made else []
        for word, event in (("last", course.latest), ("best", course.best)):
            if event is not None:
                second.append(f"{word} {event.metric} {event.scores.values[event.metric]:#.4g}")
        return Group(first, Text(", ".join(second), style="dim"))
