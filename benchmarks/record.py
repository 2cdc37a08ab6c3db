"""Whether a record tells what the search saw: `python -m benchmarks.record --model MODEL`.

A record's numbers are those of a close re-reading of the sentence that was chosen. Here the search
itself is overheard as it goes through the test set: of the chosen sentence, followed back through
the beam, every weight of every look at the source and every log-probability is compared with those
of the re-reading, and the sentence with what the engine says when nobody listens. CTranslate2,
where the model was exported to it, tells of one look only, the first head of its last layer, and of
the sentence's score.
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
from regard.tasks.translation.translator import Translator, load_translator
from regard.text.tokenizer import BOS, EOS

TOLERANCE = 1e-5  # of weights: single precision, summed in another order
LOGP_TOLERANCE = 2e-5  # of log-probabilities: ten of the last bits of a logit of 16 to 32
BATCH = 32


@dataclass(frozen=True)
class Seen:
    """What a search knows of the sentence that it chose."""

    tokens: tuple[int, ...]
    steps: int  # T: one more than the tokens, unless it was cut at the limit
    score: float
    logps: tuple[float, ...]  # none: it does not tell
    looks: dict[tuple[str, int], Tensor]  # T S, by name and head


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--model", required=True, help="a sealed model that reads English")
    options.add_argument("--quick", action="store_true", help="60 sentences instead of all")
    options.add_argument("--threads", type=int, default=1)
    asked = options.parse_args()
    torch.set_num_threads(asked.threads)
    texts = read_pairs("test_2016_flickr")[0][: 60 if asked.quick else None]
    exported = load_translator(asked.model)
    translators = [load_translator(asked.model, engine="torch")]
    if exported.engine.name != "torch":
        translators.append(exported)
    figures = []
    for translator in translators:
        name = translator.engine.name
        told = "log p" if name == "torch" else "score"
        equal, weights, logps = compare(translator, texts)
        figures += [
            Figure(f"{name}: records that tell what the search saw", equal / len(texts), 1.0),
            small(f"{name}: weights, largest difference", weights, TOLERANCE),
            small(f"{name}: {told}, largest difference", logps, LOGP_TOLERANCE),
        ]
    return report("record", figures, sentences=len(texts))


def small(name: str, value: float, most: float) -> Figure:
    """In millionths, so that it can be read."""
    return Figure(f"{name} × 1e6", 1e6 * value, 1e6 * most, at_most=True)


def compare(translator: Translator, texts: list[str]) -> tuple[int, float, float]:
    """How many records are as the search saw it, and the largest differences of all."""
    ids = translator.tokenizer.encode(texts)
    search = overhear if translator.engine.name == "torch" else ask_ctranslate2
    equal, worst_weight, worst_logp = 0, 0.0, 0.0
    usual = translator.engine.search(ids, translator.options)
    for done, (row, seen) in enumerate(search(translator, ids), 1):
        read = TokenizedText.from_text(translator.tokenizer, texts[row]).pieces.ids
        said = TokenizedText.from_tokens(translator.tokenizer, usual[row][0].tokens).pieces.ids
        if tuple(said) == seen.tokens:
            piece = translator.tokenizer.piece
            record = trace_forward(translator.model, pad([[*read, EOS]]), said, piece)
            weight, logp = differences(record, seen, translator.options.length_penalty)
            equal += weight <= TOLERANCE and logp <= LOGP_TOLERANCE
            worst_weight, worst_logp = max(worst_weight, weight), max(worst_logp, logp)
        if done % 100 == 0:
            print(f"  {translator.engine.name}: {equal} of {done} alike", flush=True)
    return equal, worst_weight, worst_logp


def differences(record: ForwardTrace, seen: Seen, alpha: float) -> tuple[float, float]:
    """The largest of weights and of log-probabilities, or of the score where these are not told."""
    looks = {look.name: look.weights for look in record.attentions}
    weights = [
        float((looks[name][head, : seen.steps] - look).abs().max())
        for (name, head), look in seen.looks.items()
    ]
    logps = [step.logp for step in record.steps[: seen.steps]]
    if seen.logps:
        gaps = [abs(a - b) for a, b in zip(logps, seen.logps, strict=True)]
    else:
        gaps = [abs(sum(logps) / len(logps) ** alpha - seen.score)]
    return max(weights, default=0.0), max(gaps)


@torch.inference_mode()
def overhear(translator: Translator, ids: list[list[int]]) -> Iterator[tuple[int, Seen]]:
    """The model's own search, in batches, and where it looked at each step."""
    model, how = translator.model, translator.options
    alike: dict[int, list[int]] = defaultdict(list)
    for row, source in enumerate(ids):
        alike[max_target_length(len(source) + 1)].append(row)
    for most, rows in alike.items():
        for at in range(0, len(rows), BATCH):
            batch = rows[at : at + BATCH]
            looks: dict[str, list[Tensor]] = defaultdict(list)  # of each step, B H K S
            told: list[BeamStep] = []
            with eval_mode(model), ExitStack() as listening:
                for name in cross_attention_names(model):
                    attention = model.get_submodule(name)
                    assert isinstance(attention, Attention)
                    listening.enter_context(attention.record(partial(note, looks[name])))
                found = beam(
                    model.step,
                    model.start(pad([[*ids[row], EOS] for row in batch])),
                    rows=len(batch),
                    beam_size=how.beam_size,
                    bos=BOS,
                    eos=EOS,
                    max_length=most,
                    length_penalty=how.length_penalty,
                    on_step=told.append,
                )
            for place, row in enumerate(batch):
                best, way = found[place][0], follow(told, place, how.length_penalty)
                assert len(way) == len(best.logps)
                size = len(ids[row]) + 1
                own = {
                    name: torch.stack(
                        [steps[t][b, :, slot, :size] for t, (b, slot) in enumerate(way)], dim=1
                    )
                    for name, steps in looks.items()
                }
                heads = {(n, h): look[h] for n, look in own.items() for h in range(len(look))}
                yield row, Seen(best.tokens, len(way), best.score, best.logps, heads)


