"""The training steps of one rank, read from shards."""

from __future__ import annotations

import hashlib
import json
import queue
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence, Sized
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Generic, TypeVar

from regard.batch import Batch
from regard.data.loading.shard_pool import (
    BatchOrder,
    ShardPool,
    ShardVisit,
    SubwordSampling,
    count_targets,
    plan_pools,
)
from regard.data.loading.shards import Shard, shards_fingerprint
from regard.errors import ArtifactError, ConfigError
from regard.text.tagged_tokenizer import joint_fingerprint

# -- the infinite stream of training steps, and the position in it ---------------------------------
# A step takes the next `micro_batches` batches; the last step of an epoch may have fewer. Rank r of
# w reads the batches whose index in the step is r modulo w. A cursor is four integers, equal on all
# ranks: the stream can be resumed from it immediately, on any number of ranks.


P = TypeVar("P", bound=Sized)  # a pool: its length is the number of its batches


@dataclass(frozen=True, slots=True)
class Cursor:
    """Position in the stream: the next batch to read and the number of steps before it."""

    epoch: int = 0
    pool: int = 0
    batch: int = 0
    step: int = 0


@dataclass(frozen=True, slots=True)
class StepPlan(Generic[P]):
    """The batches of one step, as (pool, batch index), and the cursor after the step."""

    batches: tuple[tuple[P, int], ...]
    next_cursor: Cursor


def plan_steps(
    cursor: Cursor,
    micro_batches: int,
    count_pools: Callable[[int], int],
    open_pool: Callable[[int, int], P],
) -> Iterator[StepPlan[P]]:
    """Yield steps forever, starting at `cursor`. `open_pool` takes an epoch and a pool number."""
    epoch, pool_number, batch_number, step = cursor.epoch, cursor.pool, cursor.batch, cursor.step
    while True:
        batches: list[tuple[P, int]] = []
        for pool_number in range(pool_number, count_pools(epoch)):  # noqa: B020 — resumes there
            pool = open_pool(epoch, pool_number)
            for batch in range(batch_number, len(pool)):
                batches.append((pool, batch))
                if len(batches) == micro_batches:
                    step += 1
                    yield StepPlan(tuple(batches), Cursor(epoch, pool_number, batch + 1, step))
                    batches = []
            batch_number = 0
        epoch, pool_number, batch_number = epoch + 1, 0, 0
        if batches:
            step += 1
            yield StepPlan(tuple(batches), Cursor(epoch, 0, 0, step))


