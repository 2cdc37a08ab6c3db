"""How fast sentences are translated, beside CTranslate2 and Hugging Face.

    python -m benchmarks.decode [--quick] [--model MODEL]

The sentences are those of Multi30k's test 2016, found through REGARD_DATA; the model is a small
Transformer, sealed by `regard train`, or else one that is taught for a minute and kept in the
temporary folder. All sides search with a beam of five and take turns over the same sentences: what
is compared is sentences a second, round by round, and the median of those ratios.

Bare CTranslate2 is given pieces, all at once, with the split of workers and the size of batches
that was the fastest. Hugging Face has a model of the same size whose translations are as long as
ours on average. The last line is one JSON object; the exit code tells whether every aim was met.
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
from benchmarks.train import SHARDS, THREADS, Lesson, build_marian, open_data, transformer_run
from regard.batch import Tokens, pad
from regard.config.model import VocabularySizes
from regard.inference.ctranslate2_engine import CTranslate2Engine
from regard.inference.engine import SearchOptions
from regard.inference.pipeline import Splitting
from regard.inference.torch_engine import TorchEngine
from regard.interop.ctranslate2_export import convert_to_ctranslate2
from regard.tasks.translation.module import Pairs
from regard.tasks.translation.translator import Translator, load_translator
from regard.text.tokenizer import EOS, SentencePiece
from regard.train.trainer import Trainer

HOW = SearchOptions(beam_size=5)
TAUGHT = 60  # steps: enough that translations come to an end
KEPT = Path(tempfile.gettempdir()) / "regard-benchmarks" / f"translate-tiny-{TAUGHT}.safetensors"
WISH = 0.6  # of CTranslate2, for the torch engine; what it must reach is 0.45

Side = Callable[[list[int]], object]  # translates the sentences with these numbers


# --- the model and the sentences ------------------------------------------------------------------


def teach() -> Translator:
    """A model that has learnt for a minute, on the first run; then it is read from the disk."""
    prepared = open_data()
    tokenizer = SentencePiece.load(SHARDS)
    run = transformer_run(
        f"train.steps={TAUGHT}",
        "train.schedule.warmup=50",
        "train.metric=nll",
        "train.validate_every=100000",
        "train.save_every=100000",
    )
    model: Any = run.model.build(VocabularySizes(tokenizer.size, tokenizer.size))
    if not KEPT.is_file():
        print(f"  teaching a model for {TAUGHT} steps, once", flush=True)
        task = Lesson(run, prepared, tokenizer, Pairs((), ()))
        with tempfile.TemporaryDirectory() as home:
            Trainer(task, run.train.build(), Path(home)).run()
        save_file({name: p.detach() for name, p in task.model.named_parameters()}, KEPT)
    mine = dict(model.named_parameters())
    with torch.no_grad():
        for name, weight in load_file(KEPT).items():
            mine[name].copy_(weight)
    return Translator(model.eval(), tokenizer, Splitting(512, 512), HOW)


# --- the sides ------------------------------------------------------------------------------------


def bare_sides(files: dict[str, bytes], pieces: list[list[str]], cores: int) -> dict[str, Side]:
    """CTranslate2 as one would call it, in each way that may be the fastest."""
    splits = {(cores, 1), (1, cores)}
    sizes: list[dict[str, Any]] = [
        {"max_batch_size": 32},
        {"max_batch_size": 64},
        {"max_batch_size": 1024, "batch_type": "tokens"},
    ]

    def side(translator: Any, size: dict[str, Any]) -> Side:
        return lambda rows: translator.translate_batch(
            [pieces[row] for row in rows], beam_size=HOW.beam_size, return_scores=True, **size
        )

    made = {}
    for inter, intra in sorted(splits):
        translator = ctranslate2.Translator(
            "bare", files=files, inter_threads=inter, intra_threads=intra
        )
        for size in sizes:
            batches = " ".join(str(value) for value in size.values())
            made[f"{inter} × {intra}, batches of {batches}"] = side(translator, size)
    return made


def marian(ids: list[list[int]], length: int, words: int) -> Side | None:
    """Hugging Face's model of the same size; its translations have `length` pieces each."""
    model = build_marian(words, eos_token_id=EOS, forced_eos_token_id=None)
    if model is None:
        return None
    model.eval()

    def side(rows: list[int]) -> None:
        rows = sorted(rows, key=lambda row: len(ids[row]))
        for at in range(0, len(rows), 64):
            batch: Tokens = pad([[*ids[row], EOS] for row in rows[at : at + 64]])
            assert batch.lengths is not None
            real = torch.arange(batch.ids.size(1)) < batch.lengths[:, None]
            model.generate(
                input_ids=batch.ids,
                attention_mask=real.long(),
                num_beams=HOW.beam_size,
                min_new_tokens=length,
                max_new_tokens=length,
            )

    return side


