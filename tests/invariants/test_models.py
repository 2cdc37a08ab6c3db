"""Invariants of whole models, for every preset."""

from __future__ import annotations

import pytest
import torch
import yaml

from regard.batch import Documents, Images, Tokens
from regard.config.load import dump_config, validate_config
from regard.inference.forced_decoding import watch
from tests.tiny_models import GENERATORS, PRESETS, target, tiny

LENGTHS = [7, 4, 5]
CLOSE = {"atol": 1e-5, "rtol": 1e-5}


@torch.no_grad()
@pytest.mark.parametrize("padded", [False, True], ids=["unpadded", "padded"])
@pytest.mark.parametrize("cuts", [(1, 1, 1, 1, 1), (2, 3), (4, 1), (5,)])
@pytest.mark.parametrize("name", GENERATORS)
def test_invariant_1_chunking(name: str, cuts: tuple[int, ...], padded: bool):
    small = tiny(name)
    source = small.source(LENGTHS if padded else [6, 6, 6])
    words = target(3, 5)
    whole = small.hidden(source, words)
    state, parts = small.model.start(source), []
    for piece in words.split(cuts, dim=1):
        decoded, state = small.model.decoder(small.model.embedding(piece), state)
        parts.append(decoded.hidden)
    torch.testing.assert_close(torch.cat(parts, dim=1), whole, **CLOSE)


@torch.no_grad()
@pytest.mark.parametrize("name", PRESETS)
def test_invariant_5_padding_changes_nothing(name: str) -> None:
    small = tiny(name)
    words = target(3, 5)
    before = small.hidden(small.source(LENGTHS), words)
    after = small.hidden(small.source(LENGTHS, extra=4), words)
    torch.testing.assert_close(before, after, **CLOSE)


@torch.no_grad()
@pytest.mark.parametrize("name", PRESETS)
def test_invariant_6_alone_equals_in_a_batch(name: str) -> None:
    small = tiny(name)
    source, words = small.source(LENGTHS), target(3, 5)
    together = small.hidden(source, words)
    for row in range(3):
        alone = small.hidden(_row(source, row), words[row : row + 1])
        torch.testing.assert_close(alone[0], together[row], **CLOSE)


@torch.no_grad()
@pytest.mark.parametrize("name", PRESETS)
def test_invariant_8_recording_changes_nothing(name: str) -> None:
    small = tiny(name)
    source, words = small.source(LENGTHS), target(3, 5)
    before = small.hidden(source, words)
    with watch(small.model) as recording:
        torch.testing.assert_close(small.hidden(source, words), before, **CLOSE)
    assert bool(recording.names) == bool(small.run.model.attention_uses())
    for seen in recording.names:
        weights = recording[seen]
        assert (weights >= 0).all()
        if "local-p" not in name:
            torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights.sum(-1)))
    torch.testing.assert_close(small.hidden(source, words), before)


@pytest.mark.parametrize("name", PRESETS)
def test_invariant_14_round_trip_of_configs(name: str) -> None:
    run = tiny(name).run
    assert validate_config(yaml.safe_load(dump_config(run)), name) == run


def _row(source, row: int):
    match source:
        case int():
            return 1
        case Images():
            return Images(source.pixels[row : row + 1])
        case Tokens():
            n = int(source.lengths[row])
            return Tokens(source.ids[row : row + 1, :n])
        case Documents():
            start = int(source.counts[:row].sum())
            end = start + int(source.counts[row])
            lengths = source.sentences.lengths[start:end]
            ids = source.sentences.ids[start:end, : int(lengths.max())]
            return Documents(Tokens(ids, lengths), source.counts[row : row + 1])
