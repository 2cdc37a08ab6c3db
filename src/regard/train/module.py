"""What a trainer asks of whatever it trains. Nothing else in this room knows what that is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

from torch import nn

from regard.data.loading.cursor import Cursor
from regard.data.loading.loader import TrainingStep
from regard.train.events import Scores
from regard.train.losses import Loss

B = TypeVar("B")
B_co = TypeVar("B_co", covariant=True)


@runtime_checkable
class BatchStream(Protocol[B_co]):
    """The steps of a run, from any place on: a `Loader`, or whatever keeps its promises."""

    def steps(self, cursor: Cursor) -> Generator[TrainingStep[B_co], None, None]: ...

    def state(self, cursor: Cursor) -> dict[str, int | str]:
        """The place as plain facts, for a checkpoint."""

    def cursor(self, state: dict[str, Any]) -> Cursor:
        """The place that `state` told of; refused where the data have changed."""


class TrainingModule(nn.Module, ABC, Generic[B]):
    """A model and how it is taught: `forward` gives the loss of a batch.

    The loss is a sum over what the batch asks to be predicted; the trainer divides it, once, by the
    count of the whole step.
    """

    model: nn.Module
    objective: nn.Module  # may remember, as REINFORCE's baseline does; saved with the model
    epoch_tokens: int  # that an epoch predicts
    facts: dict[str, str]  # what a reader of the run's plan would like to know of it

    @abstractmethod
    def forward(self, batch: B) -> Loss: ...

    @abstractmethod
    def stream(self, rank: int, world: int) -> BatchStream[B]:
        """The part of the data that process `rank` of `world` reads."""

    @abstractmethod
    def validate(self) -> Scores:
        """How good the model is now. With many processes, all of them ask, and find the same."""

    if TYPE_CHECKING:
        __call__ = forward
