"""Fine-tuning on laws, with and without general data: what the model gains and forgets.

    python -m benchmarks.fine_tuning [--minutes 14] [--steps 600] [--out runs/fine-tuning]

A small English–French model is trained for some minutes on everyday sentences and debates (80,000
pairs of Tatoeba, 40,000 of Europarl). It is fine-tuned on 20,000 pairs of Canadian laws twice:
alone, and with `--mix` of the general pairs. Both runs have the same number of steps. Test sets are
500 sentences of laws, and 500 of Tatoeba and Europarl each. The corpora are in REGARD_DATA. Parts
that are finished are not repeated. The last line is a JSON object.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from benchmarks.multi30k import DATA

LANGUAGES = ("en", "fr")
FOLDERS = {
    "laws": "canlaws-en-fr",
    "everyday": "tatoeba-en-fr",
    "debates": "europarl-en-fr-de",
}


def read_lines(corpus: str, split: str, language: str, count: int) -> list[str]:
    """Return `count` lines of a corpus, spread over the whole file."""
    with gzip.open(DATA / FOLDERS[corpus] / f"{split}.{language}.gz", "rt", encoding="utf-8") as f:
        lines = f.readlines()
    return list(islice(lines[:: max(1, len(lines) // count)], count))


def write_corpora(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    parts = {
        "laws": [("laws", "train", 20_000)],
        "laws-valid": [("laws", "dev", 300)],
        "laws-test": [("laws", "test", 500)],
        "general": [("everyday", "train", 80_000), ("debates", "train", 40_000)],
        "general-valid": [("everyday", "dev", 200), ("debates", "dev", 200)],
        "general-test": [("everyday", "test", 500), ("debates", "test", 500)],
    }
    for name, sources in parts.items():
        for language in LANGUAGES:
            lines = [line for part in sources for line in read_lines(*part[:2], language, part[2])]
            (folder / f"{name}.{language}").write_text("".join(lines), "utf-8")


def train(folder: Path, out: str, *options: str) -> float:
    """Run `regard train`, unless it is done; return its seconds."""
    log = folder / f"{out}.seconds"
    if not log.exists():
        clock = time.monotonic()
        command = [sys.executable, "-m", "regard", "train", *options, "--out", str(folder / out)]
        subprocess.run([*command, "--threads", "1"], check=True)
        log.write_text(f"{time.monotonic() - clock:.0f}")
    return float(log.read_text())


def files(folder: Path, name: str) -> list[str]:
    return [str(folder / f"{name}.{language}") for language in LANGUAGES]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=int, default=14)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--out", type=Path, default=Path("runs/fine-tuning"))
    options = parser.parse_args()
    folder: Path = options.out
    write_corpora(folder)
    source, target = files(folder, "general")
    pairs = ("--source", source, "--target", target, "--valid", *files(folder, "general-valid"))
    seconds = {"general": train(folder, "base", *pairs, "--minutes", str(options.minutes))}
    source, target = files(folder, "laws")
    tuning = [
        *("--from", str(folder / "base" / "model"), "--source", source, "--target", target),
        *("--valid", *files(folder, "laws-valid"), "--test", *files(folder, "laws-test")),
        *("--general", *files(folder, "general-test"), "--set", f"train.steps={options.steps}"),
        *("--set", f"train.validate_every={options.steps // 3}"),
    ]
    rows = {"alone": (), "mixed": ("--mix", *files(folder, "general"))}
    results = {}
    for name, mix in rows.items():
        seconds[name] = train(folder, name, *tuning, *mix)
        results[name] = json.loads((folder / name / "comparison.json").read_text())
    print(f"{'':8} {'laws':>16} {'general':>16} {'minutes':>8}   BLEU before → after")
    for name, sets in results.items():
        cells = [f"{one['before']['bleu']:.1f} → {one['after']['bleu']:.1f}" for one in sets]
        print(f"{name:8} {cells[0]:>16} {cells[1]:>16} {seconds[name] / 60:8.1f}")
    print(json.dumps({"benchmark": "fine_tuning", "seconds": seconds, "results": results}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
