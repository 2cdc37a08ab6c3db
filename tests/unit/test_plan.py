"""Law 9, order: the stream of batches is a function of seed and epoch alone.

10,000 cases each take a made-up corpus through the whole of it: pools, batches, steps, ranks.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.data.loading.batch_plan import BatchCuts, arrange, cut_pool
from regard.data.loading.cursor import Cursor, StepPlan, plan_steps, rank_batches


class Corpus:
    """Shards of made-up lengths, and the stream of their pairs' names."""

    def __init__(self, seed: int, counts: list[int], budget: int, micro_batches: int) -> None:
        draw = np.random.Generator(np.random.Philox(key=seed))
        self.lengths = [draw.integers(1, 20, (count, 2)) for count in counts]
        self.seed, self.counts, self.budget = seed, counts, budget
        self.micro_batches = micro_batches
        self.pool_pairs = 1 + seed % 9

    @cache  # noqa: B019 — a corpus lives for one case
    def pools(self, epoch: int) -> list[list[int]]:
        weights = [1.0] * len(self.counts)
        arranged = arrange(self.seed, epoch, self.counts, weights, self.pool_pairs)
        return [[visit.shard for visit in pool] for pool in arranged]

    def open(self, epoch: int, number: int) -> Named:
        shards = self.pools(epoch)[number]
        widths = np.concatenate([self.lengths[shard] for shard in shards])
        names = [(shard, row) for shard in shards for row in range(self.counts[shard])]
        shares = np.ones(len(widths))
        batches = cut_pool(self.seed, epoch, number, widths, shares, self.budget)
        return Named(batches, names, widths)

    def turns(self, place: Cursor) -> Iterator[StepPlan[Named]]:
        return plan_steps(
            place, self.micro_batches, lambda epoch: len(self.pools(epoch)), self.open
        )


class Named:
    """The batches of a pool, as the names of their pairs."""

    def __init__(
        self, batches: BatchCuts, names: list[tuple[int, int]], widths: np.ndarray
    ) -> None:
        self.batches, self.names, self.widths = batches, names, widths

    def __len__(self) -> int:
        return len(self.batches)

    def pairs(self, batch: int) -> tuple[tuple[int, int], ...]:
        return tuple(self.names[row] for row in self.batches.rows(batch))


def _pairs(turn: StepPlan[Named]) -> list[tuple[tuple[int, int], ...]]:
    return [pool.pairs(batch) for pool, batch in turn.batches]


@settings(max_examples=10_000, deadline=None)
@given(
    seed=st.integers(0, 2**63),
    counts=st.lists(st.integers(0, 6), min_size=1, max_size=3).filter(any),
    budget=st.integers(1, 60),
    micro_batches=st.integers(1, 5),
    world=st.integers(1, 4),
    stop=st.integers(0, 5),
)
def test_each_epoch_is_a_permutation_and_any_ranks_go_on_from_any_step(
    seed: int, counts: list[int], budget: int, micro_batches: int, world: int, stop: int
) -> None:
    corpus = Corpus(seed, counts, budget, micro_batches)
    whole = []
    for turn in corpus.turns(Cursor()):
        whole.append(turn)
        if turn.after.epoch and len(whole) > stop:
            break
    everything = sorted((s, row) for s, count in enumerate(counts) for row in range(count))
    first = [pair for turn in whole for batch in _pairs(turn) for pair in batch]
    assert sorted(first[: len(everything)]) == everything

    for turn in whole:
        for pool, batch in turn.batches:
            widths = pool.widths[pool.batches.rows(batch)]
            assert len(widths) == 1 or len(widths) * widths.max() <= budget

    place = whole[stop % len(whole)].after
    tail = whole[stop % len(whole) + 1 :]
    for expected, turn in zip(tail, corpus.turns(place), strict=False):
        assert turn.after == expected.after
        said = _pairs(turn)
        ranks = [rank_batches(rank, world, len(said)) for rank in range(world)]
        assert len({len(places) for places in ranks}) == 1  # all make as many passes
        taken = sorted(place for places in ranks for place in places)
        assert taken[: len(said)] == list(range(len(said)))
        assert said == _pairs(expected)


def test_epochs_and_seeds_differ_in_order_and_in_batches() -> None:
    widths = np.random.default_rng(0).integers(5, 30, (2_000, 2))
    shares = np.ones(2_000)

    def batches(seed: int, epoch: int) -> list[frozenset[int]]:
        plan = cut_pool(seed, epoch, 0, widths, shares, 400)
        return [frozenset(plan.rows(i).tolist()) for i in range(len(plan))]

    first = batches(1, 0)
    assert first == batches(1, 0)
    for other in (batches(1, 1), batches(2, 0)):
        assert len(set(first) & set(other)) < len(first) / 10


def test_the_plan_stays_as_it_is_from_version_to_version() -> None:
    """Checkpoints hold places in this order: a change of it must be meant."""
    widths = np.arange(24).reshape(12, 2) % 7 + 1
    plan = cut_pool(7, 3, 2, widths, np.ones(12), 20)
    assert plan.order.tolist() == PINNED_ORDER
    assert plan.edges.tolist() == PINNED_EDGES


PINNED_ORDER = [8, 5, 7, 4, 0, 11, 1, 6, 2, 9, 3, 10]
PINNED_EDGES = [0, 2, 7, 9, 10, 12]


@pytest.mark.parametrize(
    ("weight", "low", "high"), [(0.25, 200, 300), (1.0, 1000, 1000), (2.5, 2400, 2600)]
)
def test_a_weight_says_how_often_an_epoch_reads_a_corpus(
    weight: float, low: int, high: int
) -> None:
    counts = [100] * 10
    rng = np.random.default_rng(1)
    lengths = [rng.integers(3, 40, (100, 2)) for _ in counts]
    read = 0
    for number, pool in enumerate(arrange(5, 0, counts, [weight] * 10, 300)):
        widths = np.concatenate([lengths[visit.shard] for visit in pool])
        shares = np.repeat([visit.fraction for visit in pool], 100)
        read += len(cut_pool(5, 0, number, widths, shares, 300).order)
    assert low <= read <= high


def test_a_pool_is_a_bounded_part_of_the_corpus() -> None:
    pools = arrange(1, 0, [100] * 50, [1.0] * 50, 450)
    assert [len(pool) for pool in pools] == [5] * 10
    assert sorted(visit.shard for pool in pools for visit in pool) == list(range(50))


def test_the_stream_of_two_ranks_is_that_of_one_through_a_change_of_world() -> None:
    corpus = Corpus(3, [40, 30, 20], budget=60, micro_batches=4)
    expected = [_pairs(turn) for turn in islice(corpus.turns(Cursor()), 40)]
    place, said = Cursor(), []
    for world, steps in ((2, 13), (4, 9), (3, 18)):
        for turn in islice(corpus.turns(place), steps):
            places = sorted(i for rank in range(world) for i in rank_batches(rank, world, 4))
            said.append([_pairs(turn)[i] for i in places if i < len(turn.batches)])
            place = turn.after
    assert said == expected
