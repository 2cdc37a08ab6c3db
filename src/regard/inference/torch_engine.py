"""Hypotheses by the model itself: sources in batches, and the search over each.

A search is bounded by a limit that its whole batch shares, so sentences share a batch only if they
have the same limit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.batch import Tokens, pad
from regard.inference.engine import SamplingOptions, SearchOptions, max_target_length
from regard.models import EncoderDecoder, eval_mode
from regard.search import Hypothesis, beam, greedy, sample
from regard.search.state import reorder
from regard.text.tokenizer import BOS, EOS

LANES, QUAD = 16, 4
"""A row of a matrix product has the same bits whatever stands beside it if there are LANES rows at
the least, in multiples of QUAD, and positions come in multiples of LANES (fp32 on a processor;
measured for linear maps, to one number too, for attention and for recurrent cells)."""


class TorchEngine:
    """Says what `model` finds likeliest, on the device where its parameters are.

    `budget` bounds the memory: the most positions that a batch's hypotheses may come to have.
    16,384 are 70 sentences of twenty pieces at a width of four; on a CPU a quarter is slower by a
    third, and twice as many are as fast (Transformer of 4 layers).

    `invariant`: what is found for a source, scores and all, does not depend on its neighbours to
    the last bit. Without it the sums of a small batch may be made in another order.
    """

    name = "torch"

    def __init__(
        self,
        model: EncoderDecoder[Tokens, Any],
        *,
        budget: int = 1 << 14,
        invariant: bool = False,
    ) -> None:
        self.model, self.budget, self.invariant = model, budget, invariant

    def search(
        self, sources: Sequence[Sequence[int]], options: SearchOptions
    ) -> list[list[Hypothesis]]:
        found: list[list[Hypothesis]] = [[] for _ in sources]

        @torch.inference_mode()
        def answer(batch: tuple[int, list[int]]) -> None:
            most, rows = batch
            read = [[*sources[row], EOS] for row in rows]
            if options.sampling is None:
                answers = self._search(read, most, options)
            else:
                answers = self._sample(read, rows, most, options.beam_size, options.sampling)
            for row, hypotheses in zip(rows, answers, strict=True):
                found[row] = hypotheses

        workers = torch.get_num_threads() if self._device.type == "cpu" else 1
        batches = list(
            self._batches([len(source) + 1 for source in sources], options.beam_size, workers)
        )
        with eval_mode(self.model), _worker_map(min(workers, len(batches))) as each:
            list(each(answer, batches))
        return found

    def _batches(
        self, widths: list[int], width: int, workers: int
    ) -> Iterator[tuple[int, list[int]]]:
        """The limit and the rows of each batch; the longest come first, as they need most."""
        alike: dict[int, list[int]] = defaultdict(list)
        for row in sorted(range(len(widths)), key=widths.__getitem__, reverse=True):
            alike[max_target_length(widths[row])].append(row)
        for most, rows in alike.items():
            share = -(-len(rows) // workers)  # so that no worker is without
            size = max(1, min(share, self.budget // (width * most)))
            for at in range(0, len(rows), size):
                yield most, rows[at : at + size]

    def _search(
        self, batch: list[list[int]], max_length: int, options: SearchOptions
    ) -> list[list[Hypothesis]]:
        state, step = self._start(batch), self._step(options.beam_size)
        ends: dict[str, Any] = {
            "bos": BOS,
            "eos": EOS,
            "max_length": max_length,
            "device": self._device,
        }
        if options.beam_size == 1:
            return [[best] for best in greedy(step, state, rows=len(batch), **ends)]
        return beam(
            step,
            state,
            rows=len(batch),
            beam_size=options.beam_size,
            length_penalty=options.length_penalty,
            **ends,
        )

    def _sample(
        self,
        batch: list[list[int]],
        rows: list[int],
        max_length: int,
        times: int,
        sampling: SamplingOptions,
    ) -> list[list[Hypothesis]]:
        state, step = self._start(batch), self._step(1)
        drawn = [
            sample(
                step,
                state,
                seeds=[hash((sampling.seed, row, time)) % (1 << 62) for row in rows],
                bos=BOS,
                eos=EOS,
                max_length=max_length,
                temperature=sampling.temperature,
                top_k=sampling.top_k,
                top_p=sampling.top_p,
                device=self._device,
            )
            for time in range(times)
        ]
        return [list(of_row) for of_row in zip(*drawn, strict=True)]

    @property
    def _device(self) -> torch.device:
        return next(self.model.parameters()).device

    def _start(self, batch: list[list[int]]) -> Any:
        if not self.invariant:
            return self.model.start(pad(batch).to(self._device))
        rows, own = self._copied(len(batch), 1), torch.arange(len(batch), device=self._device)
        widened = pad([batch[row] for row in rows.tolist()], multiple=LANES)
        return reorder(self.model.start(widened.to(self._device)), own, own)

    def _step(self, ways: int) -> Any:
        """The model's step; where nobody may depend on neighbours, with copies of rows beside."""
        if not self.invariant:
            return self.model.step

        def step(last: Int[Tensor, " N"], state: Any) -> tuple[Float[Tensor, "N V"], Any]:
            own = torch.arange(len(last), device=last.device)
            read = self._copied(len(last) // ways, ways)
            said = (read[:, None] * ways + own[:ways]).flatten()
            logits, after = self.model.step(last[said], reorder(state, said, read))
            return logits[: len(last)], reorder(after, own, own[: len(last) // ways])

        return step

    def _copied(self, sentences: int, ways: int) -> Int[Tensor, " B"]:
        """Them, and so many over again that the rows of all their ways have the same bits."""
        enough = max(sentences, -(-LANES // ways))
        return torch.arange(-(-enough // QUAD) * QUAD, device=self._device) % sentences


@contextmanager
def _worker_map(workers: int) -> Iterator[Callable[..., Iterable[None]]]:
    """A `map` whose workers have one thread each: threads that share each small product wait for
    one another most of the time, and for all else that runs beside them."""
    threads = torch.get_num_threads()
    if workers < 2:
        yield map
        return
    torch.set_num_threads(1)
    try:
        with ThreadPoolExecutor(workers) as pool:
            yield pool.map
    finally:
        torch.set_num_threads(threads)
