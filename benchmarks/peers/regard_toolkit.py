"""regard, run by its command-line interface."""

from __future__ import annotations

import shutil
from importlib.metadata import version

import regard
from benchmarks.peers.experiment import PRESET, SOURCE, TARGET, read_lines
from benchmarks.peers.toolkit import History, LogEntry, Plan, Toolkit
from regard.tasks.training import RunDirectory
from regard.train.loggers.jsonl import read_events


class Regard(Toolkit):
    """regard with the preset's precision: bf16 if the CPU supports it."""

    name = "regard"
    package = "regard"
    settings: tuple[str, ...] = ()

    def versions(self) -> dict[str, str]:
        """Read from the package itself, which need not be installed."""
        return {
            "regard": regard.__version__,
            "torch": version("torch"),
            "numpy": version("numpy"),
        }

    def train(self, plan: Plan) -> list[str]:
        directory, experiment = RunDirectory(plan.folder), self.experiment
        if not directory.data.exists():
            shutil.copytree(experiment.prepared.data, directory.data)
        settings = [
            *experiment.settings,
            *self.settings,
            f"train.steps={plan.steps}",
            f"train.schedule.warmup={plan.warmup}",
            f"train.validate_every={plan.validate_every}",
            f"train.save_every={plan.validate_every}",
        ]
        return [
            *(str(self.python), "-m", "regard", "train", "--preset", PRESET),
            *("--source", str(experiment.raw("train", SOURCE))),
            *("--target", str(experiment.raw("train", TARGET))),
            *(
                "--valid",
                str(experiment.raw("valid", SOURCE)),
                str(experiment.raw("valid", TARGET)),
            ),
            *("--out", str(plan.folder), "--threads", "1"),
            *(word for setting in settings for word in ("--set", setting)),
        ]

    def finish(self, plan: Plan, made: int) -> list[str] | None:
        """The same run with fewer steps, which only saves the best model."""
        if RunDirectory(plan.folder).model.exists():
            return None
        command = self.train(plan)
        command[command.index(f"train.steps={plan.steps}")] = f"train.steps={made}"
        return [*command, "--accept-changes"]

    def read(self, plan: Plan) -> History | None:
        log = RunDirectory(plan.folder).log
        events = list(read_events(log)) if log.exists() else []
        started = next((event for event in events if event["event"] == "training_started"), None)
        if started is None:
            return None
        at, since, tokens = 0.0, 0.0, 0
        entries, validations = list[LogEntry](), list[float]()
        for event in events:
            at += event.get("seconds", 0.0)
            if event["event"] == "step_completed":
                since, tokens = since + event["seconds"], tokens + event["tokens"]
                if event["step"] % plan.report_every == 0:
                    entries.append(LogEntry(event["step"], at, tokens / since))
                    since, tokens = 0.0, 0
            elif event["event"] == "validation_completed":
                validations.append(event["seconds"])
        parameters = int(started["plan"]["model"].split()[0].replace(",", ""))
        return History(parameters, tuple(entries), tuple(validations))

    def translate(self, plan: Plan) -> list[str]:
        return [
            *(str(self.python), "-m", "regard", "translate", str(RunDirectory(plan.folder).model)),
            *("--source", str(self.experiment.raw("test", SOURCE)), "--out", str(plan.outputs)),
        ]

    def outputs(self, plan: Plan) -> list[str]:
        return read_lines(plan.outputs)


class RegardInFp32(Regard):
    """regard in fp32, as the other toolkits, to separate the effect of bf16."""

    name = "regard-fp32"
    settings = ("train.performance.precision=fp32",)
