"""All limits of the server. `docs/guides/serving.md` lists them; a test compares the two."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, ValidationError

from regard.errors import ConfigError


class ServerSettings(BaseModel):
    """Limits and sizes of a server, with safe defaults.

    The cost of a text is its pieces times the beam size.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_body_bytes: Annotated[PositiveInt, Field(description="Bytes of a request's body.")] = (
        1 << 20
    )
    max_texts: Annotated[PositiveInt, Field(description="Texts of a request.")] = 256
    max_characters: Annotated[
        PositiveInt, Field(description="Characters of a request's texts, after NFKC.")
    ] = 50_000
    max_document_bytes: Annotated[PositiveInt, Field(description="Bytes of a document.")] = 8 << 20
    max_document_characters: Annotated[
        PositiveInt, Field(description="Characters of a document's texts, after NFKC.")
    ] = 500_000
    max_documents: Annotated[
        PositiveInt,
        Field(description="Documents under way at once; further ones are refused with 503."),
    ] = 4
    document_seconds: Annotated[
        PositiveFloat, Field(description="Time in which a document is translated, or fails.")
    ] = 600.0
    max_beam_size: Annotated[PositiveInt, Field(description="Beam size and n-best.")] = 16
    max_cost: Annotated[
        PositiveInt, Field(description="Cost of a request: pieces × beam size.")
    ] = 200_000
    max_queue_seconds: Annotated[
        PositiveFloat,
        Field(description="Expected waiting time above which requests are refused with 503."),
    ] = 5.0
    max_queue_cost: Annotated[
        PositiveInt, Field(description="Cost of all waiting texts, whatever the waiting time.")
    ] = 2_000_000
    max_connections: Annotated[
        PositiveInt, Field(description="Open connections; further ones are answered with 503.")
    ] = 1_000
    deadline_seconds: Annotated[
        PositiveFloat, Field(description="Time in which a request is answered, or fails with 504.")
    ] = 30.0
    header_seconds: Annotated[
        PositiveFloat, Field(description="Time in which a client must send a request's header.")
    ] = 10.0
    body_seconds: Annotated[
        PositiveFloat, Field(description="Time in which a client must send a request's body.")
    ] = 10.0
    stop_seconds: Annotated[
        PositiveInt, Field(description="Time for open requests when the server stops.")
    ] = 30
    batch_cost: Annotated[
        PositiveInt, Field(description="Cost of the texts that an engine translates at once.")
    ] = 8_192
    batch_wait_ms: Annotated[
        PositiveFloat, Field(description="Time an idle engine waits for more texts.")
    ] = 5.0
    cache_megabytes: Annotated[
        float, Field(ge=0, description="Memory for translated segments; 0: no cache.")
    ] = 16.0

    @classmethod
    def read(cls, path: Path) -> ServerSettings:
        """Read settings from a YAML file."""
        try:
            content: Any = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise ConfigError(f"{path}: cannot be read ({error})") from None
        if not isinstance(content, dict):
            raise ConfigError(f"{path}: must hold settings, such as `max_texts: 100`.")
        try:
            return cls(**content)
        except ValidationError as error:
            problem = error.errors()[0]
            name = ".".join(map(str, problem["loc"]))
            raise ConfigError(
                f"{path}: {name}: {problem['msg']}. The settings are: "
                f"{', '.join(cls.model_fields)}."
            ) from None
