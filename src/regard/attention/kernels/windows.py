"""Spans of a few positions: per-query memory, instead of a mask over all positions.

The cost of a step then does not depend on the length of the source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.definition import Attend, Attended, AttentionCall, PositionsOfCall


def fit(call: AttentionCall) -> bool:
    """Whether the windows of all queries together hold fewer positions than the memory."""
    width = call.span.width
    if width is None or call.need_weights or call.mask is not None:
        return False
    return width * call.states.size(1) < call.memory.size


def attend_in_windows(call: AttentionCall, choose: Callable[[AttentionCall], Attend]) -> Attended:
    """Attend from each query, as a row of its own, to the positions within its reach."""
    rows, size = call.memory.rows, call.memory.size
    t, _, n = call.locate()
    window = torch.arange(call.span.width or 0, device=t.device)
    s = (call.span.first(t, n) + window).expand(rows, -1, -1)  # B KT W; may exceed both ends
    batch, inside = torch.arange(rows, device=t.device)[:, None, None], s.clamp(0, size - 1)

    def select(x: Float[Tensor, "B H S D"]) -> Float[Tensor, "BKT H W D"]:
        return x[batch, :, inside].flatten(0, 1).transpose(1, 2)  # B KT W H D -> BKT H W D

    def flat(x: Tensor) -> Tensor:  # B KT W -> BKT 1 W
        return x.expand(rows, s.size(1), -1).flatten(0, 1).unsqueeze(1)

    small = replace(
        call,
        states=flat(call.states),
        query=call.query.transpose(1, 2).flatten(0, 1).unsqueeze(2),  # B H KT D -> BKT H 1 D
        memory=replace(call.memory, lengths=None).map(select),
        positions=PositionsOfCall(flat(t), flat(s), n if isinstance(n, int) else flat(n)),
        mask=flat((s >= 0) & (s < size)).unsqueeze(1),
        steps=1,
    )
    attended, shape = choose(small)(small), s.shape[:2]
    context = attended.context.squeeze(2).unflatten(0, shape).transpose(1, 2)
    return Attended(context, sampled=attended.sampled and attended.sampled.unflatten(shape))
