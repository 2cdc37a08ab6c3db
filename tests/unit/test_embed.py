"""Words' vectors: of unit length in the table, of unit size where they are read."""

from __future__ import annotations

import pytest
import torch

from regard.batch import Tokens
from regard.nn.embedding import Embedding
from regard.nn.rnn import RecurrentEncoder, RecurrentStack
from regard.nn.rnn_decoders import Cell


def test_what_is_read_has_unit_size_and_the_table_rows_of_unit_length() -> None:
    torch.manual_seed(1)
    table = Embedding(1_000, 256)
    assert table(torch.arange(1_000)).std().item() == pytest.approx(1, abs=0.01)
    assert table.weight.norm(dim=1).mean().item() == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_a_recurrent_encoder_tells_sources_apart_before_it_learns(cell: Cell) -> None:
    """Where what all summaries share is larger than what tells them apart, a decoder that has
    nothing but the summary saturates its first state, and never learns to read."""
    torch.manual_seed(1)
    encoder = RecurrentEncoder(Embedding(1_000, 256), RecurrentStack(256, 256, cell=cell))
    with torch.inference_mode():
        summaries = encoder(Tokens(torch.randint(1_000, (64, 20)))).summary
    shared, apart = summaries.mean(dim=0).abs().mean(), summaries.std(dim=0).mean()
    assert apart > 2 * shared
