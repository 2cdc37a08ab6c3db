"""The cache of translated segments."""

from __future__ import annotations

import pytest

from regard.serve.cache import OVERHEAD, SegmentCache

VALUES = [{"text": "Ein Hund läuft.", "score": -0.12345678901234567, "pieces": ["▁Ein", "▁Hund"]}]


def test_values_come_back_as_they_were() -> None:
    cache = SegmentCache(10_000)
    key = ("v1", "beam 5", "A dog \udc80 runs.", None, (0, 0))
    cache.put(key, VALUES)
    assert cache.get(key) == VALUES
    assert cache.get((*key[:-1], (0, 1))) is None


def test_the_memory_is_bounded_and_the_oldest_are_dropped() -> None:
    cache = SegmentCache(20 * (OVERHEAD + 200))
    for number in range(100):
        cache.put((number,), [{"text": "x" * (number % 7) * 30}])
        assert cache.get((0,)) is not None  # used again each time
        assert 0 < cache.used <= cache.size
    assert cache.get((1,)) is None
    assert cache.get((99,)) is not None
    assert 15 < len(cache) < 40


@pytest.mark.parametrize("size", [0, OVERHEAD])
def test_a_cache_without_room_keeps_nothing(size: int) -> None:
    cache = SegmentCache(size)
    cache.put(("a",), VALUES)
    assert cache.get(("a",)) is None
    assert (len(cache), cache.used) == (0, 0)


def test_a_replaced_value_counts_once() -> None:
    cache = SegmentCache(10_000)
    for _ in range(3):
        cache.put(("a",), VALUES)
    once = cache.used
    cache.put(("b",), VALUES)
    assert (len(cache), cache.used) == (2, 2 * once)
