"""The base class of all configs, and the numbers that they share."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from regard.bounds import SEED

Count = Annotated[int, Field(gt=0, lt=1 << 31)]
Seed = Annotated[int, Field(ge=SEED.low, le=SEED.high)]


class Config(BaseModel):
    """An immutable config that rejects unknown fields and values of another type.

    The `kind` of a config selects the member of a union. `build()` makes the part that a config
    describes. A value is never converted: neither `true` nor "1" is a number, and no number is
    infinite or NaN.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

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
