"""The pointing game: attention compared with boxes."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from regard.align.tokenized_text import AlignmentHead
from regard.data.formats.captions import NamedObject
from regard.explain.pointing import PointingExample, Regions, score_pointing
from regard.inference.forced_decoding import ForcedDecoding

REGIONS = Regions(4, 4, 64, 64)


def test_region_is_on_a_box_if_one_contains_the_centre_of_the_other() -> None:
    on = REGIONS.covered_by([(16.0, 0.0, 48.0, 16.0)])
    assert np.argwhere(on).tolist() == [[0, 1], [0, 2]]
    small = REGIONS.covered_by([(33.0, 33.0, 37.0, 37.0)])
    assert np.argwhere(small).tolist() == [[2, 2]]
    assert REGIONS.covered_by([(0.0, 0.0, 64.0, 64.0)]).all()
    assert REGIONS.covered_by([(60.0, 60.0, 70.0, 70.0)])[3, 3]
    assert not REGIONS.covered_by([]).any()


def test_shares_are_covered_fractions_of_regions() -> None:
    shares = REGIONS.shares([(8.0, 0.0, 32.0, 16.0)])
    assert shares[0].tolist() == [0.5, 1.0, 0.0, 0.0] and shares[1:].sum() == 0
    twice = REGIONS.shares([(8.0, 0.0, 32.0, 16.0), (8.0, 0.0, 32.0, 16.0)])
    assert np.array_equal(twice, shares)


def test_each_attention_head_and_step_has_its_score() -> None:
    """The caption is `a dog`. Head 1 attends to the dog at output; head 0 is uniform."""
    attention = torch.full((2, 3, 16), 1 / 16)
    attention[1, 1] = 0.0
    attention[1, 1, 5] = 1.0  # row 1, column 1
    named = NamedObject((2, 5), ((16.0, 16.0, 32.0, 32.0),))
    example = PointingExample(
        ForcedDecoding((0.0,) * 3, {"decoder.attention": attention}), [(0, 1), (2, 5)], (named,)
    )
    scores = score_pointing([example], REGIONS)
    best = scores[AlignmentHead("decoder.attention", 1, 0, null=False)]
    assert (best.hits, best.mass, best.words) == (1.0, 1.0, 1)
    assert best.chance == best.chance_mass == 1 / 16
    uniform = scores[AlignmentHead("decoder.attention", 0, 0, null=False)]
    assert uniform.hits == 0.0 and uniform.mass == pytest.approx(1 / 16)
    shifted = scores[AlignmentHead("decoder.attention", 1, 1, null=False)]
    assert shifted.hits == 0.0
    mean = scores[AlignmentHead("decoder.attention", None, 0, null=False)]
    assert mean.hits == 1.0 and mean.mass == pytest.approx(0.5 + 1 / 32)


def test_captions_without_objects_have_no_scores() -> None:
    forced = ForcedDecoding((0.0,), {"a": torch.full((1, 1, 16), 1 / 16)})
    assert score_pointing([PointingExample(forced, [(0, 1)], ())], REGIONS) == {}
