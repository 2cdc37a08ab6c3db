"""Token shards on disk and the batches read from them."""

from __future__ import annotations

import gzip
import random
import time
from itertools import islice, takewhile
from pathlib import Path

import numpy as np
import pytest

from regard.data.loading.loader import Cursor, Loader, TrainingStep
from regard.data.loading.shard_pool import BatchOrder, SpecialTokens, SubwordSampling, plan_batches
from regard.data.loading.shards import PreparedData, Shard
from regard.errors import ArtifactError, ConfigError
from regard.text.tokenizer import BOS, EOS, PAD, SentencePiece

Rows = list[tuple[list[int], list[int]]]


def write_shard(folder: Path, name: str, rows: Rows, corpus: str = "a") -> Shard:
    source = np.array([i for row, _ in rows for i in row], "<u2")
    target = np.array([i for _, row in rows for i in row], "<u2")
    lengths = np.array([(len(a), len(b)) for a, b in rows], "<u2")
    for part, numbers in (("source", source), ("target", target), ("lengths", lengths)):
        (folder / f"{name}.{part}").write_bytes(numbers.tobytes())
    tokens = (len(source), len(target))
    return Shard(str(folder), name, corpus, len(rows), tokens, "uint16", (name, "", ""))


def make_rows(shards: int, pairs: int, seed: int = 0) -> list[Rows]:
    """Make pairs that each contain a unique number, by which they are recognized."""
    draw = np.random.default_rng(seed)
    numbers = iter(range(4, 65_000))
    return [
        [
            ([next(numbers)] * draw.integers(1, 9), [n] * draw.integers(1, 9))
            for n in range(4, 4 + pairs)
        ]
        for _ in range(shards)
    ]


@pytest.fixture
def corpus(tmp_path: Path) -> tuple[list[Shard], list[Rows]]:
    rows = make_rows(shards=5, pairs=60)
    return [write_shard(tmp_path, f"train-{i:05}", shard) for i, shard in enumerate(rows)], rows


ORDER = BatchOrder(seed=3, budget=60, micro_batches=3, pool_pairs=100)


def _content(step: TrainingStep) -> list[tuple[int, bool, list[list[int]], list[list[int]]]]:
    return [
        (
            micro.index,
            micro.counts,
            micro.batch.source.ids.tolist(),
            micro.batch.target.ids.tolist(),
        )
        for micro in step.micro_batches
    ]


def test_a_batch_is_right_padded_with_special_tokens(
    corpus: tuple[list[Shard], list[Rows]],
) -> None:
    shards, rows = corpus
    expected = {pair[0][0]: pair for shard in rows for pair in shard}
    seen = 0
    for step in Loader(shards, ORDER).steps():
        if step.next_cursor.epoch:
            break
        predicted = 0
        for micro in step.micro_batches:
            source, target = micro.batch.source, micro.batch.target
            assert source.lengths is not None and target.lengths is not None
            for i in range(len(source.ids)):
                want_source, want_target = expected[int(source.ids[i, 0])]
                n, m = int(source.lengths[i]), int(target.lengths[i])
                assert source.ids[i, :n].tolist() == [*want_source, EOS]
                assert target.ids[i, :m].tolist() == [BOS, *want_target, EOS]
                assert set(source.ids[i, n:].tolist()) <= {PAD}
                assert set(target.ids[i, m:].tolist()) <= {PAD}
                predicted += m - 1
                seen += 1
            assert max(source.ids.numel(), target.ids.numel()) <= ORDER.budget
        assert step.target_tokens == predicted
    assert seen > 250


@pytest.mark.parametrize(
    "special", [SpecialTokens(False, False), SpecialTokens(True, False), SpecialTokens(True, True)]
)
def test_special_tokens_can_be_chosen(tmp_path: Path, special: SpecialTokens) -> None:
    shard = write_shard(tmp_path, "a", [([7, 8, 9], [5]), ([7], [5, 6, 4])])
    loader = Loader([shard], BatchOrder(seed=0, budget=100, source=special, target=special))
    batch = next(loader.steps()).micro_batches[0].batch
    rows = {
        tuple(row[:n])
        for row, n in zip(batch.source.ids.tolist(), batch.source.lengths.tolist(), strict=True)
    }
    begin, end = [BOS] * special.begin, [EOS] * special.end
    assert rows == {(*begin, 7, 8, 9, *end), (*begin, 7, *end)}


