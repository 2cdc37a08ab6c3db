"""Selection of the final weights: best validation score, patience, checkpoint averaging."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from regard.train import checkpoint
from regard.train.distributed import World
from regard.train.events import Scores
from regard.train.train_state import TrainState, copy_into


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
