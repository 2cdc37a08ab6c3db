"""Translation speed, compared with CTranslate2 and Hugging Face.

    python -m benchmarks.decode [--quick] [--model MODEL]

The sentences are Multi30k's test 2016 in REGARD_DATA. The model is a bundle of a small Transformer;
without --model, one is trained for a minute and cached in the temporary directory. All systems
search with a beam of five and take turns on the same sentences. Figures are medians over rounds of
the ratio of sentences per second.

CTranslate2 alone gets all sentences as pieces at once, with the fastest combination of workers and
batch size. Hugging Face runs a model of the same size with translations of the same mean length.
The last line is a JSON object. The exit code is 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean, median
from typing import Any

import ctranslate2
import torch
from safetensors.torch import load_file, save_file

from benchmarks.figures import Figure, report
from benchmarks.multi30k import read_pairs
from benchmarks.train import (
    NO_VALIDATION,
    SHARDS,
    THREADS,
    SpeedModule,
    build_marian,
    open_data,
    transformer_run,
)
from regard.batch import Tokens, pad
from regard.config.model import VocabularySizes
from regard.inference.ctranslate2_engine import CTranslate2Engine
from regard.inference.engine import SearchOptions, Splitting
from regard.inference.torch_engine import TorchEngine
from regard.interop.ctranslate2_export import convert_to_ctranslate2
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import EOS, SentencePiece
from regard.train.trainer import Trainer

OPTIONS = SearchOptions(beam_size=5)
STEPS = 60  # enough that translations end
CACHED = Path(tempfile.gettempdir()) / "regard-benchmarks" / f"translate-tiny-{STEPS}.safetensors"
STRETCH_TARGET = 0.6  # of CTranslate2's speed, for the torch engine; the target is 0.45

System = Callable[[list[int]], object]  # translates the sentences with these indices


# --- the model and the sentences ------------------------------------------------------------------


def train_translator() -> Translator:
    """Train a model for a minute, or read it from the cache."""
    prepared = open_data()
    tokenizer = SentencePiece.load(SHARDS)
    run = transformer_run(
        f"train.steps={STEPS}",
        "train.schedule.warmup=50",
        "train.metric=nll",
        "train.validate_every=100000",
        "train.save_every=100000",
    )
    model: Any = run.model.build(VocabularySizes(tokenizer.size, tokenizer.size))
    parameters = dict(model.named_parameters())
    if not (CACHED.is_file() and load_file(CACHED).keys() == parameters.keys()):
        print(f"  training a model for {STEPS} steps, once", flush=True)
        module = SpeedModule(run, prepared, tokenizer, NO_VALIDATION)
        with tempfile.TemporaryDirectory() as directory:
            Trainer(module, run.train.build(), Path(directory)).run()
        save_file({name: p.detach() for name, p in module.model.named_parameters()}, CACHED)
    with torch.no_grad():
        for name, weight in load_file(CACHED).items():
            parameters[name].copy_(weight)
    return Translator(model.eval(), tokenizer, Splitting(512, 512), OPTIONS)


# --- the systems ----------------------------------------------------------------------------------


def ctranslate2_systems(
    files: dict[str, bytes], pieces: list[list[str]], cores: int
) -> dict[str, System]:
    """CTranslate2 alone, with each combination of workers and batch size."""
    splits = {(cores, 1), (1, cores)}
    sizes: list[dict[str, Any]] = [
        {"max_batch_size": 32},
        {"max_batch_size": 64},
        {"max_batch_size": 1024, "batch_type": "tokens"},
    ]

    def system(translator: Any, size: dict[str, Any]) -> System:
        return lambda rows: translator.translate_batch(
            [pieces[row] for row in rows], beam_size=OPTIONS.beam_size, return_scores=True, **size
        )

    systems = {}
    for inter, intra in sorted(splits):
        translator = ctranslate2.Translator(
            "model", files=files, inter_threads=inter, intra_threads=intra
        )
        for size in sizes:
            batches = " ".join(str(value) for value in size.values())
            systems[f"{inter} × {intra}, batches of {batches}"] = system(translator, size)
    return systems


def marian(ids: list[list[int]], length: int, words: int) -> System | None:
    """Hugging Face's model of the same size, with translations of `length` pieces each."""
    model = build_marian(words, eos_token_id=EOS, forced_eos_token_id=None)
    if model is None:
        return None
    model.eval()

    def system(rows: list[int]) -> None:
        rows = sorted(rows, key=lambda row: len(ids[row]))
        for at in range(0, len(rows), 64):
            batch: Tokens = pad([[*ids[row], EOS] for row in rows[at : at + 64]])
            assert batch.lengths is not None
            real = torch.arange(batch.ids.size(1)) < batch.lengths[:, None]
            model.generate(
                input_ids=batch.ids,
                attention_mask=real.long(),
                num_beams=OPTIONS.beam_size,
                min_new_tokens=length,
                max_new_tokens=length,
            )

    return system


