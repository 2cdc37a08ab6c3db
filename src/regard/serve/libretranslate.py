"""LibreTranslate's interface: /translate, /detect, /languages and /frontend/settings.

Requests, answers and errors have the shapes of LibreTranslate 1.x, so that its clients and web page
work unchanged. There is no language identification: the source "auto" is accepted if only one
language is translated into the target.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from regard.documents.formats.base import DOCUMENT_SUFFIXES
from regard.serve.compatibility import (
    LanguagePairs,
    Translate,
    language_name,
    read_parameters,
    with_statuses,
)
from regard.serve.http import AnswerError, ErrorBody, authenticate, bearer_key
from regard.serve.keys import Keyring, StoredKey
from regard.serve.schemas import TranslateRequest, Translation
from regard.serve.service import TranslationService

AUTO = "auto"
STATUSES = {401: 403, 404: 400, 413: 400, 415: 400, 422: 400}
TYPING_PAUSE = 500  # milliseconds after which the web page translates what was typed


class LibreTranslateRequest(BaseModel):
    """Parameters of /translate and /detect. Others are ignored, as LibreTranslate does."""

    model_config = ConfigDict(frozen=True)

    q: str | list[str] | None = None
    source: str | None = None
    target: str | None = None
    format: str | None = None
    alternatives: Annotated[int, Field(ge=0)] = 0
    api_key: str | None = None


class DetectedLanguage(BaseModel):
    """The source language that was used for "auto"."""

    language: str
    confidence: float = Field(default=0.0, description="In percent; 0: nothing was detected.")


class LibreTranslateResponse(BaseModel):
    """One translation, or a list of them if `q` was a list."""

    translatedText: str | list[str]  # noqa: N815 - the name in LibreTranslate's interface
    detectedLanguage: DetectedLanguage | list[DetectedLanguage] | None = None  # noqa: N815
    alternatives: list[str] | list[list[str]] | None = None


def authenticate_libretranslate(
    keyring: Keyring | None, request: Request, api_key: str | None
) -> StoredKey | None:
    """Return the key of a parameter or of the header; None if the server needs none."""
    key = api_key or bearer_key(request)
    if keyring is not None and not key:
        raise AnswerError(400, "Invalid request: missing api_key parameter")
    try:
        return authenticate(keyring, key)
    except AnswerError:
        raise AnswerError(403, "Invalid API key") from None


class LibreTranslate:
    """The handlers of LibreTranslate's routes.

    Args:
        service: Has the models and the limits.
        keyring: The accepted keys; None: no key is needed.
        translate: Translates a request of the server's own interface.
    """

    def __init__(
        self, service: TranslationService, keyring: Keyring | None, translate: Translate
    ) -> None:
        self._service, self._keyring, self._translate = service, keyring, translate

    @property
    def _pairs(self) -> LanguagePairs:
        return LanguagePairs(self._service.registry.models.values())

    async def translate(self, request: Request) -> Response:
        self._service.batcher.check()
        body, key = await self._read(request)
        q = body.q
        for name, value in (("q", q), ("source", body.source), ("target", body.target)):
            if not value:
                raise AnswerError(400, f"Invalid request: missing {name} parameter")
        most = self._service.settings.max_beam_size - 1
        if body.alternatives > most:
            raise AnswerError(400, f"Invalid request: alternatives parameter must be <= {most}")
        if (body.format or "text") != "text":
            raise AnswerError(400, f"{str(body.format)[:20]} format is not supported. Send text.")
        source, model, target = self._pairs.find(
            None if body.source == AUTO else body.source, body.target or ""
        )
        texts = q if isinstance(q, list) else [q or ""]
        _, translations = await self._translate(
            request,
            TranslateRequest(
                model=model.name,
                target_language=target,
                texts=texts,
                n_best=body.alternatives + 1,
            ),
            key,
        )
        translated: list[Any] = [translation.text for translation in translations]
        detected: list[Any] = [DetectedLanguage(language=source)] * len(texts)
        alternatives: list[Any] = [_alternatives(translation) for translation in translations]
        if not isinstance(q, list):
            translated, detected, alternatives = translated[0], detected[0], alternatives[0]
        content = LibreTranslateResponse(
            translatedText=translated,
            detectedLanguage=detected if body.source == AUTO else None,
            alternatives=alternatives if body.alternatives else None,
        )
        return Response(content.model_dump_json(exclude_none=True), media_type="application/json")

    async def detect(self, request: Request) -> Response:
        await self._read(request)
        raise AnswerError(
            400,
            "This server does not identify languages. Name the source language, one of: "
            f"{', '.join(self._pairs.sources())}.",
        )

    async def languages(self, request: Request) -> Response:
        """All languages, each with those into which it can be translated. It needs no key."""
        pairs = self._pairs
        return JSONResponse(
            [
                {"code": code, "name": language_name(code), "targets": pairs.targets(code)}
                for code in dict.fromkeys([*pairs.sources(), *pairs.targets()])
            ]
        )

    async def settings(self, request: Request) -> Response:
        """What the web page reads when it starts. It needs no key."""
        pairs, needs_key = self._pairs, self._keyring is not None
        source = next(iter(pairs.sources()), AUTO)
        target = next(iter(pairs.targets(source)), "")
        aligns = any(model.aligns for model in self._service.registry.models.values())
        formats = list(DOCUMENT_SUFFIXES) if aligns else []  # documents need word alignments
        return JSONResponse(
            {
                "charLimit": self._service.settings.max_characters,
                "frontendTimeout": TYPING_PAUSE,
                "apiKeys": needs_key,
                "keyRequired": needs_key,
                "suggestions": False,
                "filesTranslation": bool(formats),
                "supportedFilesFormat": formats,
                "language": {
                    "source": {"code": source, "name": language_name(source)},
                    "target": {"code": target, "name": language_name(target)},
                },
            }
        )

    async def _read(self, request: Request) -> tuple[LibreTranslateRequest, StoredKey | None]:
        body = await read_parameters(request, LibreTranslateRequest, self._service.settings)
        return body, authenticate_libretranslate(self._keyring, request, body.api_key)


def _alternatives(translation: Translation) -> list[str]:
    """The further translations that differ from the best and from each other."""
    texts = dict.fromkeys(alternative.text for alternative in translation.n_best)
    return [text for text in texts if text not in ("", translation.text)]


def libretranslate_error_body(answer: AnswerError, request_id: str) -> bytes:
    return json.dumps({"error": answer.message}, ensure_ascii=False).encode()


LIBRETRANSLATE_ERRORS: dict[str, ErrorBody] = dict.fromkeys(
    ("/translate", "/detect", "/languages", "/frontend/", "/download_file/"),
    libretranslate_error_body,
)


def libretranslate_routes(
    service: TranslationService, keyring: Keyring | None, translate: Translate
) -> list[Route]:
    """Return the routes of LibreTranslate's interface; the arguments are LibreTranslate's."""
    handlers = LibreTranslate(service, keyring, translate)
    return [
        Route("/translate", with_statuses(handlers.translate, STATUSES), methods=["POST"]),
        Route("/detect", with_statuses(handlers.detect, STATUSES), methods=["POST"]),
        Route("/languages", handlers.languages),
        Route("/frontend/settings", handlers.settings),
    ]
