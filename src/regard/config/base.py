"""The base of all configs, and YAML as run files use it."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from regard.bounds import SEED
from regard.errors import ConfigError

Count = Annotated[int, Field(gt=0, lt=1 << 31)]
Seed = Annotated[int, Field(ge=SEED.low, le=SEED.high)]


class Config(BaseModel):
    """An immutable config that rejects unknown fields and values of another type.

    The `kind` of a config selects the member of a union. `build()` makes the part that a config
    describes. A value is never converted: neither `true` nor "1" is a number, and no number is
    infinite or NaN.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)
    extensible: ClassVar[bool] = False  # whether other packages can add kinds

    @classmethod
    def members(cls) -> list[type[Config]]:
        """The configs that a setting of this class may hold."""
        return [cls]

    @model_validator(mode="before")
    @classmethod
    def _freeze_lists(cls, settings: Any) -> Any:
        """Make tuples of lists: the values of configs are tuples, and YAML has lists only."""
        if not isinstance(settings, dict):
            return settings
        return {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in settings.items()
        }


IMPORTS = "imports"
"""Key of the validation context: whether `kind: module:Class` may import a new module."""


def is_concrete(config: type[BaseModel]) -> bool:
    """Whether this is the config of one kind, not the base of several."""
    return "kind" in config.model_fields


def kind_of(config: type[BaseModel]) -> str:
    """The name that selects a config; "" if it is not one of several kinds."""
    return str(config.model_fields["kind"].default) if is_concrete(config) else ""


def member_configs(annotation: Any) -> list[type[Config]]:
    """The configs that a setting with this annotation may hold."""
    if isinstance(annotation, type) and issubclass(annotation, Config):
        return annotation.members()
    return [config for argument in get_args(annotation) for config in member_configs(argument)]


# -- YAML as run files, studies and server settings are written ------------------------------------
# Limited, and without surprises.
#
# Scalars are those of the YAML 1.2 core schema. So `no`, `on`, `12:30` and `1_000` are text, as are
# dates, and `1e-3` is a number; YAML 1.1, PyYAML's default, reads them otherwise. A mapping must
# not have a key twice.
#
# Size, depth and aliases are limited, because a short YAML file can expand without bound.


MAX_FILE_BYTES = 256 * 1024
MAX_DEPTH = 32
MAX_PARTS = 10_000  # YAML events: a run has about 200, and a few more for each corpus
MAX_PART_LENGTH = 4_096  # characters: the maximum length of a path

_TAG = "tag:yaml.org,2002:"
_SCALARS = {
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    "int": (r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    "float": (
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
        r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        list("-+0123456789."),
    ),
}
"""Pattern and first characters of each kind of scalar that is not text (YAML 1.2.2, 10.3.2)."""


class _CoreLoader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[str, list[Any]] = {}  # noqa: RUF012  as in PyYAML's classes

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {key.value!r} occurs twice", key.start_mark
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


class _CoreDumper(yaml.SafeDumper):
    """Quotes text that either version of YAML would read as something else."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: list(resolvers)
        for first, resolvers in yaml.SafeDumper.yaml_implicit_resolvers.items()
    }

    def ignore_aliases(self, data: Any) -> bool:
        return True


for _name, (_pattern, _first) in _SCALARS.items():
    for _class in (_CoreLoader, _CoreDumper):
        _class.add_implicit_resolver(_TAG + _name, re.compile(rf"(?:{_pattern})\Z"), _first)


def _construct_int(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    bases = {"0o": 8, "0x": 16}
    return int(node.value, bases.get(node.value[:2], 10))


def _construct_float(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> float:
    return float(re.sub(r"\.(?=[iInN])", "", node.value))


_CoreLoader.add_constructor(_TAG + "int", _construct_int)
_CoreLoader.add_constructor(_TAG + "float", _construct_float)


def parse_settings(text: str, origin: str) -> dict[str, object]:
    """Parse a YAML mapping of limited size, which may be empty; `origin` locates it in errors."""
    if len(text) > MAX_FILE_BYTES:
        raise ConfigError(f"{origin}: must have at most {MAX_FILE_BYTES:,} characters")
    try:
        settings = load_yaml(text, origin)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a number of too many digits
        raise ConfigError(f"{origin}: not valid YAML: {error}") from None
    if settings is None:
        return {}
    if not isinstance(settings, dict):
        raise ConfigError(f"{origin}: must be a mapping of settings")
    return settings


def parse_value(text: str, origin: str) -> Any:
    """Parse the value of an assignment `a.b=value`. What is no YAML is text."""
    try:
        return load_yaml(text, origin)
    except (yaml.YAMLError, ValueError):
        return text


def load_yaml(text: str, origin: str) -> Any:
    """Load YAML of limited size, without aliases and without tags, which can raise anything."""
    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=yaml.CSafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent):
            raise ConfigError(f"{origin}: YAML aliases (*{event.anchor}) are not allowed")
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise ConfigError(f"{origin}: YAML tags ({tag}) are not allowed")
        if depth > MAX_DEPTH:
            raise ConfigError(f"{origin}: nested more than {MAX_DEPTH} levels deep")
        if count > MAX_PARTS:
            raise ConfigError(f"{origin}: must have at most {MAX_PARTS:,} keys and values")
        if isinstance(event, yaml.ScalarEvent) and len(event.value) > MAX_PART_LENGTH:
            raise ConfigError(f"{origin}: a value has more than {MAX_PART_LENGTH:,} characters")
    return yaml.load(text, Loader=_CoreLoader)  # noqa: S506  a subclass of SafeLoader


def dump_yaml(values: Any) -> str:
    """Return values as YAML; `load_yaml` reads the same values back."""
    return yaml.dump(values, Dumper=_CoreDumper, sort_keys=False, allow_unicode=True)
