"""OPUS-CAT's interface, /MTRestService/…, and `GET /v1/translate`, for plug-ins of CAT tools.

The plug-ins of Trados, memoQ, Wordfast and OmegaT send a segment and the codes of its languages. If
the models align words, the answer has the words with their links, from which the plug-ins restore
tags.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from regard.serve.compatibility import Translate, read_parameters, with_statuses
from regard.serve.detection import LanguageRouter
from regard.serve.http import AnswerError, authenticate, bearer_key, describe_problems, read_body
from regard.serve.keys import Keyring
from regard.serve.models import NoModelError
from regard.serve.schemas import Span, TranslateRequest, Translation
from regard.serve.service import TranslationService

STATUSES = {404: 400, 415: 400, 422: 400}
SERVICES = ("MTRestService", "MtRestService")  # as the plug-ins spell it
SPACE = "▁"  # in the pieces of a text, as SentencePiece writes it
SENTENCE_PIECE = 1  # number of a kind of pieces

# The names are those of the interface.
# ruff: noqa: N815


class OpusCatRequest(BaseModel):
    """A segment and its languages. Others than these are ignored, as OPUS-CAT does."""

    model_config = ConfigDict(frozen=True)

    input: str = ""
    srcLangCode: str = ""
    trgLangCode: str = ""
    modelTag: str = ""


class OpusCatTranslation(BaseModel):
    """A translation. The pieces are words; without word alignments there are none."""

    translation: str
    Translation: str
    RawTranslation: str
    SegmentedSourceSentence: list[str] | None = None
    SegmentedTranslation: list[str] | None = None
    SegmentedAlignmentSourceToTarget: dict[int, list[int]] | None = None
    SegmentedAlignmentTargetToSource: dict[int, list[int]] | None = None
    AlignmentString: str | None = None
    Segmentation: int = SENTENCE_PIECE


class PluginRequest(BaseModel):
    """A text and its languages."""

    model_config = ConfigDict(frozen=True)

    text: str
    target: str
    source: str | None = None


class OpusCat:
    """The handlers of the routes.

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

    async def pairs(self, request: Request) -> Response:
        """All pairs of languages, as in en-de."""
        authenticate(self._keyring, bearer_key(request))
        pairs = self._router.pairs
        return JSONResponse(
            [f"{source}-{target}" for source in pairs.sources() for target in pairs.targets(source)]
        )

    async def tags(self, request: Request) -> Response:
        """Tags of fine-tuned models: there are none."""
        authenticate(self._keyring, bearer_key(request))
        return JSONResponse([])

    async def status(self, request: Request) -> Response:
        """A sentence that says which model translates a pair."""
        authenticate(self._keyring, bearer_key(request))
        body = await self._read(request)
        try:
            _, model, _ = self._router.pairs.find(body.srcLangCode, body.trgLangCode)
        except NoModelError as error:
            return JSONResponse(str(error))
        return JSONResponse(f"The model {model.name} will be used.")

    async def translate_pair(self, request: Request) -> Response:
        body, translation = await self._translate(request)
        content = with_alignment(body.input, translation).model_dump_json()
        return Response(content, media_type="application/json")

    async def translate_string(self, request: Request) -> Response:
        _, translation = await self._translate(request)
        return JSONResponse(translation.text)

    async def translate_stream(self, request: Request) -> Response:
        _, translation = await self._translate(request)
        return PlainTextResponse(translation.text)

    async def preorder(self, request: Request) -> Response:
        """Translate segments, so that they are in the cache for later requests."""
        key = authenticate(self._keyring, bearer_key(request))
        self._service.batcher.check()
        body = _checked(OpusCatRequest.model_validate(dict(request.query_params)))
        content = await read_body(request, self._service.settings)
        try:
            texts = TypeAdapter(list[str]).validate_json(content)
        except ValidationError as error:
            raise AnswerError(422, describe_problems(error)) from None
        asked = TranslateRequest(texts=texts, alignments=self._aligns, bulk=True)
        source = body.srcLangCode or None
        await self._router.translate(request, asked, key, source, body.trgLangCode)
        return Response()

    async def translate_text(self, request: Request) -> Response:
        """`GET /v1/translate`, for plug-ins in which a user names the parameters."""
        key = authenticate(self._keyring, bearer_key(request))
        self._service.batcher.check()
        await read_body(request, self._service.settings)
        try:
            body = PluginRequest.model_validate(dict(request.query_params))
        except ValidationError as error:
            raise AnswerError(422, describe_problems(error)) from None
        asked = TranslateRequest(texts=[body.text])
        _, (translation,) = await self._router.translate(
            request, asked, key, body.source or None, body.target
        )
        return JSONResponse({"translation": translation.text})

    @property
    def _aligns(self) -> bool:
        return all(model.aligns for model in self._service.registry.models.values())

    async def _translate(self, request: Request) -> tuple[OpusCatRequest, Translation]:
        key = authenticate(self._keyring, bearer_key(request))
        self._service.batcher.check()
        body = await self._read(request)
        asked = TranslateRequest(texts=[body.input], alignments=self._aligns)
        source = body.srcLangCode or None
        _, (translation,) = await self._router.translate(
            request, asked, key, source, body.trgLangCode
        )
        return body, translation

    async def _read(self, request: Request) -> OpusCatRequest:
        settings = self._service.settings
        if request.method != "GET":
            return _checked(await read_parameters(request, OpusCatRequest, settings))
        await read_body(request, settings)  # empty, although Trados's plug-in says that it is JSON
        return _checked(OpusCatRequest.model_validate(dict(request.query_params)))


