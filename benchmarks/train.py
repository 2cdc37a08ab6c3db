"""Training speed, compared with plain PyTorch loops.

    python -m benchmarks.train [--quick]

The corpus is Multi30k en-de in REGARD_DATA; its shards are cached in the temporary directory. All
loops train on the same batches of 4,096 tokens and take turns on each. Figures are medians over
batches of the ratio of target tokens per second. The trainer measures its own steps; the other
loops run in a logger of the trainer. Each batch is first run once untimed, because oneDNN compiles
its bf16 kernels for each new shape. The tuned allocator serves the whole process, including the
plain loops; its effect is measured in separate processes. The last line is a JSON object. The exit
code is 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

THREADS = os.environ.setdefault("OMP_NUM_THREADS", "2")  # read when torch is imported

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import Tensor, nn  # noqa: E402

from benchmarks import plain  # noqa: E402
from benchmarks.figures import Figure, report  # noqa: E402
from benchmarks.multi30k import DATA  # noqa: E402
from regard.batch import Batch  # noqa: E402
from regard.config.load import load_config  # noqa: E402
from regard.config.model import VocabularySizes  # noqa: E402
from regard.data.formats.corpus import open_corpus  # noqa: E402
from regard.data.loading.loader import Cursor  # noqa: E402
from regard.data.loading.shards import PreparedData  # noqa: E402
from regard.data.preparation.prepare import PreparationSettings, prepare_corpora  # noqa: E402
from regard.data.preparation.runner import InProcessRunner  # noqa: E402
from regard.tasks.base import shift_target  # noqa: E402
from regard.tasks.translation.task import Pairs, TranslationModule  # noqa: E402
from regard.text.tokenizer import SentencePiece  # noqa: E402
from regard.train.events import Event, Scores, StepCompleted  # noqa: E402
from regard.train.losses import CrossEntropy  # noqa: E402
from regard.train.settings import Performance  # noqa: E402
from regard.train.trainer import Trainer  # noqa: E402

SHARDS = Path(tempfile.gettempdir()) / "regard-benchmarks" / "multi30k-en-de-8000"
WORDS, SMOOTHING, RATE, CLIP = 8_000, 0.1, 1e-3, 1.0
TRANSFORMER = {"dim": 128, "hidden": 256, "layers": 4, "heads": 4, "p": 0.3}
BAHDANAU = {"embedding": 256, "dim": 512, "p": 0.3}
CPU = torch.device("cpu")
ALONE = 8  # steps of the trainer without other loops, to measure its wait for data
OPENNMT = 1_408  # target tokens per second of OpenNMT-py 3.5.1's GRU on a similar machine

Step = Callable[[Batch], object]
Rates = dict[str, list[float]]  # target tokens per second of each loop, by batch


# --- the loops ------------------------------------------------------------------------------------


def training_step(
    parameters: list[nn.Parameter], loss: Callable[[Batch], tuple[Tensor, int]]
) -> Step:
    """An optimizer step around a loss that returns the sum and the number of tokens."""
    optimizer = torch.optim.Adam(parameters, lr=RATE, betas=(0.9, 0.98), eps=1e-9, fused=True)

    def step(batch: Batch) -> None:
        optimizer.zero_grad(set_to_none=True)
        total, count = loss(batch)
        (total / count).backward()
        nn.utils.clip_grad_norm_(parameters, CLIP)
        optimizer.step()

    return step


def tuned_loop(model: Any, performance: Performance) -> Step:
    """A loop around one of regard's models, with the trainer's performance settings."""
    objective, performance = CrossEntropy(SMOOTHING), performance.resolve(CPU)
    performance.apply(nn.ModuleList([model, objective]))
    model.train()

    def loss(batch: Batch) -> tuple[Tensor, int]:
        inputs, target = shift_target(batch.target)
        with performance.autocast(CPU):
            found = objective(model(batch.source, inputs), model.readout, target)
        return found.total, found.count

    return training_step(list(model.parameters()), loss)


def plain_loop(model: nn.Module, logits: Callable[[Batch, Tensor], Tensor]) -> Step:
    """A loop in fp32, all logits at once."""
    model.train()

    def loss(batch: Batch) -> tuple[Tensor, int]:
        inputs, target = shift_target(batch.target)
        assert target.lengths is not None
        real = torch.arange(inputs.size(1)) < target.lengths[:, None]
        words = target.ids.masked_fill(~real, -100)
        found = logits(batch, inputs).flatten(0, 1)
        total = F.cross_entropy(found, words.flatten(), label_smoothing=SMOOTHING, reduction="sum")
        return total, int(target.lengths.sum())

    return training_step(list(model.parameters()), loss)


def plain_model_loop(model: nn.Module) -> Step:
    return plain_loop(model, lambda batch, inputs: model(batch.source, inputs))


def build_marian(words: int, **settings: Any) -> Any:
    """Hugging Face's translation model of the same size, or None if it is not installed."""
    try:
        from transformers import MarianConfig, MarianMTModel
    except ImportError:
        print("  Hugging Face is skipped: pip install transformers")
        return None
    t = TRANSFORMER
    sizes = {f"{side}_layers": t["layers"] for side in ("encoder", "decoder")}
    sizes |= {f"{side}_ffn_dim": t["hidden"] for side in ("encoder", "decoder")}
    sizes |= {f"{side}_attention_heads": t["heads"] for side in ("encoder", "decoder")}
    return MarianMTModel(
        MarianConfig(
            vocab_size=words,
            d_model=t["dim"],
            dropout=t["p"],
            attention_dropout=0.0,
            activation_function="relu",
            scale_embedding=True,
            max_position_embeddings=512,
            pad_token_id=0,
            decoder_start_token_id=1,
            **sizes,
            **settings,
        )
    )


