"""Changes of attention that a translation follows: the search runs with the changed weights.

`interventions.py` scores a given target under one change; this translates again. The engine of the
viewer applies the same changes (`web/source/engine/changes.ts`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.attention import (
    Attention,
    NormalizedWeights,
    Normalizer,
    Uniform,
    replace_normalizers,
)
from regard.attention.normalizers import mask_scores
from regard.batch import Tokens, pad
from regard.errors import ConfigError
from regard.hypothesis import Hypothesis
from regard.inference.engine import SearchOptions, max_target_length
from regard.inference.forced_decoding import cross_attention_names
from regard.inference.torch_engine import search_states
from regard.models import EncoderDecoder, eval_mode
from regard.text.tokenizer import EOS


@dataclass(frozen=True, slots=True)
class FixedWeights:
    """Weights of one attention at one step, in place of those that the model computes."""

    attention: str  # its name in the model
    step: int
    weights: tuple[float, ...]  # one for each position attended to
    head: int | None = None  # None: all heads


@dataclass(frozen=True, slots=True)
class HeadName:
    """A head of an attention."""

    attention: str
    head: int


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of a model's attention. Positions, steps and heads count from 0.

    A head that is off has no weights, whatever else changes; fixed weights replace all others. In a
    span with a prior, the prior multiplies changed weights as well.
    """

    hidden: tuple[int, ...] = ()  # source positions that no cross-attention sees
    fixed: tuple[FixedWeights, ...] = ()
    off: tuple[HeadName, ...] = ()  # heads whose context is zero
    uniform: tuple[str, ...] = ()  # attentions with equal weights at all visible positions
    temperature: float = 1.0  # divides the scores of cross-attention

    def check(self, model: EncoderDecoder[Tokens, Any], positions: int) -> None:
        """Raise ConfigError if they name what the model or a source of `positions` lacks."""
        heads = {name: attention.score.heads for name, attention in _attentions(model).items()}
        named: list[tuple[str, int | None]] = [(name, None) for name in self.uniform]
        named += [(off.attention, off.head) for off in self.off]
        named += [(fixed.attention, fixed.head) for fixed in self.fixed]
        for name, head in named:
            if name not in heads:
                raise ConfigError(
                    f"changes: no attention is named {name}. The model has: "
                    f"{', '.join(heads) or 'none'}"
                )
            if head is not None and not 0 <= head < heads[name]:
                raise ConfigError(
                    f"changes: {name} has {heads[name]} heads, numbered from 0. {head} is not one "
                    "of them"
                )
        for position in self.hidden:
            if not 0 <= position < positions:
                raise ConfigError(
                    f"changes.hidden: the source has {positions} positions, numbered from 0. "
                    f"{position} is not one of them"
                )
        if not (self.temperature > 0 and isfinite(self.temperature)):
            raise ConfigError(f"changes.temperature: must be more than 0, not {self.temperature}")


