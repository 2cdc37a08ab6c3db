"""Forms in requests: read as they were written, or refused; hostile ones quickly."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from regard.serve.compatibility import MAX_FIELDS, parse_multipart, parse_urlencoded
from regard.serve.http import AnswerError

CONTENT_TYPE = "multipart/form-data; boundary=B"
HEADER = b'Content-Disposition: form-data; name="q"\r\n'
PART = b"--B\r\n" + HEADER + b"\r\na\r\n"
END = b"--B--\r\n"


def refused() -> pytest.RaisesExc[ValueError]:
    return pytest.raises(ValueError)  # noqa: PT011  (the server answers all of them alike)


def multipart(fields: list[tuple[str, str]]) -> bytes:
    parts = [
        f'--B\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields
    ]
    return "".join(parts).encode() + END


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", exclude_characters='"\\\r\n\0'), min_size=1),
            st.text(st.characters(codec="utf-8")),
        )
    )
)
def test_fields_are_those_that_were_written(fields: list[tuple[str, str]]) -> None:
    assume(not any("--B" in value for _, value in fields))
    assert parse_multipart(CONTENT_TYPE, multipart(fields)) == fields


@given(st.lists(st.sampled_from([b"--B", b"\r\n", b"--", b"\r", HEADER, b"a", b"\xff", END])))
def test_any_body_is_read_or_refused(parts: list[bytes]) -> None:
    with suppress(ValueError, AnswerError):
        parse_multipart(CONTENT_TYPE, b"".join(parts))


def test_what_browsers_send_is_read() -> None:
    empty_file = b'--B\r\nContent-Disposition: form-data; name="f"; filename=""\r\n\r\n\r\n'
    typed = b"--B\r\ncontent-type: text/plain\r\n" + HEADER + b"\r\na\r\nb\r\n"
    fields = [("f", ""), ("q", "a\r\nb"), ("q", "a")]
    assert parse_multipart(CONTENT_TYPE, empty_file + typed + PART + END) == fields
    assert parse_multipart('multipart/form-data; boundary="B"', PART + END) == [("q", "a")]
    assert parse_multipart(CONTENT_TYPE, PART + END + b"ignored") == [("q", "a")]


def test_a_form_has_as_many_fields_as_allowed() -> None:
    assert len(parse_multipart(CONTENT_TYPE, PART * MAX_FIELDS + END)) == MAX_FIELDS
    assert len(parse_urlencoded(b"&".join([b"q=a"] * MAX_FIELDS))) == MAX_FIELDS
    with pytest.raises(AnswerError, match="more than 1,000 fields"):
        parse_multipart(CONTENT_TYPE, PART * (MAX_FIELDS + 1) + END)
    with pytest.raises(AnswerError, match="more than 1,000 fields"):
        parse_urlencoded(b"&".join([b"q=a"] * (MAX_FIELDS + 1)))


MANY = 200_000


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(PART, id="cut"),
        pytest.param(PART + b"--B-", id="cut end"),
        pytest.param(b"x" + PART + END, id="text before the first field"),
        pytest.param((PART + END).replace(b"\r\n", b"\n"), id="lines end with LF"),
        pytest.param(PART.replace(b"name=", b"nome=") + END, id="no name"),
        pytest.param(b"--B\r\n\r\na\r\n" + END, id="no header"),
        pytest.param(b"--B\r\n" + HEADER + END, id="no value"),
        pytest.param(PART.replace(b"q", b"\xff") + END, id="name that is not UTF-8"),
        pytest.param(PART.replace(b"\r\na", b"\r\n\xff") + END, id="value that is not UTF-8"),
        pytest.param(b"--B\r\n" + b"X: y\r\n" * 99 + HEADER + b"\r\na\r\n" + END, id="headers"),
        pytest.param(PART.replace(b"q", b"q" * MANY) + END, id="long name"),
        pytest.param(PART.replace(b'"q"', b'"q"' + b";a=b" * MANY) + END, id="parameters"),
        pytest.param(PART.replace(b'"q"', b'"q' + b";" * MANY) + END, id="open quote"),
        pytest.param(b"--Bx" * MANY, id="boundaries"),
        pytest.param(b"--B\r\n" * MANY, id="boundary lines"),
        pytest.param(b"--B\r\n" + HEADER + b"\r\n" + b"\r\n--" * MANY, id="half boundaries"),
        pytest.param(b"--B\r\n" + HEADER + b"\r\n" + b"\r" * MANY * 4, id="carriage returns"),
        pytest.param(
            b"--B\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n" * 20_000, id="nested"
        ),
    ],
)
def test_hostile_forms_are_refused_quickly(body: bytes) -> None:
    start = time.process_time()
    with refused():
        parse_multipart(CONTENT_TYPE, body)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "content_type",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=€",
        f"multipart/form-data; boundary={'B' * 9_999}",
        "multipart/form-data" + ';"' * 4_001 + "; boundary=B",
    ],
)
def test_content_types_without_a_usable_boundary_are_refused(content_type: str) -> None:
    start = time.process_time()
    with refused():
        parse_multipart(content_type, PART + END)
    assert time.process_time() - start < 2


def test_files_are_refused() -> None:
    body = b'--B\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\na\r\n' + END
    with pytest.raises(AnswerError, match="f: files are not supported"):
        parse_multipart(CONTENT_TYPE, body)


def test_refused_forms_are_not_logged(capfd: pytest.CaptureFixture[str]) -> None:
    with refused():
        parse_multipart(CONTENT_TYPE, b"x" + PART)
    assert capfd.readouterr() == ("", "")
