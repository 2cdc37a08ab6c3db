"""Load the config of a run from a preset or a YAML file, and apply overrides.

A file with `extends: PRESET` starts from the settings of the preset; its own settings override
them. Overrides (`--set a.b=value`) come last.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from copy import deepcopy
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from regard.config.base import MAX_FILE_BYTES, Config, dump_yaml, parse_settings, parse_value
from regard.config.encoders import TransformerConfig
from regard.config.registry import IMPORTS, MechanismConfig, kind_of, member_configs
from regard.config.run import RunConfig
from regard.errors import ConfigError

PRESETS = files("regard.config") / "presets"

C = TypeVar("C", bound=Config)
Override = str | Mapping[str, Any]
"""A change of settings: an assignment `a.b=value` as `--set` takes it, or a nested mapping."""


def presets() -> list[str]:
    """Return the names of all presets, sorted."""
    return sorted(yaml_files(PRESETS))


def yaml_files(folder: Traversable) -> dict[str, Traversable]:
    """Return the YAML files of a folder of the package by their names without the suffix."""
    return {
        entry.name.removesuffix(".yaml"): entry
        for entry in folder.iterdir()
        if entry.name.endswith(".yaml")
    }


def load_config(name: str | Path, overrides: Iterable[Override] = ()) -> RunConfig:
    """Load the config of a preset's name or a file's path and apply `overrides` in order."""
    run = validate_config(_override(_settings(str(name)), overrides), str(name), imports=True)
    _check_positions(run, str(name))
    return run


def parse_config(text: str, origin: str, *, imports: bool = False) -> RunConfig:
    """Parse a resolved config, as `dump_config` writes it; `extends` is not allowed."""
    return validate_config(parse_settings(text, origin), origin, imports=imports)


def change_config(run: RunConfig, overrides: Iterable[Override], origin: str) -> RunConfig:
    """Return `run` with `overrides` applied in order; errors name `origin`."""
    return validate_config(_override(run.model_dump(mode="json"), overrides), origin)


def dump_config(run: RunConfig) -> str:
    """Return the resolved run as YAML; `parse_config` reads it back."""
    return dump_yaml(run.model_dump(mode="json"))


def validate_config(settings: Any, origin: str, *, imports: bool = False) -> RunConfig:
    """Validate the settings of a run. `imports`: `kind: module:Class` may import its module."""
    return validate_settings(RunConfig, settings, origin, imports=imports)


def validate_settings(kind: type[C], settings: Any, origin: str, *, imports: bool = False) -> C:
    """Make a config from `settings`; raise a ConfigError with one line for each mistake."""
    try:
        return kind.model_validate(settings, context={IMPORTS: imports})
    except ValidationError as error:
        raise ConfigError("\n".join(_explain_all(error.errors(), origin, kind))) from None


def _check_positions(run: RunConfig, origin: str) -> None:
    """Refuse a setting without effect, except in the bundles of earlier versions."""
    for name in ("encoder", "decoder"):
        part = getattr(run.model, name, None)
        if not isinstance(part, TransformerConfig) or part.positions == "learned":
            continue
        if part.max_positions != TransformerConfig.model_fields["max_positions"].default:
            raise ConfigError(
                f"{origin}: model.{name}.max_positions: is the number of learned positions, and "
                f"model.{name}.positions is {part.positions}. Remove it, or set positions to "
                "learned"
            )


def _settings(name: str, extending: tuple[str, ...] = ()) -> dict[str, object]:
    """Read a preset or a file and the one that it extends; `extending` are the files so far."""
    if name in extending:
        raise ConfigError(f"{' extends '.join([*extending, name])}. Extend a preset instead")
    presets = yaml_files(PRESETS)
    text = read_named_text(name, presets, "preset")
    origin = f"preset {name}" if name in presets else name
    settings = parse_settings(text, origin)
    base = settings.pop("extends", None)
    if base is None:
        return settings
    extended = _settings(str(base), (*extending, name))
    return _describing(_merge(extended, settings), extended)


def _override(settings: dict[str, object], overrides: Iterable[Override]) -> dict[str, object]:
    return _describing(_apply_overrides(deepcopy(settings), overrides), settings)


def _describing(changed: dict[str, object], original: dict[str, object]) -> dict[str, object]:
    """Drop the description of `original` if it is that of another model."""
    same_text = changed.get("description") == original.get("description")
    if same_text and changed.get("model") != original.get("model"):
        changed.pop("description", None)
    return changed


def read_named_text(name: str, named_files: Mapping[str, Traversable], noun: str) -> str:
    """Return the text of a known name or of a file; `noun` names what is known in errors."""
    if name in named_files:
        return named_files[name].read_text("utf-8")
    try:
        with Path(name).open(encoding="utf-8") as file:
            return file.read(MAX_FILE_BYTES + 1)
    except UnicodeDecodeError:
        raise ConfigError(f"{name}: is not UTF-8 text, so it is not a YAML file") from None
    except (FileNotFoundError, IsADirectoryError, ValueError):  # ValueError: a null character
        raise ConfigError(
            f"{name} is neither a {noun} nor a file. {_suggestion(name, named_files)}"
        ) from None
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read: {error.strerror}") from None


def _merge(base: dict[str, object], change: Mapping[str, Any]) -> dict[str, object]:
    """Merge `change` into `base`; a part whose `kind` changes keeps none of its old settings."""
    if "kind" in change and change["kind"] != base.get("kind"):
        return dict(change)
    merged = dict(base)
    for key, value in change.items():
        old = merged.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            value = _merge(old, value)
        merged[key] = value
    return merged


def _apply_overrides(
    settings: dict[str, object], overrides: Iterable[Override]
) -> dict[str, object]:
    for override in overrides:
        if isinstance(override, str):
            _assign(settings, override)
        else:
            settings = _merge(settings, deepcopy(dict(override)))
    return settings


def _assign(settings: dict[str, object], assignment: str) -> None:
    """Apply `a.b=value` in place. Unlike a merge, a mapping as value replaces the old mapping."""
    path, equals, value = assignment.partition("=")
    if not equals:
        raise ConfigError(f"--set {assignment}: no value given. Write --set a.b=value")
    *parents, last = path.split(".")
    for depth, parent in enumerate(parents, 1):
        if settings.get(parent) is None:
            settings[parent] = {}
        inner = settings[parent]
        if not isinstance(inner, dict):
            value_path = ".".join(parents[:depth])
            raise ConfigError(f"--set {assignment}: {value_path} is a value and has no settings")
        settings = inner
    parsed = parse_value(value, f"--set {path}")
    if last == "kind" and settings.get("kind") != parsed:
        settings.clear()  # settings of one kind do not fit another
    settings[last] = parsed


_EXPECTED = {
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "string_type": "text",
    "string_unicode": "text of Unicode characters",
    "string_too_short": "text of at least {min_length} characters",
    "string_too_long": "text of at most {max_length} characters",
    "string_pattern_mismatch": "text of the pattern {pattern}",
    "list_type": "a list",
    "tuple_type": "a list",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "dict_type": "a mapping",
    "greater_than": "greater than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "literal_error": "{expected}",
    "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}",
}
"""What each pydantic error type expects, with the fields of its context."""


def _explain_all(errors: Iterable[Any], origin: str, root: type[Config]) -> list[str]:
    """Return one line for each setting: file, path, what is allowed, and the value."""
    expected: dict[str, list[str]] = {}  # what the kinds of a value expect, by path
    values: dict[str, object] = {}
    lines = []
    for error in errors:
        path, _, _ = _walk(error["loc"], root)
        if error["type"] not in _EXPECTED:
            lines.append(_explain(error, origin, root))
            continue
        expected.setdefault(path, []).append(
            _EXPECTED[error["type"]].format(**error.get("ctx", {}))
        )
        values[path] = error["input"]
    for path, options in expected.items():
        allowed = " or ".join(dict.fromkeys(options))
        hint = ". Put it in quotes" if allowed == "text" and _is_scalar(values[path]) else ""
        lines.append(f"{origin}: {path} must be {allowed}, not {_show(values[path])}{hint}")
    return lines


def _is_scalar(value: Any) -> bool:
    return isinstance(value, bool | int | float)


def _show(value: Any) -> str:
    """Return a value as YAML has it, shortened."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"{value!r:.100}"


