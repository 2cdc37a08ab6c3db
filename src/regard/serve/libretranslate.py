"""LibreTranslate's interface: /translate, /detect, /languages, /suggest and /frontend/settings.

Requests, answers and errors have the shapes of LibreTranslate 1.x, so that its clients and web page
work unchanged.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from regard.documents.formats.base import DOCUMENT_SUFFIXES
from regard.serve.compatibility import (
    LanguagePairs,
    Translate,
    base_language,
    language_name,
    read_parameters,
    with_statuses,
)
from regard.serve.corrections import Correction, CorrectionStore
from regard.serve.detection import DetectedLanguage, LanguageRouter
from regard.serve.http import AnswerError, ErrorBody, authenticate, bearer_key
from regard.serve.keys import Keyring, StoredKey, key_owner
from regard.serve.limits import check_texts
from regard.serve.schemas import TranslateRequest, Translation
from regard.serve.service import TranslationService

AUTO = "auto"
STATUSES = {401: 403, 404: 400, 413: 400, 415: 400, 422: 400}
MAX_DETECTED = 3  # languages in the answer of /detect
TYPING_PAUSE = 500  # milliseconds after which the web page translates what was typed


def _or_none(value: Any) -> Any:
    return value or None


class LibreTranslateRequest(BaseModel):
    """Parameters of /translate, /detect, /suggest. Others are ignored, as in LibreTranslate."""

    model_config = ConfigDict(frozen=True)

    q: str | list[str] | None = None
    s: str | None = None
    source: str | None = None
    target: str | None = None
    format: Annotated[Literal["text", "html"] | None, BeforeValidator(_or_none)] = None
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
        _check_present(q=q, source=source, target=target)
        return q or "", source or "", target or ""


class LibreTranslateResponse(BaseModel):
    """One translation, or a list of them if `q` was a list."""

    translatedText: str | list[str]  # noqa: N815 - the name in LibreTranslate's interface
    detectedLanguage: DetectedLanguage | list[DetectedLanguage] | None = None  # noqa: N815
    alternatives: list[str] | list[list[str]] | None = None
    translations: list[str] | None = Field(default=None, description="Of `texts`.")


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
        corrections: Keeps what is suggested; None: suggestions are refused.
    """

    def __init__(
        self,
        service: TranslationService,
        keyring: Keyring | None,
        translate: Translate,
        corrections: CorrectionStore | None,
    ) -> None:
        self._service, self._keyring = service, keyring
        self._router = LanguageRouter(service, translate)
        self._corrections = corrections

    @property
    def _pairs(self) -> LanguagePairs:
        return self._router.pairs

    async def translate(self, request: Request) -> Response:
        self._service.batcher.check()
        body, key = await self._read(request)
        q, source, target = body.required()
        self._check_alternatives(body)
        sources, translations = await self._router.translate(
            request,
            TranslateRequest(
                texts=q if isinstance(q, list) else [q],
                format=body.format or "text",
                n_best=body.alternatives + 1,
            ),
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

    def _check_alternatives(self, body: LibreTranslateRequest) -> None:
        most = self._service.settings.max_beam_size - 1
        if body.alternatives > most:
            raise AnswerError(400, f"Invalid request: alternatives parameter must be <= {most}")
        if body.format == "html" and body.alternatives:
            raise AnswerError(400, "Invalid request: alternatives are not available for html")

    async def detect(self, request: Request) -> Response:
        """The most probable languages of a text. A list is a text of several lines."""
        body, _ = await self._read(request)
        _check_present(q=body.q)
        if not self._pairs.sources():
            raise AnswerError(400, "The languages of this server's models are not known.")
        text = body.q if isinstance(body.q, str) else "\n".join(body.q or [])
        (ranked,) = await self._router.detect([text])
        return JSONResponse([language.model_dump() for language in ranked[:MAX_DETECTED]])

    async def suggest(self, request: Request) -> Response:
        """Keep a corrected translation."""
        body, key = await self._read(request)
        if self._corrections is None:
            raise AnswerError(
                403,
                "Suggestions are disabled on this server. Start it with "
                "`regard serve --store FILE`.",
            )
        q, s = body.q, body.s
        _check_present(q=q, s=s, source=body.source, target=body.target)
        if not isinstance(q, str) or s is None:
            raise AnswerError(400, "q: send one text.")
        check_texts("q, s", [q, s], self._service.settings)
        named, wanted = body.source or "", body.target or ""
        if named == AUTO:
            ((detected, *_),) = await self._router.detect([q], wanted)
            named = detected.language
        source, model, _ = self._pairs.find(named, wanted)
        store, owner = self._corrections, key_owner(key)
        target = base_language(body.target or "")
        correction = Correction(source, target, q, s, model.name, model.version)
        await store.file.run(lambda: store.add(owner, correction))
        return JSONResponse({"success": True})

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
                "suggestions": self._corrections is not None,
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


def _check_present(**parameters: object) -> None:
    for name, value in parameters.items():
        if not value:
            raise AnswerError(400, f"Invalid request: missing {name} parameter")


def _alternatives(translation: Translation) -> list[str]:
    """The further translations that differ from the best and from each other."""
    texts = dict.fromkeys(alternative.text for alternative in translation.n_best)
    return [text for text in texts if text not in ("", translation.text)]


def libretranslate_error_body(answer: AnswerError, request_id: str) -> bytes:
    return json.dumps({"error": answer.message}, ensure_ascii=False).encode()


LIBRETRANSLATE_ERRORS: dict[str, ErrorBody] = dict.fromkeys(
    ("/translate", "/detect", "/suggest", "/languages", "/frontend/", "/download_file/"),
    libretranslate_error_body,
)


def libretranslate_routes(
    service: TranslationService,
    keyring: Keyring | None,
    translate: Translate,
    corrections: CorrectionStore | None = None,
) -> list[Route]:
    """Return the routes of LibreTranslate's interface; the arguments are LibreTranslate's."""
    handlers = LibreTranslate(service, keyring, translate, corrections)
    return [
        Route("/translate", with_statuses(handlers.translate, STATUSES), methods=["POST"]),
        Route("/detect", with_statuses(handlers.detect, STATUSES), methods=["POST"]),
        Route("/suggest", with_statuses(handlers.suggest, STATUSES), methods=["POST"]),
        Route("/languages", handlers.languages),
        Route("/frontend/settings", handlers.settings),
    ]
