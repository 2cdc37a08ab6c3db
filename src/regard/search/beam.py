"""Beam search. Sentences whose search is over are dropped, so they cost nothing more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.search.constraints import Constraint
from regard.search.hypothesis import Hypothesis, S, Step, constrained_logps, tokens_before_eos
from regard.search.state import reorder
from regard.search.topk import topk


@dataclass(frozen=True, slots=True)
class BeamStep:
    """What a beam of K weighed at one length: the C likeliest ways to go on, the likeliest first.

    Ways whose total is −∞ are none: they fill up where there are fewer than C.
    """

    sentences: tuple[int, ...]  # B: those that were still searched
    origins: Int[Tensor, "B C"]  # which of the sentence's K hypotheses it goes on from
    tokens: Int[Tensor, "B C"]
    logps: Float[Tensor, "B C"]  # of the token
    totals: Float[Tensor, "B C"]  # of all up to it
    ended: Bool[Tensor, "B C"]  # it is a whole hypothesis
    kept: Int[Tensor, "B K"]  # the ways that are the K hypotheses from here on; −1: none is


@torch.inference_mode()
def beam(
    step: Step[S],
    state: S,
    *,
    rows: int,
    beam_size: int,
    bos: int,
    eos: int,
    max_length: int,
    length_penalty: float = 1.0,
    constraints: Sequence[Constraint] = (),
    device: torch.device | str = "cpu",
    on_step: Callable[[BeamStep], None] | None = None,
) -> list[list[Hypothesis]]:
    """The `width` best sentences for each of `rows` sources, best first.

    Ranked by Σ log p / length^alpha, the end counted in the length. A sentence is left when `width`
    hypotheses of it have ended. One still alive may come before them if it goes on long enough, so
    a search to the very end would now and then find better ones, at half as much again of the cost.

    `tell` hears of every length what was weighed.
    """
    alive = list(range(rows))  # B: the sentences not yet left
    state = reorder(state, torch.arange(rows, device=device).repeat_interleave(beam_size))
    said = torch.full((rows * beam_size, 1), bos, device=device)  # N T
    logps = torch.zeros(rows * beam_size, 0, device=device)  # N T−1
    total = torch.full((rows, beam_size), -torch.inf, device=device)  # B K
    total[:, 0] = 0.0  # all beams of a sentence begin alike: only the first may grow
    done: list[list[Hypothesis]] = [[] for _ in range(rows)]

    for length in range(1, max_length + 1):
        logits, state = step(said[:, -1], state)
        sentence = torch.tensor(alive, device=device).repeat_interleave(beam_size)
        logp, token = topk(
            constrained_logps(logits, constraints, said, sentence), 2 * beam_size
        )  # N 2K
        grown = (total.view(-1, 1) + logp).view(len(alive), -1)  # B K2K
        best, flat = grown.topk(min(2 * beam_size, grown.size(1)))  # if K end, K more can go on
        first = torch.arange(len(alive), device=device)[:, None] * beam_size  # B 1
        origin = first + flat // logp.size(1)
        token, logp = (x.view(len(alive), -1).gather(1, flat) for x in (token, logp))  # B 2K

        # at the limit everything ends, as it is
        ends = token.eq(eos) if length < max_length else torch.ones_like(token, dtype=torch.bool)
        ended = ends & best.isfinite()
        ended[:, beam_size:] = False
        over = ended.nonzero(as_tuple=True)
        if over[0].numel():
            spoken = torch.cat([said[origin[over], 1:], token[over][:, None]], dim=1).tolist()
            likely = torch.cat([logps[origin[over]], logp[over][:, None]], dim=1).tolist()
            for b, words, steps, score in zip(
                over[0].tolist(), spoken, likely, best[over].tolist(), strict=True
            ):
                whole = Hypothesis(
                    tokens_before_eos(words, eos), tuple(steps), score / length**length_penalty
                )
                done[alive[b]].append(whole)

        total, kept = best.masked_fill(ends, -torch.inf).topk(beam_size)  # B K
        hopes = total[:, 0].isfinite().tolist()
        going = [b for b, hope in enumerate(hopes) if hope and len(done[alive[b]]) < beam_size]
        if on_step is not None:
            on = torch.zeros(len(alive), 1, dtype=torch.bool, device=device)
            on[going] = True
            carried = kept.masked_fill(~(on & total.isfinite()), -1)
            on_step(BeamStep(tuple(alive), origin - first, token, logp, best, ended, carried))
        if not going:
            break
        left = torch.tensor(going, device=device)
        rows_from = origin.gather(1, kept)[left].view(-1)
        said = torch.cat([said[rows_from], token.gather(1, kept)[left].view(-1, 1)], dim=1)
        logps = torch.cat([logps[rows_from], logp.gather(1, kept)[left].view(-1, 1)], dim=1)
        state = reorder(state, rows_from, left if len(going) < len(alive) else None)
        alive, total = [alive[b] for b in going], total[left]
    return [sorted(d, key=lambda h: -h.score)[:beam_size] for d in done]
