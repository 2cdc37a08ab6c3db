"""The interface between the trainer and a task: `TrainingModule` and `BatchStream`."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

import torch
from torch import nn

from regard.data.loading.cursor import Cursor
from regard.data.loading.loader import TrainingStep
from regard.models import eval_mode
from regard.train.events import Scores
from regard.train.losses import Loss

B = TypeVar("B")
B_co = TypeVar("B_co", covariant=True)


@runtime_checkable
class BatchStream(Protocol[B_co]):
    """An endless stream of training steps that can start at any cursor, such as a `Loader`."""

    def steps(self, cursor: Cursor) -> Generator[TrainingStep[B_co], None, None]:
        """Yield the steps after `cursor`, without end."""

    def state(self, cursor: Cursor) -> dict[str, int | str]:
        """Return the cursor as JSON values, for a checkpoint."""

    def cursor(self, state: dict[str, Any]) -> Cursor:
        """Return the cursor that `state` describes.

        Raises:
            ArtifactError: the data have changed since.
        """


class TrainingModule(nn.Module, ABC, Generic[B]):
    """A model, its loss and its data. `forward` returns the loss of a batch.

    The loss is a sum over the predictions of the batch. The trainer divides it once, by the count
    of the whole step.
    """

    model: nn.Module
    objective: nn.Module  # saved with the model: it may have buffers, such as REINFORCE's baseline
    epoch_tokens: int  # target tokens per epoch
    facts: dict[str, str]  # lines of the run's plan

    @abstractmethod
    def forward(self, batch: B) -> Loss:
        """Return the loss of a batch, summed over its target tokens."""

    @abstractmethod
    def stream(self, rank: int, world: int) -> BatchStream[B]:
        """Return the batches of process `rank` out of `world` processes."""

    @abstractmethod
    def validate(self) -> Scores:
        """Return the current scores of the model. All processes call it and get the same scores."""

    def estimate_validation(self) -> float:
        """Return the seconds of a validation of a trained model; the model may be untrained."""
        clock = time.perf_counter()
        with eval_mode(self), torch.no_grad():
            self.validate()
        return time.perf_counter() - clock

    if TYPE_CHECKING:
        __call__ = forward