# --- taking turns ---------------------------------------------------------------------------------


def seconds(side: Side, rows: list[int]) -> float:
    begun = time.perf_counter()
    side(rows)
    return time.perf_counter() - begun


def fastest(sides: dict[str, Side], rows: list[int]) -> str:
    """By its best time of three, taken in turns."""
    times = dict.fromkeys(sides, math.inf)
    for _ in range(3):
        for name, side in sides.items():
            times[name] = min(times[name], seconds(side, rows))
    return min(sides, key=times.__getitem__)


def race(sides: dict[str, Side], rows: list[int], rounds: int) -> dict[str, list[float]]:
    """Sentences a second of each side, round by round, each time in another order."""
    rates: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(rounds + 1):
        names = list(sides)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            rate = len(rows) / seconds(sides[name], rows)
            if turn:  # in the first, memory is found and libraries are loaded
                rates[name].append(rate)
    return rates


def ratio(rates: dict[str, list[float]], over: str, under: str) -> float:
    return median(a / b for a, b in zip(rates[over], rates[under], strict=True))


# --- the report -----------------------------------------------------------------------------------


def measure(
    ours: Translator, texts: list[str], rounds: int, facts: dict[str, Any]
) -> Iterator[Figure]:
    ids = ours.tokenizer.encode(texts)
    names = [ours.tokenizer.piece(token) for token in range(ours.tokenizer.size)]
    pieces = [[names[token] for token in [*row, EOS]] for row in ids]
    engine, rows = TorchEngine(ours.model), list(range(len(texts)))
    few = rows[: len(rows) // 4]
    length = round(mean(len(best.logps) for best, *_ in engine.search([ids[r] for r in few], HOW)))
    files = convert_to_ctranslate2(ours.model, names)
    bare = bare_sides(files, pieces, int(THREADS))
    chosen = fastest(bare, few)
    front = Translator(
        ours.model, ours.tokenizer, ours.splitting, HOW, engine=CTranslate2Engine(files)
    )
    sides: dict[str, Side] = {
        "bare CTranslate2": bare[chosen],
        "torch engine": lambda rows: engine.search([ids[row] for row in rows], HOW),
        "Translator, CTranslate2": lambda rows: front.translate([texts[row] for row in rows]),
    }
    if (peer := marian(ids, length, ours.tokenizer.size)) is not None:
        sides["Marian by Hugging Face"] = peer
    rates = race(sides, rows, rounds)
    alone = {
        name: median(seconds(side, rows[:1]) for _ in range(9)) for name, side in sides.items()
    }
    print(f"{len(texts):,} sentences, translations of {length} pieces; bare CTranslate2: {chosen}")
    for name, found in rates.items():
        print(
            f"  {name:26} {median(found):7.1f} sentences a second "
            f"({min(found):.1f}–{max(found):.1f}); one alone in {1e3 * alone[name]:.0f} ms"
        )
    facts |= {
        "sentences a second": {name: round(median(found), 1) for name, found in rates.items()},
        "milliseconds of one alone": {name: round(1e3 * t, 1) for name, t in alone.items()},
        "bare CTranslate2": chosen,
        "mean length": length,
        "aim of the torch engine over bare CTranslate2": WISH,
    }
    yield Figure("torch engine over bare CTranslate2", ratio(rates, *list(sides)[1::-1]), 0.45)
    over = ratio(rates, "Translator, CTranslate2", "bare CTranslate2")
    yield Figure("Translator with CTranslate2 over bare", over, 0.95)
    if peer is not None:
        over = ratio(rates, "torch engine", "Marian by Hugging Face")
        yield Figure("torch engine over Hugging Face", over, 1.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer sentences and rounds")
    parser.add_argument("--model", type=Path, help="a sealed Transformer; by default one is taught")
    options = parser.parse_args()
    print(f"torch {torch.__version__}, CTranslate2 {ctranslate2.__version__}, {THREADS} threads")
    ours = teach() if options.model is None else load_translator(options.model, engine="torch")
    texts, facts = (
        read_pairs("test_2016_flickr")[0][: 400 if options.quick else None],
        dict[str, Any](),
    )
    with torch.inference_mode():
        figures = list(measure(ours, texts, 2 if options.quick else 5, facts))
    facts |= {"torch": torch.__version__, "ctranslate2": ctranslate2.__version__}
    return report("decode", figures, **facts, threads=int(THREADS))


if __name__ == "__main__":
    sys.exit(main())
