"""How fast training goes, beside the loops that one would write without regard.

    python -m benchmarks.train [--quick]

Multi30k en-de is found through REGARD_DATA; its shards are kept in the temporary folder. All sides
learn from the same batches of 4,096 tokens and take turns within each: what is compared is target
tokens a second, batch by batch, and the median of those ratios. The trainer's own clock times it;
the other sides run while it tells of its step. Before a batch is timed one side reads it untimed,
for oneDNN compiles its bf16 kernels for each new shape, and who came first would pay for all.
A tuned allocator serves the whole process, the plain sides too; what it gives is measured in
processes of its own. The last line is one JSON object; the exit code tells whether every aim was
met.
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
from regard.data.loading.cursor import Cursor  # noqa: E402
from regard.data.loading.shards import PreparedData  # noqa: E402
from regard.data.preparation.prepare import PreparationSettings, prepare_corpora  # noqa: E402
from regard.data.preparation.runner import InProcessRunner  # noqa: E402
from regard.tasks.batches import shift_target  # noqa: E402
from regard.tasks.translation.module import Pairs, TranslationModule  # noqa: E402
from regard.text.tokenizer import SentencePiece  # noqa: E402
from regard.train.events import Event, Scores, StepCompleted  # noqa: E402
from regard.train.losses import CrossEntropy  # noqa: E402
from regard.train.performance import Performance  # noqa: E402
from regard.train.trainer import Trainer  # noqa: E402

SHARDS = Path(tempfile.gettempdir()) / "regard-benchmarks" / "multi30k-en-de-8000"
WORDS, SMOOTHING, RATE, CLIP = 8_000, 0.1, 1e-3, 1.0
TRANSFORMER = {"dim": 128, "hidden": 256, "layers": 4, "heads": 4, "p": 0.3}
BAHDANAU = {"embedding": 256, "dim": 512, "p": 0.3}
CPU = torch.device("cpu")
ALONE = 8  # steps that the trainer makes undisturbed, to see how long it waits for data
OPENNMT = 1_408  # target tokens a second of OpenNMT-py 3.5.1's GRU on a machine of this kind

Step = Callable[[Batch], object]
Rates = dict[str, list[float]]  # target tokens a second of each side, batch by batch


# --- the sides ------------------------------------------------------------------------------------


def learner(parameters: list[nn.Parameter], lesson: Callable[[Batch], tuple[Tensor, int]]) -> Step:
    """What every loop does around its model."""
    optimizer = torch.optim.Adam(parameters, lr=RATE, betas=(0.9, 0.98), eps=1e-9, fused=True)

    def step(batch: Batch) -> None:
        optimizer.zero_grad(set_to_none=True)
        total, count = lesson(batch)
        (total / count).backward()
        nn.utils.clip_grad_norm_(parameters, CLIP)
        optimizer.step()

    return step


def bare(model: Any, speed: Performance) -> Step:
    """A loop around one of regard's models, with everything that its trainer would set."""
    objective, speed = CrossEntropy(SMOOTHING), speed.resolve(CPU)
    speed.apply(nn.ModuleList([model, objective]))
    model.train()

    def lesson(batch: Batch) -> tuple[Tensor, int]:
        said, meant = shift_target(batch.target)
        with speed.autocast(CPU):
            loss = objective(model(batch.source, said), model.readout, meant)
        return loss.total, loss.count

    return learner(list(model.parameters()), lesson)


def plain_loop(model: nn.Module, logits: Callable[[Batch, Tensor], Tensor]) -> Step:
    """A loop in fp32, all logits at once."""
    model.train()

    def lesson(batch: Batch) -> tuple[Tensor, int]:
        said, meant = shift_target(batch.target)
        assert meant.lengths is not None
        real = torch.arange(said.size(1)) < meant.lengths[:, None]
        words = meant.ids.masked_fill(~real, -100)
        found = logits(batch, said).flatten(0, 1)
        total = F.cross_entropy(found, words.flatten(), label_smoothing=SMOOTHING, reduction="sum")
        return total, int(meant.lengths.sum())

    return learner(list(model.parameters()), lesson)


def written_plainly(model: nn.Module) -> Step:
    return plain_loop(model, lambda batch, said: model(batch.source, said))


