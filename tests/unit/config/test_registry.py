"""Registration of mechanisms: by decorator, entry point and path, and what a bundle imports."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import regard
from regard.attention import (
    Attention,
    Equation,
    NormalizedWeights,
    Normalizer,
    Score,
    Softmax,
    Span,
    additive,
    cosine,
    scaled_dot,
)
from regard.cli.settings import config_places
from regard.config import registry
from regard.config.attention import NormalizerConfig, ScoreConfig
from regard.config.load import change_config, dump_config, load_config, parse_config
from regard.config.model import DecoderConfig
from regard.errors import ConfigError
from regard.testing import ATTENTION_CHECKS, check_mechanism

NORMALIZER = "model.decoder.attention.normalizer"
MODULE = """
from regard.attention import Equation, NormalizedWeights, Normalizer, mask

class Halved(Normalizer):
    equation = Equation("halved", "softmax(e / 2)")
    def __init__(self, divisor: float = 2.0) -> None:
        super().__init__()
        self.divisor = divisor
    def forward(self, scores, visible):
        scores = scores / self.divisor
        scores = scores if visible is None else scores.masked_fill(~visible, -float("inf"))
        return NormalizedWeights(scores.softmax(dim=-1))

class Renamed(Halved):
    equation = Equation("softmax", "softmax(e / 2)")

class Inherits(Halved):
    pass
""".replace(", mask", "")


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten after it."""
    monkeypatch.setattr(registry, "_registered", list(registry._registered))


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a module that can be imported, and was not."""
    (tmp_path / "halving.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "halving"
    sys.modules.pop("halving", None)


class Halved(Normalizer):
    equation = Equation("halved", "softmax(e / 2)")

    def __init__(self, divisor: float = 2.0) -> None:
        super().__init__()
        self.divisor = divisor

    def forward(self, scores: Tensor, visible: Tensor | None) -> NormalizedWeights:
        return Softmax()(scores / self.divisor, visible)


def test_names_of_kinds_are_those_of_equations() -> None:
    for config in registry.configs_of(registry.MechanismConfig):
        equation: Any = vars(config).get("equation", None)
        equation = config().equation if isinstance(equation, property) else config.equation
        assert equation.name == registry.kind_of(config)


def test_a_decorated_class_is_available_in_run_files() -> None:
    regard.register(Halved)
    run = load_config("bahdanau", [f"{NORMALIZER}={{kind: halved, divisor: 3.0}}"])
    normalizer = run.model.attention_uses()[0].attention.normalizer
    assert normalizer.kind == "halved" and normalizer.build().divisor == 3.0
    assert parse_config(dump_config(run), "file") == run
    check_mechanism("halved", divisor=0.5)
    with pytest.raises(ConfigError, match=r"normalizer\.diviso is not a setting\. Did you"):
        load_config("bahdanau", [f"{NORMALIZER}={{kind: halved, diviso: 3.0}}"])
    with pytest.raises(ConfigError, match="divisor must be a number, not 'three'"):
        load_config("bahdanau", [f"{NORMALIZER}={{kind: halved, divisor: three}}"])


def test_a_config_can_be_pickled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Studies and preparation pass configs to other processes."""
    before = list(registry._registered)
    regard.register(Halved)
    run = load_config("bahdanau", [f"{NORMALIZER}={{kind: halved, divisor: 3.0}}"])
    pickled = pickle.dumps(run)
    assert pickle.loads(pickled) == run and copy.deepcopy(run) == run
    monkeypatch.setattr(registry, "_registered", before)  # as in a new process
    assert dump_config(pickle.loads(pickled)) == dump_config(run)


def test_messages_and_settings_list_a_registered_name() -> None:
    regard.register(Halved)
    with pytest.raises(ConfigError, match='Did you mean "halved"'):
        load_config("bahdanau", [f"{NORMALIZER}.kind=halvd"])
    with pytest.raises(ConfigError, match=r'softmax.*If another package adds "entmax15", install'):
        load_config("bahdanau", [f"{NORMALIZER}.kind=entmax15"])
    kinds = {registry.kind_of(config) for config in config_places(type(load_config("bahdanau")))}
    assert "halved" in kinds


