"""Check settings, and explain each mistake in a line: file, setting, what is allowed, and value."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import ValidationError

from regard.config.base import IMPORTS, Config, kind_of, member_configs
from regard.errors import ConfigError

C = TypeVar("C", bound=Config)


def validate_settings(kind: type[C], settings: Any, origin: str, *, imports: bool = False) -> C:
    """Make a config from `settings`; raise a ConfigError with one line for each mistake."""
    try:
        return kind.model_validate(settings, context={IMPORTS: imports})
    except ValidationError as error:
        raise ConfigError("\n".join(_explain_all(error.errors(), origin, kind))) from None


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
            suggestion = nearest_name(str(error["loc"][-1]), valid_names)
            return f"{origin}: {path} is not a setting. {suggestion}"
        case "union_tag_invalid":
            kinds = [tag.strip("' ") for tag in context["expected_tags"].split(",")]
            tag = str(context["tag"])
            extensible = any(config.extensible for config in configs)
            missing = f' If another package adds "{tag:.100}", install it.' if extensible else ""
            return (
                f'{origin}: {path}.kind cannot be "{tag:.100}". {nearest_name(tag, kinds)}{missing}'
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


def nearest_name(name: str, valid_names: Iterable[str]) -> str:
    """Return a sentence that suggests the name that was meant, or lists all names."""
    valid_names = sorted(valid_names)
    nearest = [candidate for candidate in valid_names if name in candidate.split("-")]
    nearest = nearest or difflib.get_close_matches(name, valid_names, n=1, cutoff=0.5)
    if nearest:
        quoted = " or ".join(f'"{candidate}"' for candidate in nearest)
        return f"Did you mean {quoted}?"
    return f"Valid names: {', '.join(valid_names)}."