def marian() -> Step | None:
    model = build_marian(WORDS)
    if model is None:
        return None
    return plain_loop(
        model,
        lambda batch, inputs: (
            model(
                input_ids=batch.source.ids,
                attention_mask=plain.visible(batch.source).long(),
                decoder_input_ids=inputs,
                use_cache=False,
            ).logits
        ),
    )


def transformer_run(*overrides: str) -> Any:
    return load_config("translate-tiny", ["train.guided_alignment=null", *overrides])


def transformer() -> Any:
    return transformer_run().model.build(VocabularySizes(WORDS, WORDS))


def bahdanau() -> Any:
    b = BAHDANAU
    sizes = [f"embedding_dim={b['embedding']}"]
    for side in ("encoder", "decoder"):
        sizes += [f"{side}.dim={b['dim']}", f"{side}.dropout={b['p']}"]
    run = load_config("bahdanau", tuple(f"model.{size}" for size in sizes))
    return run.model.build(VocabularySizes(WORDS, WORDS))


def without_one() -> dict[str, Performance]:
    """The performance settings with one optimization disabled, by its name."""
    return {
        "bf16": Performance(precision="fp32"),
        "the matmul kernel": Performance(attention="sdpa"),
        "byte dropout": Performance(dropout="plain"),
        "the chunked loss": Performance(loss="plain"),
    }


# --- measurements ---------------------------------------------------------------------------------


NO_VALIDATION = Pairs(("",), ("",))  # a module needs a pair, though it is not read


class SpeedModule(TranslationModule):
    """Translation without validation, which would take longer than the rest."""

    def validate(self) -> Scores:
        return Scores({"nll": 0.0})


def count_tokens(batch: Batch) -> int:
    assert batch.target.lengths is not None
    return int((batch.target.lengths - 1).sum())


def take_turns(loops: dict[str, Step], batch: Batch, turn: int) -> dict[str, float]:
    """The rate of each loop on one batch, in an order that rotates with `turn`."""
    names = list(loops)
    names = names[turn % len(names) :] + names[: turn % len(names)]
    rates = {}
    for name in names:
        start = time.perf_counter()
        loops[name](batch)
        rates[name] = count_tokens(batch) / (time.perf_counter() - start)
    return rates


