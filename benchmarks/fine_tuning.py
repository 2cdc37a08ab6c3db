"""Fine-tuning on laws, with and without general data: what the model gains and forgets.

    python -m benchmarks.fine_tuning [--quick] [--distant] [--base MODEL] [--steps 400]
                                     [--out DIRECTORY]

An English–French model is fine-tuned on 20,000 pairs of Canadian laws twice: alone, and with --mix
of general pairs, everyday sentences and debates (80,000 of Tatoeba, 40,000 of Europarl). Both runs
have the same number of steps. The model is that of --base, or else one that is trained on the
general pairs for --minutes. Test sets are 500 sentences of laws, and 500 of Tatoeba and Europarl
each. With --distant, the general pairs are those of Tatoeba alone, which are unlike laws, and 5,000
pairs of laws are used: the mixed run may lose 2 BLEU on general text, and has to gain as much on
laws as the other. The corpora are in REGARD_DATA. With --out, parts that are finished are not
repeated. --quick has one step on a hundredth of the pairs, to test the setup. The last line is a
JSON object. The exit code is 1 if fine-tuning does not improve the translation of laws, or if the
mixed run forgets as much as the other.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from benchmarks.figures import Figure, report
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


def write_corpora(folder: Path, share: float, distant: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    parts = {
        "laws": [("laws", "train", 20_000)],
        "laws-valid": [("laws", "dev", 300)],
        "laws-test": [("laws", "test", 500)],
        "general": [("everyday", "train", 80_000), ("debates", "train", 40_000)],
        "general-valid": [("everyday", "dev", 200), ("debates", "dev", 200)],
        "general-test": [("everyday", "test", 500), ("debates", "test", 500)],
    }
    if distant:
        parts |= {
            "laws": [("laws", "train", 5_000)],
            "general": [("everyday", "train", 160_000)],
            "general-valid": [("everyday", "dev", 400)],
            "general-test": [("everyday", "test", 1_000)],
        }
    for name, sources in parts.items():
        for language in LANGUAGES:
            lines = [
                line
                for corpus, split, count in sources
                for line in read_lines(corpus, split, language, round(count * share))
            ]
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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only see that everything runs")
    parser.add_argument("--distant", action="store_true", help="Tatoeba as the general pairs")
    parser.add_argument("--base", type=Path, help="a bundle from English to French to fine-tune")
    parser.add_argument("--minutes", type=float, default=60, help="time to train one, otherwise")
    parser.add_argument("--steps", type=int, default=400, help="of fine-tuning")
    parser.add_argument("--out", type=Path, help="keep the runs here; completed ones are reused")
    options = parser.parse_args()
    if options.quick:
        options.minutes, options.steps = 1, 1
    with tempfile.TemporaryDirectory() as temporary:
        folder: Path = options.out or Path(temporary)
        write_corpora(folder, 0.01 if options.quick else 1, options.distant)
        base, spent = options.base, 0.0
        if base is None:
            base = folder / "base" / "model"
            spent = train_base(folder, options.minutes, options.quick)
        seconds, results = run(folder, base, options.steps)
        seconds["base"] = spent
    print(f"{'':8} {'laws':>16} {'general':>16} {'minutes':>8}   BLEU before → after")
    changes = {}
    for name, sets in results.items():
        scores = [(one["before"]["bleu"], one["after"]["bleu"]) for one in sets]
        changes[name] = [after - before for before, after in scores]
        cells = [f"{before:.1f} → {after:.1f}" for before, after in scores]
        print(f"{name:8} {cells[0]:>16} {cells[1]:>16} {seconds[name] / 60:8.1f}")
    figures = [
        Figure("BLEU gained on laws, alone", changes["alone"][0], 0),
        Figure("BLEU gained on laws, mixed", changes["mixed"][0], 0),
        Figure("general BLEU kept, mixed over alone", changes["mixed"][1] - changes["alone"][1], 0),
    ]
    if options.distant:
        gained = changes["mixed"][0] - changes["alone"][0]
        figures.append(Figure("BLEU gained on laws, mixed over alone", gained, 0))
        figures.append(Figure("general BLEU lost, mixed", -changes["mixed"][1], 2, at_most=True))
    figures = [] if options.quick else figures
    return report("fine_tuning", figures, quick=options.quick, seconds=seconds, results=results)


def train_base(folder: Path, minutes: float, quick: bool) -> float:
    """Train a model on the general pairs; return its seconds."""
    source, target = files(folder, "general")
    pairs = ("--source", source, "--target", target, "--valid", *files(folder, "general-valid"))
    few = ("--preset", "translate-quick", "--set", "train.steps=3") if quick else ()
    return train(folder, "base", *pairs, "--minutes", f"{minutes:g}", *few)


def run(
    folder: Path, base: Path, steps: int
) -> tuple[dict[str, float], dict[str, list[dict[str, Any]]]]:
    """Fine-tune twice; return the seconds and the comparisons."""
    seconds = {}
    source, target = files(folder, "laws")
    tuning = [
        *("--from", str(base), "--source", source, "--target", target),
        *("--valid", *files(folder, "laws-valid"), "--test", *files(folder, "laws-test")),
        *("--general", *files(folder, "general-test"), "--set", f"train.steps={steps}"),
        *("--set", f"train.validate_every={max(1, steps // 3)}"),
    ]
    rows = {"alone": (), "mixed": ("--mix", *files(folder, "general"))}
    results = {}
    for name, mix in rows.items():
        seconds[name] = train(folder, name, *tuning, *mix)
        results[name] = json.loads((folder / name / "comparison.json").read_text())
    return seconds, results


if __name__ == "__main__":
    sys.exit(main())
