"""The base class of all configs."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Config(BaseModel):
    """An immutable config that rejects unknown fields.

    The `kind` of a config selects the member of a union. `build()` makes the part that a config
    describes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
