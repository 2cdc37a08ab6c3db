"""Mechanisms by name: which `kind` a run file may name as score, span, normalizer or decoder.

A family of mechanisms is a direct subclass of `MechanismConfig`. A setting of a family accepts
every registered config of that family, so the names in run files, the error messages and the
reference of settings follow from the registration. Mechanisms come from three sources:

- `register`, a class decorator, in the modules of regard and in a user's own program;
- the entry points `regard.mechanisms` of installed packages, imported when a name is not
  registered yet, and when all names are listed;
- `kind: module:Class` in a run file, which imports the class.
"""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union, get_type_hints

from pydantic import (
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    TypeAdapter,
    create_model,
)
from pydantic.errors import PydanticUserError
from pydantic_core import CoreSchema, core_schema
from torch import nn

from regard.attention import Equation
from regard.config.base import IMPORTS, Config, is_concrete, kind_of
from regard.errors import ConfigError

ENTRY_POINTS = "regard.mechanisms"
TRUST = "REGARD_TRUST"
"""Environment variable: modules, separated by commas, that the config of a bundle may import."""

C = TypeVar("C", bound=type)


class MechanismConfig(Config):
    """Config of a mechanism.

    A config whose arguments are those of the class `part` needs no `build` of its own.
    """

    part: ClassVar[Any] = None  # the class that is built; None: `build` is overridden
    derived: ClassVar[bool] = False  # whether the config was made from the constructor of `part`
    implements: ClassVar[type[nn.Module]]  # of a family: the base class of its mechanisms
    given: ClassVar[tuple[str, ...]] = ()  # of a family: arguments that the model determines
    default_kind: ClassVar[str | None] = None  # of a base: the kind of settings that name none
    extensible: ClassVar[bool] = True

    @classmethod
    def members(cls) -> list[type[Config]]:
        return [cls] if is_concrete(cls) else list(configs_of(cls))

    @classmethod
    def base_for(cls, part: Any) -> type[MechanismConfig]:
        """The base of the config of `part`, from facts that its class declares."""
        return cls

    @classmethod
    def __pydantic_init_subclass__(cls, **arguments: Any) -> None:
        super().__pydantic_init_subclass__(**arguments)
        if MechanismConfig in cls.__bases__ and "implements" in cls.__dict__:
            _families.append(cls)
        if cls.part is not None:
            cls.equation = cls.part.equation  # type: ignore[attr-defined]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        if is_concrete(cls):
            return handler(source)
        return core_schema.with_info_plain_validator_function(cls._validate_registered)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, object]:
        if is_concrete(cls):
            return handler(schema)
        accepted = handler(core_schema.union_schema([_adapter(configs_of(cls)).core_schema]))
        return {"oneOf": [accepted]} if "$ref" in accepted else accepted  # pydantic inlines a $ref

    @classmethod
    def _validate_registered(cls, value: Any, info: Any) -> Any:
        """Validate a registered config of this family, selected by its kind."""
        if isinstance(value, dict) and cls.default_kind is not None:
            value = {"kind": cls.default_kind, **value}
        kind = value.get("kind") if isinstance(value, dict) else None
        if isinstance(kind, str) and kind not in kinds(cls):
            _find(kind, imports=bool((info.context or {}).get(IMPORTS)))
            if kind not in kinds(cls):
                _load_all()  # the error lists all names
        return _adapter(registered(cls)).validate_python(value, context=info.context)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """A derived class is in no module, so it is derived again in the process that unpickles."""
        if self.derived:
            return _restore, (self.part, kind_of(type(self)), self.model_dump())
        return super().__reduce_ex__(protocol)

    def make(self, **given: Any) -> Any:
        """Build `part` from the settings and from those arguments of `given` that it takes."""
        names = [name for name in type(self).model_fields if name != "kind"]
        taken = {name: value for name, value in given.items() if name in arguments_of(self.part)}
        return self.part(**taken, **{name: getattr(self, name) for name in names})


_families: list[type[MechanismConfig]] = []
_registered: list[type[MechanismConfig]] = []


def registered(base: type[MechanismConfig]) -> tuple[type[MechanismConfig], ...]:
    """The configs that a setting of type `base` accepts now."""
    return tuple(config for config in _registered if issubclass(config, base))


def configs_of(base: type[MechanismConfig]) -> tuple[type[MechanismConfig], ...]:
    """The configs that a setting of type `base` accepts, those of all installed packages too."""
    _load_all()
    return registered(base)


def kinds(base: type[MechanismConfig]) -> dict[str, type[MechanismConfig]]:
    """The registered configs of `base` by their names."""
    return {kind_of(config): config for config in registered(base)}


def register(mechanism: C) -> C:
    """Make a mechanism available in run files, under the name of its equation.

    A class decorator for a subclass of `Score`, `Span`, `Normalizer` or `Decoder`. Its settings
    are the arguments of its constructor, except those that the model determines: `query_dim` and
    `key_dim` of a score, `query_dim` of a span, `input_dim` and `encoder` of a decoder.

        >>> import torch, regard
        >>> from regard.attention import Equation, NormalizedWeights, Normalizer
        >>> @regard.register
        ... class SquaredReLU(Normalizer):
        ...     equation = Equation("squared-relu", "α_s = max(0, e_s)² / Σ_j max(0, e_j)²")
        ...     def forward(self, scores, visible):
        ...         x = scores.relu().square() + 1e-6
        ...         x = x if visible is None else x.masked_fill(~visible, 0.0)
        ...         return NormalizedWeights(x / x.sum(dim=-1, keepdim=True))
    """
    if issubclass(mechanism, MechanismConfig):
        _add(mechanism)
    else:
        _add(derive_config(mechanism, _equation(mechanism).name))
    return mechanism


