"""Does an explanation record contain the numbers of the search?

    python -m benchmarks.record --model MODEL

A record is computed by tracing the chosen translation again. This benchmark records the search on
the test set, follows the best hypothesis back through the beam, and compares all cross-attention
weights and log-probabilities with those of the record. It also compares the translation with that
of an unrecorded search. For an exported model, CTranslate2 reports the weights of one head only
(the first head of the last layer) and the score. The last line is a JSON object.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from benchmarks.figures import Figure, report
from benchmarks.multi30k import read_pairs
from regard.align.tokenized_text import TokenizedText
from regard.attention import Attention, AttentionOutput
from regard.batch import pad
from regard.explain.forward_trace import ForwardTrace, trace_forward
from regard.inference.ctranslate2_engine import CTranslate2Engine
from regard.inference.engine import max_target_length
from regard.inference.forced_decoding import cross_attention_names
from regard.models import eval_mode
from regard.search import BeamStep, beam
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import BOS, EOS

TOLERANCE = 1e-5  # of weights, in single precision with another order of summation
LOGP_TOLERANCE = 2e-5  # about ten ulps of a logit between 16 and 32
BATCH = 32


@dataclass(frozen=True)
class SearchResult:
    """The best hypothesis of a search, with its attention."""

    tokens: tuple[int, ...]
    steps: int  # T: one more than the tokens, unless cut at the maximum length
    score: float
    logps: tuple[float, ...]  # empty if the engine does not report them
    attention: dict[tuple[str, int], Tensor]  # T S, by layer name and head


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True, help="a model bundle with English sources")
    parser.add_argument("--quick", action="store_true", help="use only 60 sentences")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    texts = read_pairs("test_2016_flickr")[0][: 60 if options.quick else None]
    exported = Translator.load(options.model)
    translators = [Translator.load(options.model, engine="torch")]
    if exported.engine.name != "torch":
        translators.append(exported)
    figures = []
    for translator in translators:
        name = translator.engine.name
        quantity = "log p" if name == "torch" else "score"
        equal, weights, logps = compare(translator, texts)
        figures += [
            Figure(f"{name}: records equal to the search", equal / len(texts), 1.0),
            small_figure(f"{name}: weights, largest difference", weights, TOLERANCE),
            small_figure(f"{name}: {quantity}, largest difference", logps, LOGP_TOLERANCE),
        ]
    return report("record", figures, sentences=len(texts))


def small_figure(name: str, value: float, limit: float) -> Figure:
    """A figure in millionths, for readable output."""
    return Figure(f"{name} × 1e6", 1e6 * value, 1e6 * limit, at_most=True)


def compare(translator: Translator, texts: list[str]) -> tuple[int, float, float]:
    """The number of records equal to the search, and the largest differences."""
    ids = translator.tokenizer.encode(texts)
    search = search_torch if translator.engine.name == "torch" else search_ctranslate2
    equal, worst_weight, worst_logp = 0, 0.0, 0.0
    unrecorded = translator.engine.search(ids, translator.options)
    for done, (row, result) in enumerate(search(translator, ids), 1):
        source = TokenizedText.from_text(translator.tokenizer, texts[row]).pieces.ids
        best = unrecorded[row][0].tokens
        target = TokenizedText.from_tokens(translator.tokenizer, best).pieces.ids
        if tuple(target) == result.tokens:
            piece = translator.tokenizer.piece
            record = trace_forward(translator.model, pad([[*source, EOS]]), target, piece)
            weight, logp = differences(record, result, translator.options.length_penalty)
            equal += weight <= TOLERANCE and logp <= LOGP_TOLERANCE
            worst_weight, worst_logp = max(worst_weight, weight), max(worst_logp, logp)
        if done % 100 == 0:
            print(f"  {translator.engine.name}: {equal} of {done} equal", flush=True)
    return equal, worst_weight, worst_logp


def differences(
    record: ForwardTrace, result: SearchResult, length_penalty: float
) -> tuple[float, float]:
    """The largest differences of weights and of log-probabilities (or of the score)."""
    recorded = {each.name: each.weights for each in record.attentions}
    weights = [
        float((recorded[name][head, : result.steps] - expected).abs().max())
        for (name, head), expected in result.attention.items()
    ]
    logps = [step.logp for step in record.steps[: result.steps]]
    if result.logps:
        gaps = [abs(a - b) for a, b in zip(logps, result.logps, strict=True)]
    else:
        gaps = [abs(sum(logps) / len(logps) ** length_penalty - result.score)]
    return max(weights, default=0.0), max(gaps)


@torch.inference_mode()
def search_torch(
    translator: Translator, ids: list[list[int]]
) -> Iterator[tuple[int, SearchResult]]:
    """Run the torch search in batches and record the attention of each step."""
    model, options = translator.model, translator.options
    by_max_length: dict[int, list[int]] = defaultdict(list)
    for row, source in enumerate(ids):
        by_max_length[max_target_length(len(source) + 1)].append(row)
    for max_length, rows in by_max_length.items():
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            weights: dict[str, list[Tensor]] = defaultdict(list)  # of each step, B H K S
            beam_steps: list[BeamStep] = []
            with eval_mode(model), ExitStack() as stack:
                for name in cross_attention_names(model):
                    attention = model.get_submodule(name)
                    assert isinstance(attention, Attention)
                    stack.enter_context(attention.record(partial(append_weights, weights[name])))
                found = beam(
                    model.step,
                    model.start(pad([[*ids[row], EOS] for row in batch])),
                    rows=len(batch),
                    beam_size=options.beam_size,
                    bos=BOS,
                    eos=EOS,
                    max_length=max_length,
                    length_penalty=options.length_penalty,
                    on_step=beam_steps.append,
                )
            for index, row in enumerate(batch):
                best = found[index][0]
                path = best_path(beam_steps, index, options.length_penalty)
                assert len(path) == len(best.logps)
                size = len(ids[row]) + 1
                heads = {}
                for name, steps in weights.items():
                    parts = [steps[t][b, :, slot, :size] for t, (b, slot) in enumerate(path)]
                    for head, matrix in enumerate(torch.stack(parts, dim=1)):
                        heads[name, head] = matrix
                yield row, SearchResult(best.tokens, len(path), best.score, best.logps, heads)


def append_weights(steps: list[Tensor], output: AttentionOutput) -> None:
    assert output.weights is not None
    steps.append(output.weights)


def best_path(
    beam_steps: list[BeamStep], sentence: int, length_penalty: float
) -> list[tuple[int, int]]:
    """At each step, the batch row and the slot of the hypothesis that becomes the best one."""
    ends = [
        (float(step.totals[row, extension]) / (t + 1) ** length_penalty, t, extension)
        for t, step in enumerate(beam_steps)
        if sentence in step.sentences
        for row in [step.sentences.index(sentence)]
        for extension in step.ended[row].nonzero()[:, 0].tolist()
    ]
    _, last, extension = max(ends, key=lambda end: end[0])
    path: list[tuple[int, int]] = []
    for step in reversed(beam_steps[: last + 1]):
        row = step.sentences.index(sentence)
        if path:
            extension = int(step.survivors[row, path[-1][1]])
        path.append((row, int(step.origins[row, extension])))
    return path[::-1]


def search_ctranslate2(
    translator: Translator, ids: list[list[int]]
) -> Iterator[tuple[int, SearchResult]]:
    """Run CTranslate2's search and read the attention that it reports.

    Sentences are translated one by one: for a batch, CTranslate2 4.8 reports the attention of
    another sentence at the first step.
    """
    engine, options = translator.engine, translator.options
    assert isinstance(engine, CTranslate2Engine)
    last = cross_attention_names(translator.model)[-1]
    for row, source in enumerate(ids):
        (found,) = engine.translator.translate_batch(
            [[engine.pieces[token] for token in [*source, EOS]]],
            beam_size=options.beam_size,
            num_hypotheses=options.beam_size,
            length_penalty=options.length_penalty,
            min_decoding_length=0,
            max_decoding_length=max_target_length(len(source) + 1),
            max_input_length=0,
            return_scores=True,
            return_end_token=True,
            return_attention=True,
        )
        output = tuple(engine.ids[piece] for piece in found.hypotheses[0])
        attention = {(last, 0): torch.tensor(found.attention[0])}
        tokens = output[:-1] if output[-1] == EOS else output
        yield row, SearchResult(tokens, len(output), found.scores[0], (), attention)


if __name__ == "__main__":
    sys.exit(main())
