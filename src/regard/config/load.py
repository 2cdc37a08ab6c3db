"""Reading a run: from a preset or a file and overrides to a spec, with errors that help.

    extends: PRESET     begins with a preset's settings; what the file says comes on top
    --set a.b=c         comes on top of all

Run files are small, shallow and without aliases: a short file can otherwise unfold without end.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from copy import deepcopy
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import ValidationError

from regard.config.base import Config
from regard.config.run import RunConfig
from regard.errors import ConfigError

PRESETS = files("regard.config") / "presets"
MAX_FILE_BYTES = 256 * 1024  # a run file is a page or two
MAX_DEPTH = 32
MAX_PARTS = 10_000  # names, values and brackets: a run has some two hundred, and some a corpus
MAX_PART_LENGTH = 4_096  # characters: a path may have as many

Override = str | Mapping[str, Any]
"""A change of settings: an assignment `a.b=value` as `--set` takes it, or a nested mapping."""


def presets() -> list[str]:
    return sorted(entry.name.removesuffix(".yaml") for entry in PRESETS.iterdir())


def load_config(name: str | Path, overrides: Iterable[Override] = ()) -> RunConfig:
    """Load the config of a preset's name or a file's path and apply `overrides` in order."""
    return validate_config(_apply_overrides(_settings(str(name)), overrides), str(name))


def parse_config(text: str, where: str) -> RunConfig:
    """Parse a resolved config, as `dump_config` writes it; `extends` is not allowed."""
    return validate_config(_parse(text, where), where)


def change_config(run: RunConfig, overrides: Iterable[Override], where: str) -> RunConfig:
    """Return `run` with `overrides` applied in order; errors name `where`."""
    return validate_config(_apply_overrides(run.model_dump(mode="json"), overrides), where)


def dump_config(run: RunConfig) -> str:
    """The resolved run, as YAML: reading it gives the same run."""
    return yaml.safe_dump(run.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def validate_config(settings: Any, where: str) -> RunConfig:
    try:
        return RunConfig.model_validate(settings)
    except ValidationError as error:
        raise ConfigError("\n".join(_explain(e, where) for e in error.errors())) from None


def _settings(name: str) -> dict[str, Any]:
    if name in presets():
        text, where = (PRESETS / f"{name}.yaml").read_text("utf-8"), f"preset {name}"
    else:
        path = Path(name)
        if not path.is_file():
            near = _nearest(name, presets())
            raise ConfigError(f"{name}: neither a preset nor a file{near}; see `regard describe`")
        with path.open(encoding="utf-8") as file:
            text, where = file.read(MAX_FILE_BYTES + 1), name
    settings = _parse(text, where)
    base = settings.pop("extends", None)
    return settings if base is None else _merge(_settings(str(base)), settings)


def _parse(text: str, where: str) -> dict[str, Any]:
    if len(text) > MAX_FILE_BYTES:
        raise ConfigError(f"{where}: larger than a run file can be ({MAX_FILE_BYTES:,} characters)")
    try:
        depth = 0
        for count, event in enumerate(yaml.parse(text, Loader=yaml.CSafeLoader)):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent):
                raise ConfigError(
                    f"{where}: aliases (*{event.anchor}) are not allowed; write it out"
                )
            if depth > MAX_DEPTH:
                raise ConfigError(f"{where}: nested more than {MAX_DEPTH} deep")
            if count > MAX_PARTS:
                raise ConfigError(f"{where}: has more than {MAX_PARTS:,} names and values")
            if isinstance(event, yaml.ScalarEvent) and len(event.value) > MAX_PART_LENGTH:
                raise ConfigError(f"{where}: a value has more than {MAX_PART_LENGTH:,} characters")
        settings = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date or a number that is none
        raise ConfigError(f"{where}: not YAML: {error}") from None
    if not isinstance(settings, dict):
        raise ConfigError(f"{where}: a run file is a mapping, with `model:` at the least")
    return settings


def _merge(base: dict[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """`change` on top of `base`; where the kind of a part changes, nothing of the old one stays."""
    if "kind" in change and change["kind"] != base.get("kind"):
        return dict(change)
    merged = dict(base)
    for key, value in change.items():
        old = merged.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            value = _merge(old, value)
        merged[key] = value
    return merged


def _apply_overrides(settings: dict[str, Any], overrides: Iterable[Override]) -> dict[str, Any]:
    for override in overrides:
        if isinstance(override, str):
            _assign(settings, override)
        else:
            settings = _merge(settings, deepcopy(dict(override)))
    return settings


def _assign(settings: dict[str, Any], assignment: str) -> None:
    """Apply `a.b=value` in place. Unlike a merge, a mapping as value replaces the old mapping."""
    path, equals, value = assignment.partition("=")
    if not equals:
        raise ConfigError(f"--set {assignment}: no value given. Write --set a.b=value")
    *parents, last = path.split(".")
    for parent in parents:
        if settings.get(parent) is None:
            settings[parent] = {}
        inner = settings[parent]
        if not isinstance(inner, dict):
            raise ConfigError(f"--set {assignment}: {parent} is a value and has no settings")
        settings = inner
    try:
        parsed = yaml.safe_load(value)
    except yaml.YAMLError:
        parsed = value
    if last == "kind" and settings.get("kind") != parsed:
        settings.clear()  # settings of one kind do not fit another
    settings[last] = parsed


def _explain(error: Any, where: str) -> str:
    """One line: the path in the file, what is wrong with it, and the nearest right name."""
    path, known = _walk(error["loc"])
    match error["type"]:
        case "extra_forbidden":
            near = _nearest(str(error["loc"][-1]), known)
            return f"{where}: {path}: no such setting{near}"
        case "union_tag_invalid":
            wanted = [tag.strip("' ") for tag in error["ctx"]["expected_tags"].split(",")]
            near = _nearest(error["ctx"]["tag"], wanted)
            return f"{where}: {path}.kind: no {error['ctx']['tag']!r}{near}"
        case "union_tag_not_found":
            return f"{where}: {path}: say which `kind` it is"
        case "missing":
            return f"{where}: {path}: is missing"
        case _:
            return f"{where}: {path}: {error['msg']}, not {error['input']!r}"


def _walk(location: tuple[str | int, ...]) -> tuple[str, list[str]]:
    """The path as the file has it, without the tags of unions; and the settings known there."""
    path: list[str] = []
    here: list[type[Config]] = [RunConfig]  # what may stand here; a tag chooses
    known: list[str] = []
    for step in map(str, location):
        tagged = [spec for spec in here if _kind(spec) == step]
        if len(here) > 1 and tagged:
            here = tagged
            continue
        path.append(step)
        known = list(here[0].model_fields)
        field = here[0].model_fields.get(step)
        here = _specs(field.annotation) if field is not None else []
        if not here:
            break
    return ".".join(path), known


def _specs(annotation: Any) -> list[type[Config]]:
    if isinstance(annotation, type) and issubclass(annotation, Config):
        return [annotation]
    return [spec for part in get_args(annotation) for spec in _specs(part)]


def _kind(spec: type[Config]) -> str | None:
    field = spec.model_fields.get("kind")
    return None if field is None else field.default


def _nearest(name: str, known: Iterable[str]) -> str:
    known = sorted(known)
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; there is {', '.join(known)}"
