"""Corrected translations that users suggest, and their export at /v1/corrections.

LibreTranslate's /suggest stores them. The export is a corpus: `regard train` reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from regard.serve.compatibility import read_parameters
from regard.serve.http import AnswerError, authenticate, bearer_key
from regard.serve.keys import Keyring
from regard.serve.limits import RequestError
from regard.serve.settings import ServerSettings
from regard.serve.store_file import StoreFile, now

PAGE_BYTES = 1 << 20  # of the lines of a page, which has at least one


class CorrectionsRequest(BaseModel):
    """A page of corrections. Its parameters are in the address."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    last_number: Annotated[int, Field(ge=0, lt=1 << 63)] = Field(
        default=0, description="Number of the last correction of the page before."
    )
    limit: Annotated[int, Field(ge=1, le=10_000)] = Field(
        default=1_000, description="Corrections of the page; it has fewer if they are long."
    )


class StoredCorrection(BaseModel):
    """A line of the export."""

    number: int = Field(description="Increases with each correction.")
    created: str
    key: str | None = Field(description="Name of the key that sent it; null: there was none.")
    source_language: str
    target_language: str
    source: str
    target: str = Field(description="The corrected translation.")
    model: str = Field(description="The model that translates these languages.")
    version: str = Field(description="Version of this model when the correction was sent.")


@dataclass(frozen=True, slots=True)
class Correction:
    """A text, its corrected translation, and the model whose translation was corrected."""

    source_language: str
    target_language: str
    source: str
    target: str
    model: str
    version: str


class CorrectionStore:
    """The corrections of all keys. Call the methods by `StoreFile.run`: they wait for the disk."""

    def __init__(self, file: StoreFile, settings: ServerSettings) -> None:
        self.file, self._max_bytes = file, settings.max_correction_bytes

    def add(self, owner: str | None, correction: Correction) -> None:
        """Add a correction. `owner`: the name of a key; None on a server without keys.

        Raises:
            RequestError: A text has a NUL character, which a corpus must not have; or with the
                status 413: the corrections of this owner fill its share.
        """
        if "\0" in correction.source + correction.target:
            raise RequestError("q, s: there is a NUL character. Remove it.")
        line = _stored((0, now(), owner or "", *_columns(correction)))
        with self.file.writing() as connection:
            (size,) = connection.execute(
                "INSERT INTO correction_bytes VALUES (?, ?)"
                " ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes RETURNING bytes",
                (owner or "", len(line.model_dump_json().encode())),
            ).fetchone()
            if size > self._max_bytes:
                raise RequestError(
                    f"The corrections of this key have {self._max_bytes:,} bytes, and that is the "
                    "limit.",
                    413,
                )
            connection.execute(
                "INSERT INTO corrections (created, owner, source_language, target_language,"
                " source, target, model, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (line.created, owner or "", *_columns(correction)),
            )

    def page(self, last_number: int, limit: int) -> bytes:
        """Return the corrections with larger numbers as lines of JSON; none: there are no more."""
        lines = bytearray()
        with self.file.reading() as connection:
            rows = connection.execute(
                "SELECT number, created, owner, source_language, target_language, source, target,"
                " model, version FROM corrections WHERE number > ? ORDER BY number LIMIT ?",
                (last_number, limit),
            )
            for row in rows:
                line = _stored(row).model_dump_json().encode() + b"\n"
                if lines and len(lines) + len(line) > PAGE_BYTES:
                    break
                lines += line
        return bytes(lines)


def _columns(correction: Correction) -> tuple[str, str, str, str, str, str]:
    return (
        *(correction.source_language, correction.target_language),
        *(correction.source, correction.target, correction.model, correction.version),
    )


def _stored(row: tuple[int, str, str, str, str, str, str, str, str]) -> StoredCorrection:
    values = dict(zip(StoredCorrection.model_fields, row, strict=True))
    return StoredCorrection.model_validate({**values, "key": values["key"] or None})


def corrections_route(
    settings: ServerSettings, keyring: Keyring | None, corrections: CorrectionStore | None
) -> Route:
    """Return the route of the export, which needs an admin key if the server has keys."""

    async def export(request: Request) -> Response:
        key = authenticate(keyring, bearer_key(request))
        if key is not None and not key.admin:
            raise AnswerError(403, "This key may not read corrections. Make one with `--admin`.")
        if corrections is None:
            raise AnswerError(
                404, "This server keeps no corrections. Start it with `regard serve --store FILE`."
            )
        store, page = corrections, await read_parameters(request, CorrectionsRequest, settings)
        lines = await store.file.run(lambda: store.page(page.last_number, page.limit))
        return Response(lines, media_type="application/jsonl")

    return Route("/v1/corrections", export)
