"""The scale of token embeddings."""

from __future__ import annotations

import pytest
import torch

from regard.batch import Tokens
from regard.nn.embedding import Embedding
from regard.nn.rnn import EMBEDDING_STD, Cell, RecurrentEncoder, RecurrentStack


@pytest.mark.parametrize("std", [1.0, EMBEDDING_STD])
def test_embeddings_have_the_given_deviation_and_table_rows_unit_length(std: float) -> None:
    torch.manual_seed(1)
    table = Embedding(1_000, 256, std=std)
    assert table(torch.arange(1_000)).std().item() == pytest.approx(std, rel=0.01)
    assert table.weight.norm(dim=1).mean().item() == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_an_untrained_recurrent_encoder_distinguishes_sources(cell: Cell) -> None:
    """If the mean of all summaries dominates their differences, a decoder without attention
    saturates its first state and never learns to use the source."""
    torch.manual_seed(1)
    embedding = Embedding(1_000, 256, std=EMBEDDING_STD)
    encoder = RecurrentEncoder(embedding, RecurrentStack(256, 256, cell=cell))
    with torch.inference_mode():
        summaries = encoder(Tokens(torch.randint(1_000, (64, 20)))).summary
    mean, deviation = summaries.mean(dim=0).abs().mean(), summaries.std(dim=0).mean()
    assert deviation > 2 * mean
