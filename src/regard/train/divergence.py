"""Detection of diverging runs, and the rule by which they go back to a checkpoint."""

from __future__ import annotations

import math

from regard.errors import TrainingError
from regard.train.train_state import TrainProgress

_RATE = 0.02  # of the moving average of the loss: about fifty steps
_WARMUP = 100  # steps before the average is reliable
_DEVIATIONS = 6.0  # standard errors of the average that are noise
_MAX_ROLLBACKS = 5  # the learning rate is then 1/32 of the original, so it is not the cause


class Diverged(Exception):  # noqa: N818 — control flow inside the trainer, never leaves it
    """The loss is not finite or has risen too far."""

    def __init__(self, step: int, reason: str) -> None:
        super().__init__(reason)
        self.step, self.reason = step, reason


def check_divergence(
    progress: TrainProgress, step: int, loss: float, norm: float, max_rise: float | None = 1.0
) -> None:
    """Update the moving average of the loss; raise `Diverged` before a bad step is applied.

    The average m may rise by `max_rise` above the baseline, the lowest value of m + 6 σ √(α/(2−α))
    after the first 100 steps. α is the rate of the average, σ the standard deviation of the losses
    around it. The second term is noise: steps of an easy and of a hard corpus may alternate.

    Args:
        loss: per target token.
        norm: of the gradient, before clipping.
        max_rise: nats per token; None accepts every finite loss.
    """
    if not math.isfinite(loss) or not math.isfinite(norm):
        raise Diverged(step, f"the loss is {loss} and the gradient norm is {norm}")
    rate = max(_RATE, 1 / step)  # a plain mean at first, so that no single step is the baseline
    previous = loss if progress.mean_loss is None else progress.mean_loss
    mean = previous + rate * (loss - previous)
    variance = (1 - rate) * (progress.loss_variance + rate * (loss - previous) ** 2)
    highest = mean + _DEVIATIONS * math.sqrt(variance * _RATE / (2 - _RATE))
    baseline = progress.loss_baseline
    if step > _WARMUP:
        if max_rise is not None and baseline is not None and mean > baseline + max_rise:
            raise Diverged(step, f"the average loss has risen from {baseline:.2f} to {mean:.2f}")
        progress.loss_baseline = highest if baseline is None else min(baseline, highest)
    progress.mean_loss, progress.loss_variance = mean, variance


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
                "the data with `regard doctor`. If the loss rises because easy and hard corpora "
                "follow each other, set data.mix_corpora=true or raise train.max_loss_rise."
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
