"""LibreTranslate's interface: /translate, /detect, /languages and /frontend/settings.

Requests, answers and errors have the shapes of LibreTranslate 1.x, so that its clients and web page
work unchanged.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from regard.serve.compatibility import (
    LanguagePairs,
    Translate,
    language_name,
    read_parameters,
    with_statuses,
)
from regard.serve.detection import DetectedLanguage, LanguageRouter
from regard.serve.http import AnswerError, ErrorBody, authenticate, bearer_key
from regard.serve.keys import Keyring, StoredKey
from regard.serve.schemas import TranslateRequest, Translation
from regard.serve.service import TranslationService

AUTO = "auto"
STATUSES = {401: 403, 404: 400, 413: 400, 415: 400, 422: 400}
MAX_DETECTED = 3  # languages in the answer of /detect
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
    # The names of `q`, `source` and `target` in the requests of NVIDIA's NeMo Curator
    texts: list[str] | None = None
    src_lang: str | None = None
    tgt_lang: str | None = None

    def required(self) -> tuple[str | list[str], str, str]:
        """Texts, source and target, whichever names they have. Raise AnswerError without one."""
        q, source, target = (
            self.q or self.texts,
            self.source or self.src_lang,
            self.target or self.tgt_lang,
        )
        for name, value in (("q", q), ("source", source), ("target", target)):
            if not value:
                raise AnswerError(400, f"Invalid request: missing {name} parameter")
        return q or "", source or "", target or ""


class LibreTranslateResponse(BaseModel):
    """One translation, or a list of them if `q` was a list."""

    translatedText: str | list[str]  # noqa: N815 - the name in LibreTranslate's interface
    detectedLanguage: DetectedLanguage | list[DetectedLanguage] | None = None  # noqa: N815
    alternatives: list[str] | list[list[str]] | None = None
    translations: list[str] | None = Field(default=None, description="Of `texts`.")


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
        self._service, self._keyring = service, keyring
        self._router = LanguageRouter(service, translate)

    @property
    def _pairs(self) -> LanguagePairs:
        return self._router.pairs

    async def translate(self, request: Request) -> Response:
        self._service.batcher.check()
        body, key = await self._read(request)
        q, source, target = body.required()
        most = self._service.settings.max_beam_size - 1
        if body.alternatives > most:
            raise AnswerError(400, f"Invalid request: alternatives parameter must be <= {most}")
        if (body.format or "text") != "text":
            raise AnswerError(400, f"{str(body.format)[:20]} format is not supported. Send text.")
        sources, translations = await self._router.translate(
            request,
            TranslateRequest(texts=q if isinstance(q, list) else [q], n_best=body.alternatives + 1),
            key,
            None if source == AUTO else source,
            target,
        )
        translated: list[Any] = [translation.text for translation in translations]
        detected: list[Any] = list(sources)
        alternatives: list[Any] = [_alternatives(translation) for translation in translations]
        if not isinstance(q, list):
            translated, detected, alternatives = translated[0], detected[0], alternatives[0]
        content = LibreTranslateResponse(
            translatedText=translated,
            detectedLanguage=detected if source == AUTO else None,
            alternatives=alternatives if body.alternatives else None,
            translations=translated if q is body.texts else None,
        )
        return Response(content.model_dump_json(exclude_none=True), media_type="application/json")

    async def detect(self, request: Request) -> Response:
        """The most probable languages of a text. A list is a text of several lines."""
        body, _ = await self._read(request)
        if not body.q:
            raise AnswerError(400, "Invalid request: missing q parameter")
        if not self._pairs.sources():
            raise AnswerError(400, "The languages of this server's models are not known.")
        text = body.q if isinstance(body.q, str) else "\n".join(body.q)
        (ranked,) = await self._router.detect([text])
        return JSONResponse([language.model_dump() for language in ranked[:MAX_DETECTED]])

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
        return JSONResponse(
            {
                "charLimit": self._service.settings.max_characters,
                "frontendTimeout": TYPING_PAUSE,
                "apiKeys": needs_key,
                "keyRequired": needs_key,
                "suggestions": False,
                "filesTranslation": False,
                "supportedFilesFormat": [],
                "language": {
                    "source": {"code": source, "name": language_name(source)},
                    "target": {"code": target, "name": language_name(target)},
                },
            }
        )

    async def _read(self, request: Request) -> tuple[LibreTranslateRequest, StoredKey | None]:
        body = await read_parameters(request, LibreTranslateRequest, self._service.settings)
        key = body.api_key or bearer_key(request)
        if self._keyring is not None and not key:
            raise AnswerError(400, "Invalid request: missing api_key parameter")
        try:
            return body, authenticate(self._keyring, key)
        except AnswerError:
            raise AnswerError(403, "Invalid API key") from None


def _alternatives(translation: Translation) -> list[str]:
    """The further translations that differ from the best and from each other."""
    texts = dict.fromkeys(alternative.text for alternative in translation.n_best)
    return [text for text in texts if text not in ("", translation.text)]


def libretranslate_error_body(answer: AnswerError, request_id: str) -> bytes:
    return json.dumps({"error": answer.message}, ensure_ascii=False).encode()


LIBRETRANSLATE_ERRORS: dict[str, ErrorBody] = dict.fromkeys(
    ("/translate", "/detect", "/languages", "/frontend/"), libretranslate_error_body
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
