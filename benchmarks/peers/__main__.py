"""Compare regard with other toolkits on Multi30k en-de, for the same wall time.

    python -m benchmarks.peers --peer joeynmt=VENV --peer eole=VENV --work DIR
        [--minutes 30] [--core 0] [--fp32] [--quick]

Each toolkit has its own virtual environment (see its file for the installation) and is run by its
own commands, one toolkit after the other, with one thread on one core. All of them train on the
pairs that regard prepares, with the same pieces and vocabulary, a Transformer of the size of the
preset `translate-tiny`, and batches of 1,024 tokens. A pilot run of a minute measures the time of a
step. The number of steps is then planned to fit the time limit, so that learning rate schedules
reach their end. The time counts from the first step to the end of the command, including
validations and checkpoints; a run that exceeds it is stopped. If few steps fit, warmup takes a
quarter of them instead of the preset's 1,000, for regard too. Each toolkit translates the 2016 test
set with the preset's beam by its own command. Its pieces are joined, and all outputs are scored in
the same way.

A toolkit whose result is in DIR is not run again. The last line is a JSON object.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.figures import report
from benchmarks.peers.eole import Eole
from benchmarks.peers.experiment import FULL, PRESET, QUICK, write_experiment
from benchmarks.peers.joeynmt import JoeyNMT
from benchmarks.peers.process import Usage, run, watch
from benchmarks.peers.regard_toolkit import Regard, RegardInFp32
from benchmarks.peers.toolkit import Plan, Toolkit
from regard.evaluate.scores import score_corpus

PEERS: dict[str, type[Toolkit]] = {"joeynmt": JoeyNMT, "eole": Eole}
UNLIMITED = 1_000_000  # steps; the run is stopped before
PLANNED_SHARE = 0.95  # of the time; the rest is a reserve for slowdowns after the pilot
WARMUP_DIVISOR = 4  # warmup takes at most this fraction of the steps
MAX_REPORT_EVERY = 10  # steps per log line; JoeyNMT requires validations at such a line
PILOT_TIMEOUT = 30  # times the pilot's time, within which it must validate


@dataclass(frozen=True)
class Times:
    """Time limits in seconds, and the number of validations."""

    training: float
    pilot: float
    pilot_validate_every: int
    validations: int
    max_steps: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = ", ".join(PEERS)
    parser.add_argument(
        "--peer", action="append", default=[], help=f"NAME=VENV, with NAME one of {known}"
    )
    parser.add_argument("--work", type=Path, required=True, help="directory for all files")
    parser.add_argument("--minutes", type=float, default=30.0, help="training time of each toolkit")
    parser.add_argument("--core", type=int, default=0, help="index of the CPU core")
    parser.add_argument("--fp32", action="store_true", help="also run regard in fp32")
    parser.add_argument(
        "--quick", action="store_true", help="a few seconds each, to test the setup"
    )
    options = parser.parse_args()

    times = Times(options.minutes * 60, 60.0, 10, 2, UNLIMITED)
    if options.quick:
        times = Times(60.0, 2.0, 4, 2, 8)
    work = options.work.absolute() / ("quick" if options.quick else f"{options.minutes:g}-minutes")
    experiment = write_experiment(work, QUICK if options.quick else FULL)
    print(f"{experiment.pairs:,} pairs, {experiment.tokenizer.size:,} pieces", flush=True)
    variants = (Regard, RegardInFp32) if options.fp32 else (Regard,)
    toolkits: list[Toolkit] = [each(Path(sys.executable), experiment) for each in variants]
    for name, _, folder in (peer.partition("=") for peer in options.peer):
        if name not in PEERS:
            parser.error(f"--peer {name}: unknown toolkit. Use one of {known}.")
        toolkits.append(PEERS[name](Path(folder).absolute() / "bin" / "python", experiment))
    found = {one.name: compare(one, work, times, options.core) for one in toolkits}
    show(found)
    facts = {"minutes": times.training / 60, "quick": options.quick, "preset": PRESET}
    return report("peers", [], **facts, pairs=experiment.pairs, found=found)


def compare(toolkit: Toolkit, work: Path, times: Times, core: int) -> dict[str, Any]:
    """Train and score one toolkit, or read its saved result."""
    folder = work / toolkit.name
    result = folder / "found.json"
    if result.exists():
        found: dict[str, Any] = json.loads(result.read_text("utf-8"))
        return found
    print(f"{toolkit.name}:", flush=True)
    shutil.rmtree(folder, ignore_errors=True)  # left by an incomplete run
    versions = toolkit.versions()
    plan = plan_run(toolkit, folder, times, core)
    plan.folder.mkdir(parents=True)
    command = toolkit.train(plan)
    usage = watch_training(toolkit, plan, command, core, lambda s: s > times.training)
    history = toolkit.read(plan)
    assert history is not None
    assert history.entries, f"{plan.log}: has no steps"
    made = history.entries[-1].step
    if (finishing := toolkit.finish(plan, made)) is not None:
        run(finishing, toolkit.python, core, folder / "finish.log")
    translating = toolkit.translate(plan)
    run(translating, toolkit.python, core, folder / "translate.log")
    measured = score_corpus(toolkit.outputs(plan), toolkit.experiment.references)
    found = {
        "versions": versions,
        "bleu": round(measured.values["bleu"], 2),
        "chrf": round(measured.values["chrf"], 2),
        "signature": measured.signatures["bleu"],
        "tokens_per_second": round(history.rate),
        "steps": made,
        "planned": plan.steps,
        "warmup": plan.warmup,
        "parameters": history.parameters,
        **asdict(usage),
        "validation_seconds": [round(seconds, 1) for seconds in history.validations],
        "commands": [" ".join(command), " ".join(translating)],
        "patches": toolkit.patches,
        "differs": toolkit.differs,
    }
    result.write_text(json.dumps(found, indent=1), "utf-8")
    return found


def plan_run(toolkit: Toolkit, folder: Path, times: Times, core: int) -> Plan:
    """Plan as many steps as fit, from the times of a step and a validation in a pilot run."""
    warmup = toolkit.recipe.warmup
    pilot = Plan(folder / "pilot", UNLIMITED, warmup, times.pilot_validate_every, 1)

    def is_over(seconds: float) -> bool:
        history = toolkit.read(pilot)
        complete = history is not None and bool(history.validations) and len(history.entries) > 3
        return seconds > times.pilot * (1 if complete else PILOT_TIMEOUT)

    pilot.folder.mkdir(parents=True)
    watch_training(toolkit, pilot, toolkit.train(pilot), core, is_over)
    history = toolkit.read(pilot)
    assert history is not None
    assert history.validations, f"{pilot.log}: has no validation"
    step, validation = history.seconds_per_step, max(history.validations)
    available = max(
        times.training * PLANNED_SHARE - times.validations * validation, times.training / 4
    )
    every = max(1, int(min(available / step, times.max_steps) / times.validations))
    steps = every * times.validations
    print(
        f"  {step:.3g} s per step, {history.rate:,.0f} target tokens per second, "
        f"{validation:.3g} s per validation: {steps:,} steps in {times.training / 60:.3g} min",
        flush=True,
    )
    report_every = next(n for n in range(MAX_REPORT_EVERY, 0, -1) if every % n == 0)
    return Plan(
        folder / "run", steps, min(warmup, -(-steps // WARMUP_DIVISOR)), every, report_every
    )


def watch_training(
    toolkit: Toolkit, plan: Plan, command: list[str], core: int, is_over: Callable[[float], bool]
) -> Usage:
    def started() -> bool:
        return toolkit.read(plan) is not None

    return watch(command, toolkit.python, core, plan.log, started, is_over)


def show(found: dict[str, dict[str, Any]]) -> None:
    heads = ("BLEU", "chrF", "tokens/s", "steps", "minutes", "core", "parameters")
    print("\n{:12} {:>6} {:>6} {:>9} {:>7} {:>8} {:>5} {:>10}".format("", *heads))
    for name, one in found.items():
        quality = f"{one['bleu']:6.2f} {one['chrf']:6.2f} {one['tokens_per_second']:9,}"
        usage = f"{one['steps']:7,} {one['seconds'] / 60:8.1f} {one['busy']:5.0%}"
        print(f"{name:12} {quality} {usage} {one['parameters']:10,}")
    for name, one in found.items():
        print(f"\n{name}, {', '.join(f'{k} {v}' for k, v in one['versions'].items())}")
        for title in ("patches", "differs"):
            for line in one[title]:
                print(f"  {title}: {line}")
        for line in one["commands"]:
            print(f"  $ {line}")


if __name__ == "__main__":
    sys.exit(main())
