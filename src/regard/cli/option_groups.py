"""Options that belong together, as one object: a dataclass whose fields are typer's options.

A command takes such a dataclass as a parameter without a default. `option_groups` gives typer a
signature with the fields in its place.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints


def option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the fields of its dataclasses as options."""
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            parameters += _options_of(hints[name])
        else:
            parameters.append(
                parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
            )

    @functools.wraps(command)
    def with_groups(**values: Any) -> None:
        grouped = {
            name: group(**{option: values.pop(option) for option in option_names(group)})
            for name, group in groups.items()
        }
        command(**values, **grouped)

    with_groups.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return with_groups


def option_names(group: type) -> frozenset[str]:
    """Return the names of the options of a group."""
    return frozenset(field.name for field in fields(group))


def _options_of(group: type) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
