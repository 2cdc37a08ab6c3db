"""The training loop: steps, validations, checkpoints, rollbacks.

Each step depends only on the state in the last checkpoint: random numbers are drawn from the seed,
the step and the index of the batch within the step. A run that is killed therefore resumes exactly
where it was, on any number of processes.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from regard.data.loading.loader import Cursor, TrainingStep
from regard.errors import ArtifactError, ConfigError, TrainingError
from regard.train import checkpoint, events
from regard.train.checkpoint import Buffers, TrainState
from regard.train.distributed import World, full_tensor, interruptible, no_sync, release
from regard.train.dry_run import DryRun, measure_steps
from regard.train.events import EventHandler, Scores, StepCompleted
from regard.train.losses import TrainingModule
from regard.train.selection import Diverged, RollbackPolicy, Selection, check_divergence
from regard.train.settings import TrainerSettings

_KEPT = 2  # checkpoints: the newest may be damaged or already diverging
FIXED = {
    *("training data", "tokenizer", "data.train.weight", "train.seed", "train.batch_tokens"),
    *("train.micro_batches", "train.subword_alpha"),
}
"""Facts that never change when a run resumes: its position in the data depends on them."""
_MACHINE = {"threads", "device", "precision", "torch"}
_SCORING = {"validation set", "train.metric"}  # if they change, scores cannot be compared


AcceptChanges: TypeAlias = bool | Collection[str]
"""Which facts may change when a run resumes: all, none, or those of these names."""


@dataclass(frozen=True, slots=True)
class TrainingOutcome:
    """Result of a run. If it is complete, the module's model has the best weights."""

    step: int
    reason: str
    complete: bool  # False: interrupted, and can be resumed
    best_step: int
    scores: Scores | None