def _explain(error: Any, origin: str, root: type[Config]) -> str:
    """Return one line: file, path of the setting, what is wrong, and the nearest valid name."""
    path, valid_names, configs = _walk(error["loc"], root)
    context = error.get("ctx", {})
    match error["type"]:
        case "extra_forbidden":
            suggestion = _suggestion(str(error["loc"][-1]), valid_names)
            return f"{origin}: {path} is not a setting. {suggestion}"
        case "union_tag_invalid":
            kinds = [tag.strip("' ") for tag in context["expected_tags"].split(",")]
            tag = str(context["tag"])
            extensible = any(issubclass(config, MechanismConfig) for config in configs)
            missing = f' If another package adds "{tag:.100}", install it.' if extensible else ""
            return (
                f'{origin}: {path}.kind cannot be "{tag:.100}". {_suggestion(tag, kinds)}{missing}'
            )
        case "union_tag_not_found":
            return f"{origin}: {path}.kind is missing"
        case "missing":
            return f"{origin}: {path} is missing"
        case _:
            return f"{origin}: {path}: {error['msg']}, not {_show(error['input'])}"


def _walk(
    location: tuple[str | int, ...], root: type[Config]
) -> tuple[str, list[str], list[type[Config]]]:
    """Return the path as the file has it, without union tags.

    Also return the names of the settings beside the last one, and the configs it may hold.
    """
    path: list[str] = []
    candidates: list[type[Config]] = [root]
    fields: list[str] = []
    for step in map(str, location):
        tagged = [config for config in candidates if kind_of(config) == step]
        if len(candidates) > 1 and tagged:
            candidates = tagged
            continue
        if step.isdigit():  # an element of a list
            path.append(step)
        elif candidates:
            path.append(step)
            fields = list(candidates[0].model_fields)
            field = candidates[0].model_fields.get(step)
            candidates = member_configs(field.annotation) if field is not None else []
    return ".".join(path), fields, candidates


def _suggestion(name: str, valid_names: Iterable[str]) -> str:
    valid_names = sorted(valid_names)
    nearest = [candidate for candidate in valid_names if name in candidate.split("-")]
    nearest = nearest or difflib.get_close_matches(name, valid_names, n=1, cutoff=0.5)
    if nearest:
        quoted = " or ".join(f'"{candidate}"' for candidate in nearest)
        return f"Did you mean {quoted}?"
    return f"Valid names: {', '.join(valid_names)}."
