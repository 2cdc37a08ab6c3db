"""The loop: read, compare, step; look now and then how good the model is; survive anything.

What a run does next is a function of its state alone, and the state lies in its last checkpoint:
chance is drawn anew for every batch, from the seed, the step and the batch's place in it. So the
same command goes on after any death as if there had been none, on any number of processes.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from regard.data.loading.cursor import Cursor
from regard.data.loading.loader import TrainingStep
from regard.errors import ArtifactError, ConfigError, TrainingError
from regard.train import checkpoint, events
from regard.train.distributed import Parallel, World, full_tensor, is_sharded, release
from regard.train.dry_run import DryRun, measure_steps
from regard.train.events import EventHandler, Scores, StepCompleted
from regard.train.interrupt import interruptible
from regard.train.module import TrainingModule
from regard.train.optim import Adam, Schedule
from regard.train.performance import Performance
from regard.train.train_state import Buffers, TrainState, copy_into

_MEMORY = 0.98  # of the moving average of the loss: some fifty steps
_SETTLED = 100  # steps until the average means something
_RISE = 1.0  # nats per token above its lowest: an average that has risen so far does not come back
_MAX_ROLLBACKS = 5  # rates have then been halved to 1/32: it is not the rate
_KEPT = 2  # checkpoints: the newest, and one before it should it be damaged or already wrong


@dataclass(frozen=True, slots=True)
class TrainerSettings:
    """How a run is trained, whatever is trained."""

    steps: int
    optimizer: Adam
    schedule: Schedule
    metric: str  # of the validation's values, the one that decides
    higher_is_better: bool = True  # whether more of it is better
    seed: int = 1
    clip: float = 1.0  # the largest norm of a gradient
    ema: float = 0.0  # the decay of a moving average of the weights, which then is the model
    average: int = 1  # how many of the last validated weights are averaged at the end
    validate_every: int = 500
    patience: int | None = None  # validations without improvement until it stops
    save_every: int = 500
    parallel: Parallel = "ddp"
    performance: Performance = field(default_factory=Performance)


@dataclass(frozen=True, slots=True)
class TrainingOutcome:
    """How a run ended; the task's model then has its best weights."""

    step: int
    reason: str
    complete: bool  # else it was interrupted, and can go on
    best_step: int
    scores: Scores | None


class Diverged(Exception):  # noqa: N818 — a turn of the loop, not an error that leaves it
    def __init__(self, step: int, why: str) -> None:
        super().__init__(why)
        self.step, self.why = step, why


