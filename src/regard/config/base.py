"""What a spec is: a value that says how a part is made, and makes it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Config(BaseModel):
    """Frozen, compared by its content, told from others by its `kind`, strict about its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")
