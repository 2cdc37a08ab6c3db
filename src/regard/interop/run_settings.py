"""The settings of a run that an imported model has, before they are checked."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class RunSettings(TypedDict):
    """The sections of a run file; `RunConfig` checks their settings."""

    description: str
    model: dict[str, object]
    data: dict[str, object]
    train: dict[str, object]
    search: dict[str, object]
    licence: NotRequired[str | None]
