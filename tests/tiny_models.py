"""Every preset as a model so small that it runs in milliseconds, and inputs for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor

from regard.batch import Documents, Images, Tokens
from regard.config.load import load_config, presets, validate_config
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig

VOCABULARY = 11
BOS, EOS = 1, 2
SMALL = {"dim": 8, "hidden_dim": 16, "embedding_dim": 8, "layers": 2, "heads": 2, "reach": 2}


def shrink(settings: Any, **small: int) -> Any:
    """Reduce every dimension and count in the settings, and set dropout to 0."""
    small = SMALL | small
    if isinstance(settings, dict):
        return {
            key: min(value, small[key])
            if key in small and isinstance(value, int)
            else [8, 8, 8]
            if key == "channels"
            else 0.0
            if key == "dropout" and isinstance(value, float)
            else shrink(value, **small)
            for key, value in settings.items()
        }
    return settings


def tiny_run(name: str, overrides: tuple[str, ...] = (), **small: int) -> RunConfig:
    return validate_config(
        shrink(load_config(name, overrides).model_dump(mode="json"), **small), name
    )


@dataclass(frozen=True)
class Tiny:
    name: str
    run: RunConfig
    model: Any

    @property
    def kind(self) -> str:
        return self.run.model.kind

    def source(self, lengths: list[int], *, extra: int = 0, seed: int = 0) -> Any:
        """Make an input with a row for each length and `extra` positions of padding."""
        generator = torch.Generator().manual_seed(seed)
        rows = len(lengths)
        match self.kind:
            case "language-model":
                return rows
            case "classifier":
                sentences = tokens([2 + i % 4 for i in range(sum(lengths))], generator, extra)
                return Documents(sentences, torch.tensor(lengths))
        if self.run.model.encoder.kind == "image":
            return Images(torch.rand(rows, 3, 32, 32, generator=generator))
        return tokens(lengths, generator, extra)

    def hidden(self, source: Any, target: Tensor) -> Tensor:
        """Return the hidden states of the model, batch first."""
        match self.kind:
            case "language-model":
                return self.model(target).hidden
            case "classifier":
                return self.model(source)
        return self.model(source, target).hidden


def tokens(lengths: list[int], generator: torch.Generator, extra: int = 0) -> Tokens:
    """Make random tokens; padding holds random tokens too."""
    width = max(lengths)
    ids = torch.randint(3, VOCABULARY, (len(lengths), width), generator=generator)
    padding = torch.randint(3, VOCABULARY, (len(lengths), extra), generator=generator)
    padded = extra > 0 or min(lengths) < width
    return Tokens(torch.cat([ids, padding], 1), torch.tensor(lengths) if padded else None)


@cache
def tiny(name: str, **small: int) -> Tiny:
    run = tiny_run(name, **small)
    torch.manual_seed(0)
    return Tiny(name, run, run.model.build(VocabularySizes(VOCABULARY, VOCABULARY)).eval())


def target(rows: int, steps: int, seed: int = 1) -> Tensor:
    return torch.randint(
        3, VOCABULARY, (rows, steps), generator=torch.Generator().manual_seed(seed)
    )


PRESETS = presets()
GENERATORS = [name for name in PRESETS if tiny_run(name).model.kind != "classifier"]
TRANSLATORS = [
    name
    for name in GENERATORS
    if tiny_run(name).model.kind == "encoder-decoder"
    and tiny_run(name).model.encoder.kind != "image"
]
