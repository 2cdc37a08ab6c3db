"""Detect the languages of texts, and translate texts of several languages.

Only languages that the server translates are considered. The confidence is the probability among
all languages that py3langid knows: a Spanish text on a server for English and French has a low one.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from pydantic import BaseModel, Field
from starlette.requests import Request

from regard.serve.compatibility import LanguagePairs, Translate
from regard.serve.keys import StoredKey
from regard.serve.limits import check_texts
from regard.serve.schemas import TranslateRequest, Translation
from regard.serve.service import TranslationService
from regard.text.languages import language_probabilities, probability_of

_TAG = re.compile(r"<[^<>]*>")


class DetectedLanguage(BaseModel):
    """A language of a text."""

    confidence: float = Field(description="In percent, without decimals.")
    language: str


class LanguageRouter:
    """Finds the languages of texts and the models that translate them, for other interfaces.

    Args:
        service: Has the models and the limits.
        translate: Translates texts of one language.
    """

    def __init__(self, service: TranslationService, translate: Translate) -> None:
        self._service, self._translate = service, translate

    @property
    def pairs(self) -> LanguagePairs:
        return LanguagePairs(self._service.registry.models.values())

    async def detect(
        self, texts: Sequence[str], target: str | None = None
    ) -> list[list[DetectedLanguage]]:
        """Rank the source languages for each text, the most probable first.

        It takes about a millisecond for a short text, and the first call a second. So it runs in a
        thread.

        Args:
            texts: The texts.
            target: Consider only languages that are translated into this one.

        Raises:
            NoModelError: Nothing is translated into `target`.
            RequestError: There are too many texts or characters.
        """
        check_texts("texts", texts, self._service.settings)
        pairs = self.pairs
        sources = pairs.sources() if target is None else pairs.sources_of(target)
        return await asyncio.to_thread(lambda: [_rank(text, sources) for text in texts])

    async def translate(
        self,
        request: Request,
        body: TranslateRequest,
        key: StoredKey | None,
        source: str | None,
        target: str,
    ) -> tuple[list[DetectedLanguage], list[Translation]]:
        """Translate texts, and return the language and the translation of each.

        Texts of different languages are translated one language after another.

        Args:
            request: The HTTP request.
            body: Texts and options. Model and target are added.
            key: Is charged.
            source: Code of the source language. None: that of each text, which is detected.
            target: Code of the target language.

        Raises:
            NoModelError: No model translates the pair.
            RequestError: A limit is exceeded.
        """
        pairs = self.pairs
        if source is None:
            plain = body.format in ("plain", "text")
            texts = body.texts if plain else [_TAG.sub(" ", text) for text in body.texts]
            sources = [ranked[0] for ranked in await self.detect(texts, target)]
        else:
            language, _, _ = pairs.find(source, target)
            sources = [DetectedLanguage(confidence=100.0, language=language)] * len(body.texts)
        translations: dict[int, Translation] = {}
        for language in dict.fromkeys(detected.language for detected in sources):
            numbers = [i for i, detected in enumerate(sources) if detected.language == language]
            _, model, to = pairs.find(language, target)
            changes = {"model": model.name, "source_language": language, "target_language": to}
            texts = [body.texts[number] for number in numbers]
            part = body.model_copy(update={**changes, "texts": texts})
            _, translated = await self._translate(request, part, key)
            translations.update(zip(numbers, translated, strict=True))
        return sources, [translations[number] for number in range(len(body.texts))]


def _rank(text: str, candidates: Sequence[str]) -> list[DetectedLanguage]:
    of_all = language_probabilities(text)
    probabilities = {code: probability_of(code, of_all) for code in candidates}
    return [
        DetectedLanguage(confidence=float(round(100 * probabilities[code])), language=code)
        for code in sorted(candidates, key=lambda code: -probabilities[code])
    ]
