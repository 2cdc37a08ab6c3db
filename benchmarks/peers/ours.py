"""regard, by its own commands."""

from __future__ import annotations

import shutil
from importlib.metadata import version

import regard
from benchmarks.peers.lesson import PRESET, SOURCE, TARGET, read_lines
from benchmarks.peers.toolkit import History, Plan, Told, Toolkit
from regard.tasks.training import RunDirectory
from regard.train.loggers.jsonl import read_events as read_journal


class Regard(Toolkit):
    """As the preset and the machine have it: in bf16 where the CPU computes with it."""

    name = "regard"
    package = "regard"
    settings: tuple[str, ...] = ()

    def versions(self) -> dict[str, str]:
        """It need not be installed to run."""
        return {
            "regard": regard.__version__,
            "torch": version("torch"),
            "numpy": version("numpy"),
        }

    def train(self, plan: Plan) -> list[str]:
        home, lesson = RunDirectory(plan.folder), self.lesson
        if not home.data.exists():
            shutil.copytree(lesson.prepared.data, home.data)
        changed = [
            *lesson.settings,
            *self.settings,
            f"train.steps={plan.steps}",
            f"train.schedule.warmup={plan.warmup}",
            f"train.validate_every={plan.validate_every}",
            f"train.save_every={plan.validate_every}",
        ]
        return [
            *(str(self.python), "-m", "regard", "train", "--preset", PRESET),
            *("--source", str(lesson.raw("train", SOURCE))),
            *("--target", str(lesson.raw("train", TARGET))),
            *("--valid", str(lesson.raw("valid", SOURCE)), str(lesson.raw("valid", TARGET))),
            *("--out", str(plan.folder), "--threads", "1"),
            *(word for setting in changed for word in ("--set", setting)),
        ]

    def finish(self, plan: Plan, made: int) -> list[str] | None:
        """The same run, said to have been meant so short: the best of it is sealed."""
        if RunDirectory(plan.folder).model.exists():
            return None
        command = self.train(plan)
        command[command.index(f"train.steps={plan.steps}")] = f"train.steps={made}"
        return [*command, "--accept-changes"]

    def read(self, plan: Plan) -> History | None:
        log = RunDirectory(plan.folder).log
        events = list(read_journal(log)) if log.exists() else []
        began = next((event for event in events if event["event"] == "training_started"), None)
        if began is None:
            return None
        at, since, tokens = 0.0, 0.0, 0
        told, validations = list[Told](), list[float]()
        for event in events:
            at += event.get("seconds", 0.0)
            if event["event"] == "step_completed":
                since, tokens = since + event["seconds"], tokens + event["tokens"]
                if event["step"] % plan.report_every == 0:
                    told.append(Told(event["step"], at, tokens / since))
                    since, tokens = 0.0, 0
            elif event["event"] == "validation_completed":
                validations.append(event["seconds"])
        parameters = int(began["plan"]["model"].split()[0].replace(",", ""))
        return History(parameters, tuple(told), tuple(validations))

    def translate(self, plan: Plan) -> list[str]:
        return [
            *(str(self.python), "-m", "regard", "translate", str(RunDirectory(plan.folder).model)),
            *("--source", str(self.lesson.raw("test", SOURCE)), "--out", str(plan.outputs)),
        ]

    def outputs(self, plan: Plan) -> list[str]:
        return read_lines(plan.outputs)


class RegardInFp32(Regard):
    """With the arithmetic of the others, to see what bf16 gives and what the rest."""

    name = "regard-fp32"
    settings = ("train.performance.precision=fp32",)
