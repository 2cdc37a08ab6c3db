"""Every model that run files can describe, in pairwise combinations, as small as possible.

The settings of a part and their values are read from its config class, so a new field or a new
kind is covered without a change here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any, Literal, get_args, get_origin

import torch
from pydantic import BaseModel, ValidationError

from regard.batch import Documents, Grids, Images
from regard.config.attention import AttentionConfig
from regard.config.base import kind_of, member_configs
from regard.config.encoders import AnyEncoder, RecurrentStackConfig, SourceEncoder
from regard.config.load import validate_config
from regard.config.model import DecoderConfig, LMDecoder, VocabularySizes
from regard.config.run import RunConfig
from regard.errors import ConfigError
from tests.mechanisms import NORMALIZERS, SCORES, SPANS
from tests.tiny_models import VOCABULARY, tokens

OMITTED = object()
SIZES: dict[str, list[Any]] = {
    "dim": [8],
    "hidden_dim": [16],
    "layers": [1, 2],
    "dropout": [0.0],
    "norm_eps": [1e-5],
    "max_positions": [64],
    "height": [8],
    "width": [8],
    "channels": [[8, 8]],
    "rows": [2],
    "columns": [3],
    "features": [5],
}
MECHANISMS = {"score": SCORES, "span": SPANS, "normalizer": NORMALIZERS}
Settings = dict[str, Any]


def kinds(setting: Any) -> dict[str, type[BaseModel]]:
    """Return the configs that a setting of this type accepts by their kind."""
    return {kind_of(config): config for config in member_configs(setting)}


def factors(config: type[BaseModel], path: str = "") -> dict[str, list[Any]]:
    """Return the values that each setting of `config` is tested with, by its dotted path."""
    found: dict[str, list[Any]] = {}
    for name, field in config.model_fields.items():
        where = f"{path}.{name}" if path else name
        of = field.annotation
        if name in SIZES:
            found[where] = SIZES[name]
        elif isinstance(of, type) and issubclass(of, AttentionConfig):
            found |= {f"{where}.{part}": _valid(of, part) for part in MECHANISMS}
        elif isinstance(of, type) and issubclass(of, RecurrentStackConfig):
            found |= factors(of, where)
        elif of is bool:
            found[where] = [False, True]
        elif get_origin(of) is Literal:
            found[where] = list(get_args(of))
        else:
            raise AssertionError(f"add {where}: {of} to config_grammar.SIZES")
    return found


def _valid(config: type[AttentionConfig], part: str) -> list[Any]:
    """Return the kinds of score, span or normalizer that `config` accepts."""
    values = [each.model_dump(mode="json") for each in MECHANISMS[part].values()]
    return [OMITTED] * (part == "span") + [
        value for value in values if _accepts(config, {"score": {"kind": "dot"}, part: value})
    ]


def _accepts(config: type[BaseModel], settings: Settings) -> bool:
    try:
        config.model_validate(settings)
    except ValidationError:
        return False
    return True


def pairwise(values: dict[str, list[Any]], seed: int = 0) -> Iterator[dict[str, Any]]:
    """Yield combinations in which every pair of values of two settings occurs."""
    draw = random.Random(seed)
    names = list(values)

    def pairs(row: dict[str, int]) -> set[tuple[str, int, str, int]]:
        return {(a, row[a], b, row[b]) for a, b in combinations(names, 2)}

    missing = [
        (a, i, b, j)
        for a, b in combinations(names, 2)
        for i, j in product(range(len(values[a])), range(len(values[b])))
    ]
    left = set(missing)
    for a, i, b, j in missing:
        if (a, i, b, j) not in left:
            continue
        candidates = [
            {name: draw.randrange(len(values[name])) for name in names} | {a: i, b: j}
            for _ in range(10)
        ]
        best = max(candidates, key=lambda row: len(pairs(row) & left))
        left -= pairs(best)
        yield {name: values[name][best[name]] for name in names}


_ATTENTION = {"score": {"kind": "scaled-dot", "heads": 2}}
_TRANSFORMER = {
    "kind": "transformer",
    "dim": 8,
    "hidden_dim": 16,
    "layers": 1,
    "dropout": 0.0,
    "self_attention": _ATTENTION,
}
ENCODERS: list[Settings] = [
    {"kind": "recurrent", "dim": 4},
    _TRANSFORMER,
    {"kind": "image", "height": 8, "width": 8, "channels": [8, 8]},
    {"kind": "grid", "rows": 2, "columns": 3, "features": 5, "dim": 8},
]
DECODERS: list[Settings] = [
    {"kind": "plain", "dim": 8},
    {"kind": "bahdanau", "dim": 8, "attention": _ATTENTION},
    {"kind": "luong", "dim": 8, "attention": _ATTENTION},
    {**_TRANSFORMER, "cross_attention": _ATTENTION},
]


def model_settings() -> dict[str, dict[str, list[Any]]]:
    """Return the factors of every kind of model and part."""
    small = {"embedding_dim": [8], "tie_embeddings": ["none"]}
    models = {}
    for kind, config in kinds(DecoderConfig).items():
        models[f"encoder-decoder, {kind} decoder"] = {
            **small,
            "kind": ["encoder-decoder"],
            "encoder": ENCODERS,
            **factors(config, "decoder"),
        }
    for kind, config in kinds(SourceEncoder).items():
        models[f"encoder-decoder, {kind} encoder"] = {
            **small,
            "kind": ["encoder-decoder"],
            "decoder": DECODERS,
            **factors(config, "encoder"),
        }
    for kind, config in kinds(LMDecoder).items():
        models[f"language-model, {kind}"] = {
            **small,
            "kind": ["language-model"],
            **factors(config, "decoder"),
        }
    for kind, config in kinds(AnyEncoder).items():
        models[f"classifier, {kind}"] = {
            "embedding_dim": [8],
            "kind": ["classifier"],
            **factors(config, "encoder"),
        }
    return models


MODELS = model_settings()


def runs(name: str) -> Iterator[RunConfig]:
    """Yield pairwise combinations of the settings of a kind of model."""
    for row in pairwise(MODELS[name]):
        nested: Settings = {}
        for path, value in row.items():
            if value is OMITTED:
                continue
            *parents, last = path.split(".")
            at = nested
            for parent in parents:
                at = at.setdefault(parent, {})
            at[last] = value
        yield validate_config({"model": nested, "data": {"max_length": 32}}, name)


def build(run: RunConfig) -> Any:
    """Build the model of a run; None where the dimensions of its parts do not fit."""
    torch.manual_seed(0)
    try:
        return run.model.build(VocabularySizes(VOCABULARY, VOCABULARY))
    except ConfigError:
        return None


def source(run: RunConfig) -> Any:
    """Return a random input of three rows for the encoder of a run."""
    generator = torch.Generator().manual_seed(1)
    encoder = run.model.encoder
    match encoder.kind:
        case "image":
            return Images(torch.rand(3, 3, encoder.height, encoder.width, generator=generator))
        case "grid":
            shape = 3, encoder.rows, encoder.columns, encoder.features
            return Grids(torch.rand(shape, generator=generator))
        case "hierarchical":
            return Documents(tokens([5, 3, 4, 6], generator), torch.tensor([1, 2, 1]))
    return tokens([7, 4, 5], generator)
