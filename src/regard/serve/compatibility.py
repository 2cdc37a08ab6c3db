"""What the interfaces of other servers share: forms, languages, status codes and translation.

Their clients send JSON, urlencoded forms or, as LibreTranslate's web page does, multipart forms.
"""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from python_multipart import MultipartParser
from python_multipart.multipart import parse_options_header
from starlette.requests import Request

from regard.errors import RegardError
from regard.serve.http import (
    AnswerError,
    Handler,
    describe_problems,
    read_body,
    receive_body,
    to_answer,
)
from regard.serve.keys import StoredKey
from regard.serve.models import NoModelError, ServedModel
from regard.serve.schemas import TranslateRequest, Translation
from regard.serve.settings import ServerSettings

# -- forms in the bodies of requests ---------------------------------------------------------------
# Names and values, or a refusal.
#
# python-multipart splits multipart forms (RFC 7578). A form must be complete and in UTF-8; the
# fields, their headers and the boundary have limits. Only routes of documents accept a file, one in
# each form.


logging.getLogger("python_multipart").setLevel(logging.ERROR)  # warns of each damaged form

MAX_FIELDS = 1_000
MAX_HEADERS = 8  # of a field
MAX_HEADER_BYTES = 4_096
FILE_FIELD = "file"  # the field of a document, in the forms of all interfaces


def parse_urlencoded(body: bytes) -> list[tuple[str, str]]:
    """Return the names and values of a form. Raise ValueError if it is damaged."""
    if body.count(b"&") >= MAX_FIELDS:
        raise too_many_fields()
    return parse_qsl(body.decode(), keep_blank_values=True, errors="strict")


