"""Detection of diverging runs, and the rule by which they go back to a checkpoint."""

from __future__ import annotations

import math

from regard.errors import TrainingError
from regard.train.train_state import TrainProgress

_DECAY = 0.98  # of the moving average of the loss: about fifty steps
_WARMUP = 100  # steps before the average is reliable
_MAX_RISE = 1.0  # nats per token above the lowest average: runs do not recover from more
_MAX_ROLLBACKS = 5  # the learning rate is then 1/32 of the original, so it is not the cause


class Diverged(Exception):  # noqa: N818 — control flow inside the trainer, never leaves it
    """The loss is not finite or has risen too far."""

    def __init__(self, step: int, reason: str) -> None:
        super().__init__(reason)
        self.step, self.reason = step, reason


def check_divergence(progress: TrainProgress, step: int, loss: float, norm: float) -> None:
    """Update the moving average of the loss; raise `Diverged` before a bad step is applied.

    Args:
        loss: per target token.
        norm: of the gradient, before clipping.
    """
    if not math.isfinite(loss) or not math.isfinite(norm):
        raise Diverged(step, f"the loss is {loss} and the gradient norm is {norm}")
    previous = loss if progress.mean_loss is None else progress.mean_loss
    mean = _DECAY * previous + (1 - _DECAY) * loss
    lowest = mean if progress.lowest_mean_loss is None else progress.lowest_mean_loss
    if step > _WARMUP and mean > lowest + _MAX_RISE:
        raise Diverged(step, f"the average loss has risen from {lowest:.2f} to {mean:.2f}")
    progress.mean_loss, progress.lowest_mean_loss = mean, min(lowest, mean)


class RollbackPolicy:
    """Chooses the checkpoint to go back to, and halves the learning rate each time."""

    def __init__(self) -> None:
        self._visited: set[int] = set()

    def reduced_lr_scale(self, progress: TrainProgress, diverged: Diverged) -> float:
        """Return the factor of the learning rate after one more rollback.

        Raises:
            TrainingError: the run has been rolled back too often.
        """
        if progress.rollbacks >= _MAX_ROLLBACKS:
            raise TrainingError(
                f"step {diverged.step}: {diverged.reason}. The run was rolled back "
                f"{_MAX_ROLLBACKS} times, each time with half the learning rate, and still "
                "diverges. Lower train.optimizer.rate or raise train.schedule.warmup, and check "
                "the data with `regard doctor`."
            )
        return progress.lr_scale / 2

    def target(self, steps: list[int]) -> int:
        """Return the newest of `steps`, or the one before it if the run already went back there.

        Args:
            steps: of the checkpoints, newest first.
        """
        newest, *older = steps
        step = older[0] if older and newest in self._visited else newest
        self._visited.add(step)
        return step