def _checked(body: OpusCatRequest) -> OpusCatRequest:
    if not body.trgLangCode:
        raise AnswerError(400, "trgLangCode: is missing. Send the code of the target language.")
    if body.modelTag.strip('"'):  # memoQ's plug-in sends quotation marks
        raise AnswerError(
            400, "modelTag: the models of this server have no tags. Leave it empty in the plug-in."
        )
    return body


def with_alignment(text: str, translation: Translation) -> OpusCatTranslation:
    """Return a translation with the words and their links, if there are any."""
    plain = OpusCatTranslation(
        translation=translation.text, Translation=translation.text, RawTranslation=translation.text
    )
    alignment = translation.alignment
    if alignment is None or not alignment.links:
        return plain
    return plain.model_copy(
        update={
            "SegmentedSourceSentence": _pieces(text, alignment.source),
            "SegmentedTranslation": _pieces(translation.text, alignment.target),
            "SegmentedAlignmentSourceToTarget": _by_first(alignment.links),
            "SegmentedAlignmentTargetToSource": _by_first((t, s) for s, t in alignment.links),
            "AlignmentString": " ".join(f"{s}-{t}" for s, t in alignment.links),
        }
    )


def _pieces(text: str, words: Sequence[Span]) -> list[str]:
    """Return the words, each with what is before it: joined, they are the text."""
    ends = [0, *(end for _, end in words[:-1]), len(text)]
    pieces = [text[start:end] for start, end in pairwise(ends)]
    return [piece.replace(" ", SPACE) for piece in pieces]


def _by_first(links: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    linked: dict[int, list[int]] = defaultdict(list)
    for first, second in links:
        linked[first].append(second)
    return dict(linked)


def opuscat_routes(
    service: TranslationService, keyring: Keyring | None, translate: Translate
) -> list[Route]:
    """Return the routes; the arguments are those of `OpusCat`."""
    handlers = OpusCat(service, keyring, translate)
    both = ["GET", "POST"]
    actions = [
        ("ListSupportedLanguagePairs", handlers.pairs, ["GET"]),
        ("GetLanguagePairModelTags", handlers.tags, ["GET"]),
        ("CheckModelStatus", handlers.status, ["GET"]),
        ("Translate", handlers.translate_string, both),
        ("TranslateJson", handlers.translate_pair, both),
        ("TranslatePost", handlers.translate_pair, both),
        ("TranslateParagraphJson", handlers.translate_string, both),
        ("TranslateStream", handlers.translate_stream, both),
        ("PreOrderBatch", handlers.preorder, ["POST"]),
    ]
    return [
        *(
            Route(f"/{name}/{action}", with_statuses(handler, STATUSES), methods=methods)
            for name in SERVICES
            for action, handler, methods in actions
        ),
        Route("/v1/translate", handlers.translate_text, methods=["GET"]),
    ]
