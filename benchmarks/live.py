"""Does the engine of a page compute what PyTorch computes, and how fast?

    python -m benchmarks.live [--quick]

Every translation preset is built with random weights that make its attention and its outputs vary;
large presets keep their structure with smaller dimensions. Two models also learn to reverse digits.
A model is written as `regard.live/1` in half precision, and the engine runs it in Node.js on one
core. The benchmark forces translations and compares the log-probabilities of the whole vocabulary
and all attention weights with those of PyTorch, with the same rounded weights and with the original
ones; and it compares greedy and beam translations with those of the rounded weights. --quick
compares ten sentences instead of 200, without the trained models, and times fewer translations.
Times are processor times, in milliseconds, so that other programs change them less. The last line
is a JSON object.

Equal translations: a sentence whose two best candidates differ by less than the rounding of single
precision may be translated differently, and counts as different.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from benchmarks.figures import Figure, report
from benchmarks.node_engine import (
    EngineTrace,
    NodeEngine,
    missing_program,
    random_model,
    rounded,
)
from benchmarks.toys import train_toy
from regard.batch import pad
from regard.config.load import change_config, load_config, presets
from regard.config.run import RunConfig
from regard.explain.live_model import Precision, write_live_model
from regard.hypothesis import Hypothesis
from regard.inference.engine import SearchOptions
from regard.inference.forced_decoding import watch
from regard.inference.torch_engine import TorchEngine
from regard.models import eval_mode
from regard.text.tokenizer import BOS, EOS, SentencePiece

LARGEST = 32  # the greatest dimension of a model that is compared
VOCABULARY = 300
FORCED = 8  # sentences whose numbers are compared
BEAM = 5
NEAR = 1e-3  # aim of differences
LINES = ["the quick brown fox jumps over the lazy dog", "a big black cat sleeps on a mat"]


@dataclass(frozen=True, slots=True)
class Parity:
    """How far the engine is from PyTorch."""

    logp: float  # the largest difference, with the rounded weights
    weight: float
    logp_unrounded: float  # the largest difference from the model before rounding
    greedy: int  # equal translations
    beam: int
    distinct: int  # different translations by greedy search


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer sentences and timings")
    parser.add_argument("--sentences", type=int, help="that are translated; by default 200")
    parser.add_argument("--preset", action="append", choices=translation_presets())
    options = parser.parse_args()
    if reason := missing_program():
        print(reason, file=sys.stderr)
        return 1
    torch.set_num_threads(1)
    sentences = options.sentences or (10 if options.quick else 200)
    tokenizer = SentencePiece.train(LINES, size=VOCABULARY)
    results: dict[str, Parity] = {}
    with NodeEngine() as engine:
        columns = f"{'logits':>9} {'weights':>9} {'unrounded':>9}  greedy  beam {BEAM}  distinct"
        print(f"{'preset':22} {columns}")
        trained = not (options.quick or options.preset)
        for name, (run, model) in compared_models(options.preset, tokenizer.size, trained).items():
            results[name] = compare(engine, run, model, tokenizer, sentences)
            parity = results[name]
            print(
                f"{name:22} {parity.logp:9.1e} {parity.weight:9.1e} {parity.logp_unrounded:9.1e}"
                f"  {parity.greedy:6}  {parity.beam:6}  {parity.distinct:8}",
                flush=True,
            )
        runs = 5 if options.quick else 25
        demo = time_preset(engine, demo_run(), "f16", 450, tokenizer, runs)
        tiny = time_preset(engine, load_config("translate-tiny"), "i8", 8000, tokenizer, runs)
    count = len(results) * sentences
    greedy, beam = (
        sum(getattr(parity, search) for parity in results.values()) / count
        for search in ("greedy", "beam")
    )
    figures = [
        *difference_figures(results),
        Figure("equal translations, greedy", greedy, 1.0),
        Figure(f"equal translations, beam {BEAM}", beam, 1.0),
        Figure("demo's model: ms for 20 words, greedy", demo, 50, at_most=True),
        Figure("translate-tiny, int8: ms for 20 words, greedy", tiny, 300, at_most=True),
    ]
    return report("live", figures, sentences=sentences, models=len(results))


def difference_figures(results: Mapping[str, Parity]) -> list[Figure]:
    """The largest differences over all models, in thousandths."""
    largest = {
        "logits, largest difference × 1000": max(p.logp for p in results.values()),
        "weights, largest difference × 1000": max(p.weight for p in results.values()),
    }
    return [Figure(name, 1e3 * value, 1e3 * NEAR, at_most=True) for name, value in largest.items()]


# -- models ----------------------------------------------------------------------------------------


def compared_models(
    names: Sequence[str] | None, vocabulary: int, trained: bool
) -> dict[str, tuple[RunConfig, Any]]:
    """Translation presets with random weights, and if `trained` two that learned to reverse."""
    models: dict[str, tuple[RunConfig, Any]] = {}
    for name in names or translation_presets():
        run = smaller(load_config(name), name)
        models[name] = (run, random_model(run, vocabulary))
    if trained:
        for name in ("bahdanau", "transformer"):
            run = smaller(load_config(name), name)
            models[f"{name}, trained"] = (run, train_toy(run, "reverse", steps=300))
    return models


def translation_presets() -> list[str]:
    models = {name: load_config(name).model for name in presets()}
    return [
        name
        for name, model in models.items()
        if model.kind == "encoder-decoder" and model.reads == "sentences"
    ]


def smaller(run: RunConfig, name: str) -> RunConfig:
    """The run with dimensions of at most LARGEST."""

    def shrink(settings: Any) -> Any:
        if not isinstance(settings, dict):
            return settings
        return {
            key: min(value, LARGEST)
            if key in ("dim", "hidden_dim", "embedding_dim") and isinstance(value, int)
            else shrink(value)
            for key, value in settings.items()
        }

    return change_config(run, [shrink(run.model_dump(mode="json"))], name)


def demo_run() -> RunConfig:
    """A model as large as those of `regard demo`."""
    sizes = ["model.embedding_dim=64", "model.encoder.dim=96", "model.decoder.dim=96"]
    return change_config(load_config("bahdanau"), sizes, "demo")


def write(run: RunConfig, model: Any, tokenizer: SentencePiece, precision: Precision) -> str:
    return write_live_model(
        model,
        run.model.model_dump(mode="json"),
        (tokenizer, tokenizer),
        SearchOptions(BEAM, 1.0),
        precision=precision,
    )


# -- comparison ------------------------------------------------------------------------------------


def compare(
    engine: NodeEngine, run: RunConfig, model: Any, tokenizer: SentencePiece, count: int
) -> Parity:
    engine.load(write(run, model, tokenizer, "f16"))
    same = rounded(model, "f16")
    sources = random_sources(count, model.embedding.num_embeddings)
    search = TorchEngine(same)
    expected = {
        size: search.search([ids[:-1] for ids in sources], SearchOptions(size, 1.0))
        for size in (1, BEAM)
    }
    answers = {1: engine.greedy(sources), BEAM: engine.beam(sources, BEAM)}
    logp, weight, unrounded = 0.0, 0.0, 0.0
    for source, (best, *_) in list(zip(sources, expected[1], strict=True))[:FORCED]:
        traced = engine.trace(source, best.tokens)
        logps, weights = force(same, source, best.tokens)
        logp = max(logp, largest(traced.logps - logps))
        weight = max([weight, *weight_differences(traced, weights)])
        unrounded = max(unrounded, largest(traced.logps - force(model, source, best.tokens)[0]))
    equal = {size: count_equal(answers[size], expected[size]) for size in answers}
    distinct = len({best.tokens for best, *_ in expected[1]})
    return Parity(logp, weight, unrounded, equal[1], equal[BEAM], distinct)


@torch.inference_mode()
def force(
    model: Any, source: Sequence[int], target: Sequence[int]
) -> tuple[Tensor, dict[str, Tensor]]:
    """Log-probabilities of the vocabulary at each step, and the weights of every attention."""
    with eval_mode(model), watch(model) as recording:
        hidden = model(pad([source]), torch.tensor([[BOS, *target]])).hidden
        logps = model.readout(hidden)[0].log_softmax(dim=-1)
    return logps, {name: recording[name][0] for name in recording.names}


def largest(difference: Tensor) -> float:
    return float(difference.abs().max())


def weight_differences(traced: EngineTrace, weights: Mapping[str, Tensor]) -> list[float]:
    return [largest(traced.attentions[name].weights - weights[name]) for name in weights]


def count_equal(answers: Sequence[Any], expected: Sequence[Sequence[Hypothesis]]) -> int:
    return sum(
        tuple(answer["ids"]) == best.tokens
        for answer, (best, *_) in zip(answers, expected, strict=True)
    )


def random_sources(count: int, vocabulary: int) -> list[list[int]]:
    """Sources of 2 to 15 tokens, with their end token."""
    draw = torch.Generator().manual_seed(0)
    lengths = torch.randint(1, 15, (count,), generator=draw).tolist()
    return [
        [*torch.randint(4, vocabulary, (length,), generator=draw).tolist(), EOS]
        for length in lengths
    ]


# -- speed -----------------------------------------------------------------------------------------


def time_preset(
    engine: NodeEngine,
    run: RunConfig,
    precision: Precision,
    vocabulary: int,
    tokenizer: SentencePiece,
    runs: int,
) -> float:
    """The median processor time for a sentence of 20 words, 26 pieces, and as many of output."""
    model = random_model(run, vocabulary)
    with torch.no_grad():
        model.readout.bias[EOS] = -100.0  # no end: the length is set
    engine.load(write(run, model, tokenizer, precision))
    source = [*range(10, 36), EOS]
    engine.time_greedy(source, 10, 27)  # compiles the engine
    return statistics.median(engine.time_greedy(source, runs, 27))


if __name__ == "__main__":
    sys.exit(main())
