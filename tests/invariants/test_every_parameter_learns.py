"""The loss of each task reaches every parameter, whatever the config."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from regard.batch import Tokens
from regard.config.run import RunConfig
from tests.config_grammar import MODELS, build, runs, source
from tests.tiny_models import PRESETS, target, tiny

LENGTHS = torch.tensor([5, 3, 4])


def loss(run: RunConfig, model: Any, inputs: Any) -> Tensor:
    """The loss of the task that trains the model of `run`."""
    words = target(3, 6)
    if run.model.kind == "classifier":
        return nn.CrossEntropyLoss(reduction="sum")(model(inputs), words[:, 0])
    prefix, wanted = words[:, :-1], Tokens(words[:, 1:], LENGTHS)
    decoded = model(prefix) if run.model.kind == "language-model" else model(inputs, prefix)
    return run.build_objective()(decoded, model.readout, wanted).total


def is_baseline(run: RunConfig) -> bool:
    """Whether an attention is a baseline whose weights depend on no score."""
    attentions = [use.attention for use in run.model.attention_uses()]
    return any(a.normalizer.kind == "uniform" or a.span.kind == "last" for a in attentions)


def check(run: RunConfig, model: Any, inputs: Any) -> None:
    model.train()
    for name, parameter in model.named_parameters():
        if name.endswith("log_strength"):  # at its size the weights of sparsemax may be one-hot
            nn.init.zeros_(parameter)
    loss(run, model, inputs).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, (name, run.model)
        assert parameter.grad.isfinite().all(), (name, run.model)
        assert is_baseline(run) or parameter.grad.any(), (name, run.model)


@pytest.mark.parametrize("name", PRESETS)
def test_every_parameter_of_a_preset_has_a_gradient(name: str) -> None:
    small = tiny(name)
    torch.manual_seed(3)
    try:
        check(small.run, small.model, small.source([7, 4, 5]))
    finally:
        small.model.zero_grad()
        small.model.eval()


@pytest.mark.parametrize("name", MODELS)
def test_every_parameter_of_a_config_has_a_gradient(name: str) -> None:
    for run in runs(name):
        model = build(run)
        if model is not None:
            torch.manual_seed(3)
            check(run, model, None if run.model.kind == "language-model" else source(run))