def parse_multipart(content_type: str, body: bytes) -> list[tuple[str, str]]:
    """Return the names and values of a form. Raise ValueError if it is damaged."""
    form = _Form(content_type)
    form.parser.write(body)
    form.check_complete()
    return form.fields


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file of a form. The name is what the client has sent."""

    name: str
    content: bytes


def too_many_fields() -> AnswerError:
    return AnswerError(422, f"The form has more than {MAX_FIELDS:,} fields.")


class _Form:
    """The fields of a multipart form, as the parser finds them.

    Args:
        content_type: Has the boundary.
        max_file_bytes: Size of a file in the field FILE_FIELD; 0: files are refused.
    """

    def __init__(self, content_type: str, max_file_bytes: int = 0) -> None:
        boundary = parse_options_header(content_type)[1].get(b"boundary")
        if not boundary:
            raise ValueError("boundary")
        self.fields: list[tuple[str, str]] = []
        self.file: UploadedFile | None = None
        self._complete, self._max_file_bytes = False, max_file_bytes
        self.parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": self._add_header_name,
                "on_header_value": self._add_header_value,
                "on_header_end": self._end_header,
                "on_headers_finished": self._end_headers,
                "on_part_data": self._add_data,
                "on_part_end": self._end,
                "on_end": self._finish,
            },
            max_header_count=MAX_HEADERS,
            max_header_size=MAX_HEADER_BYTES,
        )

    def check_complete(self) -> None:
        """Raise ValueError if the end of the form is missing."""
        if not self._complete:
            raise ValueError("end")

    def _begin(self) -> None:
        if len(self.fields) == MAX_FIELDS:
            raise too_many_fields()
        self._disposition = b""
        self._header_name, self._header_value, self._data = bytearray(), bytearray(), bytearray()

    def _add_header_name(self, body: bytes, start: int, end: int) -> None:
        self._header_name += body[start:end]

    def _add_header_value(self, body: bytes, start: int, end: int) -> None:
        self._header_value += body[start:end]

    def _end_header(self) -> None:
        if self._header_name.lower() == b"content-disposition":
            self._disposition = bytes(self._header_value)
        self._header_name, self._header_value = bytearray(), bytearray()

    def _end_headers(self) -> None:
        parameters = parse_options_header(self._disposition)[1]
        name = parameters.get(b"name", b"").decode()
        if not name:
            raise ValueError("name")
        self._file_name = parameters.get(b"filename", b"").decode()  # empty for a field, or no file
        if self._file_name:
            self._check_file(name)
        self._name = name

    def _check_file(self, field: str) -> None:
        if self._max_file_bytes == 0:
            raise AnswerError(422, f"{field[:40]}: files are not supported. Send texts.")
        if field != FILE_FIELD or self.file is not None:
            raise AnswerError(422, f"{field[:40]}: send one file, in the field `{FILE_FIELD}`.")

    def _add_data(self, body: bytes, start: int, end: int) -> None:
        self._data += body[start:end]
        if self._file_name and len(self._data) > self._max_file_bytes:
            raise AnswerError(413, f"The document has more than {self._max_file_bytes:,} bytes.")

    def _end(self) -> None:
        if self._file_name:
            self.file = UploadedFile(self._file_name, bytes(self._data))
            self._data.clear()
        else:
            self.fields.append((self._name, self._data.decode()))

    def _finish(self) -> None:
        self._complete = True


# -- the languages of a server ---------------------------------------------------------------------
# The pairs that its models translate, and the names of languages.


_TABLE = """
af afr Afrikaans, am amh Amharic, ar ara Arabic, as asm Assamese, az aze Azerbaijani,
ba bak Bashkir, be bel Belarusian, bg bul Bulgarian, bn ben Bengali, bo bod/tib Tibetan,
br bre Breton, bs bos Bosnian, ca cat Catalan, cs ces/cze Czech, cy cym/wel Welsh, da dan Danish,
de deu/ger German, el ell/gre Greek, en eng English, eo epo Esperanto, es spa Spanish,
et est Estonian, eu eus/baq Basque, fa fas/per Persian, fi fin Finnish, fo fao Faroese,
fr fra/fre French, fy fry Western Frisian, ga gle Irish, gd gla Scottish Gaelic, gl glg Galician,
gu guj Gujarati, ha hau Hausa, he heb Hebrew, hi hin Hindi, hr hrv Croatian, ht hat Haitian Creole,
hu hun Hungarian, hy hye/arm Armenian, ia ina Interlingua, id ind Indonesian, ig ibo Igbo,
is isl/ice Icelandic, it ita Italian, iu iku Inuktitut, ja jpn Japanese, jv jav Javanese,
ka kat/geo Georgian, kk kaz Kazakh, km khm Khmer, kn kan Kannada, ko kor Korean, ku kur Kurdish,
ky kir Kyrgyz, la lat Latin, lb ltz Luxembourgish, ln lin Lingala, lo lao Lao, lt lit Lithuanian,
lv lav Latvian, mg mlg Malagasy, mi mri/mao Maori, mk mkd/mac Macedonian, ml mal Malayalam,
mn mon Mongolian, mr mar Marathi, ms msa/may Malay, mt mlt Maltese, my mya/bur Burmese,
nb nob Norwegian Bokmål, ne nep Nepali, nl nld/dut Dutch, nn nno Norwegian Nynorsk,
no nor Norwegian, ny nya Nyanja, oc oci Occitan, om orm Oromo, or ori Odia, pa pan Punjabi,
pl pol Polish, ps pus Pashto, pt por Portuguese, qu que Quechua, ro ron/rum Romanian,
ru rus Russian, rw kin Kinyarwanda, sa san Sanskrit, sc srd Sardinian, sd snd Sindhi,
se sme Northern Sami, si sin Sinhala, sk slk/slo Slovak, sl slv Slovenian, sm smo Samoan,
sn sna Shona, so som Somali, sq sqi/alb Albanian, sr srp Serbian, st sot Southern Sotho,
su sun Sundanese, sv swe Swedish, sw swa Swahili, ta tam Tamil, te tel Telugu, tg tgk Tajik,
th tha Thai, ti tir Tigrinya, tk tuk Turkmen, tl tgl Tagalog, tn tsn Tswana, tr tur Turkish,
ts tso Tsonga, tt tat Tatar, ug uig Uyghur, uk ukr Ukrainian, ur urd Urdu, uz uzb Uzbek,
vi vie Vietnamese, wo wol Wolof, xh xho Xhosa, yi yid Yiddish, yo yor Yoruba, zh zho/chi Chinese,
zu zul Zulu
"""
_ROWS: list[tuple[str, str, str, str]] = re.findall(
    r"(\w{2}) (\w{3})(?:/(\w{3}))? ([^,\n]+)", _TABLE
)
NAMES = {code: name for code, _, _, name in _ROWS}  # by ISO 639-1 code
SHORT_CODES = {long: code for code, *longs, _ in _ROWS for long in longs if long}  # ISO 639-2


def language_name(code: str) -> str:
    """The English name of a language; of an unknown one its code."""
    return NAMES.get(code, code)


def base_language(code: str) -> str:
    """The code without region or script, in ISO 639-1 if it has one: `pt` of `PT-BR` and `por`."""
    base = code.strip().lower().replace("_", "-").partition("-")[0]
    return SHORT_CODES.get(base, base)


class LanguagePairs:
    """The pairs that models translate. Of several models for a pair, the first is used."""

    def __init__(self, models: Iterable[ServedModel]) -> None:
        self._models: dict[tuple[str, str], tuple[ServedModel, str]] = {}
        for model in models:
            for source, target in model.pairs:
                pair = base_language(source), base_language(target)
                self._models.setdefault(pair, (model, target))

    def sources(self, target: str | None = None) -> list[str]:
        """All source languages, or those that can be translated into `target`."""
        return list(dict.fromkeys(s for s, t in self._models if target in (None, t)))

    def targets(self, source: str | None = None) -> list[str]:
        """All target languages, or those into which `source` can be translated."""
        return list(dict.fromkeys(t for s, t in self._models if source in (None, s)))

    def sources_of(self, target: str) -> list[str]:
        """The languages that are translated into `target`. Raise NoModelError if there are none."""
        sources = self.sources(base_language(target))
        if not sources:
            raise NoModelError(
                f"{target[:20]} is not supported. The target languages are: {_list(self.targets())}"
            )
        return sources

    def find(self, source: str, target: str) -> tuple[str, ServedModel, str]:
        """Return the source language and the model of a pair, and the model's code of the target.

        Regions in the codes are ignored.

        Raises:
            NoModelError: No model translates the pair.
        """
        sources = self.sources_of(target)
        chosen, wanted = base_language(source), base_language(target)
        if chosen not in self.sources():
            raise NoModelError(
                f"{source[:20]} is not supported. The source languages are: {_list(self.sources())}"
            )
        if (chosen, wanted) not in self._models:
            raise NoModelError(
                f"{language_name(wanted)} ({wanted}) is not available as a target language from "
                f"{language_name(chosen)} ({chosen}). It is translated from: {_list(sources)}"
            )
        return chosen, *self._models[chosen, wanted]


def _list(codes: list[str]) -> str:
    return f"{', '.join(codes)}."


# -- compatibility ---------------------------------------------------------------------------------


P = TypeVar("P", bound=BaseModel)

Translate = Callable[
    [Request, TranslateRequest, StoredKey | None], Awaitable[tuple[ServedModel, list[Translation]]]
]
"""Checks a request against the limits and the key's budget, and translates its texts."""