# --- measurements ---------------------------------------------------------------------------------


def seconds(system: System, rows: list[int]) -> float:
    start = time.perf_counter()
    system(rows)
    return time.perf_counter() - start


def fastest(systems: dict[str, System], rows: list[int]) -> str:
    """The name of the system with the best time of three."""
    times = dict.fromkeys(systems, math.inf)
    for _ in range(3):
        for name, system in systems.items():
            times[name] = min(times[name], seconds(system, rows))
    return min(systems, key=times.__getitem__)


def measure_rates(
    systems: dict[str, System], rows: list[int], rounds: int
) -> dict[str, list[float]]:
    """The sentences per second of each system in each round, in rotating order."""
    rates: dict[str, list[float]] = {name: [] for name in systems}
    for turn in range(rounds + 1):
        names = list(systems)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            rate = len(rows) / seconds(systems[name], rows)
            if turn:  # the first round allocates memory and loads libraries
                rates[name].append(rate)
    return rates


def ratio(rates: dict[str, list[float]], numerator: str, denominator: str) -> float:
    """The median of the ratios of two systems' rates."""
    return median(a / b for a, b in zip(rates[numerator], rates[denominator], strict=True))


# --- the report -----------------------------------------------------------------------------------


def measure(
    ours: Translator, texts: list[str], rounds: int, facts: dict[str, Any]
) -> Iterator[Figure]:
    ids = ours.tokenizer.encode(texts)
    names = [ours.tokenizer.piece(token) for token in range(ours.tokenizer.size)]
    pieces = [[names[token] for token in [*row, EOS]] for row in ids]
    engine, rows = TorchEngine(ours.model), list(range(len(texts)))
    sample = rows[: len(rows) // 4]
    length = round(
        mean(len(best.logps) for best, *_ in engine.search([ids[r] for r in sample], OPTIONS))
    )
    files = convert_to_ctranslate2(ours.model, names)
    variants = ctranslate2_systems(files, pieces, int(THREADS))
    chosen = fastest(variants, sample)
    exported = Translator(
        ours.model, ours.tokenizer, ours.splitting, OPTIONS, engine=CTranslate2Engine(files)
    )
    systems: dict[str, System] = {
        "CTranslate2 alone": variants[chosen],
        "torch engine": lambda rows: engine.search([ids[row] for row in rows], OPTIONS),
        "Translator, CTranslate2": lambda rows: exported.translate([texts[row] for row in rows]),
    }
    if (peer := marian(ids, length, ours.tokenizer.size)) is not None:
        systems["Hugging Face Marian"] = peer
    rates = measure_rates(systems, rows, rounds)
    latency = {
        name: median(seconds(system, rows[:1]) for _ in range(9))
        for name, system in systems.items()
    }
    print(f"{len(texts):,} sentences, translations of {length} pieces; CTranslate2: {chosen}")
    for name, found in rates.items():
        print(
            f"  {name:26} {median(found):7.1f} sentences per second "
            f"({min(found):.1f}–{max(found):.1f}); single sentence: {1e3 * latency[name]:.0f} ms"
        )
    facts |= {
        "sentences per second": {name: round(median(found), 1) for name, found in rates.items()},
        "milliseconds for a single sentence": {n: round(1e3 * t, 1) for n, t in latency.items()},
        "CTranslate2 settings": chosen,
        "mean length": length,
        "stretch target of the torch engine": STRETCH_TARGET,
    }
    relative = ratio(rates, "torch engine", "CTranslate2 alone")
    yield Figure("torch engine / CTranslate2", relative, 0.45)
    relative = ratio(rates, "Translator, CTranslate2", "CTranslate2 alone")
    yield Figure("Translator with CTranslate2 / CTranslate2", relative, 0.95)
    if peer is not None:
        relative = ratio(rates, "torch engine", "Hugging Face Marian")
        yield Figure("torch engine / Hugging Face", relative, 1.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer sentences and rounds")
    parser.add_argument("--model", type=Path, help="bundle of a Transformer; default: train one")
    options = parser.parse_args()
    print(f"torch {torch.__version__}, CTranslate2 {ctranslate2.__version__}, {THREADS} threads")
    ours = (
        train_translator()
        if options.model is None
        else Translator.load(options.model, engine="torch")
    )
    texts = read_pairs("test_2016_flickr")[0][: 400 if options.quick else None]
    facts: dict[str, Any] = {}
    with torch.inference_mode():
        figures = list(measure(ours, texts, 2 if options.quick else 5, facts))
    facts |= {"torch": torch.__version__, "ctranslate2": ctranslate2.__version__}
    return report("decode", figures, **facts, threads=int(THREADS))


if __name__ == "__main__":
    sys.exit(main())