def rank_batches(rank: int, world: int, batches: int) -> list[int]:
    """Return the indices of the batches in a step that a rank reads, equally many for each rank.

    Indices from `batches` on are idle: they keep the number of passes equal on all ranks.
    """
    rounds = -(-batches // world)
    return list(range(rank, rounds * world, world))


# -- loader ----------------------------------------------------------------------------------------


B_co = TypeVar("B_co", covariant=True)
_AHEAD = 2  # steps that the thread loads in advance


@dataclass(frozen=True, slots=True)
class MicroBatch(Generic[B_co]):
    """A batch with its index in the step. Dropout is seeded by the index, not by the rank.

    If a step has fewer batches than ranks, the remaining ranks read the first batch again, with
    `counts` False: its loss has weight zero, and all ranks make the same number of passes.
    """

    index: int
    batch: B_co
    counts: bool


@dataclass(frozen=True, slots=True)
class TrainingStep(Generic[B_co]):
    """One rank's part of an optimizer step."""

    micro_batches: tuple[MicroBatch[B_co], ...]
    target_tokens: int  # predicted by all ranks together; the summed loss is divided by it
    next_cursor: Cursor


class Loader:
    """Yields the training steps of one rank, from any cursor on."""

    def __init__(
        self,
        shards: Sequence[Shard],
        order: BatchOrder,
        *,
        weights: dict[str, float] | None = None,  # times an epoch reads a corpus; default 1
        rank: int = 0,
        world: int = 1,
        sampling: SubwordSampling | None = None,
    ) -> None:
        self.shards, self.order = tuple(shards), order
        self.rank, self.world, self.sampling = rank, world, sampling
        self.weights = [(weights or {}).get(shard.corpus, 1.0) for shard in self.shards]
        if unknown := set(weights or {}) - {shard.corpus for shard in self.shards}:
            raise ConfigError(f"weights: there is no corpus {', '.join(sorted(unknown))}.")
        if not any(s.pairs * w for s, w in zip(self.shards, self.weights, strict=True)):
            raise ConfigError("The corpora have no pairs, or none with a weight above zero.")
        for corpus, weight in (weights or {}).items():
            _check_weight(corpus, weight, sum(s.pairs for s in self.shards if s.corpus == corpus))

    @property
    def epoch_tokens(self) -> int:
        """Number of target tokens in an epoch, repetitions by weights included."""
        end = self.order.target.end
        tokens = (shard.tokens[1] + end * shard.pairs for shard in self.shards)
        return round(sum(n * w for n, w in zip(tokens, self.weights, strict=True)))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the data and of everything that determines their order."""
        order = asdict(self.order)
        if not order["mix_corpora"]:
            del order["mix_corpora"]  # unknown to the checkpoints of 0.2.0
        inputs: list[object] = [shards_fingerprint(self.shards), order, self.weights]
        if self.sampling is not None:
            inputs += [joint_fingerprint(*self.sampling.tokenizers), self.sampling.alpha]
        return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()

    def state(self, cursor: Cursor) -> dict[str, int | str]:
        """Return a cursor as plain values, for a checkpoint."""
        return {**asdict(cursor), "data": self.fingerprint}

    def cursor(self, state: Mapping[str, int | str]) -> Cursor:
        """Return the cursor in `state`. Raises ArtifactError if data or order have changed."""
        if state["data"] != self.fingerprint:
            raise ArtifactError(
                "The data, their weights, the seed or the token budget differ from those of the "
                "checkpoint. Restore them, or start a new run from the checkpoint's weights."
            )
        return Cursor(*(int(state[name]) for name in ("epoch", "pool", "batch", "step")))

    def steps(self, cursor: Cursor = Cursor()) -> Generator[TrainingStep[Batch], None, None]:
        """Yield steps forever, starting at `cursor`. A thread loads steps in advance."""
        return _prefetch(self._steps(cursor))

    def _steps(self, cursor: Cursor) -> Generator[TrainingStep[Batch], None, None]:
        def open_pool(epoch: int, number: int) -> ShardPool:
            visits = self._pools(epoch)[number]
            return ShardPool(self.shards, visits, self.order, epoch, number, self.sampling)

        def count_pools(epoch: int) -> int:
            return len(self._pools(epoch))

        corpora = {s.corpus for s, w in zip(self.shards, self.weights, strict=True) if w * s.pairs}
        batches = self.order.micro_batches * (len(corpora) if self.order.mix_corpora else 1)
        for plan in plan_steps(cursor, batches, count_pools, open_pool):
            micro_batches = []
            for i in rank_batches(self.rank, self.world, len(plan.batches)):
                counts = i < len(plan.batches)
                pool, batch = plan.batches[i if counts else 0]
                micro_batches.append(MicroBatch(i, pool.read(batch), counts))
            special = self.order.target
            own = {m.index: count_targets(m.batch.target, special) for m in micro_batches}
            target_tokens = sum(
                own[i] if i in own else pool.target_tokens(batch)
                for i, (pool, batch) in enumerate(plan.batches)
            )
            yield TrainingStep(tuple(micro_batches), target_tokens, plan.next_cursor)

    @lru_cache(maxsize=1)  # noqa: B019 — each pool of an epoch needs the epoch's list of pools
    def _pools(self, epoch: int) -> list[tuple[ShardVisit, ...]]:
        counts = [shard.pairs for shard in self.shards]
        return plan_pools(self.order.seed, epoch, counts, self.weights, self.order.pool_pairs)


def _check_weight(corpus: str, weight: float, pairs: int) -> None:
    """Refuse a weight with which epochs would have no pair of a corpus that has some."""
    if pairs and 0 < weight * pairs < 1:
        raise ConfigError(
            f"data.train, {corpus}: weight {weight:g} of {pairs:,} pairs is less than one pair in "
            f"an epoch. Raise it to at least {1 / pairs:.2g}, or remove the corpus."
        )


def _prefetch(steps: Iterator[TrainingStep[Batch]]) -> Generator[TrainingStep[Batch], None, None]:
    """Yield the steps, which a thread loads in advance."""
    ready: queue.Queue[TrainingStep[Batch] | None] = queue.Queue(_AHEAD)
    failures: list[BaseException] = []
    closed = threading.Event()

    def fill() -> None:
        try:
            for step in steps:
                ready.put(step)
                if closed.is_set():
                    return
        except BaseException as failure:
            failures.append(failure)
            ready.put(None)

    thread = threading.Thread(target=fill, name="loader", daemon=True)
    thread.start()
    try:
        while (step := ready.get()) is not None:
            yield step
        raise failures[0]
    finally:
        closed.set()
        while not ready.empty():  # unblock the thread if it waits for space in the queue
            ready.get()
        thread.join()
