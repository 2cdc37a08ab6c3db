"""Small models whose attention and outputs vary, and their JSON texts."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import nn

from benchmarks.node_engine import random_model
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


@cache
def preset_model(preset: str) -> Any:
    return random_model(tiny_run(preset), tokenizer().size, seed=0)


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
