"""Recorded attention of a model, by name."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from regard import watch
from regard.attention import Attention, dot
from regard.errors import ConfigError


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = Attention(dot())


def test_a_name_that_was_not_recorded_is_refused_with_the_recorded_ones() -> None:
    model, x = Model(), torch.randn(1, 3, 4)
    with watch(model) as recording:
        with pytest.raises(ConfigError, match="Recorded: none"):
            recording["attention"]
        model.attention(x, model.attention.build_memory(x))
    assert recording["attention"].shape == (1, 1, 3, 3)
    for read in (recording.__getitem__, recording.scores, recording.memory):
        with pytest.raises(ConfigError, match=r"encoder: .* Recorded: attention\."):
            read("encoder")
    assert repr(recording) == "AttentionRecording(attention: 1 calls)"