class ChangedNormalizer(Normalizer):
    """The normalizer of one attention under `changes`, for a call whose first query is at `step`.

    Without `positions` all queries are of one hypothesis, and a call continues after the last one.

    Args:
        normalizer: That of the model.
        changes: Of the whole model.
        name: Of the attention.
        cross: Whether it attends to the source.
        step: Position of the first query.
        positions: Number of positions of the queries; all hypotheses have the same ones. None: that
            of the queries.
    """

    def __init__(
        self,
        normalizer: Normalizer,
        changes: Changes,
        name: str,
        *,
        cross: bool,
        step: int,
        positions: int | None,
    ) -> None:
        super().__init__()
        self.normalizer = Uniform() if name in changes.uniform else normalizer
        self.changes, self.name, self.cross = changes, name, cross
        self.step, self.positions = step, positions

    def forward(
        self, scores: Float[Tensor, "B H KT S"], visible: Bool[Tensor, "#B 1 #KT S"] | None
    ) -> NormalizedWeights:
        changes = self.changes
        positions = self.positions or scores.size(2)
        if self.cross:
            scores = scores / changes.temperature
            visible = self._hide(scores, visible)
        weights, sampled = self.normalizer(mask_scores(scores, visible), visible)
        for row in changes.fixed:
            if row.attention == self.name and 0 <= row.step - self.step < positions:
                weights = self._fix(weights, row, positions)
        for off in changes.off:
            if off.attention == self.name:
                weights = weights.clone()
                weights[:, off.head] = 0.0
        if self.positions is None:
            self.step += positions
        return NormalizedWeights(weights, sampled)

    def _hide(
        self, scores: Float[Tensor, "B H KT S"], visible: Bool[Tensor, "#B 1 #KT S"] | None
    ) -> Bool[Tensor, "#B 1 #KT S"] | None:
        """Hide positions. A query that would see nothing sees the last position, the end."""
        if not self.changes.hidden:
            return visible
        shown = torch.ones(scores.size(-1), dtype=torch.bool, device=scores.device)
        shown[list(self.changes.hidden)] = False
        remaining = shown.view(1, 1, 1, -1) & (True if visible is None else visible)
        remaining[..., -1] |= ~remaining.any(dim=-1)
        return remaining

    def _fix(self, weights: Float[Tensor, "B H KT S"], row: FixedWeights, positions: int) -> Tensor:
        """Replace the weights of the queries at `row.step`."""
        if len(row.weights) != weights.size(-1):
            raise ConfigError(
                f"changes.fixed: {row.attention} attends to {weights.size(-1)} positions at step "
                f"{row.step}, not {len(row.weights)}. Give one weight for each"
            )
        weights = weights.clone().unflatten(2, (-1, positions))  # B H K T S
        heads = slice(None) if row.head is None else row.head
        weights[:, heads, :, row.step - self.step] = weights.new_tensor(row.weights)
        return weights.flatten(2, 3)


@contextmanager
def changed_attention(
    model: EncoderDecoder[Tokens, Any],
    changes: Changes,
    *,
    step: int = 0,
    positions: int | None = None,
) -> Iterator[None]:
    """Apply `changes` to calls whose queries are at `positions` positions from `step` on.

    Without `positions` they are those of one hypothesis, in one call or several.
    """
    cross = cross_attention_names(model)
    with replace_normalizers(
        {
            attention: ChangedNormalizer(
                attention.normalizer,
                changes,
                name,
                cross=name in cross,
                step=step,
                positions=positions,
            )
            for name, attention in _attentions(model).items()
        }
    ):
        yield


def _attentions(model: EncoderDecoder[Tokens, Any]) -> dict[str, Attention]:
    return {name: part for name, part in model.named_modules() if isinstance(part, Attention)}


# -- translate with changes ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChangedModel:
    """`start` and `step` of a model whose attention is changed, for a search of one source.

    The state includes the number of the step, which is the position of all hypotheses.
    """

    model: EncoderDecoder[Tokens, Any]
    changes: Changes

    def start(self, source: Tokens) -> tuple[int, Any]:
        positions = source.ids.size(1)
        self.changes.check(self.model, positions)
        with changed_attention(self.model, self.changes, step=0, positions=positions):
            return 0, self.model.start(source)

    def step(
        self, last: Int[Tensor, " N"], state: tuple[int, Any]
    ) -> tuple[Float[Tensor, "N V"], tuple[int, Any]]:
        number, decoder_state = state
        with changed_attention(self.model, self.changes, step=number, positions=1):
            logits, decoder_state = self.model.step(last, decoder_state)
        return logits, (number + 1, decoder_state)


@torch.inference_mode()
def search_changed(
    model: EncoderDecoder[Tokens, Any],
    source: Sequence[int],
    changes: Changes,
    options: SearchOptions,
) -> list[Hypothesis]:
    """Return the hypotheses of one source, ids without special tokens, best first.

    Raises:
        ConfigError: The changes do not fit the model or the source.
    """
    device = next(model.parameters()).device
    changed, tokens = ChangedModel(model, changes), pad([[*source, EOS]]).to(device)
    with eval_mode(model):
        (hypotheses,) = search_states(
            changed.step,
            changed.start(tokens),
            options,
            positions=[(0, 0)],
            max_length=max_target_length(
                tokens.ids.size(1), max_positions=model.decoder.max_positions
            ),
            device=device,
        )
    return hypotheses
