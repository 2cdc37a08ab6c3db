"""Inner products: a softmax of them fused with the context, and with deferred gradients.

`sdpa` is torch's own and never holds all scores. `matmul` holds them; it is faster when training on
a CPU with a short memory, where torch's backward pass in bf16 takes ten times as long as its
forward pass.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from regard.attention.definition import Attended, AttentionCall
from regard.attention.kernels.deferred_gradients import inner_products, weighted_sum
from regard.attention.scores import ScoreTerms
from regard.attention.shapes import Contexts, Scores
from regard.attention.spans import Causal

LONG = 1024  # keys, from which on torch's kernel is also faster in its backward pass
LANES = 16  # fp32 numbers in a vector register; torch's softmax is slow on shorter rows


def attend_by_sdpa(call: AttentionCall) -> Attended:
    """softmax(scale ⟨query, keys⟩) values, over the visible keys, by torch's fused kernel."""
    terms, triangular = _terms(call), _is_triangular(call)
    visible = None if triangular else call.visibility()[0]
    p = call.dropout.p if call.dropout.training else 0.0
    context = F.scaled_dot_product_attention(
        terms.queries, terms.keys, call.memory.values, visible, p, triangular, scale=terms.scale
    )
    return Attended(context)


def attend_by_matmul(call: AttentionCall) -> Attended:
    """The same by two matrix products, whose gradients are deferred."""
    terms, values = _terms(call), call.memory.values
    narrow, wide = terms.queries.dtype, torch.promote_types(terms.queries.dtype, torch.float32)
    if narrow == wide or call.memory.size >= 2 * LANES or terms.queries.size(2) == 1:
        return Attended(_multiply(call, terms.queries, terms.keys, values, terms.scale))
    # Products this small gain nothing from 16 bits, and the softmax between them loses. A single
    # query, one of many that come one by one, would lose more by converting the memory.
    with torch.autocast(terms.queries.device.type, enabled=False):
        query, keys, values = terms.queries.to(wide), terms.keys.to(wide), values.to(wide)
        return Attended(_multiply(call, query, keys, values, terms.scale).to(narrow))


def attend_by_products(call: AttentionCall) -> Attended:
    """`definition.attend`, with deferred gradients."""
    terms = _terms(call)
    return normalize_and_sum(call, inner_products(terms.scale * terms.queries, terms.keys))


def normalize_and_sum(call: AttentionCall, scores: Scores) -> Attended:
    """`definition.attend`, given the scores, with a deferred gradient of the values."""
    visible, prior = call.visibility()
    weights, sampled = call.normalizer(scores, visible)
    if prior is not None:
        weights = weights * prior
    values = call.memory.values
    weights_of_values = call.dropout(weights).to(values.dtype)
    multiply = weighted_sum if torch.is_grad_enabled() else torch.matmul
    return Attended(multiply(weights_of_values, values), weights, scores, visible, sampled)


def _terms(call: AttentionCall) -> ScoreTerms:
    terms = call.score.terms(call.query, call.memory.keys)
    assert terms is not None, "choose() passes only scores with terms"
    return terms


def _is_triangular(call: AttentionCall) -> bool:
    """Whether the mask is the lower triangle, which torch's kernel need not be given."""
    whole = call.memory.lengths is None and call.mask is None and call.positions is None
    causal = type(call.span) is Causal and call.span.width is None
    if not (whole and causal) or isinstance(call.start, Tensor) or call.start != 0:
        return False
    if call.states.size(1) == call.steps == call.memory.size:  # noqa: SIM103  a symbol is no bool
        return True
    return False


def _multiply(
    call: AttentionCall, query: Tensor, keys: Tensor, values: Tensor, scale: float
) -> Contexts:
    scores = inner_products(scale * query, keys)
    visible = call.visibility()[0]
    if visible is not None:
        scores = scores + _penalty(visible, scores)
    return weighted_sum(call.dropout(_softmax(scores)), values)


def _penalty(visible: Tensor, scores: Scores) -> Float[Tensor, "#B 1 #T S"]:
    """0 where a key is visible, −∞ elsewhere; adding it is faster than filling by a mask."""
    return scores.new_zeros(visible.shape).masked_fill_(~visible, -torch.inf)


def _softmax(scores: Scores) -> Scores:
    size = scores.size(-1)
    if size >= LANES:
        return scores.softmax(dim=-1)
    return F.pad(scores, (0, LANES - size), value=-torch.inf).softmax(dim=-1)[..., :size]
