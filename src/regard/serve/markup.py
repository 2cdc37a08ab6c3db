"""Texts with markup, placeholders or prescribed terms, as the server translates them.

    texts → process of marked texts → parts → queue → translations → process of marked texts → texts

One process reads and writes all of them. A call that takes too long ends the process, and other
calls are repeated in the next one.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256

from regard.documents.placeholders import find_placeholders
from regard.documents.terms import Term
from regard.errors import DocumentError
from regard.serve.batcher import DeadlineError
from regard.serve.engines import EngineError
from regard.serve.frames import AlignedValues, MarkedValues, SegmentValues, WorkerAnswer
from regard.serve.limits import CheckedRequest, RequestError
from regard.serve.markup_worker import UNKNOWN_GLOSSARY
from regard.serve.models import ServedModel
from regard.serve.pool import WorkerEndedError, WorkerPool, WorkerProcess
from regard.serve.schemas import DocumentRequest, TranslateRequest, Translation, XmlTagsRequest
from regard.serve.store import Glossary
from regard.tasks.translation.marked_texts import MarkupOptions
from regard.tasks.translation.result import combine_scores

MODULE = "regard.serve.markup_worker"
CALL_SECONDS = 10.0  # a call that takes longer ends the process
ATTEMPTS = 3
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,1000}>")
_SIGNS = re.compile(r"[{%`@<]|://|www\.")  # every placeholder and every tag has one
_PLAIN_ONLY = {"n_best": 1, "prefix": None, "sampling": None, "alignments": False, "stream": False}


@dataclass(frozen=True, slots=True)
class GlossaryTerms:
    """Prescribed translations.

    Args:
        given: Terms of a request, which take precedence.
        stored: Those of a glossary.
        languages: Codes of source and target, where known.
        key: Changes with every change of the other fields.
    """

    given: Mapping[str, str]
    stored: Sequence[Term]
    languages: tuple[str | None, str | None]
    key: str

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """All terms with their translations. A glossary may have thousands."""
        return tuple({**{term.source: term.target for term in self.stored}, **self.given}.items())

    @classmethod
    def of_request(
        cls,
        request: TranslateRequest | DocumentRequest,
        terms: Mapping[str, str],
        glossary: Glossary | None,
        model: ServedModel,
    ) -> GlossaryTerms | None:
        """Return the given terms and those of a stored glossary; None: there are none.

        Raises:
            RequestError: The glossary has no terms of the languages of the model.
        """
        if not terms and glossary is None:
            return None
        to = model.choose_target(request.target_language)
        source, target = next(
            (
                pair
                for pair in model.pairs
                if to in (None, pair[1]) and request.source_language in (None, pair[0])
            ),
            (request.source_language, to),
        )
        stored: tuple[Term, ...] | None = ()
        if glossary is not None:
            stored = glossary.terms(source or "", target or "")
        if stored is None:
            raise RequestError(f"glossary: has no terms from {source} to {target}.")
        version = "" if glossary is None else f"{glossary.glossary_id} {glossary.version}"
        values = repr((version, terms, source, target))
        key = sha256(values.encode("utf-8", "surrogatepass")).hexdigest()
        return cls(terms, stored, (source, target), key)


@dataclass(frozen=True, slots=True)
class RequestMarkup:
    """How the texts of a request are read, and the terms that are placed in them."""

    options: MarkupOptions
    glossary: GlossaryTerms | None


@dataclass(frozen=True, slots=True)
class MarkedRequest:
    """A request for texts with markup, and the parts of each of them.

    `request`: for the parts.
    """

    texts: list[str]
    markup: RequestMarkup
    parts: list[list[str]]
    request: TranslateRequest


def markup_options(
    request: TranslateRequest, model: ServedModel, glossary: GlossaryTerms | None
) -> MarkupOptions | None:
    """Return how the texts of a request are read; None if they are translated as they are.

    The format text is read if there are placeholders or tags in it, unless an option is set that is
    not available then, or the model cannot align words.

    Raises:
        RequestError: An option is not available for texts with markup.
    """
    if request.xml_tags is not None and request.format != "xml":
        raise RequestError("xml_tags: needs format xml.")
    places_texts = bool(request.keep) or glossary is not None
    if request.format == "plain":
        if places_texts:
            raise RequestError("format: plain texts have no keep and no terms. Use format text.")
        return None
    unavailable = [name for name, value in _PLAIN_ONLY.items() if getattr(request, name) != value]
    if request.format != "text" or places_texts:
        _check_available(unavailable, model)
    elif unavailable or not model.aligns or not any(map(find_marks, request.texts)):
        return None
    tags = request.xml_tags or XmlTagsRequest()
    return MarkupOptions(request.format, tuple(request.keep), tags.to_tags())


def _check_available(unavailable: Sequence[str], model: ServedModel) -> None:
    if unavailable:
        raise RequestError(
            f"{unavailable[0]}: is not available with format html or xml, keep, terms, glossary."
        )
    if not model.aligns:
        raise RequestError(
            f"{model.name}: this model cannot align words, so it cannot place markup or terms."
        )


def find_marks(text: str) -> list[str]:
    """The placeholders and the tags of a line."""
    if _SIGNS.search(text) is None:
        return []
    placeholders = [text[start:end] for start, end in find_placeholders(text)]
    return [*placeholders, *_TAG.findall(text)]


def lost_marks(source: str, target: str) -> list[str]:
    """The placeholders and the tags that a translation does not have as often as its source."""
    lost = Counter(find_marks(source))
    if lost:
        lost -= Counter(find_marks(target))
    return list(lost)


def assemble_marked(
    marked: MarkedRequest,
    checked: CheckedRequest,
    results: Mapping[str, Sequence[SegmentValues]],
    texts: Sequence[MarkedValues],
) -> list[Translation]:
    """Return the translations of texts from the results of their parts.

    The score of a text is that of all its segments.
    """
    translations = []
    for parts, values in zip(marked.parts, texts, strict=True):
        best = [hypotheses[0] for part in parts for hypotheses in results[part]]
        score = combine_scores(
            [hypothesis["score"] for hypothesis in best],
            [hypothesis["length"] for hypothesis in best],
            checked.length_penalty,
        )
        translations.append(
            Translation(text=values["text"], score=score, warnings=list(values["notes"]))
        )
    return translations


class MarkupProcess:
    """The process of texts with markup."""

    def __init__(self, deadline_seconds: float) -> None:
        self._pool = WorkerPool(MODULE, 1, 1, _prepare, _wait_for_end)
        self._seconds = deadline_seconds
        self._start: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()

    async def read(self, texts: Sequence[str], options: MarkupOptions) -> list[list[str]]:
        """Return the parts of each text that are to be translated.

        Raises:
            DocumentError: A text is not well-formed.
            DeadlineError: It took too long.
        """
        answer = await self._call("read", texts=texts, options=options.to_json())
        return answer["parts"]

    async def write(
        self,
        texts: Sequence[str],
        markup: RequestMarkup,
        translations: Mapping[str, AlignedValues],
    ) -> list[MarkedValues]:
        """Return the texts with the translations of their parts. Raises as `read`."""
        terms = markup.glossary
        answer = await self._call(
            "write",
            terms,
            texts=texts,
            options=markup.options.to_json(),
            glossary=None if terms is None else terms.key,
            translations=translations,
        )
        return answer["texts"]

    def start(self) -> None:
        """Start the process, and do not wait for it."""
        self._start = asyncio.create_task(self._pool.start())

    async def stop(self) -> None:
        if self._start is not None:
            self._start.cancel()
            await asyncio.gather(self._start, self._pool.stop(), return_exceptions=True)

    async def _call(
        self, do: str, terms: GlossaryTerms | None = None, **arguments: object
    ) -> WorkerAnswer:
        try:
            async with asyncio.timeout(self._seconds), self._turn:
                answer = await self._call_in_turn(do, arguments)
                if terms is not None and answer.get("error") == UNKNOWN_GLOSSARY:
                    values = {"terms": terms.pairs, "languages": terms.languages}
                    await self._call_in_turn("terms", {"key": terms.key, **values})
                    answer = await self._call_in_turn(do, arguments)
        except TimeoutError:
            raise DeadlineError from None
        if "error" not in answer:
            return answer
        if answer["kind"] == "regard":
            raise DocumentError(answer["error"])
        raise EngineError(answer["error"])

    async def _call_in_turn(self, do: str, arguments: Mapping[str, object]) -> WorkerAnswer:
        for _ in range(ATTEMPTS):
            worker = await self._worker()
            try:
                async with _ends_after(CALL_SECONDS, worker):
                    return await worker.call(do, **arguments)
            except WorkerEndedError:  # by itself, for example as memory ran out
                continue
        raise EngineError("the process of texts with markup ended")

    async def _worker(self) -> WorkerProcess:
        while True:
            for worker in self._pool.ready:
                if not worker.ended.is_set():
                    return worker
            await asyncio.sleep(0.01)


@asynccontextmanager
async def _ends_after(seconds: float, worker: WorkerProcess) -> AsyncIterator[None]:
    """End a process whose answer takes longer."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        worker.kill()
        raise DeadlineError from None


async def _prepare(worker: WorkerProcess, active: Sequence[WorkerProcess]) -> None:
    """The process needs no models."""


async def _wait_for_end(worker: WorkerProcess) -> None:
    await worker.ended.wait()
