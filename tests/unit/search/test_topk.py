"""Top-k over blocks equals top-k over the whole vocabulary."""

from __future__ import annotations

import pytest
import torch

from regard.search.beam import topk


@pytest.mark.parametrize("size", [3, 64, 700, 1_280, 8_000, 8_037])
def test_equals_torch_topk(size: int) -> None:
    logp = torch.randn(7, size).log_softmax(-1)
    logp[0, -1] = 0.0  # in the last block, which may be incomplete
    best, token = topk(logp, 10)
    expected = logp.topk(min(10, size))
    assert torch.equal(best, expected.values)
    assert torch.equal(logp.gather(1, token), best)


def test_forbidden_tokens_come_last() -> None:
    logp = torch.full((2, 2_000), -torch.inf)
    logp[:, [5, 1_999]] = -1.0
    best, token = topk(logp, 4)
    assert set(token[0, :2].tolist()) == {5, 1_999} and not best[:, 2:].isfinite().any()
