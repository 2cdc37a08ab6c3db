"""No decoder sees the tokens that it is to predict, whatever the config."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from regard.config.run import RunConfig
from regard.nn.interfaces import Encoded
from tests.config_grammar import MODELS, build, runs, source
from tests.tiny_models import VOCABULARY, target

DECODERS = [name for name in MODELS if not name.startswith("classifier")]
STEPS = 6


def start(run: RunConfig, model: Any) -> Any:
    """The decoder's state before the first token, in STEPS rows with the same padded source."""
    if run.model.kind == "language-model":
        return model.start(STEPS)
    encoded = model.encoder(source(run))
    row = torch.ones(STEPS, dtype=torch.long)
    lengths = None if encoded.lengths is None else encoded.lengths[row]
    carry = None if encoded.carry is None else encoded.carry[row]
    return model.decoder.start(Encoded(encoded.states[row], lengths, encoded.summary[row], carry))


@torch.no_grad()
@pytest.mark.parametrize("name", DECODERS)
def test_a_token_changes_no_earlier_output(name: str) -> None:
    """Each accepted config: another token t changes the outputs from t on, and none before."""
    inputs, built = target(1, STEPS).repeat(STEPS, 1), 0
    inputs.diagonal().add_(1).remainder_(VOCABULARY)  # row t has another token t
    for run in runs(name):
        model = build(run)
        if model is None:
            continue
        built += 1
        outputs = model.eval().decoder(model.embedding(inputs), start(run, model))[0].hidden
        unlike = (outputs - outputs[STEPS - 1]).abs().amax(dim=-1) > 1e-5
        for t in range(STEPS - 1):
            assert not unlike[t, :t].any(), run.model
            assert unlike[t, t], run.model
    assert built > 0
