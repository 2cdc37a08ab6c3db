"""DeepL's glossary routes: /v2/glossaries, of a pair of languages, and /v3/glossaries, of several.

Both show the same glossaries; /v2 shows those with one dictionary.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from regard.documents.terms import Term
from regard.serve.compatibility import (
    LanguagePairs,
    base_language,
    read_parameters,
    with_statuses,
)
from regard.serve.deepl import authenticate_deepl
from regard.serve.http import AnswerError, Handler, json_response
from regard.serve.keys import Keyring, key_owner
from regard.serve.limits import RequestError
from regard.serve.models import NoModelError
from regard.serve.service import TranslationService
from regard.serve.store import (
    Dictionary,
    DictionarySummary,
    Glossary,
    GlossaryStore,
    GlossarySummary,
)

R = TypeVar("R")

# DeepL's clients raise QuotaExceeded for 456, and repeat a request for every status above 499.
STATUSES = {401: 403, 413: 456, 415: 400, 422: 400}
_INDEXED = re.compile(r"dictionaries\[(\d{1,4})\]\.(\w+)")  # a field of a form


# -- requests and answers --------------------------------------------------------------------------


class _Parameters(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", cache_strings="keys")


class DeepLLanguagePair(_Parameters):
    """Names a dictionary of a glossary."""

    source_lang: str
    target_lang: str


class DeepLDictionaryEntries(DeepLLanguagePair):
    """A dictionary: a term and its translation in each line, as TSV or CSV."""

    entries: str
    entries_format: Literal["tsv", "csv"] = "tsv"


class DeepLGlossaryRequest(DeepLDictionaryEntries):
    """A new glossary of /v2, which has one dictionary."""

    name: str


class DeepLGlossaryChange(_Parameters):
    """The parts of a glossary of /v3 that are changed."""

    name: str | None = None
    dictionaries: list[DeepLDictionaryEntries] = []

    @model_validator(mode="before")
    @classmethod
    def _collect(cls, values: Mapping[str, object]) -> dict[str, object]:
        """Make a list of the fields of a form: `dictionaries[0].source_lang` and so on."""
        dictionaries: dict[int, dict[str, object]] = defaultdict(dict)
        collected: dict[str, object] = {}
        for name, value in values.items():
            if match := _INDEXED.fullmatch(name):
                dictionaries[int(match[1])][match[2]] = value
            else:
                collected[name] = value
        if dictionaries:
            collected["dictionaries"] = [dictionaries[index] for index in sorted(dictionaries)]
        return collected


class DeepLMultilingualGlossaryRequest(DeepLGlossaryChange):
    """A new glossary of /v3."""

    name: str
    dictionaries: list[DeepLDictionaryEntries] = Field(min_length=1)


class DeepLDictionary(BaseModel):
    """A dictionary without its entries."""

    source_lang: str
    target_lang: str
    entry_count: int


class DeepLGlossary(DeepLDictionary):
    """A glossary of /v2."""

    glossary_id: str
    name: str
    ready: bool = True
    creation_time: str


class DeepLGlossaries(BaseModel):
    """All glossaries of a key that /v2 shows."""

    glossaries: list[DeepLGlossary]


class DeepLMultilingualGlossary(BaseModel):
    """A glossary of /v3."""

    glossary_id: str
    name: str
    creation_time: str
    dictionaries: list[DeepLDictionary]


class DeepLMultilingualGlossaries(BaseModel):
    """All glossaries of a key."""

    glossaries: list[DeepLMultilingualGlossary]


class DeepLEntries(BaseModel):
    """The entries of a dictionary, in a list of this dictionary."""

    dictionaries: list[DeepLDictionaryEntries]


class DeepLGlossaryPairs(BaseModel):
    """The pairs that a glossary can have: those that the server translates."""

    supported_languages: list[DeepLLanguagePair]


def _dictionary(summary: DictionarySummary) -> DeepLDictionary:
    return DeepLDictionary(
        source_lang=summary.source,
        target_lang=summary.target,
        entry_count=summary.entry_count,
    )


def _glossary(summary: GlossarySummary) -> DeepLGlossary:
    _check_single(len(summary.dictionaries))
    return DeepLGlossary(
        glossary_id=summary.glossary_id,
        name=summary.name,
        creation_time=summary.created,
        **_dictionary(summary.dictionaries[0]).model_dump(),
    )


def _check_single(count: int) -> None:
    if count != 1:
        raise AnswerError(
            404,
            f"The glossary has {count} dictionaries, and /v2 shows glossaries with one. "
            "Use /v3/glossaries.",
        )


def _multilingual_glossary(summary: GlossarySummary) -> DeepLMultilingualGlossary:
    return DeepLMultilingualGlossary(
        glossary_id=summary.glossary_id,
        name=summary.name,
        creation_time=summary.created,
        dictionaries=[_dictionary(dictionary) for dictionary in summary.dictionaries],
    )


# -- entries ---------------------------------------------------------------------------------------


def parse_entries(body: DeepLDictionaryEntries, pair: tuple[str, str]) -> Dictionary:
    """Read the entries of a dictionary.

    A row of CSV may also have the languages, as in `dog,Hund,en,de`.

    Raises:
        RequestError: A row has other columns, or other languages than `pair`.
    """
    tsv = body.entries_format == "tsv"
    rows = csv.reader(
        io.StringIO(body.entries, newline=""),
        delimiter="\t" if tsv else ",",
        quoting=csv.QUOTE_NONE if tsv else csv.QUOTE_MINIMAL,
        strict=True,
    )
    terms = []
    try:
        for row in rows:
            columns = [column.strip() for column in row]
            if not any(columns):
                continue
            if len(columns) != 2 and (tsv or len(columns) != 4):
                raise RequestError(
                    f"entries: line {rows.line_num} has {len(columns)} columns. Write a term and "
                    f"its translation, separated by a {'tab' if tsv else 'comma'}."
                )
            languages = tuple(base_language(code) for code in columns[2:])
            if languages and languages != pair:
                raise RequestError(
                    f"entries: line {rows.line_num} is for {'-'.join(languages)[:20]}, and the "
                    f"dictionary for {'-'.join(pair)}. Send them as two dictionaries."
                )
            terms.append(Term(columns[0], columns[1]))
    except csv.Error as error:
        raise RequestError(f"entries: line {rows.line_num} is not valid CSV ({error}).") from None
    return Dictionary(*pair, tuple(terms))


def _tsv(terms: Iterable[Term]) -> str:
    return "\n".join(f"{term.source}\t{term.target}" for term in terms)


# -- routes ----------------------------------------------------------------------------------------


class GlossaryRoutes:
    """The handlers of DeepL's glossary routes.

    Args:
        service: Has the models and the limits.
        keyring: The accepted keys; None: no key is needed.
        store: Has the glossaries; None: all requests are refused.
    """

    def __init__(
        self, service: TranslationService, keyring: Keyring | None, store: GlossaryStore | None
    ) -> None:
        self._service, self._keyring, self._store = service, keyring, store

    @property
    def _pairs(self) -> LanguagePairs:
        return LanguagePairs(self._service.registry.models.values())

    async def create(self, request: Request) -> Response:
        call = self._open(request)
        body = await read_parameters(request, DeepLGlossaryRequest, self._service.settings)
        summary = await call(
            lambda store, owner: store.create(owner, body.name, [self._parse(body)])
        )
        return json_response(_glossary(summary), 201)

    async def create_multilingual(self, request: Request) -> Response:
        call = self._open(request)
        body = await read_parameters(
            request, DeepLMultilingualGlossaryRequest, self._service.settings
        )
        summary = await call(
            lambda store, owner: store.create(
                owner, body.name, [self._parse(entries) for entries in body.dictionaries]
            )
        )
        return json_response(_multilingual_glossary(summary), 201)

    async def glossaries(self, request: Request) -> Response:
        summaries = await self._open(request)(lambda store, owner: store.summaries(owner))
        shown = [_glossary(summary) for summary in summaries if len(summary.dictionaries) == 1]
        return json_response(DeepLGlossaries(glossaries=shown))

    async def multilingual_glossaries(self, request: Request) -> Response:
        summaries = await self._open(request)(lambda store, owner: store.summaries(owner))
        shown = [_multilingual_glossary(summary) for summary in summaries]
        return json_response(DeepLMultilingualGlossaries(glossaries=shown))

    async def get(self, request: Request) -> Response:
        return json_response(_glossary(await self._summary(request)))

    async def get_multilingual(self, request: Request) -> Response:
        return json_response(_multilingual_glossary(await self._summary(request)))

    async def change(self, request: Request) -> Response:
        """Change the name, and add entries to dictionaries."""
        call, glossary_id = self._open(request), request.path_params["glossary_id"]
        body = await read_parameters(request, DeepLGlossaryChange, self._service.settings)
        if body.name is None and not body.dictionaries:
            raise AnswerError(400, "Send a name or dictionaries: there is nothing to change.")
        summary = await call(
            lambda store, owner: store.change(
                owner,
                glossary_id,
                name=body.name,
                dictionaries=[self._parse(entries) for entries in body.dictionaries],
                merge=True,
            )
        )
        return json_response(_multilingual_glossary(summary))

    async def replace_dictionary(self, request: Request) -> Response:
        call, glossary_id = self._open(request), request.path_params["glossary_id"]
        body = await read_parameters(request, DeepLDictionaryEntries, self._service.settings)

        def replace(store: GlossaryStore, owner: str | None) -> DictionarySummary:
            new = self._parse(body)
            store.change(owner, glossary_id, dictionaries=[new])
            return DictionarySummary(new.source, new.target, len(new.terms))

        return json_response(_dictionary(await call(replace)))

    async def delete_dictionary(self, request: Request) -> Response:
        call, glossary_id = self._open(request), request.path_params["glossary_id"]
        body = await read_parameters(request, DeepLLanguagePair, self._service.settings)
        pair = base_language(body.source_lang), base_language(body.target_lang)
        await call(lambda store, owner: store.delete_dictionary(owner, glossary_id, *pair))
        return Response(status_code=204)

    async def entries(self, request: Request) -> Response:
        """The entries of a glossary with one dictionary, as TSV."""
        glossary = await self._find(request)
        _check_single(len(glossary.dictionaries))
        text = _tsv(glossary.dictionaries[0].terms)
        return Response(text, media_type="text/tab-separated-values; charset=utf-8")

    async def entries_of_dictionary(self, request: Request) -> Response:
        self._open(request)
        body = await read_parameters(request, DeepLLanguagePair, self._service.settings)
        pair = base_language(body.source_lang), base_language(body.target_lang)
        terms = (await self._find(request)).terms(*pair)
        if terms is None:
            raise AnswerError(404, f"The glossary has no dictionary {'-'.join(pair)[:20]}.")
        shown = DeepLDictionaryEntries(
            source_lang=pair[0], target_lang=pair[1], entries=_tsv(terms)
        )
        return json_response(DeepLEntries(dictionaries=[shown]))

    async def delete(self, request: Request) -> Response:
        glossary_id = request.path_params["glossary_id"]
        await self._open(request)(lambda store, owner: store.delete(owner, glossary_id))
        return Response(status_code=204)

    async def pairs(self, request: Request) -> Response:
        self._open(request)
        shown = [
            DeepLLanguagePair(source_lang=source, target_lang=target)
            for source in self._pairs.sources()
            for target in self._pairs.targets(source)
        ]
        return json_response(DeepLGlossaryPairs(supported_languages=shown))

    def _open(self, request: Request) -> StoreCalls:
        """Check the key; return what calls the store for it."""
        key = authenticate_deepl(self._keyring, request)
        if self._store is None:
            raise AnswerError(
                400,
                "This server keeps no glossaries. Start it with `regard serve --store FILE`.",
            )
        return StoreCalls(self._store, key_owner(key))

    async def _summary(self, request: Request) -> GlossarySummary:
        glossary_id = request.path_params["glossary_id"]
        return await self._open(request)(lambda store, owner: store.summary(owner, glossary_id))

    async def _find(self, request: Request) -> Glossary:
        glossary_id = request.path_params["glossary_id"]
        glossary = await self._open(request)(lambda store, owner: store.find(owner, glossary_id))
        if glossary is None:
            raise AnswerError(404, f"There is no glossary {glossary_id[:40]} of this key.")
        return glossary

    def _parse(self, body: DeepLDictionaryEntries) -> Dictionary:
        """Read the entries; the server must translate their languages."""
        try:
            source, _, _ = self._pairs.find(body.source_lang, body.target_lang)
        except NoModelError as error:
            raise RequestError(str(error)) from None
        return parse_entries(body, (source, base_language(body.target_lang)))


class StoreCalls:
    """Calls the glossary store in a thread, for an owner."""

    def __init__(self, store: GlossaryStore, owner: str | None) -> None:
        self._store, self._owner = store, owner

    async def __call__(self, call: Callable[[GlossaryStore, str | None], R]) -> R:
        return await self._store.file.run(lambda: call(self._store, self._owner))


def glossary_routes(
    service: TranslationService, keyring: Keyring | None, store: GlossaryStore | None
) -> list[Route]:
    """Return DeepL's glossary routes; the arguments are those of `GlossaryRoutes`."""
    handlers = GlossaryRoutes(service, keyring, store)
    v2, v3 = "/v2/glossaries", "/v3/glossaries"
    table: list[tuple[str, str, Handler]] = [
        ("GET", "/v2/glossary-language-pairs", handlers.pairs),
        ("POST", v2, handlers.create),
        ("GET", v2, handlers.glossaries),
        ("GET", v2 + "/{glossary_id}", handlers.get),
        ("DELETE", v2 + "/{glossary_id}", handlers.delete),
        ("GET", v2 + "/{glossary_id}/entries", handlers.entries),
        ("POST", v3, handlers.create_multilingual),
        ("GET", v3, handlers.multilingual_glossaries),
        ("GET", v3 + "/{glossary_id}", handlers.get_multilingual),
        ("PATCH", v3 + "/{glossary_id}", handlers.change),
        ("DELETE", v3 + "/{glossary_id}", handlers.delete),
        ("GET", v3 + "/{glossary_id}/entries", handlers.entries_of_dictionary),
        ("PUT", v3 + "/{glossary_id}/dictionaries", handlers.replace_dictionary),
        ("DELETE", v3 + "/{glossary_id}/dictionaries", handlers.delete_dictionary),
    ]
    return [
        Route(path, with_statuses(handler, STATUSES), methods=[method])
        for method, path, handler in table
    ]
