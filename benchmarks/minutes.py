"""BLEU of `regard train --minutes N` on 45,000 pairs of Tatoeba, English to French.

    python -m benchmarks.minutes --data corpora/ --minutes 5 10 30 --out minutes/

Each run is a process of its own with two threads. The table reports the wall time and the CPU time
of the command: on a busy machine the CPU time is less than twice the wall time, and the BLEU is
that of a slower machine.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from regard.data.formats.corpus import read_parallel

CORPUS, LANGUAGES = "tatoeba-en-fr", ("en", "fr")
SPLITS = {"train": ("train", 45_000), "valid": ("dev", 1_000), "test": ("test", 3_000)}
"""The split of the corpus, and the number of pairs that are used, evenly spaced."""


def write_splits(data: Path, out: Path) -> None:
    for name, (split, count) in SPLITS.items():
        files = [str(data / CORPUS / f"{split}.{language}.gz") for language in LANGUAGES]
        for language, lines in zip(LANGUAGES, read_parallel(*files), strict=True):
            sample = [lines[i * len(lines) // count] for i in range(count)]
            (out / f"{name}.{language}").write_text("".join(f"{line}\n" for line in sample))


def run(minutes: float, out: Path) -> list[str]:
    """Train for `minutes` and return a row of the table."""
    source, target = LANGUAGES
    command = [
        *(sys.executable, "-m", "regard", "train", "--minutes", f"{minutes:g}", "--threads", "2"),
        *("--source", out / f"train.{source}", "--target", out / f"train.{target}"),
        *("--valid", out / f"valid.{source}", out / f"valid.{target}"),
        *("--out", out / f"run-{minutes:g}"),
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
    return [
        f"{minutes:g}",
        preset,
        plan.split(" steps")[0],
        f"{scores['bleu']['value']:.1f}",
        f"{scores['chrf']['value']:.1f}",
        f"{wall / 60:.1f} min",
        f"{cpu / 60:.1f} min",
        f"{load:.1f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--minutes", type=float, nargs="+", default=[5, 10, 30])
    parser.add_argument("--out", type=Path, default=Path("minutes"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_splits(arguments.data, arguments.out)
    heads = ["minutes", "preset", "steps", "BLEU", "chrF", "wall time", "CPU time", "load before"]
    print(f"| {' | '.join(heads)} |\n|{'--:|' * len(heads)}")
    for minutes in arguments.minutes:
        print(f"| {' | '.join(run(minutes, arguments.out))} |", flush=True)


if __name__ == "__main__":
    main()
