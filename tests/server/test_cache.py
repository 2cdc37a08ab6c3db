"""The cache of translated segments."""

from __future__ import annotations

import pytest

from regard.serve.cache import OVERHEAD, SegmentCache, cache_key

VALUES = [{"text": "Ein Hund läuft.", "score": -0.12345678901234567, "pieces": ["▁Ein", "▁Hund"]}]


def test_values_come_back_as_they_were() -> None:
    cache = SegmentCache(10_000)
    key = ("v1", "beam 5", "A dog \udc80 runs.", None, (0, 0))
    cache.put(cache_key(*key), VALUES)
    assert cache.get(cache_key(*key)) == VALUES
    assert cache.get(cache_key(*key[:-1], (0, 1))) is None


def test_the_memory_is_bounded_and_the_oldest_are_dropped() -> None:
    cache = SegmentCache(20 * (OVERHEAD + 200))
    for number in range(100):
        cache.put(cache_key(number), [{"text": "x" * (number % 7) * 30}])
        assert cache.get(cache_key(0)) is not None  # used again each time
        assert 0 < cache.used <= cache.size
    assert cache.get(cache_key(1)) is None
    assert cache.get(cache_key(99)) is not None
    assert 15 < len(cache) < 40


@pytest.mark.parametrize("size", [0, OVERHEAD])
def test_a_cache_without_room_keeps_nothing(size: int) -> None:
    cache = SegmentCache(size)
    cache.put(b"a", VALUES)
    assert cache.get(b"a") is None
    assert (len(cache), cache.used) == (0, 0)


def test_a_replaced_value_counts_once() -> None:
    cache = SegmentCache(10_000)
    for _ in range(3):
        cache.put(b"a", VALUES)
    once = cache.used
    cache.put(b"b", VALUES)
    assert (len(cache), cache.used) == (2, 2 * once)
