"""Search: greedy, sampled, and by beam. What is over is dropped, so that it costs nothing more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.search.likeliest import likeliest
from regard.search.rules import Rule
from regard.search.state import pick

S = TypeVar("S")

Step: TypeAlias = Callable[[Int[Tensor, " N"], S], tuple[Float[Tensor, "N V"], S]]
"""The last tokens and the state before them, to the logits of the next and the state after."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    tokens: tuple[int, ...]  # without the marks of beginning and end
    logps: tuple[float, ...]  # of each token, and of the end where it was reached
    score: float  # what hypotheses are ranked by: Σ logps / length^alpha

    @property
    def ended(self) -> bool:
        """It came to its end before the limit."""
        return len(self.logps) > len(self.tokens)


@dataclass(frozen=True, slots=True)
class Grown:
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


def greedy(
    step: Step[S],
    state: S,
    *,
    rows: int,
    bos: int,
    eos: int,
    limit: int,
    rules: Sequence[Rule] = (),
    device: torch.device | str = "cpu",
) -> list[Hypothesis]:
    """The likeliest next token, over and over: `beam` with a width of one and alpha of zero."""

    def likeliest(logp: Float[Tensor, "N V"], sentence: Int[Tensor, " N"]) -> Int[Tensor, " N"]:
        return logp.argmax(dim=-1)

    return _walk(step, state, likeliest, rows, bos, eos, limit, rules, device)


def sample(
    step: Step[S],
    state: S,
    *,
    seeds: Sequence[int],
    bos: int,
    eos: int,
    limit: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    rules: Sequence[Rule] = (),
    device: torch.device | str = "cpu",
) -> list[Hypothesis]:
    """A next token drawn from the distribution, sharpened by `temperature` and cut to its top.

    `top_k` keeps the k likeliest tokens, `top_p` the fewest that together have that probability
    (Holtzman et al. 2020, 3.1). Each sentence has a seed of its own, so that what is drawn for it
    does not depend on its neighbours. The scores are the model's own.
    """
    streams = [torch.Generator().manual_seed(seed) for seed in seeds]

    def draw(logp: Float[Tensor, "N V"], sentence: Int[Tensor, " N"]) -> Int[Tensor, " N"]:
        p = _top(logp / temperature, top_k, top_p).softmax(dim=-1)
        point = torch.stack([torch.rand((), generator=streams[b]) for b in sentence.tolist()])
        passed = p.cumsum(dim=-1) <= point.to(p)[:, None] * p.sum(dim=-1, keepdim=True)
        return passed.sum(dim=-1).clamp(max=p.size(-1) - 1)

    return _walk(step, state, draw, len(seeds), bos, eos, limit, rules, device)


@torch.inference_mode()
def beam(
    step: Step[S],
    state: S,
    *,
    rows: int,
    width: int,
    bos: int,
    eos: int,
    limit: int,
    alpha: float = 1.0,
    rules: Sequence[Rule] = (),
    device: torch.device | str = "cpu",
    tell: Callable[[Grown], None] | None = None,
) -> list[list[Hypothesis]]:
    """The `width` best sentences for each of `rows` sources, best first.

    Ranked by Σ log p / length^alpha, the end counted in the length. A sentence is left when `width`
    hypotheses of it have ended. One still alive may come before them if it goes on long enough, so
    a search to the very end would now and then find better ones, at half as much again of the cost.

    `tell` hears of every length what was weighed.
    """
    alive = list(range(rows))  # B: the sentences not yet left
    state = pick(state, torch.arange(rows, device=device).repeat_interleave(width))
    said = torch.full((rows * width, 1), bos, device=device)  # N T
    logps = torch.zeros(rows * width, 0, device=device)  # N T−1
    total = torch.full((rows, width), -torch.inf, device=device)  # B K
    total[:, 0] = 0.0  # all beams of a sentence begin alike: only the first may grow
    done: list[list[Hypothesis]] = [[] for _ in range(rows)]

    for length in range(1, limit + 1):
        logits, state = step(said[:, -1], state)
        sentence = torch.tensor(alive, device=device).repeat_interleave(width)
        logp, token = likeliest(_ruled(logits, rules, said, sentence), 2 * width)  # N 2K
        grown = (total.view(-1, 1) + logp).view(len(alive), -1)  # B K2K
        best, flat = grown.topk(min(2 * width, grown.size(1)))  # if K end, K more can go on
        first = torch.arange(len(alive), device=device)[:, None] * width  # B 1
        origin = first + flat // logp.size(1)
        token, logp = (x.view(len(alive), -1).gather(1, flat) for x in (token, logp))  # B 2K

        # at the limit everything ends, as it is
        ends = token.eq(eos) if length < limit else torch.ones_like(token, dtype=torch.bool)
        ended = ends & best.isfinite()
        ended[:, width:] = False
        over = ended.nonzero(as_tuple=True)
        if over[0].numel():
            spoken = torch.cat([said[origin[over], 1:], token[over][:, None]], dim=1).tolist()
            likely = torch.cat([logps[origin[over]], logp[over][:, None]], dim=1).tolist()
            for b, words, steps, score in zip(
                over[0].tolist(), spoken, likely, best[over].tolist(), strict=True
            ):
                whole = Hypothesis(_until(words, eos), tuple(steps), score / length**alpha)
                done[alive[b]].append(whole)

        total, kept = best.masked_fill(ends, -torch.inf).topk(width)  # B K
        hopes = total[:, 0].isfinite().tolist()
        going = [b for b, hope in enumerate(hopes) if hope and len(done[alive[b]]) < width]
        if tell is not None:
            on = torch.zeros(len(alive), 1, dtype=torch.bool, device=device)
            on[going] = True
            carried = kept.masked_fill(~(on & total.isfinite()), -1)
            tell(Grown(tuple(alive), origin - first, token, logp, best, ended, carried))
        if not going:
            break
        left = torch.tensor(going, device=device)
        rows_from = origin.gather(1, kept)[left].view(-1)
        said = torch.cat([said[rows_from], token.gather(1, kept)[left].view(-1, 1)], dim=1)
        logps = torch.cat([logps[rows_from], logp.gather(1, kept)[left].view(-1, 1)], dim=1)
        state = pick(state, rows_from, left if len(going) < len(alive) else None)
        alive, total = [alive[b] for b in going], total[left]
    return [sorted(d, key=lambda h: -h.score)[:width] for d in done]


