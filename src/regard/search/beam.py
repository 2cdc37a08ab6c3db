"""Beam search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.hypothesis import Hypothesis
from regard.search.step import Constraint, S, Step, constrained_logps, reorder, tokens_before_eos

# -- the largest log-probabilities of a vocabulary, faster than torch's `topk` on a CPU ------------


BLOCK = 64  # tokens; with 8,000 tokens, half or twice as many take a quarter longer


def topk(logp: Float[Tensor, "N V"], count: int) -> tuple[Float[Tensor, "N C"], Int[Tensor, "N C"]]:
    """Return the `count` largest of each row, largest first, and their indices.

    They lie in the `count` blocks with the largest maxima: of 8,000 tokens and ten blocks 640 are
    sorted. torch's `topk` takes twice as long on a CPU.
    """
    size = logp.size(1)
    whole = size // BLOCK
    if whole < 2 * count:
        return logp.topk(min(count, size))
    blocks = logp[:, : whole * BLOCK].unflatten(1, (whole, BLOCK))
    chosen = blocks.amax(dim=-1).topk(count).indices  # N C
    within = blocks.gather(1, chosen[..., None].expand(-1, -1, BLOCK)).flatten(1)  # N C·BLOCK
    best, index = torch.cat([within, logp[:, whole * BLOCK :]], dim=1).topk(count)
    inside = chosen.gather(1, (index // BLOCK).clamp(max=count - 1)) * BLOCK + index % BLOCK
    return best, torch.where(index < count * BLOCK, inside, index + (whole - count) * BLOCK)


# -- beam ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BeamStep:
    """One step of a beam of K: the C best extensions of each sentence, best first.

    Extensions whose total is −∞ are padding.
    """

    sentences: tuple[int, ...]  # B: sentences that are still searched
    origins: Int[Tensor, "B C"]  # which of the sentence's K hypotheses is extended
    tokens: Int[Tensor, "B C"]
    logps: Float[Tensor, "B C"]  # of the token
    totals: Float[Tensor, "B C"]  # of the extended hypothesis
    ended: Bool[Tensor, "B C"]
    survivors: Int[Tensor, "B K"]  # the extensions that are the next K hypotheses; −1: none


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
    """Return the `beam_size` best hypotheses for each of `rows` sources, best first.

    The score is Σ log p / length^length_penalty; EOS counts in the length. The search of a sentence
    ends when `beam_size` of its hypotheses have ended. Searching on until no live hypothesis can
    win would sometimes find better ones, at about 1.5 times the cost. Finished sentences leave the
    batch. `on_step` is called with every step.
    """
    alive = list(range(rows))  # B: sentences that are still searched
    state = reorder(state, torch.arange(rows, device=device).repeat_interleave(beam_size))
    prefix = torch.full((rows * beam_size, 1), bos, device=device)  # N T
    logps = torch.zeros(rows * beam_size, 0, device=device)  # N T−1
    total = torch.full((rows, beam_size), -torch.inf, device=device)  # B K
    total[:, 0] = 0.0  # the beams of a sentence start equal, so only the first is extended
    done: list[list[Hypothesis]] = [[] for _ in range(rows)]

    for length in range(1, max_length + 1):
        logits, state = step(prefix[:, -1], state)
        sentence = torch.tensor(alive, device=device).repeat_interleave(beam_size)
        logp = constrained_logps(logits, constraints, prefix, sentence)
        logp, token = topk(logp, 2 * beam_size)  # N 2K: if K end, K more can go on
        extended = (total.view(-1, 1) + logp).view(len(alive), -1)  # B K2K
        best, flat = extended.topk(min(2 * beam_size, extended.size(1)))
        first = torch.arange(len(alive), device=device)[:, None] * beam_size  # B 1
        origin = first + flat // logp.size(1)
        token, logp = (x.view(len(alive), -1).gather(1, flat) for x in (token, logp))  # B 2K

        # at the maximum length every hypothesis ends
        ends = token.eq(eos) if length < max_length else torch.ones_like(token, dtype=torch.bool)
        ended = ends & best.isfinite()
        ended[:, beam_size:] = False
        finished = ended.nonzero(as_tuple=True)
        if finished[0].numel():
            tokens = torch.cat(
                [prefix[origin[finished], 1:], token[finished][:, None]], dim=1
            ).tolist()
            steps = torch.cat([logps[origin[finished]], logp[finished][:, None]], dim=1).tolist()
            for b, ids, token_logps, sum_ in zip(
                finished[0].tolist(), tokens, steps, best[finished].tolist(), strict=True
            ):
                score = sum_ / length**length_penalty
                prefix_ids = tokens_before_eos(ids, eos)
                done[alive[b]].append(Hypothesis(prefix_ids, tuple(token_logps), score, eos in ids))

        total, survivors = best.masked_fill(ends, -torch.inf).topk(beam_size)  # B K
        finite = total[:, 0].isfinite().tolist()
        unfinished = [
            b for b, is_finite in enumerate(finite) if is_finite and len(done[alive[b]]) < beam_size
        ]
        if on_step is not None:
            is_live = torch.zeros(len(alive), 1, dtype=torch.bool, device=device)
            is_live[unfinished] = True
            next_k = survivors.masked_fill(~(is_live & total.isfinite()), -1)
            on_step(BeamStep(tuple(alive), origin - first, token, logp, best, ended, next_k))
        if not unfinished:
            break
        index = torch.tensor(unfinished, device=device)
        parents = origin.gather(1, survivors)[index].view(-1)
        prefix = torch.cat([prefix[parents], token.gather(1, survivors)[index].view(-1, 1)], dim=1)
        logps = torch.cat([logps[parents], logp.gather(1, survivors)[index].view(-1, 1)], dim=1)
        state = reorder(state, parents, index if len(unfinished) < len(alive) else None)
        alive, total = [alive[b] for b in unfinished], total[index]
    return [sorted(d, key=lambda h: -h.score)[:beam_size] for d in done]
