"""BLEU of `regard train --minutes N` on 45,000 pairs of Tatoeba, English to French.

    python -m benchmarks.minutes [--quick] [--minutes 5 10 30] [--out minutes/]

Each run is a process of its own with two threads. The table reports the wall time and the CPU time
of the command: on a busy machine the CPU time is less than twice the wall time, and the BLEU is
that of a slower machine. --quick makes ten steps on fewer pairs, to test the setup. The
last line is a JSON object. The exit code is 1 if a command takes a tenth longer than it should.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.figures import Figure, report
from benchmarks.multi30k import DATA
from regard.data.formats.corpus import read_parallel

CORPUS, LANGUAGES = "tatoeba-en-fr", ("en", "fr")
SPLITS = {"train": ("train", 45_000), "valid": ("dev", 1_000), "test": ("test", 3_000)}
"""The split of the corpus, and the number of pairs that are used, evenly spaced."""


def write_splits(out: Path, share: float) -> None:
    for name, (split, whole) in SPLITS.items():
        count = round(whole * share)
        files = [str(DATA / CORPUS / f"{split}.{language}.gz") for language in LANGUAGES]
        for language, lines in zip(LANGUAGES, read_parallel(*files), strict=True):
            sample = [lines[i * len(lines) // count] for i in range(count)]
            (out / f"{name}.{language}").write_text("".join(f"{line}\n" for line in sample))


def run(minutes: float, out: Path, options: Sequence[str] = ()) -> dict[str, float | str]:
    """Train for `minutes`, evaluate, and return a row of the table."""
    source, target = LANGUAGES
    command: list[str | Path] = [
        *(sys.executable, "-m", "regard", "train", "--minutes", f"{minutes:g}", "--threads", "2"),
        *("--source", out / f"train.{source}", "--target", out / f"train.{target}"),
        *("--valid", out / f"valid.{source}", out / f"valid.{target}"),
        *("--out", out / f"run-{minutes:g}"),
        *options,
    ]
    load, clock = os.getloadavg()[0], time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    trained = subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.monotonic() - clock
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    (choice,) = (line for line in trained.stderr.splitlines() if " steps of " in line)
    print(choice, file=sys.stderr, flush=True)
    evaluated = subprocess.run(
        [
            *(sys.executable, "-m", "regard", "evaluate", out / f"run-{minutes:g}" / "model"),
            *("--source", out / f"test.{source}", "--reference", out / f"test.{target}", "--json"),
        ],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    scores = json.loads(evaluated.stdout)["scores"]
    preset, _, plan = choice.partition(": ")
    return {
        "minutes": minutes,
        "preset": preset,
        "steps": plan.split(" steps")[0],
        "BLEU": round(scores["bleu"]["value"], 1),
        "chrF": round(scores["chrf"]["value"], 1),
        "wall minutes": round(wall / 60, 1),
        "CPU minutes": round(cpu / 60, 1),
        "load before": round(load, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only see that everything runs")
    parser.add_argument("--minutes", type=float, nargs="+", default=[5, 10, 30])
    parser.add_argument("--out", type=Path, help="keep the runs here")
    options = parser.parse_args()
    budgets = [1] if options.quick else options.minutes
    few = ("--preset", "translate-quick", "--set", "train.steps=10") if options.quick else ()
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        out: Path = options.out or Path(temporary)
        out.mkdir(parents=True, exist_ok=True)
        write_splits(out, 0.02 if options.quick else 1)
        for minutes in budgets:
            rows.append(run(minutes, out, few))
            if minutes == budgets[0]:
                print(f"| {' | '.join(rows[0])} |\n|{'--:|' * len(rows[0])}")
            print(f"| {' | '.join(map(str, rows[-1].values()))} |", flush=True)
    figures = [
        Figure(f"time of --minutes {row['minutes']:g}, as a share of it", share, 1.1, at_most=True)
        for row, minutes in zip(rows, budgets, strict=True)
        for share in [float(row["wall minutes"]) / minutes]
    ]
    return report("minutes", [] if options.quick else figures, quick=options.quick, runs=rows)


if __name__ == "__main__":
    sys.exit(main())
