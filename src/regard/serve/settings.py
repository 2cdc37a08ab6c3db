"""All settings of the server. `docs/guides/serving.md` lists them; a test compares the two."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from regard.config.base import Config, Count, parse_settings
from regard.config.validation import validate_settings
from regard.errors import ConfigError

Seconds = Annotated[float, Field(gt=0, le=1e6)]


def _check_origin(origin: str) -> str:
    if not re.fullmatch(r"\*|[a-z][a-z0-9+.-]*://[^/\s]+", origin):
        raise ValueError(
            f"{origin!r:.100} is not an origin. Write scheme, host and port, as in "
            'https://example.org:8443, or "*" for all'
        )
    return origin


class ServerSettings(Config):
    """Limits and other settings of a server, with safe defaults.

    The cost of a text is its pieces times the beam size.
    """

    max_body_bytes: Annotated[Count, Field(description="Bytes of a request's body.")] = 1 << 20
    max_texts: Annotated[Count, Field(description="Texts of a request.")] = 256
    max_characters: Annotated[
        Count, Field(description="Characters of a request's texts, after NFKC.")
    ] = 50_000
    max_document_bytes: Annotated[Count, Field(description="Bytes of a document.")] = 8 << 20
    max_document_characters: Annotated[
        Count, Field(description="Characters of a document's texts, after NFKC.")
    ] = 500_000
    max_documents: Annotated[
        Count,
        Field(description="Documents under way at once; further ones are refused with 503."),
    ] = 4
    document_seconds: Annotated[
        Seconds, Field(description="Time in which a document is translated, or fails.")
    ] = 600.0
    max_kept_documents: Annotated[
        Count,
        Field(description="Translated documents kept for a download; the oldest are dropped."),
    ] = 100
    max_kept_bytes: Annotated[
        Count, Field(description="Bytes of all kept documents; likewise.")
    ] = 64 << 20
    kept_seconds: Annotated[
        Seconds, Field(description="Time for which a translated document is kept.")
    ] = 900.0
    max_beam_size: Annotated[Count, Field(description="Beam size and n-best.")] = 16
    max_cost: Annotated[Count, Field(description="Cost of a request: pieces × beam size.")] = (
        200_000
    )
    max_queue_seconds: Annotated[
        Seconds,
        Field(description="Expected waiting time above which requests are refused with 503."),
    ] = 5.0
    max_queue_cost: Annotated[
        Count, Field(description="Cost of all waiting texts, whatever the waiting time.")
    ] = 2_000_000
    max_connections: Annotated[
        Count, Field(description="Open connections; further ones are answered with 503.")
    ] = 1_000
    deadline_seconds: Annotated[
        Seconds, Field(description="Time in which a request is answered, or fails with 504.")
    ] = 30.0
    header_seconds: Annotated[
        Seconds, Field(description="Time in which a client must send a request's header.")
    ] = 10.0
    body_seconds: Annotated[
        Seconds, Field(description="Time in which a client must send a request's body.")
    ] = 10.0
    stop_seconds: Annotated[
        Count, Field(description="Time for open requests when the server stops.")
    ] = 30
    batch_cost: Annotated[
        Count, Field(description="Cost of the texts that an engine translates at once.")
    ] = 8_192
    batch_wait_ms: Annotated[
        float, Field(gt=0, le=1e6, description="Time an idle engine waits for more texts.")
    ] = 5.0
    cache_megabytes: Annotated[
        float, Field(ge=0, le=1e6, description="Memory for translated segments; 0: no cache.")
    ] = 16.0
    max_glossaries: Annotated[Count, Field(description="Glossaries of a key.")] = 1_000
    max_glossary_entries: Annotated[Count, Field(description="Entries of a glossary.")] = 10_000
    max_glossary_bytes: Annotated[Count, Field(description="Bytes of a glossary's entries.")] = (
        1 << 20
    )
    max_correction_bytes: Annotated[Count, Field(description="Bytes of a key's corrections.")] = (
        64 << 20
    )
    max_store_bytes: Annotated[Count, Field(description="Bytes of the file of `--store`.")] = (
        1 << 30
    )
    cors_origins: Annotated[
        tuple[Annotated[str, AfterValidator(_check_origin)], ...],
        Field(description='Web pages of these origins may use the server; `["*"]`: all pages.'),
    ] = ()

    @classmethod
    def read(cls, path: Path) -> ServerSettings:
        """Read settings from a YAML file. A file without settings has the defaults."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: cannot be read ({error})") from None
        return validate_settings(cls, parse_settings(text, str(path)), str(path))
