"""Translate with a server, as `Translator` does with a model.

with regard.Client("http://localhost:8000") as client:
    client.translate(["A dog runs."])[0].text
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, Unpack

from pydantic import BaseModel, ValidationError

from regard.align.links import Links, write_links
from regard.errors import ConfigError, CorpusError, ServerError
from regard.serve.answers import error_text, read_document_events, retry_after, server_error
from regard.serve.schemas import (
    SERVED_OPTIONS,
    Alignment,
    AlignRequest,
    AlignResponse,
    ExplainRequest,
    ExplainResponse,
    RankedTranslation,
    Span,
    TranslateResponse,
)
from regard.tasks.translation.documents import TranslatedDocument, read_document
from regard.tasks.translation.marked_texts import Markup
from regard.tasks.translation.options import (
    DOCUMENT_OPTIONS,
    DocumentKeywords,
    TranslateKeywords,
    TranslateOptions,
)

if TYPE_CHECKING:
    import httpx2


# What a request may hold at first. A server with smaller limits answers 413, and a slow one 504;
# then the request is halved.
MAX_TEXTS = 64
MAX_CHARACTERS = 8_000
WITH_SERVER = "with a server. Use `regard.Translator`."  # ends an error about an option
A = TypeVar("A", bound=BaseModel)  # an answer
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds between two attempts


@dataclass(frozen=True, slots=True)
class WordSpans:
    """A text and the character spans of its words."""

    raw: str
    words: list[Span]

    @property
    def word_texts(self) -> list[str]:
        return [self.raw[start:end] for start, end in self.words]


@dataclass(frozen=True, slots=True)
class ServedAlignment:
    """The word alignment of a source and its translation."""

    source: WordSpans
    target: WordSpans
    links: Links  # (source word, target word)

    def __str__(self) -> str:
        return write_links(self.links)


@dataclass(frozen=True, slots=True)
class ServedTranslation:
    """The best translation of a text, with the attributes of `TranslationResult` that are sent."""

    source: str
    text: str
    score: float  # Σ log p / length^length_penalty
    n_best: tuple[ServedTranslation, ...] = ()  # all n, best first; () unless n_best > 1
    alignment: ServedAlignment | None = None  # if requested
    warnings: tuple[str, ...] = ()  # of the best translation, if requested

    def __str__(self) -> str:
        return self.text


class Client:
    """Translates with a server.

    A busy server (503) and a key that has used its budget (429) are tried again, after the time
    that the server names and a random pause that doubles. Nothing but the server is connected to.

    Args:
        url: Address of the server.
        key: One of the server's keys, if it needs one.
        model: Name of one of the server's models; by default its first.
        timeout: Seconds to wait for a connection or an answer.
        patience: Seconds for which a request is tried again.
        concurrency: Requests under way at once.

    Raises:
        ConfigError: The URL is invalid, or httpx2 is not installed.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        model: str | None = None,
        timeout: float = 60.0,
        patience: float = 300.0,
        concurrency: int = 4,
    ) -> None:
        try:
            import httpx2
        except ImportError:
            raise ConfigError(
                "The client needs the package httpx2. "
                "Install it with `pip install 'regard[client]'`."
            ) from None
        if concurrency < 1:
            raise ConfigError(f"concurrency: must be at least 1, not {concurrency}.")
        self.url, self.model = url, model
        self._patience, self._concurrency = patience, concurrency
        self._answered = False
        try:
            parsed = httpx2.URL(url)
            if parsed.scheme not in ("http", "https") or not parsed.host:
                raise httpx2.InvalidURL("no address")
            self._http = httpx2.Client(
                base_url=parsed,
                headers={} if key is None else {"Authorization": f"Bearer {key.strip()}"},
                timeout=timeout,
            )
        except (httpx2.InvalidURL, UnicodeError):
            raise ConfigError(
                f"{url!r:.100}: is not the address of a server. "
                "Pass a URL such as http://localhost:8000, and a key of plain letters."
            ) from None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def translate(
        self,
        texts: Sequence[str],
        options: TranslateOptions | None = None,
        **changes: Unpack[TranslateKeywords],
    ) -> list[ServedTranslation]:
        """Translate each text, as `Translator.translate` does. Many texts are sent in parts.

        Args:
            texts: Raw texts. Long ones are split into segments by the server.
            options: How they are translated. `to` selects a model, unless the client names one;
                `logps` and `align_with` are not available.
            changes: Fields of `TranslateOptions`, in place of those of `options`.

        Raises:
            CorpusError: `texts` is a single string, or `prefix` has another length.
            ConfigError: The server refuses the request, or an option is not available.
            ServerError: The server cannot be reached, is busy or fails.
        """
        if isinstance(texts, str):
            raise CorpusError("texts: is a single string. Pass a list of texts.")
        options = replace(options or TranslateOptions(), **changes)
        options.check_used(SERVED_OPTIONS, WITH_SERVER)
        options.check_prefixes(len(texts))
        return self._translate(texts, options, {"format": "plain"})

    def translate_marked(
        self,
        texts: Sequence[str],
        options: TranslateOptions | None = None,
        *,
        format: Markup = "text",
        keep: Sequence[str] = (),
        terms: Mapping[str, str] | None = None,
        **changes: Unpack[DocumentKeywords],
    ) -> list[ServedTranslation]:
        """Translate texts with markup, as `Translator.translate_marked` does.

        Args:
            texts: Likewise. Many are sent in parts.
            options: `to`, `beam_size`, `length_penalty` and `quality`, which adds warnings, are
                available.
            format: "text", "html" or "xml".
            keep: Texts that are not translated.
            terms: Terms with their translations.
            changes: Fields of `TranslateOptions`, in place of those of `options`.

        Raises:
            CorpusError: `texts` is a single string.
            ConfigError: The server refuses the request, or an option is not available.
            ServerError: The server cannot be reached, is busy or fails.
        """
        if isinstance(texts, str):
            raise CorpusError("texts: is a single string. Pass a list of texts.")
        options = replace(options or TranslateOptions(), **changes)
        options.check_used(SERVED_OPTIONS, WITH_SERVER)
        options.check_used(DOCUMENT_OPTIONS, "for texts with markup.")
        markup = {"format": format, "keep": list(keep), "terms": dict(terms or {})}
        return self._translate(texts, options, markup)

    def _translate(
        self, texts: Sequence[str], options: TranslateOptions, markup: Mapping[str, object]
    ) -> list[ServedTranslation]:
        """Send texts, in parts if there are many. `markup`: fields of the requests."""
        parts = list(_split(texts))
        request = _Request(texts, self.model, options, len(parts) > 1, markup)
        return [result for part in self._send_all(request, parts) for result in part]

    def translate_document(
        self,
        document: str | Path | bytes,
        options: TranslateOptions | None = None,
        *,
        format: str | None = None,
        keep: Sequence[str] = (),
        on_progress: Callable[[int, int], None] = lambda done, total: None,
        **changes: Unpack[DocumentKeywords],
    ) -> TranslatedDocument:
        """Translate a document, as `Translator.translate_document` does.

        Args:
            document: The path of a file, or the content of one.
            options: How its texts are translated. `to`, `beam_size`, `length_penalty` and
                `quality`, which adds warnings to the report, are available.
            format: Name of its format; by default that of the path's suffix.
            keep: Texts that are not translated, at most 50 of 100 characters.
            on_progress: Called with the number of translated texts and of all.
            changes: Fields of `TranslateOptions`, in place of those of `options`.

        Raises:
            DocumentError: The file cannot be read, or its format is not known.
            ConfigError: The server refuses the document, or an option is not available.
            ServerError: The server cannot be reached, is busy or fails.
        """
        options = replace(options or TranslateOptions(), **changes)
        options.check_used(SERVED_OPTIONS, WITH_SERVER)
        options.check_used(DOCUMENT_OPTIONS, "for documents.")
        name, content, format_name = read_document(document, format)
        values = {
            "name": name,
            "format": format_name,
            "model": self.model,
            "target_language": options.to,
            "beam_size": options.beam_size,
            "length_penalty": options.length_penalty,
            "quality": options.quality,
            "keep": list(keep),
        }
        request = self._http.build_request(
            "POST",
            "v1/documents",
            params={key: value for key, value in values.items() if value is not None},
            content=content,
            headers={
                "Content-Type": "application/octet-stream",
                "Accept": "text/event-stream",
            },
        )
        answer = self._answer(request, threading.Event(), stream=True)
        try:
            self._check_status(answer)
            return read_document_events(self.url, answer, on_progress)
        finally:
            answer.close()

    def align(
        self, sources: Sequence[str], targets: Sequence[str], *, to: str | None = None
    ) -> list[ServedAlignment]:
        """Align the words of given pairs, as `Translator.align` does.

        Raises:
            ConfigError: The server refuses the pairs, or its model cannot align words.
            ServerError: The server cannot be reached, is busy or fails.
        """
        request = AlignRequest(
            model=self.model, target_language=to, sources=list(sources), targets=list(targets)
        )
        alignments = self._ask("v1/align", request, AlignResponse).alignments
        if len(alignments) != len(sources):
            raise self._wrong_answer()
        rows = zip(sources, targets, alignments, strict=True)
        return [_alignment(source, target, sent) for source, target, sent in rows]

    def explain(
        self, source: str, target: str | None = None, *, to: str | None = None
    ) -> dict[str, object]:
        """Return the record of a translation, as `Explanation.to_json` writes it.

        Raises:
            ConfigError: The server refuses the sentence.
            ServerError: The server cannot be reached, is busy or fails.
        """
        request = ExplainRequest(model=self.model, target_language=to, source=source, target=target)
        return self._ask("v1/explain", request, ExplainResponse).record

    def _ask(self, path: str, request: BaseModel, kind: type[A]) -> A:
        answer = self._post(path, request.model_dump_json().encode(), threading.Event())
        self._check_status(answer)
        try:
            return kind.model_validate_json(answer.content)
        except ValidationError:
            raise self._wrong_answer() from None

    def _wrong_answer(self) -> ServerError:
        return ServerError(f"{self.url}: the answer is not that of a regard server.")

    def _check_status(self, answer: httpx2.Response) -> None:
        """Raise an error unless the answer has the status 200."""
        if answer.status_code != 200:
            answer.read()
            raise server_error(self.url, answer.status_code, error_text(answer))

    def _send_all(self, request: _Request, parts: list[range]) -> list[list[ServedTranslation]]:
        stop = threading.Event()
        if len(parts) < 2:
            return [self._send(request, part, stop) for part in parts]
        with ThreadPoolExecutor(self._concurrency) as threads:
            futures = [threads.submit(self._send, request, part, stop) for part in parts]
            try:
                for future in wait(futures, return_when=FIRST_EXCEPTION).done:
                    future.result()  # raises its error
            finally:
                stop.set()
                threads.shutdown(wait=False, cancel_futures=True)
        return [future.result() for future in futures]

    def _send(
        self, request: _Request, rows: range, stop: threading.Event
    ) -> list[ServedTranslation]:
        """Translate the texts `rows`; in halves if they are too many for the server."""
        answer = self._post("v1/translate", request.content(rows), stop)
        if answer.status_code in (413, 504) and len(rows) > 1:
            half = len(rows) // 2
            return [
                result
                for part in (rows[:half], rows[half:])
                for result in self._send(request, part, stop)
            ]
        self._check_status(answer)
        try:
            translations = TranslateResponse.model_validate_json(answer.content).translations
        except ValidationError:
            translations = []
        if len(translations) != len(rows):
            raise self._wrong_answer()
        results = []
        for row, translation in zip(rows, translations, strict=True):
            source, warnings = request.texts[row], tuple(translation.warnings)
            n_best = tuple(
                _translation(source, hypothesis, (), () if rank else warnings)
                for rank, hypothesis in enumerate(translation.n_best)
            )
            results.append(_translation(source, translation, n_best, warnings))
        return results

    def _post(self, path: str, content: bytes, stop: threading.Event) -> httpx2.Response:
        headers = {"Content-Type": "application/json"}
        request = self._http.build_request("POST", path, content=content, headers=headers)
        return self._answer(request, stop)

    def _answer(
        self, request: httpx2.Request, stop: threading.Event, *, stream: bool = False
    ) -> httpx2.Response:
        """Send a request until the server has time for it."""
        import httpx2

        end, pause = time.monotonic() + self._patience, FIRST_PAUSE
        while not stop.is_set():
            seconds = pause * random.uniform(0.5, 1.5)  # noqa: S311 - so that clients spread
            try:
                answer = self._http.send(request, stream=stream)
            except httpx2.HTTPError as error:
                # A server that has answered before is restarted or has closed a connection.
                gone = isinstance(error, httpx2.NetworkError | httpx2.RemoteProtocolError)
                if not (gone and self._answered) or time.monotonic() + seconds > end:
                    reason = str(error) or type(error).__name__
                    raise ServerError(
                        f"{self.url}: cannot be reached ({reason}). "
                        "Start it with `regard serve`, or correct the address."
                    ) from None
            else:
                self._answered = True
                seconds += retry_after(answer)
                if answer.status_code not in (429, 503) or time.monotonic() + seconds > end:
                    return answer
                answer.close()
            stop.wait(seconds)
            pause = min(2 * pause, LONGEST_PAUSE)
        raise ServerError(f"{self.url}: another request has failed.")


