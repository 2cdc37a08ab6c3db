"""A second task for the trainer: which half of the alphabet does a sequence have more of?

It knows nothing of translation; and the trainer knows nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from regard.batch import Tokens
from regard.data.batches.loader import Micro, Step
from regard.data.batches.stream import Place, places_of
from regard.models import Classifier
from regard.nn.embed import Embedding
from regard.nn.recurrent import Reading, RecurrentEncoder
from regard.train.objective import Loss
from regard.train.report import Scores
from regard.train.task import Task

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
    """A stream without files: the batches of a step are drawn by its number."""

    def __init__(self, rank: int, world: int, micros: int) -> None:
        self.rank, self.world, self.micros = rank, world, micros

    def steps(self, place: Place) -> Iterator[Step[Labelled]]:
        for number in range(place.step + 1, 1 << 30):
            mine = [
                Micro(i, draw(number * 100 + i % self.micros), i < self.micros)
                for i in places_of(self.rank, self.world, self.micros)
            ]
            yield Step(tuple(mine), 32 * self.micros, Place(step=number))

    def state(self, place: Place) -> dict[str, int | str]:
        return {"step": place.step}

    def place(self, state: dict[str, Any]) -> Place:
        return Place(step=state["step"])


class Counting(Task[Labelled]):
    def __init__(self, *, micros: int = 1, broken_at: int | None = None) -> None:
        super().__init__()
        torch.manual_seed(0)
        encoder = RecurrentEncoder(Embedding(LETTERS, 16), Reading(16, 16))
        self.model = Classifier(encoder, 2, dropout=0.1)
        self.objective = nn.Identity()
        self.epoch_tokens, self.facts, self.micros = 3200, {"letters": str(LETTERS)}, micros
        self.broken_at = broken_at  # the step whose loss is not a number, the first time
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
        right = self.model(test.text).argmax(dim=1) == test.labels
        return Scores({"accuracy": float(right.float().mean())})
