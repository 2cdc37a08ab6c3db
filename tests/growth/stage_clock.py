"""The CPU time of each stage of tasks, and which stages and functions have run."""

from __future__ import annotations

import sys
import time

from regard.data.preparation import runner as tasks
from regard.data.preparation.runner import PreparationTask, Stage, TaskResult


class StageClock:
    """Measures tasks by stage, without the time of the tasks that a task waits for."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.functions: set[str] = set()  # of corpus jobs, by class
        self._running: list[str] = []
        self._since = 0.0

    def install(self) -> None:
        """Measure the tasks of every module that is loaded."""
        run_task = tasks.run_task

        def measured(task: PreparationTask, stage: Stage) -> TaskResult:
            self._count()
            self._running.append(task.stage)
            if "function" in task.locations:
                self.functions.add(type(task.locations["function"]).__name__)
            try:
                return run_task(task, stage)
            finally:
                self._count()
                self._running.pop()

        for module in list(sys.modules.values()):
            if getattr(module, "run_task", None) is run_task:
                module.run_task = measured  # type: ignore[attr-defined]

    def take(self) -> dict[str, float]:
        """The seconds of each stage since the last call."""
        seconds, self.seconds = self.seconds, {}
        return seconds

    def _count(self) -> None:
        now = time.process_time()
        if self._running:
            stage = self._running[-1]
            self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._since
        self._since = now
