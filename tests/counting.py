"""A small training module without files: which half of the alphabet is more frequent?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from regard.batch import Tokens
from regard.data.loading.loader import Cursor, MicroBatch, TrainingStep, rank_batches
from regard.models import Classifier
from regard.nn.embedding import Embedding
from regard.nn.rnn import RecurrentEncoder, RecurrentStack
from regard.train.events import Scores
from regard.train.losses import Loss, TrainingModule

LETTERS = 12


@dataclass(frozen=True)
class Labelled:
    text: Tokens
    labels: Tensor

    def to(self, device: torch.device) -> Labelled:
        return Labelled(self.text.to(device), self.labels.to(device))


def draw(seed: int, rows: int = 32) -> Labelled:
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(LETTERS, (rows, 9), generator=generator)
    return Labelled(Tokens(ids), (ids.ge(LETTERS // 2).sum(dim=1) > 4).long())


class Draws:
    """A batch stream that draws the batches of a step from its number."""

    def __init__(self, rank: int, world: int, micros: int) -> None:
        self.rank, self.world, self.micros = rank, world, micros

    def steps(self, cursor: Cursor) -> Iterator[TrainingStep[Labelled]]:
        for number in range(cursor.step + 1, 1 << 30):
            batches = [
                MicroBatch(i, draw(number * 100 + i % self.micros), i < self.micros)
                for i in rank_batches(self.rank, self.world, self.micros)
            ]
            yield TrainingStep(tuple(batches), 32 * self.micros, Cursor(step=number))

    def state(self, cursor: Cursor) -> dict[str, int | str]:
        return {"step": cursor.step}

    def cursor(self, state: dict[str, Any]) -> Cursor:
        return Cursor(step=state["step"])


class Counting(TrainingModule[Labelled]):
    def __init__(self, *, micros: int = 1, broken_at: int | None = None) -> None:
        super().__init__()
        torch.manual_seed(0)
        encoder = RecurrentEncoder(Embedding(LETTERS, 16), RecurrentStack(16, 16))
        self.model = Classifier(encoder, 2, dropout=0.1)
        self.objective = nn.Identity()
        self.epoch_tokens, self.facts, self.micros = 3200, {"letters": str(LETTERS)}, micros
        self.broken_at = broken_at  # the call whose loss is not a number
        self.calls = 0

    def forward(self, batch: Labelled) -> Loss:
        self.calls += self.training
        losses = nn.functional.cross_entropy(self.model(batch.text), batch.labels, reduction="none")
        if self.training and self.calls == self.broken_at:
            losses = losses * float("nan")
        return Loss(losses.sum(), len(batch.labels), {"nll": losses.detach().sum()})

    def stream(self, rank: int, world: int) -> Draws:
        return Draws(rank, world, self.micros)

    def validate(self) -> Scores:
        test = draw(-1, rows=500)
        correct = self.model(test.text).argmax(dim=1) == test.labels
        return Scores({"accuracy": float(correct.float().mean())})