def measure_trainer(
    prepared: PreparedData, loops: dict[str, Step], rounds: int
) -> tuple[Rates, float]:
    """The rates of the trainer and of the other loops, and the trainer's share of waiting."""
    last = ALONE + 1 + rounds
    run = transformer_run(
        f"train.steps={last}",
        f"train.optimizer.rate={RATE}",
        "train.schedule.warmup=1",
        "train.metric=nll",
        "train.validate_every=100000",
        "train.save_every=100000",
    )
    module = SpeedModule(run, prepared, SentencePiece.load(SHARDS), NO_VALIDATION)
    rates: Rates = {name: [] for name in ("trainer", *loops)}
    alone: list[StepCompleted] = []
    batches = (step.micro_batches[0].batch for step in module.stream(0, 1).steps(Cursor()))
    upcoming = list(islice(batches, last + 1))
    batches.close()

    def log_step(event: Event) -> None:
        if not isinstance(event, StepCompleted):
            return
        if event.step <= ALONE:
            alone.append(event)
        elif event.step > ALONE + 1:
            rates["trainer"].append(event.tokens / event.seconds)
        if ALONE < event.step < last:
            batch = upcoming[event.step]
            loops["tuned"](batch)  # compiles kernels for the shapes of the batch
            for name, rate in take_turns(loops, batch, event.step).items():
                rates[name].append(rate)

    with tempfile.TemporaryDirectory() as directory:
        Trainer(module, run.train.build(), Path(directory), loggers=[log_step]).run()
    return rates, sum(s.waited for s in alone) / sum(s.seconds for s in alone)


def measure_loops(batches: list[Batch], loops: dict[str, Step], rounds: int) -> Rates:
    first = next(iter(loops.values()))
    rates: Rates = {name: [] for name in loops}
    for turn, batch in enumerate(batches[: rounds + 1]):
        first(batch)
        for name, rate in take_turns(loops, batch, turn).items():
            if turn:  # the first round allocates memory and loads libraries
                rates[name].append(rate)
    return rates


def ratio(rates: Rates, numerator: str, denominator: str) -> float:
    """The median of the ratios of two loops' rates."""
    return median(a / b for a, b in zip(rates[numerator], rates[denominator], strict=True))


# --- the allocator, in separate processes ---------------------------------------------------------


def rate_in_child(allocator: str) -> float:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.train", "--child", allocator],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def child(allocator: str) -> float:
    """The target tokens per second of the tuned loop with this allocator."""
    performance = replace(Performance(), allocator=allocator)
    performance.tune_allocator()
    torch.manual_seed(1)
    step, batches = tuned_loop(transformer(), performance), read_batches(open_data(), 10)
    for batch in batches:
        step(batch)
    rates = [take_turns({"tuned": step}, batch, 0)["tuned"] for batch in batches]
    return median(rates)


# --- the data -------------------------------------------------------------------------------------


def open_data() -> PreparedData:
    files = [DATA / "multi30k" / f"train.{side}.gz" for side in ("en", "de")]
    for path in files:
        if not path.is_file():
            sys.exit(
                f"{path}: no such file. Set REGARD_DATA to the directory that contains multi30k."
            )
    corpus = open_corpus(*(str(path) for path in files))
    settings = PreparationSettings(vocabulary=WORDS, dedupe="none")
    return prepare_corpora([corpus], str(SHARDS), settings, InProcessRunner())


def read_batches(prepared: PreparedData, count: int) -> list[Batch]:
    module = SpeedModule(transformer_run(), prepared, SentencePiece.load(SHARDS), NO_VALIDATION)
    steps = module.stream(0, 1).steps(Cursor())
    batches = [step.micro_batches[0].batch for step in islice(steps, count)]
    steps.close()
    return batches


# --- the report -----------------------------------------------------------------------------------


