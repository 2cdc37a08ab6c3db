"""Load the config of a run from a preset or a YAML file, and apply overrides.

A file with `extends: PRESET` starts from the settings of the preset; its own settings override
them. Overrides (`--set a.b=value`) come last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from regard.config.base import MAX_FILE_BYTES, dump_yaml, parse_settings, parse_value
from regard.config.encoders import TransformerConfig
from regard.config.run import RunConfig
from regard.config.validation import nearest_name, validate_settings
from regard.errors import ConfigError

PRESETS = files("regard.config") / "presets"

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
            f"{name} is neither a {noun} nor a file. {nearest_name(name, named_files)}"
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
