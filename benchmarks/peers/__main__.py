"""Other toolkits beside regard on Multi30k en-de, for the same wall time.

    python -m benchmarks.peers --peer joeynmt=VENV --peer eole=VENV --work FOLDER
        [--minutes 30] [--core 0] [--fp32] [--quick]

Each toolkit has a virtual environment of its own (its file here says how it is made), and is run by
its own commands, one after the other, with one thread on one core. regard prepares the corpus; the
others get the very pairs that it learns from, cut into the same pieces, with the same vocabulary,
and a Transformer of the size of the preset `translate-tiny`, all in batches of 1,024 tokens. A
pilot of a minute tells how long a step takes; then as many steps are planned as fit into the time,
so that a schedule that has an end comes to it. What counts is the time from the first step to the
end of the command: validations and what is saved are within, and what is not ended then is stopped.
Where few steps fit, the rate rises for a quarter of them instead of the preset's 1,000, regard's
too. The test of 2016 is translated with the preset's beam by the toolkit's own command, its pieces
are joined, and all are scored alike.

A toolkit that has come to its end in FOLDER is not run again. The last line is one JSON object.
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
from benchmarks.peers.child import Spent, run, watch
from benchmarks.peers.eole import Eole
from benchmarks.peers.joeynmt import JoeyNMT
from benchmarks.peers.lesson import FULL, PRESET, QUICK, write_lesson
from benchmarks.peers.ours import Regard, RegardInFp32
from benchmarks.peers.toolkit import Plan, Toolkit
from regard.evaluate.scores import score_corpus

PEERS: dict[str, type[Toolkit]] = {"joeynmt": JoeyNMT, "eole": Eole}
ENDLESS = 1_000_000  # steps: it is stopped before
SHARE = 0.95  # of the time is planned; the rest is for a core that is slower than in the pilot
RISE = 4  # the rate rises for one step in so many, at most
MOST_REPORTED = 10  # steps that a line of a log tells of; JoeyNMT wants validations at such a line
OUTLAST = 30  # times a pilot's time: until then it must have validated


@dataclass(frozen=True)
class Times:
    """Seconds, and how often a run is validated."""

    training: float
    pilot: float
    pilot_validates: int  # after so many steps
    validations: int
    most: int  # steps, whatever the time


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = ", ".join(PEERS)
    parser.add_argument("--peer", action="append", default=[], help=f"NAME=VENV, of {known}")
    parser.add_argument("--work", type=Path, required=True, help="keep everything there")
    parser.add_argument("--minutes", type=float, default=30.0, help="that each may learn for")
    parser.add_argument("--core", type=int, default=0, help="that all run on, in turn")
    parser.add_argument("--fp32", action="store_true", help="regard in fp32 too")
    parser.add_argument("--quick", action="store_true", help="does it run? a few seconds of each")
    given = parser.parse_args()

    times = Times(given.minutes * 60, 60.0, 10, 2, ENDLESS)
    if given.quick:
        times = Times(60.0, 2.0, 4, 2, 8)
    work = given.work.absolute() / ("quick" if given.quick else f"{given.minutes:g}-minutes")
    lesson = write_lesson(work, QUICK if given.quick else FULL)
    print(f"{lesson.pairs:,} pairs, {lesson.tokenizer.size:,} pieces", flush=True)
    ours = (Regard, RegardInFp32) if given.fp32 else (Regard,)
    toolkits: list[Toolkit] = [one(Path(sys.executable), lesson) for one in ours]
    for name, _, folder in (peer.partition("=") for peer in given.peer):
        if name not in PEERS:
            parser.error(f"--peer {name}: known are {known}")
        toolkits.append(PEERS[name](Path(folder).absolute() / "bin" / "python", lesson))
    found = {one.name: compare(one, work, times, given.core) for one in toolkits}
    show(found)
    facts = {"minutes": times.training / 60, "quick": given.quick, "preset": PRESET}
    return report("peers", [], **facts, pairs=lesson.pairs, found=found)


def compare(toolkit: Toolkit, work: Path, times: Times, core: int) -> dict[str, Any]:
    """All that is told of one toolkit; what was found before is read again."""
    folder = work / toolkit.name
    known = folder / "found.json"
    if known.exists():
        found: dict[str, Any] = json.loads(known.read_text("utf-8"))
        return found
    print(f"{toolkit.name}:", flush=True)
    shutil.rmtree(folder, ignore_errors=True)  # begun and not ended
    versions = toolkit.versions()
    plan = plan_run(toolkit, folder, times, core)
    plan.folder.mkdir(parents=True)
    command = toolkit.train(plan)
    spent = watch_training(toolkit, plan, command, core, lambda s: s > times.training)
    history = toolkit.read(plan)
    assert history is not None
    assert history.told, f"{plan.log}: tells of no step"
    made = history.told[-1].step
    if (ending := toolkit.finish(plan, made)) is not None:
        run(ending, toolkit.python, core, folder / "finish.log")
    translating = toolkit.translate(plan)
    run(translating, toolkit.python, core, folder / "translate.log")
    measured = score_corpus(toolkit.outputs(plan), toolkit.lesson.references)
    found = {
        "versions": versions,
        "bleu": round(measured.values["bleu"], 2),
        "chrf": round(measured.values["chrf"], 2),
        "signature": measured.signatures["bleu"],
        "tokens_a_second": round(history.rate),
        "steps": made,
        "planned": plan.steps,
        "warmup": plan.warmup,
        "parameters": history.parameters,
        **asdict(spent),
        "validation_seconds": [round(seconds, 1) for seconds in history.validations],
        "commands": [" ".join(command), " ".join(translating)],
        "patches": toolkit.patches,
        "differs": toolkit.differs,
    }
    known.write_text(json.dumps(found, indent=1), "utf-8")
    return found


def plan_run(toolkit: Toolkit, folder: Path, times: Times, core: int) -> Plan:
    """As many steps as fit, by what a short run says of a step and of a validation."""
    warmup = toolkit.recipe.warmup
    pilot = Plan(folder / "pilot", ENDLESS, warmup, times.pilot_validates, 1)

    def over(seconds: float) -> bool:
        history = toolkit.read(pilot)
        seen = history is not None and bool(history.validations) and len(history.told) > 3
        return seconds > times.pilot * (1 if seen else OUTLAST)

    pilot.folder.mkdir(parents=True)
    watch_training(toolkit, pilot, toolkit.train(pilot), core, over)
    history = toolkit.read(pilot)
    assert history is not None
    assert history.validations, f"{pilot.log}: validated nothing"
    step, validation = history.seconds_a_step, max(history.validations)
    left = max(times.training * SHARE - times.validations * validation, times.training / 4)
    every = max(1, int(min(left / step, times.most) / times.validations))
    steps = every * times.validations
    print(
        f"  a step takes {step:.3g} s at {history.rate:,.0f} target tokens a second, a validation "
        f"{validation:.3g} s: {steps:,} steps for {times.training / 60:.3g} min",
        flush=True,
    )
    reported = next(n for n in range(MOST_REPORTED, 0, -1) if every % n == 0)
    return Plan(folder / "run", steps, min(warmup, -(-steps // RISE)), every, reported)


def watch_training(
    toolkit: Toolkit, plan: Plan, command: list[str], core: int, over: Callable[[float], bool]
) -> Spent:
    def begun() -> bool:
        return toolkit.read(plan) is not None

    return watch(command, toolkit.python, core, plan.log, begun, over)


def show(found: dict[str, dict[str, Any]]) -> None:
    heads = ("BLEU", "chrF", "tokens/s", "steps", "minutes", "core", "parameters")
    print("\n{:12} {:>6} {:>6} {:>9} {:>7} {:>8} {:>5} {:>10}".format("", *heads))
    for name, one in found.items():
        quality = f"{one['bleu']:6.2f} {one['chrf']:6.2f} {one['tokens_a_second']:9,}"
        spent = f"{one['steps']:7,} {one['seconds'] / 60:8.1f} {one['busy']:5.0%}"
        print(f"{name:12} {quality} {spent} {one['parameters']:10,}")
    for name, one in found.items():
        print(f"\n{name}, {', '.join(f'{k} {v}' for k, v in one['versions'].items())}")
        for title in ("patches", "differs"):
            for line in one[title]:
                print(f"  {title}: {line}")
        for line in one["commands"]:
            print(f"  $ {line}")


if __name__ == "__main__":
    sys.exit(main())
