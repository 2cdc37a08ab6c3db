"""DeepL's interface: /v2/translate, /v2/languages, /v3/languages and /v2/usage.

Requests, answers and errors have the shapes of DeepL's API, so that its clients work with
`server_url`. A parameter without which the translation would be another one, such as `context`, is
refused, not ignored.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
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
from regard.serve.detection import LanguageRouter
from regard.serve.http import AnswerError, ErrorBody, authenticate, bearer_key, describe_problems
from regard.serve.keys import Keyring, StoredKey
from regard.serve.schemas import TranslateRequest, XmlTagsRequest
from regard.serve.service import TranslationService

STATUSES = {401: 403, 404: 400, 415: 400, 422: 400}
NO_LIMIT = 1_000_000_000_000  # DeepL's own value for keys without a limit of characters
# DeepL's clients refuse EN and PT as targets: they require a region.
TARGET_VARIANTS = {
    "en": {"EN-GB": "English (British)", "EN-US": "English (American)"},
    "pt": {"PT-BR": "Portuguese (Brazilian)", "PT-PT": "Portuguese (European)"},
}


def _splitting(value: Any) -> Any:
    return None if value is None else str(value)


def _names(value: Any) -> Any:
    """Names of elements: a list, or several of them with commas, as DeepL's clients send."""
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(item, str) for item in values):
        return values
    return [name.strip() for item in values for name in item.split(",") if name.strip()]


Names = Annotated[list[str], BeforeValidator(_names)]


class DeepLRequest(BaseModel):
    """Parameters of /v2/translate. All others must be empty."""

    model_config = ConfigDict(frozen=True, extra="allow")

    text: str | list[str]
    target_lang: str
    source_lang: str | None = None
    split_sentences: Annotated[
        Literal["0", "1", "nonewlines"] | None, BeforeValidator(_splitting)
    ] = None
    glossary_id: str | None = None
    tag_handling: Literal["html", "xml"] | None = None
    tag_handling_version: Literal["v1", "v2"] | None = None  # of DeepL's algorithm
    ignore_tags: Names = []
    splitting_tags: Names = []
    non_splitting_tags: Names = []
    outline_detection: bool | None = None
    show_billed_characters: bool | None = False
    formality: Literal["default", "prefer_more", "prefer_less"] | None = None
    model_type: Literal["latency_optimized", "prefer_quality_optimized"] | None = None
    # These change nothing where texts are not corrected.
    preserve_formatting: bool | None = None
    enable_beta_languages: bool | None = None


class DeepLTranslation(BaseModel):
    """A translation. The language is that of the request, or is detected."""

    detected_source_language: str
    text: str
    billed_characters: int | None = None
    model_type_used: str | None = None


class DeepLResponse(BaseModel):
    """The translations, in the order of the texts."""

    translations: list[DeepLTranslation]


class DeepLLanguagesRequest(BaseModel):
    """Parameters of /v2/languages."""

    model_config = ConfigDict(frozen=True)

    type: Literal["source", "target"] = "source"


class DeepLResourceRequest(BaseModel):
    """Parameters of /v3/languages. All languages are stable, so `include` changes nothing."""

    model_config = ConfigDict(frozen=True)

    resource: Literal[
        "translate_text",
        "translate_document",
        "glossary",
        "voice",
        "write",
        "style_rules",
        "translation_memory",
    ]


class DeepLLanguage(BaseModel):
    """A language in the answer of /v3/languages. A target with regions has an entry for each."""

    lang: str
    name: str
    usable_as_source: bool
    usable_as_target: bool
    status: str = "stable"
    features: dict[str, dict[str, str]] = {}


class DeepLUsage(BaseModel):
    """Characters that were translated since the server started."""

    character_count: int
    character_limit: int = Field(default=NO_LIMIT, description="Budgets are costs per minute.")


def authenticate_deepl(keyring: Keyring | None, request: Request) -> StoredKey | None:
    """Return the key of a request; None if the server needs none."""
    try:
        return authenticate(keyring, bearer_key(request))
    except AnswerError:
        raise AnswerError(
            403, "Send a valid key, as in `Authorization: DeepL-Auth-Key KEY`."
        ) from None


