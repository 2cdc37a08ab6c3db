"""Beam search as a tree: every candidate, and whether it was kept or pruned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, TypeVar

import torch

from regard.hypothesis import Hypothesis
from regard.models import EncoderDecoder, eval_mode
from regard.search import BeamStep, beam
from regard.text.tokenizer import BOS, EOS

Source = TypeVar("Source")

NodeStatus: TypeAlias = Literal["kept", "pruned", "finished"]
"""Extended at the next step, dropped, or complete: ended by EOS or at the maximum length."""


@dataclass(frozen=True, slots=True)
class BeamTree:
    """A node is one token after its parent. Nodes are ordered by length, then by total."""

    beam_size: int
    length_penalty: float
    parents: tuple[int, ...]  # −1: the node is a first token
    tokens: tuple[int, ...]
    logps: tuple[float, ...]  # of the token
    totals: tuple[float, ...]  # of the path; candidates are ranked by total / length^penalty
    status: tuple[NodeStatus, ...]
    best: tuple[int, ...]  # the nodes of the best hypothesis, the first token first

    def to_record(self, piece: Callable[[int], str]) -> dict[str, object]:
        """Return the JSON fields, with tokens as pieces."""
        fields = asdict(self)
        return fields | {"pieces": [piece(token) for token in fields.pop("tokens")]}


@torch.inference_mode()
def build_beam_tree(
    model: EncoderDecoder[Source, Any],
    source: Source,
    *,
    beam_size: int,
    length_penalty: float,
    max_length: int,
) -> tuple[list[Hypothesis], BeamTree]:
    """Run a beam search for one source (a batch of one row) and return its hypotheses and tree."""
    steps: list[BeamStep] = []
    with eval_mode(model):
        (hypotheses,) = beam(
            model.step,
            model.start(source),
            rows=1,
            beam_size=beam_size,
            bos=BOS,
            eos=EOS,
            max_length=max_length,
            length_penalty=length_penalty,
            device=next(model.parameters()).device,
            on_step=steps.append,
        )
    return hypotheses, _tree(steps, beam_size, length_penalty)


def _tree(steps: list[BeamStep], beam_size: int, length_penalty: float) -> BeamTree:
    parents: list[int] = []
    tokens: list[int] = []
    logps: list[float] = []
    totals: list[float] = []
    status: list[NodeStatus] = []
    scores: dict[int, float] = {}  # of finished nodes
    alive = [-1] * beam_size  # the nodes of the K hypotheses
    for length, step in enumerate(steps, 1):
        first, survivors = len(parents), step.survivors[0].tolist()
        # Candidates are sorted by total, so those that exist come first.
        real = int(step.totals[0].isfinite().sum())
        parents += [alive[slot] for slot in step.origins[0, :real].tolist()]
        tokens += step.tokens[0, :real].tolist()
        logps += step.logps[0, :real].tolist()
        totals += step.totals[0, :real].tolist()
        for candidate, ended in enumerate(step.ended[0, :real].tolist()):
            status.append("finished" if ended else "kept" if candidate in survivors else "pruned")
            if ended:
                node = first + candidate
                scores[node] = totals[node] / length**length_penalty
        alive = [-1 if candidate < 0 else first + candidate for candidate in survivors]
    best = [max(scores, key=scores.__getitem__)]  # ties: the first found, as in the search
    while parents[best[-1]] >= 0:
        best.append(parents[best[-1]])
    return BeamTree(
        beam_size,
        length_penalty,
        tuple(parents),
        tuple(tokens),
        tuple(logps),
        tuple(totals),
        tuple(status),
        tuple(reversed(best)),
    )
