"""The domain of every setting and option: a value is accepted as it is, or refused by name.

The settings are the fields of all configs, the options those of the search and of all commands.
New ones are tested without a change here.
"""

from __future__ import annotations

import importlib
import json
import math
import re
from collections.abc import Iterator
from dataclasses import fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, get_args, get_origin
from unittest.mock import patch

import pytest
import torch
import typer
from pydantic import BaseModel, ValidationError

import regard
import regard.bounds
from regard.bounds import SEED
from regard.cli.options import UsageError
from regard.cli.training import TrainingInputs
from regard.config.base import Config, dump_yaml, load_yaml, member_configs
from regard.config.data import CorpusConfig
from regard.config.load import load_config, validate_settings
from regard.config.registry import MechanismConfig
from regard.config.run import RunConfig
from regard.data.formats.corpus import Corpus
from regard.data.loading.shard_pool import plan_batches, plan_pools
from regard.errors import ConfigError
from regard.inference.engine import SamplingOptions, SearchOptions
from regard.search import sample
from regard.tasks.translation.translator import Translator
from tests.bundles import LINES, make_bundle
from tests.commands import all_commands
from tests.edges import EDGES, NUMBERS, OTHERS, TEXTS, WORDS, same

MOST_TOKENS = 50  # of a translation in these tests


# -- settings ------------------------------------------------------------------------------------


def all_configs() -> list[type[Config]]:
    """Every config of run files, studies and the server."""
    root = Path(regard.__path__[0])
    for path in sorted(root.rglob("*.py")):
        if re.search(r"^class \w+\(\w*(Config|Measure)\):", path.read_text("utf-8"), re.MULTILINE):
            importlib.import_module(
                ".".join(("regard", *path.relative_to(root).with_suffix("").parts))
            )
    found, queue = [], [Config]
    while queue:
        queue += (config := queue.pop()).__subclasses__()
        kind = config.model_fields.get("kind")
        abstract = issubclass(config, MechanismConfig) and kind is None
        if config.model_fields and not abstract and (kind is None or not kind.is_required()):
            found.append(config)
    return sorted(set(found), key=lambda config: config.__name__)


CONFIGS = all_configs()


