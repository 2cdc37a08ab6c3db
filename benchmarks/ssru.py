"""A decoder with SSRU cells beside a Transformer of the same size: BLEU and decoding speed.

    python -m benchmarks.ssru [--quick] [--steps 2200] [--out DIRECTORY]

Three models translate image descriptions from English to German (Multi30k in REGARD_DATA): the
preset `translate-ssru-tiny` with six encoder and two decoder layers, a Transformer with as many
layers, and the preset `translate-tiny` with four and four. They are trained on the same batches of
1,024 tokens, on one thread. Then they translate test 2016 in turns with the torch engine and one
thread, greedily and with a beam of five. Speeds are medians over five rounds of the ratio to the
Transformer of the same layers. The last line is a JSON object. The exit code is 1 if the SSRU
decoder is not faster.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import sacrebleu
import torch

from benchmarks.figures import Figure, report
from benchmarks.multi30k import read_pairs
from benchmarks.runs import TrainedModel, prepare_once, train_model
from regard.config.load import load_config
from regard.tasks.translation.translator import Translator

SSRU, TRANSFORMER = "SSRU, 6 + 2 layers", "Transformer, 6 + 2 layers"
MODELS = {
    SSRU: ("translate-ssru-tiny", []),
    TRANSFORMER: ("translate-tiny", ["model.encoder.layers=6", "model.decoder.layers=2"]),
    "Transformer, 4 + 4 layers": ("translate-tiny", []),
}
BEAMS = (1, 5)
ROUNDS = 5


def write_corpora(folder: Path, quick: bool) -> list[str]:
    """Write the splits; return the settings that name them."""
    for split, few in (("train", 1_000), ("val", 8)):
        for language, lines in zip(("en", "de"), read_pairs(split), strict=True):
            text = "".join(f"{line}\n" for line in lines[: few if quick else None])
            (folder / f"{split}.{language}").write_text(text, "utf-8")
    train, valid = ([f"{folder}/{name}.en", f"{folder}/{name}.de"] for name in ("train", "val"))
    return [f"data.train=[{{files: {train}}}]", f"data.valid=[{{files: {valid}}}]"]


def measure(
    translators: dict[str, Translator], texts: list[str], references: list[str], rounds: int
) -> dict[str, dict[str, float]]:
    """BLEU and sentences per second of each model and beam, and the median ratios of speeds."""
    found: dict[str, dict[str, float]] = {name: {} for name in translators}
    for beam in BEAMS:
        rates: dict[str, list[float]] = {name: [] for name in translators}
        for turn in range(rounds):
            names = list(translators)
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                start = time.perf_counter()
                results = translators[name].translate(texts, beam_size=beam)
                rates[name].append(len(texts) / (time.perf_counter() - start))
                if turn == 0:
                    bleu = sacrebleu.corpus_bleu([one.text for one in results], [references])
                    found[name][f"BLEU, beam {beam}"] = round(bleu.score, 2)
        for name, values in rates.items():
            ratios = [a / b for a, b in zip(values, rates[TRANSFORMER], strict=True)]
            found[name][f"sentences/s, beam {beam}"] = round(median(values), 1)
            found[name][f"speed ratio, beam {beam}"] = round(median(ratios), 3)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few steps, to test the setup")
    parser.add_argument("--steps", type=int, default=2_200)
    parser.add_argument("--out", type=Path, help="keep the runs here; completed ones are reused")
    options = parser.parse_args()
    torch.set_num_threads(1)
    steps = 4 if options.quick else options.steps
    trained: dict[str, TrainedModel] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder: Path = (options.out or Path(temporary)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        settings = [
            *write_corpora(folder, options.quick),
            *(f"train.steps={steps}", "train.batch_tokens=1024", "train.guided_alignment=null"),
            *(f"train.validate_every={max(1, steps // 4)}", "train.save_every=200"),
            *(["data.vocabulary=500", "data.max_length=30"] if options.quick else []),
        ]
        prepared = prepare_once(load_config("translate-tiny", settings), folder)
        for number, (name, (preset, changes)) in enumerate(MODELS.items()):
            run = [*settings, *changes]
            trained[name] = train_model(f"model-{number}", preset, run, prepared, folder)
        texts, references = read_pairs("test_2016_flickr")
        limit, rounds = (6, 1) if options.quick else (None, ROUNDS)
        translators = {
            name: Translator.load(one.model, engine="torch") for name, one in trained.items()
        }
        found = measure(translators, texts[:limit], references[:limit], rounds)
    rows: dict[str, dict[str, Any]] = {
        name: {"parameters": one.parameters, "minutes": round(one.seconds / 60, 1), **found[name]}
        for name, one in trained.items()
    }
    heads = list(rows[SSRU])
    print(f"| | {' | '.join(heads)} |\n|---|{'--:|' * len(heads)}")
    for name, row in rows.items():
        print(f"| {name} | {' | '.join(f'{row[head]:,}' for head in heads)} |")
    figures = [
        Figure(f"speed / Transformer, beam {beam}", found[SSRU][f"speed ratio, beam {beam}"], 1)
        for beam in BEAMS
    ]
    return report("ssru", [] if options.quick else figures, quick=options.quick, models=rows)


if __name__ == "__main__":
    sys.exit(main())
