"""Hypotheses by the model itself: sources in batches, and the search over each.

What is found for a sentence does not depend on its neighbours. A search is bounded by a limit that
its whole batch shares, so sentences share a batch only if they have the same limit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from regard.batch import Tokens
from regard.models import EncoderDecoder
from regard.search import Hypothesis, beam, greedy
from regard.text.tokenizer import BOS, EOS, PAD

STRIDE = 8  # widths of one batch differ by less: it pads little, and few batches stay small


class TorchEngine:
    """Says what `model` finds likeliest, on the device where its parameters are.

    A width of one is greedy. `budget` bounds the memory: the most positions that a batch's
    hypotheses may come to have. 16,384 are 70 sentences of twenty pieces at a width of four; on a
    CPU a quarter is slower by a third, and twice as many are as fast (Transformer of 4 layers).
    """

    def __init__(
        self,
        model: EncoderDecoder[Tokens, Any],
        *,
        width: int = 4,
        alpha: float = 1.0,
        budget: int = 1 << 14,
    ) -> None:
        self.model, self.width, self.alpha, self.budget = model, width, alpha, budget

    def search(self, sources: Sequence[Sequence[int]]) -> list[list[Hypothesis]]:
        """For each source, its ids without marks, the `width` best hypotheses, best first."""
        found: list[list[Hypothesis]] = [[] for _ in sources]
        with _at_rest(self.model), torch.inference_mode():
            for limit, rows in self._batches([len(source) + 1 for source in sources]):
                batch = [[*sources[row], EOS] for row in rows]
                for row, hypotheses in zip(rows, self._search(batch, limit), strict=True):
                    found[row] = hypotheses
        return found

    def _batches(self, widths: list[int]) -> Iterator[tuple[int, list[int]]]:
        """The limit and the rows of each batch; the longest come first, as they need most."""
        alike: dict[int, list[int]] = defaultdict(list)
        for row in sorted(range(len(widths)), key=widths.__getitem__, reverse=True):
            alike[_limit(widths[row])].append(row)
        for limit, rows in alike.items():
            size = max(1, self.budget // (self.width * limit))
            for at in range(0, len(rows), size):
                yield limit, rows[at : at + size]

    def _search(self, batch: list[list[int]], limit: int) -> list[list[Hypothesis]]:
        device = next(self.model.parameters()).device
        step, state = self.model.step, self.model.start(padded(batch).to(device))
        if self.width == 1:
            said = greedy(
                step, state, rows=len(batch), bos=BOS, eos=EOS, limit=limit, device=device
            )
            return [[best] for best in said]
        return beam(
            step,
            state,
            rows=len(batch),
            width=self.width,
            bos=BOS,
            eos=EOS,
            limit=limit,
            alpha=self.alpha,
            device=device,
        )


def padded(rows: Sequence[Sequence[int]]) -> Tokens:
    lengths = torch.tensor([len(row) for row in rows])
    longest = int(lengths.max())
    return Tokens(torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows]), lengths)


def _limit(width: int) -> int:
    """The most tokens that a source of `width` tokens may be answered with, its end counted.

    Twice the source and ten: of 20,000 references each from descriptions, debates, everyday
    sentences and laws (English to and from German or French, 8,000 pieces) none to 0.005 % are
    longer, of the laws 0.2 %; at one and a half times as many as 1 %.
    """
    return 2 * -(-width // STRIDE) * STRIDE + 10


@contextmanager
def _at_rest(model: nn.Module) -> Iterator[None]:
    """Without dropout; afterwards each module is as it was."""
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        yield
    finally:
        for module in training:
            module.training = True
