"""Search with the PyTorch model itself.

All sentences of a batch share one maximum length, so only sentences with the same maximum are
batched together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.batch import Tokens, pad
from regard.hypothesis import Hypothesis
from regard.inference.engine import SearchOptions, max_target_length, mix_seed
from regard.inference.threads import allowed_workers, map_batches
from regard.models import EncoderDecoder, eval_mode
from regard.search import (
    Constraint,
    DecodingArguments,
    Step,
    beam,
    ensemble,
    forbid_sequences,
    force_prefix,
    greedy,
    min_length,
    no_repeat_ngram,
    reorder,
    sample,
)
from regard.text.tokenizer import BOS, EOS

S = TypeVar("S")

LANES, QUAD = 16, 4
"""A row of a matrix product has the same bits whatever the other rows are if there are at least
LANES rows, in multiples of QUAD, and positions come in multiples of LANES (fp32 on a CPU; measured
for linear maps, also to one number, for attention and for recurrent cells)."""


@dataclass(frozen=True, slots=True)
class _SearchBatch:
    sources: list[list[int]]  # EOS included
    prefixes: list[Sequence[int]]
    positions: list[tuple[int, int]]
    max_length: int


class TorchEngine:
    """Searches with `model` on the device of its parameters.

    Args:
        model: Its output distribution is searched.
        ensemble: Further models with the same vocabulary. The probabilities of all models are
            averaged.
        budget: Bounds the memory: the most positions that the hypotheses of a batch may have.
            16,384 are 70 sentences of twenty pieces with a beam of four. On a CPU a quarter of it
            is slower by a third, and twice as much is as fast (Transformer of 4 layers).
        fixed_batches: Makes the batches, and so the last bits of scores, independent of the number
            of threads, of which a short list may then leave some idle.
        invariant: Makes results, scores included, independent of the other sources to the last
            bit. Without it the sums of a small batch may be added in another order.
    """

    name = "torch"

    def __init__(
        self,
        model: EncoderDecoder[Tokens, Any],
        *,
        ensemble: Sequence[EncoderDecoder[Tokens, Any]] = (),
        budget: int = 1 << 14,
        fixed_batches: bool = False,
        invariant: bool = False,
    ) -> None:
        self.models = (model, *ensemble)
        self.budget, self.fixed_batches, self.invariant = budget, fixed_batches, invariant

    @property
    def model(self) -> EncoderDecoder[Tokens, Any]:
        return self.models[0]

    def search(
        self,
        sources: Sequence[Sequence[int]],
        options: SearchOptions,
        *,
        prefixes: Sequence[Sequence[int]] = (),
        positions: Sequence[tuple[int, int]] = (),
    ) -> list[list[Hypothesis]]:
        prefixes = prefixes or [()] * len(sources)
        positions = positions or [(row, 0) for row in range(len(sources))]
        limits = [
            max_target_length(
                len(source) + 1, max(len(prefix), options.min_length), self._max_positions
            )
            for source, prefix in zip(sources, prefixes, strict=True)
        ]
        results: list[list[Hypothesis]] = [[] for _ in sources]

        @torch.inference_mode()
        def search_rows(rows: list[int]) -> None:
            batch = _SearchBatch(
                [[*sources[row], EOS] for row in rows],
                [prefixes[row] for row in rows],
                [positions[row] for row in rows],
                limits[rows[0]],
            )
            for row, hypotheses in zip(rows, self._search(batch, options), strict=True):
                results[row] = hypotheses

        workers = allowed_workers(self._device)
        batches = list(self._batches(sources, limits, options.beam_size, workers))
        with ExitStack() as stack:
            for model in self.models:
                stack.enter_context(eval_mode(model))
            map_batches(search_rows, batches, workers)
        return results

    def _batches(
        self, sources: Sequence[Sequence[int]], limits: list[int], beam_size: int, workers: int
    ) -> Iterator[list[int]]:
        """Yield the rows of each batch. The longest sources come first: they take most memory."""
        by_limit: dict[int, list[int]] = defaultdict(list)
        for row in sorted(range(len(sources)), key=lambda row: len(sources[row]), reverse=True):
            by_limit[limits[row]].append(row)
        for limit, rows in by_limit.items():
            # so that every worker has a batch
            share = len(rows) if self.fixed_batches else -(-len(rows) // workers)
            size = max(1, min(share, self.budget // (beam_size * limit)))
            for start in range(0, len(rows), size):
                yield rows[start : start + size]

    def _search(self, batch: _SearchBatch, options: SearchOptions) -> list[list[Hypothesis]]:
        return search_states(
            self._step(1 if options.sampling is not None else options.beam_size),
            self._start(batch.sources),
            options,
            prefixes=batch.prefixes,
            positions=batch.positions,
            max_length=batch.max_length,
            device=self._device,
        )

    @property
    def _max_positions(self) -> int | None:
        bounds = [model.decoder.max_positions for model in self.models]
        return min((bound for bound in bounds if bound is not None), default=None)

    @property
    def _device(self) -> torch.device:
        return next(self.model.parameters()).device

    def _start(self, batch: list[list[int]]) -> tuple[Any, ...]:
        """Encode the sources; return the initial state of each model."""
        if not self.invariant:
            source = pad(batch).to(self._device)
            return tuple(model.start(source) for model in self.models)
        rows, rows_in_use = (
            self._repeat_rows(len(batch), 1),
            torch.arange(len(batch), device=self._device),
        )
        source = pad([batch[row] for row in rows.tolist()], multiple=LANES).to(self._device)
        return tuple(
            reorder(
                model.start(_fit(source, model.encoder.max_positions)), rows_in_use, rows_in_use
            )
            for model in self.models
        )

    def _step(self, beam_size: int) -> Step[tuple[Any, ...]]:
        """Return the step of all models. If invariant, it computes copies of rows as well."""
        if len(self.models) == 1:
            step = _single(self.model.step)
        else:
            step = ensemble([model.step for model in self.models])
        if not self.invariant:
            return step

        def invariant_step(
            last: Int[Tensor, " N"], state: tuple[Any, ...]
        ) -> tuple[Float[Tensor, "N V"], tuple[Any, ...]]:
            rows_in_use = torch.arange(len(last), device=last.device)
            sentences = self._repeat_rows(len(last) // beam_size, beam_size)
            rows = (sentences[:, None] * beam_size + rows_in_use[:beam_size]).flatten()
            logits, next_state = step(last[rows], reorder(state, rows, sentences))
            return logits[: len(last)], reorder(
                next_state, rows_in_use, rows_in_use[: len(last) // beam_size]
            )

        return invariant_step

    def _repeat_rows(self, sentences: int, beam_size: int) -> Int[Tensor, " B"]:
        """Number the sentences, repeated until their rows satisfy LANES and QUAD."""
        enough = max(sentences, -(-LANES // beam_size))
        return torch.arange(-(-enough // QUAD) * QUAD, device=self._device) % sentences


def search_states(
    step: Step[S],
    state: S,
    options: SearchOptions,
    *,
    prefixes: Sequence[Sequence[int]] = (),
    positions: Sequence[tuple[int, int]],
    max_length: int,
    device: torch.device,
) -> list[list[Hypothesis]]:
    """Return the hypotheses of each sentence in `state`, best first, by whatever `options` select.

    Args:
        step: Of the decoder.
        state: The decoder's initial state.
        options: All of them are applied.
        prefixes: As for `Engine.search`.
        positions: As for `Engine.search`, but required.
        max_length: The most tokens of a hypothesis, the end token counted.
        device: Of the state.
    """
    sampling, constraints = options.sampling, _constraints(options, prefixes)
    common: DecodingArguments = {
        "bos": BOS,
        "eos": EOS,
        "max_length": max_length,
        "constraints": constraints,
        "device": device,
    }
    if sampling is None and options.beam_size > 1:
        return beam(
            step,
            state,
            rows=len(positions),
            beam_size=options.beam_size,
            length_penalty=options.length_penalty,
            **common,
        )
    if sampling is None:
        columns = [greedy(step, state, rows=len(positions), **common)]
    else:
        columns = [
            sample(
                step,
                state,
                seeds=[
                    mix_seed(
                        sampling.seed, sampling.offset + text, sampling.segment + segment, draw
                    )
                    for text, segment in positions
                ],
                temperature=sampling.temperature,
                top_k=sampling.top_k,
                top_p=sampling.top_p,
                **common,
            )
            for draw in range(options.beam_size)
        ]
    return [
        [hypothesis.penalized(options.length_penalty) for hypothesis in row]
        for row in zip(*columns, strict=True)
    ]


def _fit(source: Tokens, max_positions: int | None) -> Tokens:
    """Cut off padding that has no learned position."""
    assert source.lengths is not None
    if max_positions is None or source.ids.size(1) <= max_positions:
        return source
    width = max(max_positions, int(source.lengths.max()))
    return Tokens(source.ids[:, :width], source.lengths)


def _single(step: Step[Any]) -> Step[tuple[Any, ...]]:
    """Wrap the step of one model, without the softmax of an ensemble."""

    def wrapped(
        last: Int[Tensor, " N"], states: tuple[Any, ...]
    ) -> tuple[Float[Tensor, "N V"], tuple[Any, ...]]:
        logits, state = step(last, states[0])
        return logits, (state,)

    return wrapped


def _constraints(options: SearchOptions, prefixes: Sequence[Sequence[int]]) -> list[Constraint]:
    constraints: list[Constraint] = []
    if options.min_length:
        constraints.append(min_length(options.min_length, EOS))
    if options.no_repeat_ngram:
        constraints.append(no_repeat_ngram(options.no_repeat_ngram))
    if options.forbidden:
        constraints.append(forbid_sequences(options.forbidden))
    if not any(prefixes):
        return constraints
    # A forced token must stay possible where another constraint excludes it.
    forced, lengths = force_prefix(prefixes), torch.tensor([len(prefix) for prefix in prefixes])

    def constrain(
        prefix: Int[Tensor, "N T"], sentence: Int[Tensor, " N"], logp: Float[Tensor, "N V"]
    ) -> Float[Tensor, "N V"]:
        inside = lengths.to(logp.device)[sentence] > prefix.size(1)  # N
        free = logp
        for constraint in constraints:
            free = constraint(prefix, sentence, free)
        return torch.where(inside[:, None], forced(prefix, sentence, logp), free)

    return [constrain]