def build_marian(words: int, **settings: Any) -> Any:
    """Hugging Face's translation model at the same size; None: it is not installed."""
    try:
        from transformers import MarianConfig, MarianMTModel
    except ImportError:
        print("  transformers is not installed: no side by Hugging Face (pip install transformers)")
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
        lambda batch, said: (
            model(
                input_ids=batch.source.ids,
                attention_mask=plain.visible(batch.source).long(),
                decoder_input_ids=said,
                use_cache=False,
            ).logits
        ),
    )


def transformer_run(*overrides: str) -> Any:
    return load_config("translate-tiny", overrides)


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
    """All that is fast but one thing."""
    return {
        "bf16": Performance(precision="fp32"),
        "the matmul kernel": Performance(attention="sdpa"),
        "byte dropout": Performance(dropout="plain"),
        "the chunked loss": Performance(loss="plain"),
    }


# --- taking turns ---------------------------------------------------------------------------------


class Lesson(TranslationModule):
    """Translation, never validated: that would take longer than all the rest."""

    def validate(self) -> Scores:
        return Scores({"nll": 0.0})


def tokens(batch: Batch) -> int:
    assert batch.target.lengths is not None
    return int((batch.target.lengths - 1).sum())


def take_turns(sides: dict[str, Step], batch: Batch, turn: int) -> dict[str, float]:
    """The rate of each side on one batch, each time in another order."""
    names = list(sides)
    names = names[turn % len(names) :] + names[: turn % len(names)]
    rates = {}
    for name in names:
        begun = time.perf_counter()
        sides[name](batch)
        rates[name] = tokens(batch) / (time.perf_counter() - begun)
    return rates


def race_trainer(
    prepared: PreparedData, sides: dict[str, Step], rounds: int
) -> tuple[Rates, float]:
    """The trainer and the other sides on the same batches; and the share of time it waited."""
    last = ALONE + 1 + rounds
    run = transformer_run(
        f"train.steps={last}",
        f"train.optimizer.rate={RATE}",
        "train.schedule.warmup=1",
        "train.metric=nll",
        "train.validate_every=100000",
        "train.save_every=100000",
    )
    task = Lesson(run, prepared, SentencePiece.load(SHARDS), Pairs((), ()))
    rates: Rates = {name: [] for name in ("trainer", *sides)}
    alone: list[StepCompleted] = []
    batches = (step.micro_batches[0].batch for step in task.stream(0, 1).steps(Cursor()))
    upcoming = list(islice(batches, last + 1))
    batches.close()

    def observe(event: Event) -> None:
        if not isinstance(event, StepCompleted):
            return
        if event.step <= ALONE:
            alone.append(event)
        elif event.step > ALONE + 1:
            rates["trainer"].append(event.tokens / event.seconds)
        if ALONE < event.step < last:
            batch = upcoming[event.step]
            sides["bare"](batch)  # its shapes are known from now on
            for name, rate in take_turns(sides, batch, event.step).items():
                rates[name].append(rate)

    with tempfile.TemporaryDirectory() as home:
        Trainer(task, run.train.build(), Path(home), loggers=[observe]).run()
    return rates, sum(s.waited for s in alone) / sum(s.seconds for s in alone)


def race(batches: list[Batch], sides: dict[str, Step], rounds: int) -> Rates:
    first = next(iter(sides.values()))
    rates: Rates = {name: [] for name in sides}
    for turn, batch in enumerate(batches[: rounds + 1]):
        first(batch)
        for name, rate in take_turns(sides, batch, turn).items():
            if turn:  # in the first, memory is found and libraries are loaded
                rates[name].append(rate)
    return rates


def ratio(rates: Rates, over: str, under: str) -> float:
    return median(a / b for a, b in zip(rates[over], rates[under], strict=True))


# --- the allocator, in processes of its own -------------------------------------------------------


def rate_in_child(allocator: str) -> float:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.train", "--child", allocator],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def child(allocator: str) -> float:
    """Tokens a second of the bare loop, everything but the allocator being fast."""
    speed = replace(Performance(), allocator=allocator)
    speed.tune_allocator()
    torch.manual_seed(1)
    step, batches = bare(transformer(), speed), read_batches(open_data(), 10)
    for batch in batches:
        step(batch)
    rates = [take_turns({"bare": step}, batch, 0)["bare"] for batch in batches]
    return median(rates)


