"""Forms in the bodies of requests: names and values, or a refusal.

python-multipart splits multipart forms (RFC 7578). A form must be complete, in UTF-8 and without
files; the fields, their headers and the boundary have limits.
"""

from __future__ import annotations

import logging
from urllib.parse import parse_qsl

from python_multipart import MultipartParser
from python_multipart.multipart import parse_options_header

from regard.serve.http import AnswerError

logging.getLogger("python_multipart").setLevel(logging.ERROR)  # warns of each damaged form

MAX_FIELDS = 1_000
MAX_HEADERS = 8  # of a field
MAX_HEADER_BYTES = 4_096


def parse_urlencoded(body: bytes) -> list[tuple[str, str]]:
    """Return the names and values of a form. Raise ValueError if it is damaged."""
    if body.count(b"&") >= MAX_FIELDS:
        raise too_many_fields()
    return parse_qsl(body.decode(), keep_blank_values=True, errors="strict")


def parse_multipart(content_type: str, body: bytes) -> list[tuple[str, str]]:
    """Return the names and values of a form. Raise ValueError if it is damaged."""
    boundary = parse_options_header(content_type)[1].get(b"boundary")
    if not boundary:
        raise ValueError("boundary")
    form = _Form(boundary)
    form.parser.write(body)
    if not form.complete:
        raise ValueError("end")
    return form.fields


def too_many_fields() -> AnswerError:
    return AnswerError(422, f"The form has more than {MAX_FIELDS:,} fields.")


class _Form:
    """The fields of a multipart form, as the parser finds them."""

    def __init__(self, boundary: bytes) -> None:
        self.fields: list[tuple[str, str]] = []
        self.complete = False
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
        if parameters.get(b"filename"):  # a browser sends an empty one for no file
            raise AnswerError(422, f"{name[:40]}: files are not supported. Send texts.")
        self._name = name

    def _add_data(self, body: bytes, start: int, end: int) -> None:
        self._data += body[start:end]

    def _end(self) -> None:
        self.fields.append((self._name, self._data.decode()))

    def _finish(self) -> None:
        self.complete = True