def test_all_ranks_together_read_the_batches_of_one_rank(
    corpus: tuple[list[Shard], list[Rows]],
) -> None:
    shards, _ = corpus
    for world in (2, 3, 4):
        ranks = [Loader(shards, ORDER, rank=rank, world=world).steps() for rank in range(world)]
        for alone in islice(Loader(shards, ORDER).steps(), 25):
            parts = [next(rank) for rank in ranks]
            assert {part.target_tokens for part in parts} == {alone.target_tokens}
            assert {part.next_cursor for part in parts} == {alone.next_cursor}
            assert len({len(part.micro_batches) for part in parts}) == 1
            together = sorted(batch for part in parts for batch in _content(part) if batch[1])
            assert together == _content(alone)


def test_a_stream_resumes_from_its_state_on_another_number_of_ranks(
    corpus: tuple[list[Shard], list[Rows]],
) -> None:
    shards, _ = corpus
    steps = list(islice(Loader(shards, ORDER).steps(), 40))
    state = Loader(shards, ORDER).state(steps[16].next_cursor)
    assert set(state) == {"epoch", "pool", "batch", "step", "data"}
    rank = Loader(shards, ORDER, rank=1, world=2)
    for expected, step in zip(steps[17:], rank.steps(rank.cursor(state)), strict=False):
        assert [batch for batch in _content(step) if batch[1]] == _content(expected)[1::2]


def test_a_state_of_other_data_is_refused(corpus: tuple[list[Shard], list[Rows]]) -> None:
    shards, _ = corpus
    state = Loader(shards, ORDER).state(Cursor(step=5))
    for other in (
        Loader(shards[:4], ORDER),
        Loader(shards, BatchOrder(seed=3, budget=61, micro_batches=3, pool_pairs=100)),
        Loader(shards, ORDER, weights={"a": 2.0}),
    ):
        with pytest.raises(ArtifactError, match="differ from those of the checkpoint"):
            other.cursor(state)


def test_a_corpus_is_read_as_often_as_its_weight(tmp_path: Path) -> None:
    one, two = make_rows(2, 40)
    shards = [write_shard(tmp_path, "one", one, "one"), write_shard(tmp_path, "two", two, "two")]
    counts = {4: 0, 44: 0}  # by the first number of each shard
    for step in Loader(shards, ORDER, weights={"two": 3.0}).steps():
        if step.next_cursor.epoch:
            break
        for micro in step.micro_batches:
            for number in micro.batch.source.ids[:, 0].tolist():
                counts[4 if number < 44 else 44] += 1
    assert counts[44] > 2 * counts[4]
    with pytest.raises(ConfigError, match="no corpus three"):
        Loader(shards, ORDER, weights={"three": 1.0})


DRAWS = random.Random(0)
WORDS = ["".join(DRAWS.choices("abcdefgh", k=DRAWS.randint(3, 8))) for _ in range(60)]
LINES = [" ".join(DRAWS.choices(WORDS, k=DRAWS.randint(3, 12))) for _ in range(200)]


def sampled_loader(folder: Path, rank: int = 0, world: int = 1, **order: int) -> Loader:
    tokenizer = SentencePiece.train(LINES, size=400)
    ids = tokenizer.encode(LINES)
    shard = write_shard(folder, "a", list(zip(ids, ids, strict=True)))
    sampling = SubwordSampling((tokenizer, tokenizer), alpha=0.1, max_length=40)
    settings = BatchOrder(**{"seed": 1, "budget": 400, **order})
    return Loader([shard], settings, sampling=sampling, rank=rank, world=world)


def test_subword_sampling_reads_each_pair_once_per_epoch_and_is_resumable(tmp_path: Path) -> None:
    loader = sampled_loader(tmp_path)
    assert loader.sampling is not None
    tokenizer = loader.sampling.tokenizers[0]
    steps = list(takewhile(lambda step: step.next_cursor.epoch == 0, loader.steps()))
    rows = [
        [i for i in row if i not in (PAD, EOS)]
        for step in steps
        for row in step.micro_batches[0].batch.source.ids.tolist()
    ]
    texts = [tokenizer.decode(row) for row in rows]
    assert sorted(texts) == sorted(LINES)
    different = sum(a != b for a, b in zip(rows, tokenizer.encode(texts), strict=True))
    assert different > 80
    resumed = loader.steps(steps[2].next_cursor)
    assert [_content(step) for step in islice(resumed, 2)] == [
        _content(step) for step in steps[3:5]
    ]