# --- the data -------------------------------------------------------------------------------------


def open_data() -> PreparedData:
    files = [DATA / "multi30k" / f"train.{side}.gz" for side in ("en", "de")]
    for path in files:
        if not path.is_file():
            sys.exit(f"{path}: not here; let REGARD_DATA name the folder that holds multi30k")
    corpus = open_corpus(*(str(path) for path in files))
    settings = PreparationSettings(vocabulary=WORDS, dedupe="none")
    return prepare_corpora([corpus], str(SHARDS), settings, InProcessRunner())


def read_batches(prepared: PreparedData, count: int) -> list[Batch]:
    task = Lesson(transformer_run(), prepared, SentencePiece.load(SHARDS), Pairs((), ()))
    steps = task.stream(0, 1).steps(Cursor())
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
    sides = {
        "bare": bare(transformer(), Performance()),
        "plain fp32": written_plainly(plain.Transformer(WORDS, **TRANSFORMER)),
        "ours in fp32": bare(transformer(), Performance(precision="fp32")),
    }
    if (peer := marian()) is not None:
        sides["Marian fp32"] = peer
    rates, waited = race_trainer(prepared, sides, rounds)
    show("Transformer, target tokens a second:", rates)
    facts["transformer"] = {name: round(median(found)) for name, found in rates.items()}
    yield Figure("trainer over an equally tuned loop", ratio(rates, "trainer", "bare"), 0.97)
    yield Figure("trainer over a plain fp32 loop", ratio(rates, "trainer", "plain fp32"), 1.7)
    facts["ours in fp32 over a plain fp32 loop"] = round(
        ratio(rates, "ours in fp32", "plain fp32"), 3
    )
    if peer is not None:
        yield Figure("trainer over Marian in fp32", ratio(rates, "trainer", "Marian fp32"), 1.7)
        same = ratio(rates, "ours in fp32", "Marian fp32")
        facts["ours in fp32 over Marian in fp32"] = round(same, 3)
    yield Figure("share of a step spent waiting for data", waited, 0.01, at_most=True)


def measure_bahdanau(batches: list[Batch], rounds: int, facts: dict[str, Any]) -> Iterator[Figure]:
    torch.manual_seed(1)
    sides = {
        "ours": bare(bahdanau(), Performance()),
        "plain fp32": written_plainly(plain.Bahdanau(WORDS, **BAHDANAU)),
    }
    rates = race(batches, sides, rounds)
    show("Bahdanau GRU, target tokens a second:", rates)
    facts["bahdanau"] = {name: round(median(found)) for name, found in rates.items()}
    facts["bahdanau"]["OpenNMT-py, on a machine of this kind"] = OPENNMT
    yield Figure("Bahdanau GRU over its plain fp32 loop", ratio(rates, "ours", "plain fp32"), 1.4)


def measure_tricks(batches: list[Batch], rounds: int) -> dict[str, float]:
    """How many times faster all of them together are than all but one."""
    torch.manual_seed(1)
    sides = {"all": bare(transformer(), Performance())}
    sides |= {name: bare(transformer(), speed) for name, speed in without_one().items()}
    rates = race(batches, sides, rounds)
    show("Transformer, without …:", rates)
    gains = {name: round(ratio(rates, "all", name), 3) for name in without_one()}
    children = [(rate_in_child("glibc"), rate_in_child("plain")) for _ in range(3)]
    gains["the tuned allocator"] = round(median(a / b for a, b in children), 3)
    for name, gain in gains.items():
        print(f"  {name:28} {gain:8.2f} times faster with it")
    return gains


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds: under a minute")
    parser.add_argument("--child", choices=["glibc", "plain"], help="one child's task")
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
        facts["times faster with"] = measure_tricks(batches, rounds[1])
    facts |= {"torch": torch.__version__, "threads": int(THREADS)}
    return report("train", figures, **facts)


if __name__ == "__main__":
    sys.exit(main())
