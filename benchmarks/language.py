"""What looking back is worth to a language model: perplexity on novels, at one size and one budget.

    python -m benchmarks.language [--quick] [--seeds 3] [--steps 800] [--out runs/language]

Four models with as many parameters (to two in a hundred) read the same windows in the same order:
an LSTM that sees its present state alone (`span: {window: 1}`), the same that looks back at its
past states, an LSTMN, and a Transformer. A record is a chapter, so windows reach over paragraphs.
Perplexity is that of the test chapters, per word. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "2")

from benchmarks.multi30k import DATA
from benchmarks.runs import prepare_once, spread, teach
from regard.config.load import load_config
from regard.tasks.language.completer import load_completer

RECURRENT = "lm-recurrent-attention"


def models(dim: int) -> dict[str, tuple[str, list[str]]]:
    """Preset and settings of each; an LSTM of `dim` with attention sets the size."""
    recall = [f"model.decoder.attention.score.dim={dim}"]
    transformer = [
        *("decoder.layers=2", f"decoder.hidden_dim={dim}", "decoder.self_attention.score.heads=4"),
        "decoder.positions=sinusoidal",  # learned ones would be parameters of another kind
    ]
    return {
        "LSTM": (RECURRENT, [*recall, "model.decoder.attention.span.window=1"]),
        "LSTM + attention": (RECURRENT, recall),
        # its queries are twice as wide and it has no output layer: a wider score makes up for it
        "LSTMN": ("lm-lstmn", [f"model.decoder.attention.score.dim={dim * 4 // 3}"]),
        "Transformer": ("lm-transformer", [f"model.{said}" for said in transformer]),
    }


def settings(folder: Path, dim: int, steps: int, window: int, seed: int) -> list[str]:
    every, rise = max(10, steps // 4), max(10, steps // 10)
    return [
        f'data.train=[{{files: ["{folder}/train.txt"]}}]',
        f'data.valid={{files: ["{folder}/valid.txt"]}}',
        f"data.max_length={window}",
        *(f"model.embedding_dim={dim}", f"model.decoder.dim={dim}", "model.tie_embeddings=output"),
        *("model.decoder.dropout=0.1", f"train.steps={steps}", f"train.seed={seed}"),
        *("train.batch_tokens=2048", "train.micro_batches=1"),
        "train.optimizer={kind: adam, rate: 0.005}",
        f"train.schedule={{kind: linear, warmup: {rise}}}",
        *(f"train.validate_every={every}", f"train.save_every={every}", "train.patience=null"),
    ]


def chapters(split: str, most: int | None) -> list[str]:
    """A chapter a line, of the novels in the folder of corpora."""
    path = DATA / "novels-en" / f"lm.{split}.txt.gz"
    if not path.is_file():
        sys.exit(f"{path}: not here; let REGARD_DATA name the folder that holds novels-en")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        parts = file.read().strip().split("\n\n")
    return [" ".join(part.split()) for part in parts[:most]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a minute or two: that it runs")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--window", type=int, default=128)
    parser.add_argument("--out", type=Path, help="keep the runs there; ended ones are not repeated")
    given = parser.parse_args()
    if given.quick:
        given.seeds, given.steps, given.dim, given.window = 1, 20, 32, 64
    with tempfile.TemporaryDirectory() as aside:
        folder = (given.out or Path(aside)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        for split in ("train", "valid", "test"):
            text = "\n".join(chapters(split, 4 if given.quick else None)) + "\n"
            if not (folder / f"{split}.txt").exists():
                (folder / f"{split}.txt").write_text(text, "utf-8")
        test = (folder / "test.txt").read_text("utf-8").splitlines()
        data = ["data.vocabulary=600"] if given.quick else ["data.vocabulary=8000"]
        plain = settings(folder, given.dim, given.steps, given.window, 1)
        prepared = prepare_once(load_config(RECURRENT, [*plain, *data]), folder)
        table: dict[str, dict[str, object]] = {}
        for name, (preset, own) in models(given.dim).items():
            words, tokens, bits, sizes, times = [], [], [], [], []
            for seed in range(1, given.seeds + 1):
                said = settings(folder, given.dim, given.steps, given.window, seed)
                place = f"{name.replace(' ', '')}-{seed}"
                taught = teach(place, preset, [*said, *data, *own], prepared, folder)
                found = load_completer(taught.model).perplexity(test)
                words.append(found.per_word)
                tokens.append(found.per_token)
                bits.append(found.bits_per_character)
                sizes.append(taught.parameters)
                times.append(taught.seconds)
            table[name] = {
                "parameters": sizes[0],
                "per_word": spread(words),
                "per_token": spread(tokens),
                "bits_per_character": spread(bits),
                "seconds": spread(times),
            }
            print(f"{name:18} {sizes[0]:>10,}  per word {spread(words)}", flush=True)
    counts = [int(str(row["parameters"])) for row in table.values()]
    facts = {
        "benchmark": "language",
        "quick": given.quick,
        "seeds": given.seeds,
        "steps": given.steps,
        "window": given.window,
        "same_size": max(counts) / min(counts) <= 1.02,
        "models": table,
    }
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