def example(annotation: Any) -> Any:
    """Return a valid value of a required setting."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return example_settings(member_configs(annotation)[0])
    if origin is Literal:
        return arguments[0]
    if origin is tuple:
        return [example(part) for part in arguments if part is not Ellipsis]
    if arguments:  # a union, or an annotated type
        return example(arguments[0])
    return {str: "text", int: 8, float: 0.5, bool: True}[annotation]


def example_settings(config: type[BaseModel]) -> dict[str, Any]:
    """Return the settings of a config that has only what it must have."""
    required = {
        name: example(field.annotation)
        for name, field in config.model_fields.items()
        if field.is_required()
    }
    kind = config.model_fields.get("kind")
    return required if kind is None else {"kind": kind.default, **required}


def test_configs_are_found() -> None:
    names = {config.__name__ for config in CONFIGS}
    assert {"RunConfig", "CorpusConfig", "StudyConfig", "ServerSettings", "DotConfig"} <= names


def edges_of(config: type[Config]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in config.model_fields:
        for edge in EDGES:
            yield name, {**example_settings(config), name: edge}


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.__name__)
def test_a_setting_is_accepted_as_it_is_or_refused_by_name(config: type[Config]) -> None:
    validate_settings(config, example_settings(config), "file")
    for name, settings in edges_of(config):
        value = settings[name]
        try:
            made = validate_settings(config, settings, "file")
        except ConfigError as error:
            message = str(error)
            lines = message.split("\n")
            assert any(
                line.removeprefix("file: ").startswith(name) or name in line for line in lines
            )
            assert all(len(line) < 3_000 for line in lines), "the value is not shown in full"
            assert "Input should" not in message, (name, value, message)
            continue
        kept = made.model_dump(exclude_unset=True)[name]
        if not isinstance(value, dict):  # the settings of another config, tested by itself
            none = value is None and kept == ()  # `valid: null`
            assert none or same(value, kept) or same([value], kept), (name, value, kept)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.__name__)
def test_numbers_of_settings_are_bounded(config: type[Config]) -> None:
    """Every accepted number is finite and fits 64 bits, so no part of a run overflows."""

    def numbers(value: Any) -> Iterator[float]:
        if isinstance(value, list | tuple):
            for part in value:
                yield from numbers(part)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield value

    for name, settings in edges_of(config):
        try:
            made = config.model_validate(settings)
        except (ValidationError, ConfigError):
            continue
        for number in numbers(made.model_dump()[name]):
            assert math.isfinite(number) and abs(number) < 2**63, (name, number)
            assert abs(number) <= 1e12 or (number <= SEED.high and "seed" in name), (name, number)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.__name__)
def test_text_in_yaml_is_the_text(config: type[Config]) -> None:
    """A setting that is text has the characters of the file, or is refused."""
    values = [(word, load_yaml(f"x: {word}", "file")["x"]) for word in WORDS]
    values += [(word, load_yaml(f"x: [{word}, {word}]", "file")["x"]) for word in WORDS if word]
    for name in config.model_fields:
        for word, parsed in values:
            try:
                made = validate_settings(config, {**example_settings(config), name: parsed}, "file")
            except ConfigError:
                continue
            kept = getattr(made, name)
            for value in kept if isinstance(kept, tuple) else [kept]:
                assert not isinstance(value, str) or value == word, (name, word, value)
                assert same(parsed, getattr(made, name)) or same([parsed], getattr(made, name))


@pytest.mark.parametrize("value", [*WORDS, *EDGES], ids=lambda value: repr(value)[:20])
def test_yaml_returns_what_was_written(value: Any) -> None:
    if "\ud800" in repr(value) or value == "\ud800":
        pytest.skip("no text of a YAML file")
    if isinstance(value, str) and len(value) > 4_096:
        value = value[:4_096]
    if isinstance(value, int) and value > 10**300:
        pytest.skip("no value of a setting")
    for values in ({"a": value}, {"a": [value, value]}):
        loaded = load_yaml(dump_yaml(values), "file")
        assert repr(loaded) == repr(values)


@pytest.mark.parametrize("word", WORDS)
def test_scalars_are_those_of_yaml_1_2(word: str) -> None:
    """The words that are not text, with their values (YAML 1.2.2, 10.3.2)."""
    expected = {
        **dict.fromkeys(("true", "True", "TRUE"), True),
        "false": False,
        "null": None,
        "~": None,
        "Null": None,
        "": None,
        "0o7": 7,
        "010": 10,
        "0x1F": 31,
        "1e3": 1000.0,
        "1E-3": 0.001,
        "1.": 1.0,
        ".5": 0.5,
        "+1": 1,
        "-0": 0,
        ".inf": math.inf,
        "-.INF": -math.inf,
        "1e400": math.inf,
    }
    (value,) = load_yaml(f"a: {word}", "file").values()
    if word == ".nan":
        assert math.isnan(value)
    else:
        assert same(expected.get(word, word), value)


# -- what accepted values do ---------------------------------------------------------------------


def accepted(config: type[Config], name: str) -> Iterator[Any]:
    """The edges that a setting accepts, and its bounds."""
    schema = config.model_json_schema()["properties"][name]
    bounds = [schema.get(key) for key in ("minimum", "maximum")]
    for value in [*EDGES, *(bound for bound in bounds if bound is not None)]:
        try:
            made = config.model_validate({**example_settings(config), name: value})
        except (ValidationError, ConfigError):
            continue
        yield getattr(made, name)


def test_every_seed_shuffles_every_epoch_differently() -> None:
    widths = torch.randint(2, 30, (200, 2)).numpy()
    shares = torch.ones(200, dtype=torch.float64).numpy()
    seen = set()
    for seed in accepted(type(RunConfig.model_fields["train"].get_default()), "seed"):
        for epoch in range(3):
            plan = plan_batches(seed, epoch, 0, widths, shares, 64)
            seen.add((seed, plan.order.tobytes()))
    seeds, orders = {seed for seed, _ in seen}, {order for _, order in seen}
    assert len(orders) == 3 * len(seeds), "two epochs or two seeds have the same order"


def test_every_weight_of_a_corpus_gives_epochs_of_bounded_size() -> None:
    for weight in accepted(CorpusConfig, "weight"):
        pools = plan_pools(1, 0, [100], [weight], 1_000)
        assert 1 <= sum(len(pool) for pool in pools) <= 1_000_001


@pytest.mark.parametrize(
    ("new", "mixed", "advice"),
    [(10_000, 1, None), (10_001, 1, "more"), (1, 1_000_000, None), (1, 1_000_001, "less")],
)
def test_a_mixture_of_unequal_corpora_is_refused_by_name(
    new: int, mixed: int, advice: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count(corpus: Corpus) -> int:
        return mixed if "b.en" in corpus.paths else new

    monkeypatch.setattr("regard.cli.training.count_characters", count)
    run = load_config("translate-rnn-tiny", ['data.train=[{"files": ["a.en", "a.de"]}]'])
    inputs = TrainingInputs(None, None, None, ["b.en", "b.de"], None, None)
    if advice is None:
        assert inputs.add_mixed(run).data.train[1].weight == new / mixed
        return
    with pytest.raises(UsageError, match=rf"^--mix: has {mixed:,} .* Mix in {advice} text\.$"):
        inputs.add_mixed(run)


def test_as_much_text_is_mixed_in_as_the_new_data_have(tmp_path: Path) -> None:
    texts = {"new": "A long clause of a law.\n" * 20, "old": "A dog.\n" * 50}
    for name, text in texts.items():
        for language in ("en", "fr"):
            (tmp_path / f"{name}.{language}").write_text(text)
    new, old = ([f"{tmp_path}/{name}.{language}" for language in ("en", "fr")] for name in texts)
    run = load_config("translate-rnn-tiny", [f"data.train={json.dumps([{'files': new}])}"])
    mixed = TrainingInputs(None, None, None, old, None, None).add_mixed(run)
    assert mixed.data.train[1].weight == pytest.approx(20 * 23 / (50 * 6))
    assert mixed.train.micro_batches == 2 * run.train.micro_batches


# -- options of a search -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory) -> Translator:
    return Translator.load(make_bundle("transformer", tmp_path_factory.mktemp("domains") / "model"))


def search_arguments(name: str, value: Any) -> dict[str, Any]:
    """Return the arguments of `translate` that set an option."""
    if name.startswith("sampling."):
        option = name.partition(".")[2]
        return {"sampling": replace(SamplingOptions(), **{option: value})}
    return {"forbid" if name == "forbidden" else name: value}


OPTIONS = [
    *(field.name for field in fields(SearchOptions) if field.name not in ("sampling", "forbidden")),
    *(f"sampling.{field.name}" for field in fields(SamplingOptions)),
    "n_best",
]
"""The options that are numbers."""


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_a_search_works_or_is_refused_by_name(
    translator: Translator, option: str
) -> None:
    name = option.rpartition(".")[2]
    bounds = getattr(regard.bounds, "NGRAM" if name == "no_repeat_ngram" else name.upper(), None)
    ends = [] if bounds is None else [bounds.low, bounds.high]
    kind = float if name in ("length_penalty", "temperature", "top_p") else int
    for value in [*EDGES, *map(kind, ends)]:
        if type(value) is not kind or (name == "min_length" and value == 1_000):
            continue  # other types: below; and a translation of a thousand tokens takes long
        try:
            arguments = search_arguments(option, value)
            (result,) = translator.translate([LINES[0]], **{"beam_size": 2} | arguments)
        except ConfigError as error:
            message = str(error)
            assert message.startswith(f"{name}: must be"), message
            assert value not in ends
            continue
        assert math.isfinite(result.score)
        assert "⁇" not in result.text, "the token of padding"


@pytest.mark.parametrize("value", [*TEXTS, *OTHERS, True, False, math.nan, 1.5, math.inf, 10**400])
def test_bounds_hold_for_values_of_any_type(value: Any) -> None:
    for whole in (True, False):
        if value == 1.5 and not whole:
            continue
        with pytest.raises(ConfigError, match=r"^count: must be a (whole )?number from 0 to 9"):
            regard.bounds.Bounds(0, 9, whole=whole).check("count", value)


@pytest.mark.parametrize("temperature", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("top_p", [1e-6, 0.5, 1.0])
def test_sampled_tokens_are_possible(top_p: float, temperature: float) -> None:
    """At every point between 0 and 1, also where rounding puts it beyond the last token."""
    logits = torch.tensor([[-torch.inf, 0.0, -40.0, 1.0, 0.3, -torch.inf, -torch.inf]])
    logits = torch.cat([logits, torch.full((1, 5_000), -9.0), torch.full((1, 3), -torch.inf)], 1)

    def step(last: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return logits.expand(len(last), -1), state

    for point in (0.0, 1e-7, 0.5, 1 - 2**-24):
        with patch.object(torch, "rand", return_value=torch.tensor(point)):
            (drawn,) = sample(
                step,
                torch.zeros(1),
                seeds=[1],
                bos=1,
                eos=2,
                max_length=3,
                temperature=temperature,
                top_p=top_p,
            )
        assert all(math.isfinite(logp) for logp in drawn.logps), (point, drawn)


def test_a_point_beyond_all_tokens_draws_a_possible_one() -> None:
    """Sums of probabilities are rounded, so the last one can be below a point."""
    highest, beyond = torch.tensor(1 - 2**-24), 0
    for seed in range(40):
        logits = torch.randn(1, 300, generator=torch.Generator().manual_seed(seed))
        logits = torch.cat([logits, torch.full((1, 3), -torch.inf)], dim=1)
        p = logits.softmax(dim=-1)[0]
        beyond += bool(p.cumsum(dim=-1)[-1] <= highest * p.sum())
        with patch.object(torch, "rand", return_value=highest):
            (drawn,) = sample(
                lambda last, state, logits=logits: (logits, state),
                torch.zeros(1),
                seeds=[1],
                bos=1,
                eos=2,
                max_length=2,
            )
        assert all(math.isfinite(logp) for logp in drawn.logps)
    assert beyond


# -- options of commands -------------------------------------------------------------------------


def number_options() -> list[tuple[str, Any]]:
    """The options of all commands that are numbers, with the name of the command."""
    return [
        (" ".join(path), parameter)
        for path, command in all_commands()
        for parameter in command.params
        if parameter.type_descriptor.annotation in (int, float)
    ]


@pytest.mark.parametrize(
    ("command", "parameter"), number_options(), ids=lambda value: getattr(value, "name", value)
)
def test_a_number_of_a_command_is_bounded(command: str, parameter: Any) -> None:
    assert parameter.min is not None and parameter.max is not None
    ends = [str(parameter.min), str(parameter.max)]
    for text in [*map(str, NUMBERS[2:]), *TEXTS, *WORDS, *ends]:
        try:
            value = parameter.process_value(typer.Context(typer.core.TyperCommand("x")), text)
        except typer.BadParameter:
            assert text not in ends
            continue
        assert parameter.min <= value <= parameter.max, (text, value)
        assert value == (Decimal(text) if isinstance(value, int) else float(text))
