"""Small models whose attention and outputs vary, and their JSON texts."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import nn

from regard.config.model import VocabularySizes
from regard.config.run import RunConfig
from regard.explain.live_model import Precision, write_live_model
from regard.inference.engine import SearchOptions
from regard.text.tokenizer import EOS, SentencePiece
from tests.bundles import LINES
from tests.tiny_models import tiny_run

SOURCE = [9, 270, 33, 12, 281, 40, 41, 17, 2]  # with the end token
TARGET = [15, 280, 8, 8, 101, 275]


@cache
def tokenizer() -> SentencePiece:
    return SentencePiece.train(LINES, size=300)


def random_model(run: RunConfig, seed: int = 0) -> Any:
    """A model with random weights, large enough that attention and outputs vary."""
    torch.manual_seed(seed)
    size = tokenizer().size
    model = run.model.build(VocabularySizes(size, size))
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 1 and "norm" not in name:
                weight.normal_(std=0.2)  # biases are zero at first
            elif weight.dim() == 2:
                weight.mul_(2)
        model.readout.weight.mul_(3)
        model.readout.bias[EOS] += 2  # some translations end
    return model.eval()


@cache
def preset_model(preset: str) -> Any:
    return random_model(tiny_run(preset))


def live_text(model: nn.Module, run: RunConfig, precision: Precision = "f32") -> str:
    config = run.model.model_dump(mode="json")
    search = SearchOptions(run.search.beam_size, run.search.length_penalty)
    both = tokenizer(), tokenizer()
    return write_live_model(model, config, both, search, precision=precision)  # type: ignore[arg-type]


def random_sources(count: int, seed: int = 0, *, longest: int = 24) -> list[list[int]]:
    """Sources of 1 to `longest` tokens and their end token."""
    draw = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, longest + 1, (count,), generator=draw).tolist()
    size = tokenizer().size
    return [[*torch.randint(4, size, (n,), generator=draw).tolist(), EOS] for n in lengths]