@torch.inference_mode()
def _walk(
    step: Step[S],
    state: S,
    choose: Callable[[Float[Tensor, "N V"], Int[Tensor, " N"]], Int[Tensor, " N"]],
    rows: int,
    bos: int,
    eos: int,
    limit: int,
    rules: Sequence[Rule],
    device: torch.device | str,
) -> list[Hypothesis]:
    """One hypothesis a sentence, one token after the other, until all have ended."""
    sentence = torch.arange(rows, device=device)  # N: those not yet ended
    last = torch.full((rows,), bos, device=device)
    said = torch.full((rows, limit + 1), eos, device=device)
    said[:, 0] = bos
    logps = torch.zeros(rows, limit, device=device)
    lengths = torch.full((rows,), limit, device=device)
    for t in range(limit):
        logits, state = step(last, state)
        logp = _ruled(logits, rules, said[sentence, : t + 1], sentence)
        last = choose(logp, sentence)
        said[sentence, t + 1] = last
        logps[sentence, t] = logp.gather(1, last[:, None])[:, 0]
        ended = last == eos
        lengths[sentence[ended]] = t + 1
        if ended.all():
            break
        if ended.any():
            going = (~ended).nonzero()[:, 0]
            state, last, sentence = pick(state, going, going), last[going], sentence[going]
    return [
        Hypothesis(_until(tokens[1 : n + 1], eos), tuple(steps[:n]), sum(steps[:n]))
        for tokens, steps, n in zip(said.tolist(), logps.tolist(), lengths.tolist(), strict=True)
    ]


def _ruled(
    logits: Float[Tensor, "N V"],
    rules: Sequence[Rule],
    said: Int[Tensor, "N T"],
    sentence: Int[Tensor, " N"],
) -> Float[Tensor, "N V"]:
    logp = logits.log_softmax(dim=-1)
    for rule in rules:
        logp = rule(said[:, 1:], sentence, logp)
    return logp


def _top(logp: Float[Tensor, "N V"], top_k: int | None, top_p: float) -> Float[Tensor, "N V"]:
    if top_k is not None and top_k < logp.size(-1):
        logp = logp.masked_fill(logp < logp.topk(top_k).values[:, -1:], -torch.inf)
    if top_p < 1.0:
        falling, order = logp.softmax(dim=-1).sort(dim=-1, descending=True)
        enough = falling.cumsum(dim=-1) - falling >= top_p  # without it there was enough already
        logp = logp.masked_fill(enough.gather(-1, order.argsort(dim=-1)), -torch.inf)
    return logp


def _until(tokens: list[int], eos: int) -> tuple[int, ...]:
    return tuple(tokens[: tokens.index(eos)] if eos in tokens else tokens)
