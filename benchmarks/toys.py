"""Toy tasks with known answers, and a training loop for them that takes minutes on a CPU.

The source is a sequence of digits; the target is the same digits copied, reversed or sorted. For
copying and reversing the correct alignment is known too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from regard.batch import Tokens
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig
from regard.inference.forced_decoding import watch
from regard.search import greedy
from regard.train.losses import CrossEntropy, Reinforce

BOS, EOS, FIRST = 1, 2, 4
VOCABULARY = FIRST + 10
Toy = Literal["copy", "reverse", "sort"]


@dataclass(frozen=True)
class Pairs:
    source: Tokens
    inputs: Tensor  # BOS and the target
    target: Tokens  # the target and EOS
    answers: list[tuple[int, ...]]


def pairs(toy: Toy, lengths: Tensor, generator: torch.Generator) -> Pairs:
    """Random digit sequences of the given lengths, and their targets."""
    rows, longest = len(lengths), int(lengths.max())
    source = torch.randint(FIRST, VOCABULARY, (rows, longest), generator=generator)
    target = torch.zeros(rows, longest + 1, dtype=torch.long)
    answers = []
    for row, n in enumerate(lengths.tolist()):
        digits = source[row, :n]
        answer = {"copy": digits, "reverse": digits.flip(0), "sort": digits.sort().values}[toy]
        target[row, :n] = answer
        target[row, n] = EOS
        answers.append(tuple(answer.tolist()))
    inputs = torch.cat([torch.full((rows, 1), BOS), target[:, :-1]], dim=1)
    return Pairs(Tokens(source, lengths), inputs, Tokens(target, lengths + 1), answers)


def train_toy(
    run: RunConfig,
    toy: Toy,
    *,
    steps: int,
    rows: int = 64,
    lengths: tuple[int, int] = (3, 10),
    rate: float = 2e-3,
    seed: int = 0,
    report: Callable[[int, float], None] | None = None,
) -> nn.Module:
    """Train with Adam, a short warmup and cosine decay; REINFORCE if the attention is hard."""
    torch.manual_seed(seed)
    model = run.model.build(VocabularySizes(VOCABULARY, VOCABULARY))
    hard = any(use.attention.normalizer.kind == "hard" for use in run.model.attention_uses())
    objective = Reinforce() if hard else CrossEntropy()
    optimizer = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.98))
    generator = torch.Generator().manual_seed(seed)
    shortest, longest = lengths
    model.train()
    for step in range(steps):
        warm = min(1.0, (step + 1) / 100)
        for group in optimizer.param_groups:
            group["lr"] = rate * warm * 0.5 * (1 + math.cos(math.pi * step / steps))
        some = torch.randint(shortest, longest + 1, (rows,), generator=generator)
        batch = pairs(toy, some, generator)
        loss = objective(model(batch.source, batch.inputs), model.readout, batch.target)
        optimizer.zero_grad(set_to_none=True)
        (loss.total / loss.count).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if report is not None:
            report(step, float(loss.parts["nll"]) / loss.count)
    return model.eval()


def accuracy(model: Any, batch: Pairs) -> float:
    """The token accuracy of greedy decoding; missing and extra tokens count as wrong."""
    rows = len(batch.answers)
    max_length = batch.inputs.size(1) + 2
    outputs = greedy(
        model.step, model.start(batch.source), rows=rows, bos=BOS, eos=EOS, max_length=max_length
    )
    right = total = 0
    for hypothesis, answer in zip(outputs, batch.answers, strict=True):
        right += sum(a == b for a, b in zip(hypothesis.tokens, answer, strict=False))
        total += max(len(answer), len(hypothesis.tokens))
    return right / total


@torch.no_grad()
def pointing(model: Any, toy: Toy, batch: Pairs) -> dict[str, float]:
    """For each cross-attention head, how often its largest weight is at the correct position."""
    with watch(model) as trace:
        model(batch.source, batch.inputs)
    assert batch.source.lengths is not None
    steps = torch.arange(batch.inputs.size(1))
    n = batch.source.lengths[:, None]
    true = steps.expand(len(n), -1) if toy == "copy" else n - 1 - steps
    real = steps < n
    found = {}
    for name in trace.names:
        weights = trace[name]
        if not name.startswith("decoder") or weights.shape[2:] != (
            *steps.shape,
            batch.source.ids.size(1),
        ):
            continue
        for head in range(weights.size(1)):
            hit = weights[:, head].argmax(dim=-1) == true
            found[f"{name}, head {head}"] = float(hit[real].float().mean())
    return found