def test_sampled_batches_keep_the_budget_and_are_counted_as_sampled(tmp_path: Path) -> None:
    loaders = [sampled_loader(tmp_path, rank, 2, micro_batches=4) for rank in (0, 1)]
    for steps in islice(zip(*(loader.steps() for loader in loaders), strict=True), 12):
        batches = [m.batch for step in steps for m in step.micro_batches if m.counts]
        for batch in batches:
            assert max(batch.source.ids.numel(), batch.target.ids.numel()) <= 400
            assert batch.target.lengths.max() <= 40 + 2
        predicted = sum(int((batch.target.lengths - 1).sum()) for batch in batches)
        assert [step.target_tokens for step in steps] == [predicted, predicted]


def test_sequences_without_pieces_can_be_sampled(tmp_path: Path) -> None:
    tokenizer = SentencePiece.train(LINES, size=400)
    ids = tokenizer.encode(LINES[:5])
    shard = write_shard(tmp_path, "a", [([], ids[0]), *zip(ids[1:], ids[1:], strict=True)])
    sampling = SubwordSampling((tokenizer, tokenizer), alpha=0.1, max_length=40)
    (step,) = islice(Loader([shard], BatchOrder(1, 4_000), sampling=sampling).steps(), 1)
    source = step.micro_batches[0].batch.source
    assert source.lengths is not None and source.lengths.min() == 1  # EOS
    assert len(source.lengths) == 5


def test_sampled_batches_are_nearly_full(tmp_path: Path) -> None:
    batches = [s.micro_batches[0].batch for s in islice(sampled_loader(tmp_path).steps(), 20)]
    assert np.mean([batch.target.ids.numel() for batch in batches]) > 250


def test_the_tokens_of_an_epoch_follow_the_weights(tmp_path: Path) -> None:
    one, two = make_rows(2, 40)
    shards = [write_shard(tmp_path, "one", one, "one"), write_shard(tmp_path, "two", two, "two")]
    order = BatchOrder(seed=3, budget=60)
    loader = Loader(shards, order, weights={"one": 1.0, "two": 3.0})
    epoch = takewhile(lambda step: step.next_cursor.epoch == 0, loader.steps())
    assert loader.epoch_tokens == shards[0].tokens[1] + 40 + 3 * (shards[1].tokens[1] + 40)
    assert loader.epoch_tokens == sum(step.target_tokens for step in epoch)


def test_an_error_in_the_prefetch_thread_is_raised(tmp_path: Path) -> None:
    shard = write_shard(tmp_path, "a", [([5], [6])])
    (tmp_path / "a.source").write_bytes(b"")
    with pytest.raises(ArtifactError, match=r"a\.source: has 0 bytes"):
        next(Loader([shard], ORDER).steps())


def test_a_directory_without_a_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=r"manifest\.json: no such file"):
        PreparedData.open(str(tmp_path))


def test_multi30k_has_at_most_nine_percent_padding(corpora: Path) -> None:
    folder = corpora / "multi30k"
    sides = [
        gzip.decompress((folder / f"train.{side}.gz").read_bytes()).decode().splitlines()
        for side in ("en", "de")
    ]
    tokenizer = SentencePiece.train([line for side in sides for line in side[::20]], size=4_000)
    lengths = [tokenizer.encode_flat(side).lengths for side in sides]
    widths = np.stack(lengths, axis=1) + np.array([1, 2], np.uint32)
    for epoch in range(2):
        batches = plan_batches(1, epoch, 0, widths, np.ones(len(widths)), 4_096)
        padded = 0
        for batch in range(len(batches)):
            rows = widths[batches.rows(batch)]
            padded += len(rows) * int(rows.max(axis=0).sum())
        assert 1 - int(widths.sum()) / padded <= 0.09


def test_a_stream_resumes_quickly(tmp_path: Path) -> None:
    """Planning a pool takes a tenth of a second; the limit allows for a busy machine."""
    rows: Rows = [([5] * (1 + i % 40), [6] * (1 + i % 37)) for i in range(20_000)]
    first = write_shard(tmp_path, "a", rows)
    loader = Loader([first] * 200, BatchOrder(seed=1, budget=4_096))
    start = time.process_time()
    next(loader.steps(Cursor(epoch=1, pool=3, batch=2_000, step=9_999)))
    assert time.process_time() - start < 2
