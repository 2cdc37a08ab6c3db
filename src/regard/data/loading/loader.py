"""From shards to the steps of a training run, for any rank of any world."""

from __future__ import annotations

import hashlib
import json
import queue
import threading
from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar

from regard.batch import Batch
from regard.data.loading.batch_plan import ShardVisit, arrange
from regard.data.loading.cursor import Cursor, plan_steps, rank_batches
from regard.data.loading.shard_pool import BatchOrder, ShardPool, SubwordSampling
from regard.data.loading.shards import Shard, shards_fingerprint
from regard.errors import ArtifactError, ConfigError

B_co = TypeVar("B_co", covariant=True)
_AHEAD = 2  # steps that the thread prepares in advance: one being read, one ready


@dataclass(frozen=True, slots=True)
class MicroBatch(Generic[B_co]):
    """A batch with its place in the step, from which (never from the rank) dropout takes its seed.

    Where the step has fewer batches than ranks, the ranks left over read the first again, with
    `counts` false: its loss weighs nothing, but all ranks go through the same number of passes.
    """

    index: int
    batch: B_co
    counts: bool


@dataclass(frozen=True, slots=True)
class TrainingStep(Generic[B_co]):
    """One rank's part of a step of the optimiser."""

    micro_batches: tuple[MicroBatch[B_co], ...]
    target_tokens: int  # that all ranks predict together: what the summed loss is divided by
    after: Cursor


class Loader:
    """The steps of one rank, from any place on."""

    def __init__(
        self,
        shards: Sequence[Shard],
        order: BatchOrder,
        *,
        weights: dict[str, float] | None = None,  # how often an epoch reads a corpus; else once
        rank: int = 0,
        world: int = 1,
        sampling: SubwordSampling | None = None,
    ) -> None:
        self.shards, self.order = tuple(shards), order
        self.rank, self.world, self.sampling = rank, world, sampling
        self.weights = [(weights or {}).get(shard.corpus, 1.0) for shard in self.shards]
        if unknown := set(weights or {}) - {shard.corpus for shard in self.shards}:
            raise ConfigError(f"weights: there is no corpus {', '.join(sorted(unknown))}")
        if not any(s.pairs * w for s, w in zip(self.shards, self.weights, strict=True)):
            raise ConfigError("the corpora hold no pairs, or none with a weight above zero")

    @cached_property
    def fingerprint(self) -> str:
        """Of the data and of what orders it: a place means the same only under the same one."""
        facts: list[object] = [shards_fingerprint(self.shards), asdict(self.order), self.weights]
        if self.sampling is not None:
            facts += [self.sampling.tokenizer.fingerprint, self.sampling.alpha]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    def state(self, cursor: Cursor) -> dict[str, int | str]:
        """The place as plain facts, for a checkpoint."""
        return {**asdict(cursor), "data": self.fingerprint}

    def cursor(self, state: dict[str, Any]) -> Cursor:
        """The place that `state` told of; refused where the data or their order have changed."""
        if state["data"] != self.fingerprint:
            raise ArtifactError(
                "the data, their weights, the seed or the token budget are not those of the "
                "checkpoint: restore them, or begin a new run from its weights"
            )
        return Cursor(*(state[name] for name in ("epoch", "pool", "batch", "step")))

    def steps(self, cursor: Cursor = Cursor()) -> Generator[TrainingStep[Batch], None, None]:  # noqa: B008 — a frozen value
        """Steps without end, from `place` on; one thread keeps a little ahead of the reader."""
        return _ahead(self._steps(cursor))

    def _steps(self, place: Cursor) -> Generator[TrainingStep[Batch], None, None]:
        def open_pool(epoch: int, number: int) -> ShardPool:
            visits = self._pools(epoch)[number]
            return ShardPool(self.shards, visits, self.order, epoch, number, self.sampling)

        def count_pools(epoch: int) -> int:
            return len(self._pools(epoch))

        for turn in plan_steps(place, self.order.micro_batches, count_pools, open_pool):
            micros = []
            for i in rank_batches(self.rank, self.world, len(turn.batches)):
                counts = i < len(turn.batches)
                pool, batch = turn.batches[i if counts else 0]
                micros.append(MicroBatch(i, pool.read(batch), counts))
            predicted = sum(pool.predicted(batch) for pool, batch in turn.batches)
            yield TrainingStep(tuple(micros), predicted, turn.after)

    @lru_cache(maxsize=1)  # noqa: B019 — an epoch's pools are asked for once by each pool
    def _pools(self, epoch: int) -> list[tuple[ShardVisit, ...]]:
        counts = [shard.pairs for shard in self.shards]
        return arrange(self.order.seed, epoch, counts, self.weights, self.order.pool_pairs)


def _ahead(steps: Iterator[TrainingStep[Batch]]) -> Generator[TrainingStep[Batch], None, None]:
    """The same steps, made by a thread that keeps a little ahead of the reader."""
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
        while not ready.empty():  # the thread may wait for room, and then sees that it is over
            ready.get()
        thread.join()