@dataclass(frozen=True, slots=True)
class _Request:
    """All texts of a call, and their options."""

    texts: Sequence[str]
    model: str | None
    options: TranslateOptions
    bulk: bool
    markup: Mapping[str, object]

    def content(self, rows: range) -> bytes:
        """The JSON of a request for some of the texts."""
        values = self.options.for_rows(rows).to_json()
        values = {name: values[name] for name in SERVED_OPTIONS - {"to"}}
        if isinstance(sampling := values["sampling"], dict):
            del sampling["segment"]  # the server splits the texts
        values |= {
            "texts": [self.texts[row] for row in rows],
            "model": self.model,
            "target_language": self.options.to,
            "bulk": self.bulk,
            **self.markup,
        }
        return json.dumps(values).encode()


def _split(texts: Sequence[str]) -> Iterator[range]:
    """Yield the rows of each request."""
    start, characters = 0, 0
    for row, text in enumerate(texts):
        if row > start and (row - start == MAX_TEXTS or characters + len(text) > MAX_CHARACTERS):
            yield range(start, row)
            start, characters = row, 0
        characters += len(text)
    if len(texts) > start:
        yield range(start, len(texts))


def _translation(
    source: str,
    sent: RankedTranslation,
    n_best: tuple[ServedTranslation, ...],
    warnings: tuple[str, ...],
) -> ServedTranslation:
    alignment = None if sent.alignment is None else _alignment(source, sent.text, sent.alignment)
    return ServedTranslation(source, sent.text, sent.score, n_best, alignment, warnings)


def _alignment(source: str, target: str, sent: Alignment) -> ServedAlignment:
    return ServedAlignment(
        WordSpans(source, sent.source), WordSpans(target, sent.target), Links(sent.links)
    )