def derive_config(part: type, kind: str) -> type[MechanismConfig]:
    """Make the config of a mechanism from its constructor."""
    family = _family(part)
    _equation(part)
    fields: dict[str, Any] = {"kind": (Literal[kind], kind)}
    hints = get_type_hints(part.__init__, include_extras=True)  # type: ignore[misc]
    for name, parameter in arguments_of(part).items():
        if name in family.given:
            continue
        if name not in hints:
            raise ConfigError(f"{part.__qualname__}: the type of its argument {name} is missing")
        required = parameter.default is parameter.empty
        fields[name] = (hints[name], ... if required else parameter.default)
    base, module = family.base_for(part), part.__module__
    try:
        derived = create_model(f"{part.__name__}Config", __base__=base, __module__=module, **fields)
    except PydanticUserError as error:
        raise ConfigError(
            f"{part.__qualname__}: its arguments cannot be settings ({error.message.split('.')[0]})"
        ) from None
    derived.derived = True
    derived.part, derived.equation = part, _equation(part)  # type: ignore[attr-defined]
    return derived


def _restore(part: type, kind: str, settings: dict[str, object]) -> MechanismConfig:
    """The derived config of a pickle."""
    if kind not in kinds(_family(part)):
        _add(derive_config(part, kind))
    return kinds(_family(part))[kind].model_validate(settings, context={IMPORTS: True})


@cache
def arguments_of(part: type) -> dict[str, inspect.Parameter]:
    """The arguments of the constructor of `part`."""
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(part).parameters
    return {name: value for name, value in parameters.items() if value.kind not in variadic}


def _add(config: type[MechanismConfig]) -> None:
    (family,) = (base for base in _families if issubclass(config, base))
    kind = kind_of(config)
    existing = kinds(family).get(kind)
    if existing is None:
        _registered.append(config)
    elif existing.part is None or existing.part is not config.part:
        raise ConfigError(
            f'kind "{kind}" is registered twice: by {_origin(existing)} and by {_origin(config)}. '
            "Rename one of them"
        )


def _check_name(config: type[MechanismConfig]) -> None:
    """Refuse a class whose equation has the name of another mechanism: pages would confuse them."""
    name = _equation(config.part).name
    existing = kinds(_family(config.part)).get(name)
    if existing is not None and existing.part is not config.part:
        raise ConfigError(
            f'{_origin(config)}: its equation has the name "{name}", which is that of '
            f"{_origin(existing)}. Rename it"
        )


def _origin(config: type[MechanismConfig]) -> str:
    origin = config.part or config
    return f"{origin.__module__}:{origin.__qualname__}"


def _equation(part: type) -> Equation:
    equation = vars(part).get("equation")  # an inherited one describes another class
    if not isinstance(equation, Equation):
        raise ConfigError(
            f"{part.__qualname__}: has no equation of its own. Add equation = "
            'regard.attention.Equation("name", "formula", "reference") to the class'
        )
    return equation


def _family(part: type) -> type[MechanismConfig]:
    for family in _families:
        if issubclass(part, family.implements):
            return family
    names = ", ".join(family.implements.__name__ for family in _families)
    raise ConfigError(f"{part.__qualname__}: must be a subclass of one of {names}")


def _find(kind: str, *, imports: bool) -> None:
    """Register the mechanism that an installed package or an importable module calls `kind`."""
    if ":" in kind:
        config = derive_config(_import_class(kind, imports=imports), kind)
        _check_name(config)
        _add(config)
        return
    for point in entry_points(group=ENTRY_POINTS, name=kind):
        _load(point)


_listed = False


def _load_all() -> None:
    """Register the mechanisms of all installed packages, once."""
    global _listed
    if _listed:
        return
    _listed = True  # first: a package may list the mechanisms while it is imported
    for point in entry_points(group=ENTRY_POINTS):
        if not any(kind_of(config) == point.name for config in _registered):
            try:
                _load(point)
            except ConfigError as error:  # this one is not available, the others are
                warnings.warn(str(error), RuntimeWarning, stacklevel=2)


def _load(point: EntryPoint) -> None:
    origin = f"entry point {point.name} = {point.value} of {ENTRY_POINTS}"
    try:
        part = point.load()
    except Exception as error:  # of another package: anything
        raise ConfigError(
            f"{origin}: cannot be imported ({type(error).__name__}: {error})"
        ) from None
    name = _equation(part).name
    if name != point.name:
        raise ConfigError(f'{origin}: its equation has the name "{name}". Use one name')
    register(part)


def _import_class(kind: str, *, imports: bool) -> type:
    """Import the class that `kind: module:Class` names, if its module may be imported."""
    module_name, _, class_name = kind.partition(":")
    trusted = [name.strip() for name in os.environ.get(TRUST, "").split(",")]
    if not (imports or module_name in sys.modules or module_name in trusted):
        raise ConfigError(
            f'kind "{kind}": a model bundle may not import the module {module_name} on its own. If '
            f"you trust it, run `import {module_name}` before you load the model, or set the "
            f"environment variable {TRUST}={module_name}. Mechanisms of packages that register "
            f"them as entry points ({ENTRY_POINTS}) need neither"
        )
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f'kind "{kind}": {error}. Install the package that contains it, or add its folder to '
            "PYTHONPATH"
        ) from None
    part = getattr(module, class_name, None)
    if not isinstance(part, type):
        raise ConfigError(f'kind "{kind}": {module_name} has no class {class_name}')
    return part


@cache
def _adapter(configs: tuple[type[MechanismConfig], ...]) -> Any:
    """The `TypeAdapter` of the union of these configs."""
    if len(configs) == 1:
        return TypeAdapter(configs[0])
    union: Any = Annotated[Union[configs], Field(discriminator="kind")]  # noqa: UP007
    return TypeAdapter(union)