class Trainer:
    def __init__(
        self,
        module: TrainingModule[Any],
        settings: TrainerSettings,
        directory: Path,
        world: World = World(),  # noqa: B008 — a frozen value
        loggers: Sequence[EventHandler] = (),
        environment: Mapping[str, Any] | None = None,  # what else a checkpoint belongs to
        accept_changes: bool = False,
    ) -> None:
        self.module, self.settings, self.world = module, settings, world
        self.observers = loggers if world.is_main else ()
        self.checkpoints, self.weights = directory / "checkpoints", directory / "weights"
        self.speed = settings.performance.resolve(world.device)
        self.speed.tune_allocator()
        self.speed.apply(module)
        module.to(world.device)
        self.stream = module.stream(world.rank, world.size)
        self.lesson = world.wrap(module, module.model, settings.parallel)
        self.state = TrainState(module, settings.optimizer, settings.ema)
        self.place = Cursor()
        self.accept_changes = accept_changes
        self.environment = {
            "threads": torch.get_num_threads(),
            "device": world.device.type,
            "precision": self.speed.precision,
            "torch": torch.__version__,
            **(environment or {}),
        }
        self._returned: set[int] = set()

    def run(self) -> TrainingOutcome:
        self._resume()
        self._emit_plan()
        with interruptible() as interrupted:
            while True:
                try:
                    why, complete = self._run(interrupted)
                    break
                except Diverged as wrong:
                    self._roll_back(wrong)
        return self._end(why, complete)

    def dry_run(self) -> DryRun:
        """What a step takes; it moves nothing."""
        buffers = Buffers(self.module)
        self.module.train()
        trial = measure_steps(self.stream.steps(self.place), self._backward, self.world.device)
        self.state.optimizer.zero_grad(set_to_none=True)
        buffers.restore()
        return trial

    # the loop

    def _run(self, interrupted: list[bool]) -> tuple[str, bool]:
        """Steps until the run is over or interrupted: why, and whether it is complete."""
        settings = self.settings
        if (why := self._over()) is not None:
            return why, True
        steps = self.stream.steps(self.place)
        clock = time.perf_counter()
        try:
            for step in steps:
                waited = time.perf_counter() - clock
                stepped, stop = self._train_step(step, bool(interrupted))
                self.place, number = step.after, step.after.step
                self._emit(replace(stepped, seconds=time.perf_counter() - clock, waited=waited))
                validates = number % settings.validate_every == 0 or number == settings.steps
                if validates:
                    self._validate()
                if validates or stop or number % settings.save_every == 0:
                    self._save()
                if (why := self._over()) is not None:
                    return why, True
                if stop:
                    return "interrupted; the same command goes on from here", False
                clock = time.perf_counter()
        finally:
            steps.close()
        raise TrainingError("the data came to an end: a stream of steps must not")

    def _over(self) -> str | None:
        settings, stale = self.settings, self.state.progress.stale
        if self.place.step >= settings.steps:
            return f"all {settings.steps:,} steps were made"
        if settings.patience is not None and stale >= settings.patience:
            return f"no better {settings.metric} in {stale} validations"
        return None

    def _train_step(self, step: TrainingStep[Any], interrupted: bool) -> tuple[StepCompleted, bool]:
        """One step of the optimiser; and whether any process was asked to stop."""
        settings, state, number = self.settings, self.state, step.after.step
        self.module.train()
        sums = self._backward(step)
        norm = full_tensor(nn.utils.clip_grad_norm_(state.parameters.values(), settings.clip))
        asked = norm.new_tensor(float(interrupted)).double()
        told = self.world.total(torch.stack([*sums.values(), asked]))
        *values, stop = told.tolist()
        parts = {k: v / step.target_tokens for k, v in zip(sums, values, strict=True)}
        loss, size = parts.pop("loss"), float(norm)
        self._check_divergence(number, parts.get("nll", loss), size)

        share = settings.schedule.factor(number, settings.steps)
        rate = settings.optimizer.rate * share * state.progress.lr_scale
        for group in state.optimizer.param_groups:
            group["lr"] = rate
        state.optimizer.step()
        state.update_ema(number)
        epoch, tokens = self.place.epoch, step.target_tokens
        return StepCompleted(number, epoch, loss, parts, rate, size, tokens, 0.0, 0.0), stop > 0

    def _backward(self, step: TrainingStep[Any]) -> dict[str, Tensor]:
        """Gradients of the step's loss per token, and the sums that this process found."""
        world, buffers = self.world, Buffers(self.module)
        self.state.optimizer.zero_grad(set_to_none=True)
        sums: dict[str, Tensor] = {}
        for micro in step.micro_batches:
            buffers.restore()
            torch.manual_seed(_seed(self.settings.seed, step.after.step, micro.index))
            last = micro is step.micro_batches[-1]
            with nullcontext() if last else is_sharded(self.lesson):
                with self.speed.autocast(world.device):
                    loss = self.lesson(micro.batch.to(world.device))
                # processes take the mean of their gradients, and are to have the sum
                weight = world.size / step.target_tokens if micro.counts else 0.0
                (loss.total * weight).backward()
            if micro.counts:
                buffers.record()
            for name, term in {"loss": loss.total.detach(), **loss.parts}.items():
                counted = term.double() if micro.counts else torch.zeros_like(term).double()
                sums[name] = sums[name] + counted if name in sums else counted
        buffers.reduce(world)
        return sums

    def _check_divergence(self, number: int, loss: float, norm: float) -> None:
        """Say what is wrong with a step before it moves anything."""
        progress = self.state.progress
        if not math.isfinite(loss) or not math.isfinite(norm):
            raise Diverged(number, f"the loss is {loss} and its gradient's norm {norm}")
        old = loss if progress.mean is None else progress.mean
        mean = _MEMORY * old + (1 - _MEMORY) * loss
        lowest = mean if progress.lowest is None else progress.lowest
        if number > _SETTLED and mean > lowest + _RISE:
            raise Diverged(number, f"the loss has risen from {lowest:.2f} to {mean:.2f}")
        progress.mean, progress.lowest = mean, min(lowest, mean)

    def _roll_back(self, wrong: Diverged) -> None:
        """Go on from the last checkpoint, with half the rate; where that was no help, from the one
        before it."""
        rollbacks, lr_scale = self.state.progress.rollbacks + 1, self.state.progress.lr_scale / 2
        if rollbacks > _MAX_ROLLBACKS:
            raise TrainingError(
                f"step {wrong.step}: {wrong.why}, and going back with a smaller rate has not "
                f"helped {_MAX_ROLLBACKS} times; lower train.optimizer.rate or raise "
                "train.schedule.warmup, and look at the data with `regard doctor`"
            )
        newest, *older = checkpoint.checkpoint_steps(self.checkpoints)
        self.world.wait()  # all have looked
        if newest in self._returned and older:
            checkpoint.keep_checkpoints(self.world, self.checkpoints, set(older))
            newest = older[0]
        self._returned.add(newest)
        self._load(newest)
        self.state.progress.rollbacks, self.state.progress.lr_scale = rollbacks, lr_scale
        self._emit(events.RolledBack(newest, wrong.step, wrong.why, lr_scale))

    # how good it is

    def _validate(self) -> None:
        settings, progress, number = self.settings, self.state.progress, self.place.step
        clock = time.perf_counter()
        with self.state.averaged():
            scores = self._scores()
            facts = {"scores": scores.values, "signatures": scores.signatures}
            checkpoint.save_checkpoint(
                self.world, self.weights, number, self.state.weights(), facts
            )
        value = scores.values[settings.metric]
        improved = progress.best is None or self._better(value, progress.best)
        if improved:
            progress.best, progress.best_step, progress.stale = value, number, 0
        else:
            progress.stale += 1
        progress.validated = [*progress.validated, number][-settings.average :]
        left = None if settings.patience is None else settings.patience - progress.stale
        seconds = time.perf_counter() - clock
        epoch, metric = self.place.epoch, settings.metric
        self._emit(
            events.ValidationCompleted(number, epoch, scores, metric, improved, left, seconds)
        )

    def _scores(self) -> Scores:
        metric = self.settings.metric
        self.module.eval()
        with torch.no_grad():
            scores = self.module.validate()
        release(self.module.model)
        if metric not in scores.values:
            known = ", ".join(scores.values)
            raise ConfigError(f"train.metric: a validation finds {known}, and no {metric}")
        # processes may round differently, and must decide alike
        return replace(
            scores, values={**scores.values, metric: self.world.broadcast(scores.values[metric])}
        )

    def _better(self, value: float, best: float) -> bool:
        return value > best if self.settings.higher_is_better else value < best

    def _end(self, why: str, complete: bool) -> TrainingOutcome:
        """Leave the best weights in the model."""
        progress, scores = self.state.progress, None
        if complete and progress.best is not None:
            scores = self._average(self._best(progress.best_step))
        outcome = TrainingOutcome(self.place.step, why, complete, progress.best_step, scores)
        self._emit(events.TrainingEnded(outcome.step, why, outcome.best_step, scores))
        return outcome

    def _best(self, step: int) -> Scores:
        path = checkpoint.checkpoint_folder(self.weights, step)
        facts = checkpoint.load_checkpoint(self.world, path, self.state.weights())
        return Scores(facts["scores"], facts["signatures"])

    def _average(self, best: Scores) -> Scores:
        """The mean of the last validated weights, where it is better than the best of them."""
        steps = self.state.progress.validated
        if len(steps) < 2:
            return best
        kept = {name: weight.clone() for name, weight in self.state.weights().items()}
        mean = {name: torch.zeros_like(weight) for name, weight in kept.items()}
        for step in steps:
            self._best(step)
            for name, weight in self.state.weights().items():
                mean[name] += weight / len(steps)
        copy_into(self.state.weights(), mean)
        scores, metric = self._scores(), self.settings.metric
        if self._better(scores.values[metric], best.values[metric]):
            return scores
        copy_into(self.state.weights(), kept)
        return best

    # what is kept

    def _save(self) -> None:
        clock, number = time.perf_counter(), self.place.step
        self.state.progress.cursor = self.stream.state(self.place)
        path = self.state.save(self.world, self.checkpoints, number, self.environment)
        self._tidy()
        self._emit(events.CheckpointSaved(number, str(path), time.perf_counter() - clock))

    def _tidy(self) -> None:
        """Keep the last checkpoints, and the weights that they speak of."""
        kept = checkpoint.checkpoint_steps(self.checkpoints)[:_KEPT]
        self.world.wait()  # all have looked
        checkpoint.keep_checkpoints(self.world, self.checkpoints, set(kept))
        wanted = set[int]()
        for step in kept:  # whichever of them the run goes on from must find its weights
            facts = checkpoint.inspect_checkpoint(
                checkpoint.checkpoint_folder(self.checkpoints, step)
            )["progress"]
            wanted |= {facts["best_step"], *facts["validated"]}
        checkpoint.keep_checkpoints(self.world, self.weights, wanted)

    def _resume(self) -> None:
        known = checkpoint.checkpoint_steps(self.checkpoints)
        self.world.wait()  # all have looked
        if not known:
            self._save()
            return
        path = checkpoint.checkpoint_folder(self.checkpoints, known[0])
        then = checkpoint.inspect_checkpoint(path)["environment"]
        changed = [
            f"{name}: {then.get(name)} then, {now} now"
            for name, now in self.environment.items()
            if then.get(name) != now
        ]
        if changed and not self.accept_changes:
            raise ArtifactError(
                f"{path}: the run would not go on as it began ({'; '.join(changed)}); restore what "
                "changed, say --accept-changes to go on all the same, or choose another folder"
            )
        self._load(known[0])
        self._tidy()  # who saved it may have died before this, and before it was told
        self._emit(events.CheckpointSaved(known[0], str(path), 0.0))

    def _load(self, step: int) -> None:
        self.state.load(self.world, checkpoint.checkpoint_folder(self.checkpoints, step))
        self.place = self.stream.cursor(self.state.progress.cursor)

    # what is told

    def _emit_plan(self) -> None:
        """What the run will do, and what that will take, as far as a few steps can say."""
        last, done = self.settings.steps, self.place.step
        if done >= last:
            return
        trial = self.dry_run()
        count = sum(parameter.numel() for parameter in self.state.parameters.values())
        epochs = last * trial.tokens / self.module.epoch_tokens
        begins = f"from step {done:,}" if done else "from the beginning"
        plan = {
            "model": f"{count:,} parameters",
            **self.module.facts,
            "steps": f"{last:,} of {trial.tokens:,.0f} tokens: {epochs:.1f} epochs; {begins}",
            "time": f"{events.format_duration((last - done) * trial.seconds)} and validations, "
            f"at {trial.seconds:.2f} s a step",
            "memory": f"{trial.memory / 1e9:.2f} GB",
            "arithmetic": f"{self.speed.precision} on {self.world.device.type}, "
            f"{self.world.size} × {torch.get_num_threads()} threads",
        }
        self._emit(events.TrainingStarted(done, last, self.module.epoch_tokens, plan))

    def _emit(self, event: events.Event) -> None:
        for observer in self.observers:
            observer(event)


def _seed(seed: int, step: int, place: int) -> int:
    """Of the chance in one batch; 32 bits, which is all that torch's generator on a CPU takes."""
    name = f"{seed} {step} {place}".encode()
    return int.from_bytes(hashlib.sha256(name).digest()[:4])
