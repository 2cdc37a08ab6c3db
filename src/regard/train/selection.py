"""Which weights are the best, and whether a training diverges."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import torch

from regard.errors import TrainingError
from regard.train import checkpoint
from regard.train.checkpoint import TrainProgress, TrainState, copy_into
from regard.train.distributed import World
from regard.train.events import Scores

# -- detection of diverging runs, and the rule by which they go back to a checkpoint ---------------


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


# -- selection -------------------------------------------------------------------------------------


class Selection:
    """Saves the weights of each validated step and selects the best of them.

    Args:
        state: state of the run. `state.progress` holds the best score and the remaining patience.
        directory: where weights are saved, one checkpoint for each validated step.
        metric: name of the score that decides.
        higher_is_better: whether a higher score is better.
        average: how many of the last validated weights `load_best` averages.
        patience: validations without improvement until training stops; None: no limit.
    """

    def __init__(
        self,
        state: TrainState,
        directory: Path,
        world: World,
        *,
        metric: str,
        higher_is_better: bool,
        average: int,
        patience: int | None,
    ) -> None:
        self.state, self.directory, self.world = state, directory, world
        self.metric, self.higher_is_better = metric, higher_is_better
        self.average, self.patience = average, patience

    @property
    def patience_left(self) -> int | None:
        """Validations without improvement until training stops; None: no limit."""
        return None if self.patience is None else self.patience - self.state.progress.stale

    def add(self, step: int, scores: Scores) -> bool:
        """Save the weights and scores of `step`. Return whether they are the best so far."""
        facts = {"scores": scores.values, "signatures": scores.signatures}
        checkpoint.save_checkpoint(self.world, self.directory, step, self.state.weights(), facts)
        progress, value = self.state.progress, scores.values[self.metric]
        improved = progress.best is None or self._is_better(value, progress.best)
        if improved:
            progress.best, progress.best_step, progress.stale = value, step, 0
        else:
            progress.stale += 1
        progress.validated = [*progress.validated, step][-self.average :]
        return improved

    def reset_scores(self) -> None:
        """Reset the best score: later scores cannot be compared with the earlier ones."""
        progress = self.state.progress
        progress.best, progress.best_step, progress.stale, progress.validated = None, 0, 0, []

    def keep(self, steps: set[int]) -> None:
        """Delete the weights of all other steps."""
        checkpoint.keep_checkpoints(self.world, self.directory, steps)

    def load_best(self, validate: Callable[[], Scores]) -> Scores | None:
        """Load the best weights into the model and return their scores.

        With `average` > 1, the average of the last validated weights is loaded instead if
        `validate` scores it higher. Returns None, and loads nothing, before the first validation.
        """
        progress = self.state.progress
        if progress.best is None:
            return None
        best = self._load(progress.best_step)
        if len(progress.validated) < 2:
            return best
        weights = self.state.weights()
        best_weights = {name: weight.clone() for name, weight in weights.items()}
        mean = {name: torch.zeros_like(weight) for name, weight in weights.items()}
        for step in progress.validated:
            self._load(step)
            for name, weight in self.state.weights().items():
                mean[name] += weight / len(progress.validated)
        copy_into(self.state.weights(), mean)
        averaged = validate()
        if self._is_better(averaged.values[self.metric], best.values[self.metric]):
            return averaged
        copy_into(self.state.weights(), best_weights)
        return best

    def _load(self, step: int) -> Scores:
        path = checkpoint.checkpoint_folder(self.directory, step)
        facts = checkpoint.load_checkpoint(self.world, path, self.state.weights())
        return Scores(facts["scores"], facts["signatures"])

    def _is_better(self, value: float, best: float) -> bool:
        return value > best if self.higher_is_better else value < best
