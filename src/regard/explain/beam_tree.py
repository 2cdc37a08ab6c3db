"""The beam as a tree: every way that a search weighed, and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, TypeVar

import torch

from regard.models import EncoderDecoder, eval_mode
from regard.search import BeamStep, Hypothesis, beam
from regard.text.tokenizer import BOS, EOS

Source = TypeVar("Source")

Fate: TypeAlias = Literal["kept", "cut", "ended"]


@dataclass(frozen=True, slots=True)
class BeamTree:
    """A node is one token after its parent. Nodes stand by length, the likelier first."""

    beam_size: int
    length_penalty: float
    parents: tuple[int, ...]  # −1: it is the first token
    tokens: tuple[int, ...]
    logps: tuple[float, ...]  # of the token
    totals: tuple[float, ...]  # of all up to it; what is ranked is total / length^alpha
    fates: tuple[Fate, ...]  # kept: carried on; cut: not; ended: a whole sentence, or at the limit
    best: tuple[int, ...]  # the nodes of the best hypothesis, the first token first

    def to_record(self, piece: Callable[[int], str]) -> dict[str, Any]:
        """As a record has it, in pieces."""
        told = asdict(self)
        return told | {"pieces": [piece(token) for token in told.pop("tokens")]}


@torch.inference_mode()
def build_beam_tree(
    model: EncoderDecoder[Source, Any],
    source: Source,
    *,
    beam_size: int,
    length_penalty: float,
    max_length: int,
) -> tuple[list[Hypothesis], BeamTree]:
    """What a beam finds for one source, a batch of one row, and how it came there."""
    told: list[BeamStep] = []
    with eval_mode(model):
        (found,) = beam(
            model.step,
            model.start(source),
            rows=1,
            beam_size=beam_size,
            bos=BOS,
            eos=EOS,
            max_length=max_length,
            length_penalty=length_penalty,
            device=next(model.parameters()).device,
            on_step=told.append,
        )
    return found, _tree(told, beam_size, length_penalty)


def _tree(told: list[BeamStep], width: int, alpha: float) -> BeamTree:
    parents: list[int] = []
    tokens: list[int] = []
    logps: list[float] = []
    totals: list[float] = []
    fates: list[Fate] = []
    scores: dict[int, float] = {}  # of the nodes that are whole sentences
    alive = [-1] * width  # the nodes of the K hypotheses
    for length, grown in enumerate(told, 1):
        first, kept = len(parents), grown.kept[0].tolist()
        real = int(grown.totals[0].isfinite().sum())  # they are the likeliest, so they come first
        parents += [alive[slot] for slot in grown.origins[0, :real].tolist()]
        tokens += grown.tokens[0, :real].tolist()
        logps += grown.logps[0, :real].tolist()
        totals += grown.totals[0, :real].tolist()
        for way, ended in enumerate(grown.ended[0, :real].tolist()):
            fates.append("ended" if ended else "kept" if way in kept else "cut")
            if ended:
                scores[first + way] = totals[first + way] / length**alpha
        alive = [-1 if way < 0 else first + way for way in kept]
    best = [max(scores, key=scores.__getitem__)]  # of equals the first found, as in the search
    while parents[best[-1]] >= 0:
        best.append(parents[best[-1]])
    return BeamTree(
        width,
        alpha,
        tuple(parents),
        tuple(tokens),
        tuple(logps),
        tuple(totals),
        tuple(fates),
        tuple(reversed(best)),
    )