def test_a_class_that_cannot_be_registered_is_explained() -> None:
    class NoEquation(Halved):
        pass

    class Untyped(Halved):
        equation = Equation("untyped", "")

        def __init__(self, divisor=2.0) -> None:
            super().__init__(divisor)

    class Tensors(Halved):
        equation = Equation("tensors", "")

        def __init__(self, divisors: Tensor) -> None:
            super().__init__()

    class Another(Softmax):
        equation = Equation("softmax", "")

    class NoMechanism(torch.nn.Module):
        equation = Equation("nothing", "")

    for part, message in (
        (NoEquation, "NoEquation: has no equation of its own"),
        (Untyped, "the type of its argument divisor is missing"),
        (Tensors, "its arguments cannot be settings"),
        (Another, 'kind "softmax" is registered twice: by .*:Softmax and by .*Another'),
        (NoMechanism, "must be a subclass of one of Score, Span, Normalizer, Decoder"),
    ):
        with pytest.raises(ConfigError, match=message):
            regard.register(part)


def test_a_run_file_imports_a_class_by_its_path(module: str) -> None:
    run = load_config("bahdanau", [f"{NORMALIZER}.kind='{module}:Halved'"])
    assert run.model.attention_uses()[0].attention.normalizer.build().divisor == 2.0
    assert change_config(run, ["train.steps=7"], "file").model == run.model
    assert parse_config(dump_config(run), "bundle") == run  # its module is imported


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("halving:Halvd", "halving has no class Halvd"),
        ("halving:Renamed", 'its equation has the name "softmax", which is that of .*:Softmax'),
        ("halving:Inherits", "has no equation of its own"),
        ("no_such_module:Halved", "No module named 'no_such_module'. Install the package"),
        ("collections:OrderedDict", "must be a subclass of one of"),
    ],
)
def test_a_class_that_cannot_be_used_is_explained(module: str, kind: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config("bahdanau", [f"{NORMALIZER}.kind='{kind}'"])


def test_a_bundle_imports_no_module_on_its_own(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = dump_config(load_config("bahdanau")).replace("kind: softmax", f"kind: '{module}:Halved'")
    with pytest.raises(ConfigError, match=f"import {module}.*{registry.TRUST}={module}"):
        parse_config(text, "bundle/run.yaml")
    assert module not in sys.modules
    monkeypatch.setenv(registry.TRUST, f"other, {module}")
    assert f"{module}:Halved" in dump_config(parse_config(text, "bundle/run.yaml"))


def entry_point(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    points = [EntryPoint(name, value, registry.ENTRY_POINTS)]

    def entry_points(*, group: str, name: str | None = None) -> list[EntryPoint]:
        return [point for point in points if name in (None, point.name)]

    monkeypatch.setattr(registry, "entry_points", entry_points)
    monkeypatch.setattr(registry, "_listed", False)


def test_an_entry_point_is_imported_when_its_name_is_used(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry_point("halved", f"{module}:Halved", monkeypatch)
    load_config("bahdanau")
    assert module not in sys.modules
    text = dump_config(load_config("bahdanau")).replace("kind: softmax", "kind: halved")
    assert parse_config(text, "bundle/run.yaml").model.attention_uses()
    assert module in sys.modules


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("no_such_module:Halved", "cannot be imported .*no_such_module"),
        ("halving:Renamed", 'its equation has the name "softmax". Use one name'),
    ],
)
def test_a_broken_entry_point_is_named(
    module: str, monkeypatch: pytest.MonkeyPatch, value: str, message: str
) -> None:
    entry_point("halved", value, monkeypatch)
    with pytest.raises(ConfigError, match=message):
        load_config("bahdanau", [f"{NORMALIZER}.kind=halved"])
    with pytest.warns(RuntimeWarning, match=message):
        assert registry.configs_of(NormalizerConfig)


# invariants


class ForgetsMask(Halved):
    equation = Equation("forgets-mask", "")

    def forward(self, scores: Tensor, visible: Tensor | None) -> NormalizedWeights:
        return NormalizedWeights(scores.softmax(dim=-1))


class SumsToTwo(Halved):
    equation = Equation("sums-to-two", "")

    def forward(self, scores: Tensor, visible: Tensor | None) -> NormalizedWeights:
        return NormalizedWeights(2 * super().forward(scores, visible).weights)


class ComparesRows(Score):
    equation = Equation("compares-rows", "")

    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__(torch.nn.Identity(), torch.nn.Identity())

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return query @ (keys - keys.mean(dim=0)).mT


class InfiniteGradient(Score):
    equation = Equation("infinite-gradient", "")

    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__(torch.nn.Identity(), torch.nn.Identity())

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return (query - query.detach()).square().sum(dim=-1, keepdim=True).sqrt() + 0 * (
            query @ keys.mT
        )


class ReadsOrder(Score):
    equation = Equation("reads-order", "")

    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__(torch.nn.Identity(), torch.nn.Identity())

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return query @ keys.mT + torch.arange(keys.size(2))


@pytest.mark.parametrize(
    ("mechanism", "check"),
    [
        (ForgetsMask, "check_distribution"),
        (SumsToTwo, "check_distribution"),
        (ComparesRows, "check_rows"),
        (InfiniteGradient, "check_gradients"),
        (ReadsOrder, "check_permutation"),
    ],
)
def test_a_violated_invariant_is_named(mechanism: type, check: str) -> None:
    with pytest.raises(AssertionError, match=f"^{check}: "):
        check_mechanism(mechanism)


@pytest.mark.parametrize("family", [ScoreConfig, NormalizerConfig, DecoderConfig])
def test_check_mechanism_takes_names(family: type[registry.MechanismConfig]) -> None:
    attention = {"attention": {"score": {"kind": "dot"}}}
    settings = {"plain": {"dim": 8}, "luong": {"dim": 8, **attention}}
    for kind in registry.kinds(family):
        if family is not DecoderConfig or kind in settings:
            check_mechanism(kind, **settings.get(kind, {}))
    with pytest.raises(ConfigError, match=r'name "no"\. Valid names: additive'):
        check_mechanism("no")


# a bias of the scores


class Near(Span):
    """−|t − s| / (h + 1), within a window"""

    equation = Equation("near", "")
    biased = True

    def __init__(self, heads: int = 1, reach: int | None = None) -> None:
        super().__init__()
        self.heads, self.reach = heads, reach or 0
        self.width = None if reach is None else 2 * reach + 1

    def sees(self, t: Tensor, s: Tensor, n: Any) -> Tensor:
        visible = s < n
        return visible & ((s - t).abs() <= self.reach) if self.reach else visible

    def first(self, t: Tensor, n: Any) -> Tensor:
        return t - self.reach

    def bias(self, t: Tensor, s: Tensor) -> Tensor:
        return -(t - s).abs().unsqueeze(1) / torch.arange(1, self.heads + 1).view(-1, 1, 1)


@pytest.mark.parametrize("make", [additive, scaled_dot, cosine])
@pytest.mark.parametrize("reach", [None, 2])
def test_a_bias_is_added_to_the_scores(make: Any, reach: int | None) -> None:
    attention = Attention(make(8, 8, dim=8, heads=2), Near(2, reach)).eval()
    memory = attention.build_memory(torch.randn(2, 20, 8))
    query, positions = torch.randn(2, 3, 8), torch.arange(20)
    scores = attention.score(attention.score.project_query(query), memory.keys)
    distance = (torch.arange(5, 8)[:, None] - positions).abs()
    expected = scores - torch.stack([distance, distance / 2])
    if reach:
        expected = expected.masked_fill(distance > reach, -torch.inf)
    context, weights = attention(query, memory, start=5, need_weights=True)
    torch.testing.assert_close(weights, expected.softmax(dim=-1))
    torch.testing.assert_close(attention(query, memory, start=5).context, context)
    for check in ATTENTION_CHECKS:
        if reach is None:
            check(attention, None)