class DeepL:
    """The handlers of DeepL's routes.

    Args:
        service: Has the models and the limits.
        keyring: The accepted keys; None: no key is needed.
        translate: Translates a request of the server's own interface.
        characters: Returns the characters that were charged to a key.
        keeps_glossaries: Whether the server has a store for glossaries.
    """

    def __init__(
        self,
        service: TranslationService,
        keyring: Keyring | None,
        translate: Translate,
        characters: Callable[[StoredKey | None], int],
        *,
        keeps_glossaries: bool = False,
    ) -> None:
        self._service, self._keyring = service, keyring
        self._resources = {"translate_text", "translate_document"}
        if keeps_glossaries:
            self._resources.add("glossary")
        self._router, self._characters = LanguageRouter(service, translate), characters

    @property
    def _pairs(self) -> LanguagePairs:
        return self._router.pairs

    async def translate(self, request: Request) -> Response:
        key = authenticate_deepl(self._keyring, request)
        self._service.batcher.check()
        body = await read_parameters(request, DeepLRequest, self._service.settings)
        texts = [body.text] if isinstance(body.text, str) else body.text
        if not texts:
            raise AnswerError(400, "text: is empty. Send at least one text.")
        _check_unsupported(body, texts)
        sources, translations = await self._router.translate(
            request,
            TranslateRequest(
                texts=texts,
                format=body.tag_handling or "text",
                glossary=body.glossary_id or None,
                xml_tags=_xml_tags(body),
            ),
            key,
            body.source_lang or None,
            body.target_lang,
        )
        content = DeepLResponse(
            translations=[
                DeepLTranslation(
                    detected_source_language=source.language.upper(),
                    text=translation.text,
                    billed_characters=len(text) if body.show_billed_characters else None,
                    model_type_used="latency_optimized" if body.model_type else None,
                )
                for text, source, translation in zip(texts, sources, translations, strict=True)
            ]
        )
        return Response(content.model_dump_json(exclude_none=True), media_type="application/json")

    async def languages(self, request: Request) -> Response:
        authenticate_deepl(self._keyring, request)
        # The official client sends the type in the body, also with GET.
        body = await read_parameters(request, DeepLLanguagesRequest, self._service.settings)
        if body.type == "source":
            return JSONResponse(
                [
                    {"language": code.upper(), "name": language_name(code)}
                    for code in self._pairs.sources()
                ]
            )
        return JSONResponse(
            [
                {"language": code, "name": name, "supports_formality": False}
                for target in self._pairs.targets()
                for code, name in TARGET_VARIANTS.get(
                    target, {target.upper(): language_name(target)}
                ).items()
            ]
        )

    async def resource_languages(self, request: Request) -> Response:
        """The languages of a resource; none, if the server does not have it."""
        authenticate_deepl(self._keyring, request)
        settings = self._service.settings
        resource = (await read_parameters(request, DeepLResourceRequest, settings)).resource
        listed = list_languages(self._pairs) if resource in self._resources else []
        return JSONResponse([language.model_dump() for language in listed])

    async def usage(self, request: Request) -> Response:
        key = authenticate_deepl(self._keyring, request)
        usage = DeepLUsage(character_count=self._characters(key))
        return Response(usage.model_dump_json(), media_type="application/json")


def refuse_others(body: BaseModel) -> None:
    """Refuse parameters that a schema does not have, unless they are empty."""
    for name, value in (body.model_extra or {}).items():
        if value not in (None, "", [], {}, False):
            raise AnswerError(400, f"{name[:40]}: this server does not support this parameter.")


def list_languages(pairs: LanguagePairs) -> list[DeepLLanguage]:
    """Return the source languages and the targets, as /v3/languages names them."""
    sources, targets = pairs.sources(), pairs.targets()
    languages = []
    for code in dict.fromkeys([*sources, *targets]):
        variants = TARGET_VARIANTS.get(code, {}) if code in targets else {}
        is_source, is_target = code in sources, code in targets and not variants
        if is_source or is_target:
            languages.append((code, language_name(code), is_source, is_target))
        for variant, name in variants.items():
            languages.append((code + variant.removeprefix(code.upper()), name, False, True))
    return [
        DeepLLanguage(lang=lang, name=name, usable_as_source=source, usable_as_target=target)
        for lang, name, source, target in languages
    ]


def _check_unsupported(body: DeepLRequest, texts: list[str]) -> None:
    refuse_others(body)
    if body.glossary_id and not body.source_lang:
        raise AnswerError(400, "glossary_id: needs source_lang.")
    keeps_lines = body.split_sentences in ("0", "nonewlines")
    if body.tag_handling is None and keeps_lines and any("\n" in text for text in texts):
        raise AnswerError(
            400,
            f"split_sentences: {body.split_sentences} is not supported for texts with line breaks. "
            "This server translates each line by itself.",
        )
    if body.tag_handling == "html" and body.split_sentences == "1":
        raise AnswerError(
            400, "split_sentences: 1 is not supported with tag_handling=html: lines are spaces."
        )
    for name in ("ignore_tags", "splitting_tags", "non_splitting_tags"):
        if getattr(body, name) and body.tag_handling != "xml":
            raise AnswerError(400, f"{name}: needs tag_handling=xml.")


def _xml_tags(body: DeepLRequest) -> XmlTagsRequest | None:
    if body.tag_handling != "xml":
        return None
    try:
        return XmlTagsRequest(
            ignored=body.ignore_tags,
            splitting=body.splitting_tags,
            non_splitting=body.non_splitting_tags,
            outline=body.outline_detection is not False,
            lines=body.split_sentences not in ("0", "nonewlines"),
        )
    except ValidationError as error:
        raise AnswerError(400, describe_problems(error)) from None


def deepl_error_body(answer: AnswerError, request_id: str) -> bytes:
    return json.dumps({"message": answer.message}, ensure_ascii=False).encode()


DEEPL_ERRORS: dict[str, ErrorBody] = dict.fromkeys(("/v2/", "/v3/"), deepl_error_body)


def deepl_routes(
    service: TranslationService,
    keyring: Keyring | None,
    translate: Translate,
    characters: Callable[[StoredKey | None], int],
    *,
    keeps_glossaries: bool = False,
) -> list[Route]:
    """Return the routes of DeepL's interface; the arguments are those of `DeepL`."""
    handlers = DeepL(service, keyring, translate, characters, keeps_glossaries=keeps_glossaries)
    both = ["GET", "POST"]
    return [
        Route("/v2/translate", with_statuses(handlers.translate, STATUSES), methods=["POST"]),
        Route("/v2/languages", with_statuses(handlers.languages, STATUSES), methods=both),
        Route("/v3/languages", with_statuses(handlers.resource_languages, STATUSES)),
        Route("/v2/usage", with_statuses(handlers.usage, STATUSES), methods=both),
    ]
