"""Language models with and without attention: perplexity on novels.

    python -m benchmarks.language [--quick] [--seeds 3] [--steps 800] [--out runs/language]

Four models with the same number of parameters (within 2 %) read the same windows in the same order:
an LSTM with attention to its current state only (`span: {window: 1}`), an LSTM with attention to
its past states, an LSTMN, and a Transformer. A record is a chapter, so windows span paragraphs.
Perplexity is per word, on the test chapters. The last line is a JSON object.
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
from benchmarks.runs import prepare_once, spread, train_model
from regard.config.load import load_config
from regard.tasks.language.completer import load_completer

RECURRENT = "lm-recurrent-attention"


def models(dim: int) -> dict[str, tuple[str, list[str]]]:
    """The preset and settings of each model; the LSTM with attention sets the size."""
    attention = [f"model.decoder.attention.score.dim={dim}"]
    transformer = [
        *("decoder.layers=2", f"decoder.hidden_dim={dim}", "decoder.self_attention.score.heads=4"),
        "decoder.positions=sinusoidal",  # learned positions would add parameters
    ]
    return {
        "LSTM": (RECURRENT, [*attention, "model.decoder.attention.span.window=1"]),
        "LSTM + attention": (RECURRENT, attention),
        # a wider score makes up for the missing output layer
        "LSTMN": ("lm-lstmn", [f"model.decoder.attention.score.dim={dim * 4 // 3}"]),
        "Transformer": ("lm-transformer", [f"model.{setting}" for setting in transformer]),
    }


def settings(folder: Path, dim: int, steps: int, window: int, seed: int) -> list[str]:
    every, warmup = max(10, steps // 4), max(10, steps // 10)
    return [
        f'data.train=[{{files: ["{folder}/train.txt"]}}]',
        f'data.valid={{files: ["{folder}/valid.txt"]}}',
        f"data.max_length={window}",
        *(f"model.embedding_dim={dim}", f"model.decoder.dim={dim}", "model.tie_embeddings=output"),
        *("model.decoder.dropout=0.1", f"train.steps={steps}", f"train.seed={seed}"),
        *("train.batch_tokens=2048", "train.micro_batches=1"),
        "train.optimizer={kind: adam, rate: 0.005}",
        f"train.schedule={{kind: linear, warmup: {warmup}}}",
        *(f"train.validate_every={every}", f"train.save_every={every}", "train.patience=null"),
    ]


def read_chapters(split: str, limit: int | None) -> list[str]:
    """The chapters of the novels, as one line each."""
    path = DATA / "novels-en" / f"lm.{split}.txt.gz"
    if not path.is_file():
        sys.exit(f"{path}: no such file. Set REGARD_DATA to the directory that contains novels-en.")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        parts = file.read().strip().split("\n\n")
    return [" ".join(part.split()) for part in parts[:limit]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few steps, to test the setup")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--window", type=int, default=128)
    parser.add_argument("--out", type=Path, help="keep the runs here; completed ones are reused")
    options = parser.parse_args()
    if options.quick:
        options.seeds, options.steps, options.dim, options.window = 1, 20, 32, 64
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.out or Path(temporary)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        for split in ("train", "valid", "test"):
            text = "\n".join(read_chapters(split, 4 if options.quick else None)) + "\n"
            if not (folder / f"{split}.txt").exists():
                (folder / f"{split}.txt").write_text(text, "utf-8")
        test = (folder / "test.txt").read_text("utf-8").splitlines()
        data = ["data.vocabulary=600"] if options.quick else ["data.vocabulary=8000"]
        shared = settings(folder, options.dim, options.steps, options.window, 1)
        prepared = prepare_once(load_config(RECURRENT, [*shared, *data]), folder)
        table: dict[str, dict[str, object]] = {}
        for name, (preset, model_settings) in models(options.dim).items():
            words, tokens, bits, sizes, times = [], [], [], [], []
            for seed in range(1, options.seeds + 1):
                run_settings = settings(folder, options.dim, options.steps, options.window, seed)
                run = f"{name.replace(' ', '')}-{seed}"
                overrides = [*run_settings, *data, *model_settings]
                trained = train_model(run, preset, overrides, prepared, folder)
                found = load_completer(trained.model).perplexity(test)
                words.append(found.per_word)
                tokens.append(found.per_token)
                bits.append(found.bits_per_character)
                sizes.append(trained.parameters)
                times.append(trained.seconds)
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
        "quick": options.quick,
        "seeds": options.seeds,
        "steps": options.steps,
        "window": options.window,
        "same_size": max(counts) / min(counts) <= 1.02,
        "models": table,
    }
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
