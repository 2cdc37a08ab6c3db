"""Invariant 9, order: the stream of batches depends on seed and epoch only.

10,000 cases with random corpora check pools, batches, steps and ranks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from itertools import islice

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from regard.data.loading.loader import Cursor, StepPlan, plan_steps, rank_batches
from regard.data.loading.shard_pool import BatchCuts, plan_batches, plan_pools

EXAMPLES = int(os.environ.get("REGARD_TEST_EXAMPLES", "10_000"))


class Corpus:
    """Shards of random lengths, and the stream of their pairs as (shard, row)."""

    def __init__(
        self, seed: int, counts: list[int], budget: int, micro_batches: int, mixed: bool = False
    ) -> None:
        draw = np.random.Generator(np.random.Philox(key=seed))
        self.lengths = [draw.integers(1, 20, (count, 2)) for count in counts]
        self.seed, self.counts, self.budget = seed, counts, budget
        self.micro_batches, self.mixed = micro_batches, mixed
        self.pool_pairs = 1 + seed % 9

    @cache  # noqa: B019 — a corpus lives for one case
    def pools(self, epoch: int) -> list[list[int]]:
        weights = [1.0] * len(self.counts)
        arranged = plan_pools(self.seed, epoch, self.counts, weights, self.pool_pairs)
        return [[visit.shard for visit in pool] for pool in arranged]

    def open(self, epoch: int, number: int) -> Pool:
        shards = self.pools(epoch)[number]
        widths = np.concatenate([self.lengths[shard] for shard in shards])
        names = [(shard, row) for shard in shards for row in range(self.counts[shard])]
        shares = np.ones(len(widths))
        corpora = np.array([s % 2 for s, _ in names], np.int64) if self.mixed else None
        batches = plan_batches(self.seed, epoch, number, widths, shares, self.budget, corpora)
        return Pool(batches, names, widths)

    def steps(self, cursor: Cursor) -> Iterator[StepPlan[Pool]]:
        return plan_steps(
            cursor, self.micro_batches, lambda epoch: len(self.pools(epoch)), self.open
        )


class Pool:
    """The batches of a pool, as (shard, row) of their pairs."""

    def __init__(
        self, batches: BatchCuts, names: list[tuple[int, int]], widths: np.ndarray
    ) -> None:
        self.batches, self.names, self.widths = batches, names, widths

    def __len__(self) -> int:
        return len(self.batches)

    def pairs(self, batch: int) -> tuple[tuple[int, int], ...]:
        return tuple(self.names[row] for row in self.batches.rows(batch))


def _pairs(step: StepPlan[Pool]) -> list[tuple[tuple[int, int], ...]]:
    return [pool.pairs(batch) for pool, batch in step.batches]


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    seed=st.integers(0, 2**63),
    counts=st.lists(st.integers(0, 6), min_size=1, max_size=3).filter(any),
    budget=st.integers(1, 60),
    micro_batches=st.integers(1, 5),
    world=st.integers(1, 4),
    stop=st.integers(0, 5),
    mixed=st.booleans(),
)
def test_an_epoch_is_a_permutation_and_resumes_from_any_step_on_any_ranks(
    seed: int,
    counts: list[int],
    budget: int,
    micro_batches: int,
    world: int,
    stop: int,
    mixed: bool,
) -> None:
    corpus = Corpus(seed, counts, budget, micro_batches, mixed)
    steps = []
    for step in corpus.steps(Cursor()):
        steps.append(step)
        if step.next_cursor.epoch and len(steps) > stop:
            break
    all_pairs = sorted((s, row) for s, count in enumerate(counts) for row in range(count))
    read = [pair for step in steps for batch in _pairs(step) for pair in batch]
    assert sorted(read[: len(all_pairs)]) == all_pairs

    for step in steps:
        for pool, batch in step.batches:
            widths = pool.widths[pool.batches.rows(batch)]
            assert len(widths) == 1 or len(widths) * widths.max() <= budget

    cursor = steps[stop % len(steps)].next_cursor
    tail = steps[stop % len(steps) + 1 :]
    for expected, step in zip(tail, corpus.steps(cursor), strict=False):
        assert step.next_cursor == expected.next_cursor
        batches = _pairs(step)
        ranks = [rank_batches(rank, world, len(batches)) for rank in range(world)]
        assert len({len(indices) for indices in ranks}) == 1  # equal numbers of passes
        assigned = sorted(index for indices in ranks for index in indices)
        assert assigned[: len(batches)] == list(range(len(batches)))
        assert batches == _pairs(expected)


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 2**63),
    counts=st.lists(st.integers(200, 2_000), min_size=2, max_size=4),
    longest=st.lists(st.integers(6, 60), min_size=4, max_size=4),
)
@example(seed=0, counts=[938, 200, 266, 685], longest=[38, 23, 17, 60])  # 0.596 of the budget
def test_mixed_steps_have_the_corpora_in_proportion_to_their_tokens(
    seed: int, counts: list[int], longest: list[int]
) -> None:
    draw = np.random.default_rng(seed)
    widths = np.concatenate(
        [draw.integers(3, most, (count, 2)) for count, most in zip(counts, longest, strict=False)]
    )
    corpora, budget = np.repeat(np.arange(len(counts)), counts), 600
    plan = plan_batches(seed, 0, 0, widths, np.ones(len(widths)), budget, corpora)
    rows = [plan.rows(batch) for batch in range(len(plan))]
    assert all(len(set(corpora[batch])) == 1 for batch in rows)
    tokens = np.array(
        [
            [widths[batch].max(1)[corpora[batch] == corpus].sum() for corpus in range(len(counts))]
            for batch in rows
        ]
    )
    share = tokens.sum(0) / tokens.sum()
    steps = tokens[: len(rows) // len(counts) * len(counts)].reshape(-1, len(counts), len(counts))
    steps = steps.sum(1)
    assert steps.sum(1).mean() > 0.55 * budget  # padding, and pairs that no longer fit
    # every four steps in a row, since batches of long pairs are coarse
    parts = steps[: len(steps) // 4 * 4].reshape(-1, 4, len(counts)).sum(1)
    assert (abs(parts / parts.sum(1, keepdims=True) - share) < 0.3).all()
    assert (steps > 0).mean() > 0.9


def test_epochs_and_seeds_have_different_batches() -> None:
    widths = np.random.default_rng(0).integers(5, 30, (2_000, 2))
    shares = np.ones(2_000)

    def batches(seed: int, epoch: int) -> list[frozenset[int]]:
        plan = plan_batches(seed, epoch, 0, widths, shares, 400)
        return [frozenset(plan.rows(i).tolist()) for i in range(len(plan))]

    first = batches(1, 0)
    assert first == batches(1, 0)
    for other in (batches(1, 1), batches(2, 0)):
        assert len(set(first) & set(other)) < len(first) / 10


def test_the_plan_is_stable_across_versions() -> None:
    """Checkpoints contain cursors into this order, so it must not change by accident."""
    widths = np.arange(24).reshape(12, 2) % 7 + 1
    plan = plan_batches(7, 3, 2, widths, np.ones(12), 20)
    assert plan.order.tolist() == PINNED_ORDER
    assert plan.edges.tolist() == PINNED_EDGES


PINNED_ORDER = [8, 5, 7, 4, 0, 11, 1, 6, 2, 9, 3, 10]
PINNED_EDGES = [0, 2, 7, 9, 10, 12]


@pytest.mark.parametrize(
    ("weight", "low", "high"), [(0.25, 200, 300), (1.0, 1000, 1000), (2.5, 2400, 2600)]
)
def test_an_epoch_reads_a_corpus_as_often_as_its_weight(weight: float, low: int, high: int) -> None:
    counts = [100] * 10
    rng = np.random.default_rng(1)
    lengths = [rng.integers(3, 40, (100, 2)) for _ in counts]
    read = 0
    for number, pool in enumerate(plan_pools(5, 0, counts, [weight] * 10, 300)):
        widths = np.concatenate([lengths[visit.shard] for visit in pool])
        shares = np.repeat([visit.fraction for visit in pool], 100)
        read += len(plan_batches(5, 0, number, widths, shares, 300).order)
    assert low <= read <= high


def test_the_size_of_a_pool_is_bounded() -> None:
    assert [len(pool) for pool in plan_pools(1, 0, [1] * 50, [1.0] * 50, 5)] == [5] * 10
    pools = plan_pools(1, 0, [100] * 50, [1.0] * 50, 450)
    assert [len(pool) for pool in pools] == [5] * 10
    assert sorted(visit.shard for pool in pools for visit in pool) == list(range(50))


def test_the_stream_is_the_same_when_the_number_of_ranks_changes() -> None:
    corpus = Corpus(3, [40, 30, 20], budget=60, micro_batches=4)
    expected = [_pairs(step) for step in islice(corpus.steps(Cursor()), 40)]
    cursor, read = Cursor(), []
    for world, count in ((2, 13), (4, 9), (3, 18)):
        for step in islice(corpus.steps(cursor), count):
            indices = sorted(i for rank in range(world) for i in rank_batches(rank, world, 4))
            read.append([_pairs(step)[i] for i in indices if i < len(step.batches)])
            cursor = step.next_cursor
    assert read == expected
