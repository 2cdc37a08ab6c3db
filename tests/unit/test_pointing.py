"""Looks held against boxes."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from regard.align.extraction import AlignmentHead
from regard.data.formats.captions import NamedObject
from regard.explain.pointing import PointingExample, Regions, score_pointing
from regard.inference.forced_decoding import ForcedDecoding

REGIONS = Regions(4, 4, 64, 64)


def test_a_region_lies_on_a_box_if_the_middle_of_one_is_within_the_other() -> None:
    on = REGIONS.on([(16.0, 0.0, 48.0, 16.0)])
    assert np.argwhere(on).tolist() == [[0, 1], [0, 2]]
    small = REGIONS.on([(33.0, 33.0, 37.0, 37.0)])
    assert np.argwhere(small).tolist() == [[2, 2]]
    assert REGIONS.on([(0.0, 0.0, 64.0, 64.0)]).all()
    assert REGIONS.on([(60.0, 60.0, 70.0, 70.0)])[3, 3]
    assert not REGIONS.on([]).any()


def test_shares_are_parts_of_regions() -> None:
    shares = REGIONS.shares([(8.0, 0.0, 32.0, 16.0)])
    assert shares[0].tolist() == [0.5, 1.0, 0.0, 0.0] and shares[1:].sum() == 0
    twice = REGIONS.shares([(8.0, 0.0, 32.0, 16.0), (8.0, 0.0, 32.0, 16.0)])
    assert np.array_equal(twice, shares)


def test_looks_heads_and_moments_are_told_apart() -> None:
    """The caption is `a dog`; head 1 looks at the dog as it is said, head 0 nowhere."""
    look = torch.full((2, 3, 16), 1 / 16)
    look[1, 1] = 0.0
    look[1, 1, 5] = 1.0  # row 1, column 1
    named = NamedObject((2, 5), ((16.0, 16.0, 32.0, 32.0),))
    seen = PointingExample(
        ForcedDecoding((0.0,) * 3, {"decoder.attention": look}), [(0, 1), (2, 5)], (named,)
    )
    found = score_pointing([seen], REGIONS)
    best = found[AlignmentHead("decoder.attention", 1, 0, null=False)]
    assert (best.hits, best.mass, best.words) == (1.0, 1.0, 1)
    assert best.chance == best.chance_mass == 1 / 16
    even = found[AlignmentHead("decoder.attention", 0, 0, null=False)]
    assert even.hits == 0.0 and even.mass == pytest.approx(1 / 16)
    later = found[AlignmentHead("decoder.attention", 1, 1, null=False)]
    assert later.hits == 0.0
    mean = found[AlignmentHead("decoder.attention", None, 0, null=False)]
    assert mean.hits == 1.0 and mean.mass == pytest.approx(0.5 + 1 / 32)


def test_nothing_named_is_nothing_measured() -> None:
    reading = ForcedDecoding((0.0,), {"a": torch.full((1, 1, 16), 1 / 16)})
    assert score_pointing([PointingExample(reading, [(0, 1)], ())], REGIONS) == {}