def with_statuses(handler: Handler, statuses: Mapping[int, int]) -> Handler:
    """Answer a handler's errors with the status codes of another interface.

    A body that is too large or too slow keeps the status of HTTP, which closes the connection.
    """

    async def answer(request: Request) -> Any:
        try:
            return await handler(request)
        except (AnswerError, RegardError) as error:
            failure = to_answer(error)
            if (
                failure is error and failure.status in (408, 413)
            ) or failure.status not in statuses:
                raise
            raise AnswerError(
                statuses[failure.status], failure.message, failure.retry_after
            ) from None

    return answer


async def read_parameters(request: Request, kind: type[P], settings: ServerSettings) -> P:
    """Read the query and the body, and check them against a schema.

    A name that occurs several times in a form has a list of values.
    """
    values: dict[str, object] = {**_by_name(request.query_params.multi_items())}
    body = await read_body(request, settings)
    content_type = request.headers.get("content-type", "")
    try:
        match content_type.partition(";")[0].strip().lower():
            case "application/json":
                content = from_json(body)
                if not isinstance(content, dict):
                    raise AnswerError(422, "The body must be a JSON object.")
                values |= content
            case "application/x-www-form-urlencoded":
                values |= _by_name(parse_urlencoded(body))
            case "multipart/form-data":
                values |= _by_name(parse_multipart(content_type, body))
            case _ if body:
                raise AnswerError(415, "Send JSON or a form, and name it in `Content-Type`.")
        return kind.model_validate(values)
    except ValidationError as error:
        raise AnswerError(422, describe_problems(error)) from None
    except ValueError:
        raise AnswerError(422, f"The body is not valid {content_type[:40]} in UTF-8.") from None


async def read_upload(
    request: Request, kind: type[P], settings: ServerSettings
) -> tuple[P, UploadedFile]:
    """Read a multipart form with a document, and check its fields and the query against a schema.

    The form is split while it is received, so that a large one does not delay other requests.
    """
    content_type = request.headers.get("content-type", "")
    if content_type.partition(";")[0].strip().lower() != "multipart/form-data":
        raise AnswerError(415, "Send a multipart form, and name it in `Content-Type`.")
    most = settings.max_document_bytes
    try:
        form = _Form(content_type, most)
        await receive_body(request, settings, most + settings.max_body_bytes, form.parser.write)
        form.check_complete()
        if form.file is None:
            raise AnswerError(422, f"{FILE_FIELD}: is missing. Send a file with its name.")
        if sum(len(value.encode()) for _, value in form.fields) > settings.max_body_bytes:
            raise AnswerError(413, f"The fields have more than {settings.max_body_bytes:,} bytes.")
        values = _by_name(request.query_params.multi_items()) | _by_name(form.fields)
        return kind.model_validate(values), form.file
    except ValidationError as error:
        raise AnswerError(422, describe_problems(error)) from None
    except ValueError:
        raise AnswerError(422, f"The body is not valid {content_type[:40]} in UTF-8.") from None


def _by_name(fields: Iterable[tuple[str, str]]) -> dict[str, str | list[str]]:
    values: dict[str, list[str]] = defaultdict(list)
    for name, value in fields:
        values[name].append(value.replace("\r\n", "\n"))  # forms end lines with CR LF
    return {name: texts[0] if len(texts) == 1 else texts for name, texts in values.items()}