def note(steps: list[Tensor], glance: AttentionOutput) -> None:
    assert glance.weights is not None
    steps.append(glance.weights)


def follow(told: list[BeamStep], sentence: int, alpha: float) -> list[tuple[int, int]]:
    """At each step, the row and the hypothesis from which the best sentence went on."""
    ends = [
        (float(grown.totals[row, way]) / (t + 1) ** alpha, t, way)
        for t, grown in enumerate(told)
        if sentence in grown.sentences
        for row in [grown.sentences.index(sentence)]
        for way in grown.ended[row].nonzero()[:, 0].tolist()
    ]
    _, last, way = max(ends, key=lambda end: end[0])
    path: list[tuple[int, int]] = []
    for grown in reversed(told[: last + 1]):
        row = grown.sentences.index(sentence)
        if path:
            way = int(grown.kept[row, path[-1][1]])
        path.append((row, int(grown.origins[row, way])))
    return path[::-1]


def ask_ctranslate2(translator: Translator, ids: list[list[int]]) -> Iterator[tuple[int, Seen]]:
    """CTranslate2's search with the look that it tells of.

    Sentences go one by one: of a batch that begins a beam, CTranslate2 4.8 tells of the first step
    where another of its sentences looked.
    """
    engine, how = translator.engine, translator.options
    assert isinstance(engine, CTranslate2Engine)
    last = cross_attention_names(translator.model)[-1]
    for row, source in enumerate(ids):
        (found,) = engine.translator.translate_batch(
            [[engine.pieces[token] for token in [*source, EOS]]],
            beam_size=how.beam_size,
            num_hypotheses=how.beam_size,
            length_penalty=how.length_penalty,
            min_decoding_length=0,
            max_decoding_length=max_target_length(len(source) + 1),
            max_input_length=0,
            return_scores=True,
            return_end_token=True,
            return_attention=True,
        )
        said = tuple(engine.ids[piece] for piece in found.hypotheses[0])
        looks = {(last, 0): torch.tensor(found.attention[0])}
        tokens = said[:-1] if said[-1] == EOS else said
        yield row, Seen(tokens, len(said), found.scores[0], (), looks)


if __name__ == "__main__":
    sys.exit(main())