def show(title: str, rates: Rates) -> None:
    print(title)
    for name, found in rates.items():
        print(f"  {name:28} {median(found):8,.0f} ({min(found):,.0f}–{max(found):,.0f})")


def measure_transformer(
    prepared: PreparedData, rounds: int, facts: dict[str, Any]
) -> Iterator[Figure]:
    torch.manual_seed(1)
    loops = {
        "tuned": tuned_loop(transformer(), Performance()),
        "plain fp32": plain_model_loop(plain.Transformer(WORDS, **TRANSFORMER)),
        "regard fp32": tuned_loop(transformer(), Performance(precision="fp32")),
    }
    if (peer := marian()) is not None:
        loops["Marian fp32"] = peer
    rates, waited = measure_trainer(prepared, loops, rounds)
    show("Transformer, target tokens per second:", rates)
    facts["transformer"] = {name: round(median(found)) for name, found in rates.items()}
    yield Figure("trainer / tuned loop", ratio(rates, "trainer", "tuned"), 0.97)
    yield Figure("trainer / plain fp32 loop", ratio(rates, "trainer", "plain fp32"), 1.7)
    facts["regard fp32 / plain fp32"] = round(ratio(rates, "regard fp32", "plain fp32"), 3)
    if peer is not None:
        yield Figure("trainer / Marian fp32", ratio(rates, "trainer", "Marian fp32"), 1.7)
        facts["regard fp32 / Marian fp32"] = round(ratio(rates, "regard fp32", "Marian fp32"), 3)
    yield Figure("share of a step spent waiting for data", waited, 0.01, at_most=True)


def measure_bahdanau(batches: list[Batch], rounds: int, facts: dict[str, Any]) -> Iterator[Figure]:
    torch.manual_seed(1)
    loops = {
        "tuned": tuned_loop(bahdanau(), Performance()),
        "plain fp32": plain_model_loop(plain.Bahdanau(WORDS, **BAHDANAU)),
    }
    rates = measure_loops(batches, loops, rounds)
    show("Bahdanau GRU, target tokens per second:", rates)
    facts["bahdanau"] = {name: round(median(found)) for name, found in rates.items()}
    facts["bahdanau"]["OpenNMT-py, on a similar machine"] = OPENNMT
    yield Figure("Bahdanau GRU / plain fp32 loop", ratio(rates, "tuned", "plain fp32"), 1.4)


def measure_optimizations(batches: list[Batch], rounds: int) -> dict[str, float]:
    """The speedup of all optimizations over all but one."""
    torch.manual_seed(1)
    loops = {"all": tuned_loop(transformer(), Performance())}
    loops |= {name: tuned_loop(transformer(), each) for name, each in without_one().items()}
    rates = measure_loops(batches, loops, rounds)
    show("Transformer without one optimization, target tokens per second:", rates)
    gains = {name: round(ratio(rates, "all", name), 3) for name in without_one()}
    children = [(rate_in_child("glibc"), rate_in_child("plain")) for _ in range(3)]
    gains["the tuned allocator"] = round(median(a / b for a, b in children), 3)
    for name, gain in gains.items():
        print(f"  {name:28} {gain:8.2f} × speedup")
    return gains


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds, under a minute")
    parser.add_argument("--child", choices=["glibc", "plain"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(child(options.child))
        return 0

    print(f"torch {torch.__version__}, {THREADS} threads, {Performance().resolve(CPU).precision}")
    prepared, facts = open_data(), dict[str, Any]()
    rounds = (5, 3) if options.quick else (25, 11)
    figures = list(measure_transformer(prepared, rounds[0], facts))
    batches = read_batches(prepared, rounds[1] + 1)
    figures += measure_bahdanau(batches, rounds[1], facts)
    if not options.quick:
        facts["speedup"] = measure_optimizations(batches, rounds[1])
    facts |= {"torch": torch.__version__, "threads": int(THREADS)}
    return report("train", figures, **facts)


if __name__ == "__main__":
    sys.exit(main())