class Trainer:
    """Trains a `TrainingModule`.

    Args:
        directory: holds `checkpoints/` and `weights/`. If it has a checkpoint, the run resumes.
        loggers: called with each event, in the main process only.
        environment: facts that must not change between a checkpoint and its resumption.
        accept_changes: resume even if they changed, or those of these names.
    """

    def __init__(
        self,
        module: TrainingModule[Any],
        settings: TrainerSettings,
        directory: Path,
        world: World = World(),  # noqa: B008 — a frozen value
        loggers: Sequence[EventHandler] = (),
        environment: Mapping[str, Any] | None = None,
        accept_changes: AcceptChanges = False,
    ) -> None:
        self.module, self.settings, self.world = module, settings, world
        self.loggers = tuple(loggers) if world.is_main else ()
        self.checkpoints = directory / "checkpoints"
        self.performance = settings.performance.resolve(world.device)
        self.performance.tune_allocator()
        self.performance.apply(module)
        module.to(world.device)
        self.stream = module.stream(world.rank, world.size)
        self.wrapped = world.wrap(module, module.model, settings.parallel)
        self.state = TrainState(module, settings.optimizer, settings.ema)
        self.selection = Selection(
            self.state,
            directory / "weights",
            world,
            metric=settings.metric,
            higher_is_better=settings.higher_is_better,
            average=settings.average,
            patience=settings.patience,
        )
        self.rollback = RollbackPolicy()
        self.cursor = Cursor()
        self.accept_changes = accept_changes
        self.environment = {
            "threads": torch.get_num_threads(),
            "device": world.device.type,
            "precision": self.performance.precision,
            "torch": torch.__version__,
            **(environment or {}),
        }
        self._stop_requested = self._started = self._finishing = False

    def start(self) -> None:
        """Resume from the newest checkpoint, or save the first one.

        Raises:
            ArtifactError: the environment has changed, and this is not accepted.
        """
        self._resume()
        self._started = True

    def run(self) -> TrainingOutcome:
        """Train until the last step, until patience runs out, or until interrupted."""
        if not self._started:
            self.start()
        self._emit_plan()
        with interruptible() as signals:
            while True:
                try:
                    reason, complete = self._loop(signals)
                    break
                except Diverged as diverged:
                    self._roll_back(diverged)
        return self._finish(reason, complete)

    def finish(self) -> TrainingOutcome:
        """End the run at its newest checkpoint, with the best weights so far.

        The machine may be another one than that of the run, since no step follows.
        """
        self._finishing = True
        self.start()
        if self.state.progress.best is None:
            self._validate()
            self._save()
        step, last = self.cursor.step, self.settings.steps
        return self._finish(f"finished early, at step {step:,} of {last:,}", complete=True)

    def stop(self) -> None:
        """Stop as an interruption does: complete the next step, save a checkpoint, end the run.

        Loggers and other threads may call it. With several processes, one call stops them all.
        """
        self._stop_requested = True

    def dry_run(self, steps: int = 3) -> DryRun:
        """Measure time and memory of `steps` steps without changing the model."""
        buffers = Buffers(self.module)
        self.module.train()
        measured = measure_steps(
            self.stream.steps(self.cursor), self._backward, self.world.device, steps
        )
        self.state.optimizer.zero_grad(set_to_none=True)
        buffers.restore()
        return measured

    def _loop(self, signals: list[bool]) -> tuple[str, bool]:
        """Run steps until training ends. Return the reason and whether the run is complete."""
        settings = self.settings
        if (reason := self._end_reason()) is not None:
            return reason, True
        steps = self.stream.steps(self.cursor)
        clock = time.perf_counter()
        try:
            for step in steps:
                waited = time.perf_counter() - clock
                completed, stop = self._train_step(step, bool(signals) or self._stop_requested)
                self.cursor, number = step.next_cursor, step.next_cursor.step
                self._emit(replace(completed, seconds=time.perf_counter() - clock, waited=waited))
                validates = number % settings.validate_every == 0 or number == settings.steps
                if validates:
                    self._validate()
                if validates or stop or number % settings.save_every == 0:
                    self._save()
                if (reason := self._end_reason()) is not None:
                    return reason, True
                if stop:
                    return "interrupted; run the same command to resume", False
                clock = time.perf_counter()
        finally:
            steps.close()
        raise TrainingError("The module's stream ended. BatchStream.steps must be endless.")

    def _end_reason(self) -> str | None:
        settings, patience_left = self.settings, self.selection.patience_left
        if self.cursor.step >= settings.steps:
            return f"all {settings.steps:,} steps completed"
        if patience_left is not None and patience_left <= 0:
            return f"no better {settings.metric} in {self.state.progress.stale} validations"
        return None

    def _train_step(self, step: TrainingStep[Any], stop: bool) -> tuple[StepCompleted, bool]:
        """Make one optimizer step. Also return whether any process requests a stop."""
        settings, state, number = self.settings, self.state, step.next_cursor.step
        self.module.train()
        sums = self._backward(step)
        norm = full_tensor(nn.utils.clip_grad_norm_(state.parameters.values(), settings.clip))
        stops = norm.new_tensor(float(stop)).double()
        *values, stop_count = self.world.total(torch.stack([*sums.values(), stops])).tolist()
        parts = {k: v / step.target_tokens for k, v in zip(sums, values, strict=True)}
        loss, grad_norm = parts.pop("loss"), float(norm)
        nll = parts.get("nll", loss)
        check_divergence(state.progress, number, nll, grad_norm, settings.max_loss_rise)

        factor = settings.schedule.factor(number, settings.steps)
        rate = settings.optimizer.rate * factor * state.progress.lr_scale
        for group in state.optimizer.param_groups:
            group["lr"] = rate
        state.optimizer.step()
        state.update_ema(number)
        epoch, tokens = self.cursor.epoch, step.target_tokens
        completed = StepCompleted(number, epoch, loss, parts, rate, grad_norm, tokens, 0.0, 0.0)
        return completed, stop_count > 0

    def _backward(self, step: TrainingStep[Any]) -> dict[str, Tensor]:
        """Compute the gradients of the step's loss per token.

        Returns the sums of the loss and its parts over this process's batches.
        """
        world, buffers = self.world, Buffers(self.module)
        self.state.optimizer.zero_grad(set_to_none=True)
        sums: dict[str, Tensor] = {}
        for micro in step.micro_batches:
            buffers.restore()
            torch.manual_seed(_batch_seed(self.settings.seed, step.next_cursor.step, micro.index))
            last = micro is step.micro_batches[-1]
            with nullcontext() if last else no_sync(self.wrapped):
                with self.performance.autocast(world.device):
                    loss = self.wrapped(micro.batch.to(world.device))
                # DDP and FSDP average gradients over processes; the sum is needed here
                weight = world.size / step.target_tokens if micro.counts else 0.0
                (loss.total * weight).backward()
            if micro.counts:
                buffers.record()
            for name, term in {"loss": loss.total.detach(), **loss.parts}.items():
                counted = term.double() if micro.counts else torch.zeros_like(term).double()
                sums[name] = sums[name] + counted if name in sums else counted
        buffers.reduce(world)
        return sums

    def _roll_back(self, diverged: Diverged) -> None:
        """Load an earlier checkpoint and continue with half the learning rate."""
        rollbacks = self.state.progress.rollbacks + 1
        lr_scale = self.rollback.reduced_lr_scale(self.state.progress, diverged)
        steps = checkpoint.checkpoint_steps(self.checkpoints)
        self.world.wait()  # until all processes have listed them
        step = self.rollback.target(steps)
        if step != steps[0]:
            checkpoint.keep_checkpoints(self.world, self.checkpoints, set(steps[1:]))
        self._load(step)
        self.state.progress.rollbacks, self.state.progress.lr_scale = rollbacks, lr_scale
        self._emit(events.RolledBack(step, diverged.step, diverged.reason, lr_scale))

    def _validate(self) -> None:
        number, clock = self.cursor.step, time.perf_counter()
        with self.state.averaged():
            scores = self._scores()
            improved = self.selection.add(number, scores)
        if improved:  # the run has not diverged, however hard the last batches were
            self.state.progress.loss_baseline = None
        self._emit(
            events.ValidationCompleted(
                number,
                self.cursor.epoch,
                scores,
                self.settings.metric,
                improved,
                self.selection.patience_left,
                time.perf_counter() - clock,
            )
        )

    def _scores(self) -> Scores:
        metric = self.settings.metric
        self.module.eval()
        with torch.no_grad():
            scores = self.module.validate()
        release(self.module.model)
        if metric not in scores.values:
            raise ConfigError(
                f"train.metric: {metric} is not a score of this task. Choose one of "
                f"{', '.join(scores.values)}."
            )
        # rounding may differ between processes, and all must make the same decision
        return replace(
            scores, values={**scores.values, metric: self.world.broadcast(scores.values[metric])}
        )

    def _finish(self, reason: str, complete: bool) -> TrainingOutcome:
        best_step = self.state.progress.best_step
        scores = self.selection.load_best(self._scores) if complete else None
        outcome = TrainingOutcome(self.cursor.step, reason, complete, best_step, scores)
        self._emit(events.TrainingEnded(outcome.step, reason, best_step, scores))
        return outcome

    def _save(self) -> None:
        clock, number = time.perf_counter(), self.cursor.step
        self.state.progress.cursor = self.stream.state(self.cursor)
        path = self.state.save(self.world, self.checkpoints, number, self.environment)
        self._delete_old()
        self._emit(events.CheckpointSaved(number, str(path), time.perf_counter() - clock))

    def _delete_old(self) -> None:
        """Keep the last checkpoints, and the weights that any of them refers to."""
        recent = checkpoint.checkpoint_steps(self.checkpoints)[:_KEPT]
        self.world.wait()  # until all processes have listed them
        checkpoint.keep_checkpoints(self.world, self.checkpoints, set(recent))
        needed = set[int]()
        for step in recent:
            folder = checkpoint.checkpoint_folder(self.checkpoints, step)
            progress = checkpoint.inspect_checkpoint(folder)["progress"]
            needed |= {progress["best_step"], *progress["validated"]}
        self.selection.keep(needed)

    def _resume(self) -> None:
        steps = checkpoint.checkpoint_steps(self.checkpoints)
        self.world.wait()  # until all processes have listed them
        if not steps:
            self._save()
            return
        path = checkpoint.checkpoint_folder(self.checkpoints, steps[0])
        changed = checkpoint.changed_environment(path, self.environment)
        if self._finishing:
            changed = {name: text for name, text in changed.items() if name not in _MACHINE}
        if any(not accepts(self.accept_changes, name) for name in changed):
            raise cannot_resume(path, changed)
        self._load(steps[0])
        self._delete_old()  # the process that saved it may have been killed before this
        self._emit(events.CheckpointSaved(steps[0], str(path), 0.0))
        if not _SCORING.isdisjoint(changed):
            self.selection.reset_scores()
            self._validate()
            self._save()

    def _load(self, step: int) -> None:
        self.state.load(self.world, checkpoint.checkpoint_folder(self.checkpoints, step))
        self.cursor = self.stream.cursor(self.state.progress.cursor)

    def _emit_plan(self) -> None:
        last, done = self.settings.steps, self.cursor.step
        if done >= last:
            return
        measured = self.dry_run()
        count = sum(parameter.numel() for parameter in self.state.parameters.values())
        epochs = last * measured.tokens / self.module.epoch_tokens
        start = f"from step {done:,}" if done else "from the beginning"
        plan = {
            "model": f"{count:,} parameters",
            **self.module.facts,
            "steps": f"{last:,} of about {measured.tokens:,.0f} target tokens: "
            f"{epochs:.1f} epochs; {start}",
            "time": f"{events.format_duration((last - done) * measured.seconds)} plus validations, "
            f"at {measured.seconds:.2f} s per step",
            "memory": f"{measured.memory / 1e9:.2f} GB" if measured.memory else "unknown",
            "precision": f"{self.performance.precision} on {self.world.device.type}, "
            f"{self.world.size} × {torch.get_num_threads()} threads",
        }
        self._emit(events.TrainingStarted(done, last, self.module.epoch_tokens, plan))

    def _emit(self, event: events.Event) -> None:
        for logger in self.loggers:
            logger(event)


def accepts(accepted: AcceptChanges, name: str) -> bool:
    """Whether a fact of this name may change: all, none, or those of these names and below."""
    if name in FIXED:
        return False
    if isinstance(accepted, bool):
        return accepted
    return any(name == prefix or name.startswith(f"{prefix}.") for prefix in accepted)


def cannot_resume(path: Path, changed: Mapping[str, str]) -> ArtifactError:
    """Return the error of a run whose environment has changed since its checkpoint."""
    if not FIXED.isdisjoint(changed):
        return ArtifactError(
            f"{path}: the run cannot resume: {'; '.join(changed.values())}. Restore the original "
            "data and settings, or choose another --out."
        )
    threads = " (--threads sets them)" if "threads" in changed else ""
    return ArtifactError(
        f"{path}: the run cannot resume unchanged: {'; '.join(changed.values())}. Restore the "
        f"original values{threads}, pass --accept-changes to resume anyway, or choose another "
        "--out."
    )


def _batch_seed(seed: int, step: int, index: int) -> int:
    """Return the random seed of one batch: 32 bits, the limit of torch's CPU generator."""
    name = f"{seed} {step} {index}".encode()
    return int.from_bytes(hashlib.sha256(name).digest()[:4])
