"""The tokens of HTML: the test suite of html5lib, and slices that give the page back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from regard.documents.html_tokenizer import (
    HtmlToken,
    attribute_value,
    token_text,
    tokenize_html,
)

SUITE = Path(__file__).parents[1] / "data" / "html"
STATES = {
    "Data state": "data",
    "RCDATA state": "rcdata",
    "RAWTEXT state": "rawtext",
    "Script data state": "script",
    "PLAINTEXT state": "plaintext",
    "CDATA section state": "cdata",
}
NO_TAG = "no tag"
CDATA = "<svg><![CDATA["
"""CDATA sections are read in SVG only, so that is what the tests of their state begin in."""

Expected = list[list[Any]]


def cases() -> Iterator[tuple[str, str, str, str, Expected]]:
    """A label, a state, the last start tag, an input, and the tokens."""
    for path in sorted(SUITE.glob("*.test")):
        for number, test in enumerate(json.loads(path.read_text("utf-8"))["tests"]):
            source, output = test["input"], test["output"]
            if test.get("doubleEscaped"):
                source, output = unescaped(source), unescaped(output)
            for state in test.get("initialStates", ["Data state"]):
                label = f"{path.stem} {number}, {state}: {test['description']}"
                yield label, STATES[state], test.get("lastStartTag", NO_TAG), source, output


def unescaped(value: Any) -> Any:
    if isinstance(value, list):
        return [unescaped(part) for part in value]
    if isinstance(value, dict):
        return {unescaped(key): unescaped(part) for key, part in value.items()}
    if not isinstance(value, str):
        return value
    return re.sub(r"\\u([0-9A-Fa-f]{4})", lambda found: chr(int(found[1], 16)), value)


def read_tokens(state: str, name: str, source: str) -> tuple[str, list[HtmlToken]]:
    """The text that was read, and its tokens."""
    if state == "cdata":
        return CDATA + source, list(tokenize_html(CDATA + source))
    return source, list(tokenize_html(source, content=state, name=name))


def as_in_suite(text: str, tokens: list[HtmlToken]) -> Expected:
    """Tokens as the suite writes them."""
    output: Expected = []
    for token in tokens:
        if token.kind in ("text", "raw", "cdata"):
            if output and output[-1][0] == "Character":
                output[-1][1] += token_text(text, token)
            elif token_text(text, token):
                output.append(["Character", token_text(text, token)])
        elif token.kind in ("open", "empty"):
            values = {each.name: attribute_value(text, each) for each in token.attributes}
            output.append(["StartTag", token.name, values, *[True] * token.self_closing])
        elif token.kind == "close":
            output.append(["EndTag", token.name])
        elif token.kind == "comment":
            output.append(["Comment", comment(text[token.start : token.end])])
        elif token.kind == "doctype":
            output.append(["DOCTYPE"])
    return output


def comment(markup: str) -> str:
    """The text of a comment, which regard does not read."""
    data = re.sub(r"\r\n?", "\n", markup).replace("\0", "\ufffd")
    if not data.startswith("<!--"):
        return data[1 if data[1] == "?" else 2 :].removesuffix(">")
    if data in ("<!-->", "<!--->"):
        return ""
    return re.sub(r"(?:--!?>|--!|--?)\Z", "", data[4:])


def expected_tokens(output: Expected) -> Expected:
    """Names and identifiers of a DOCTYPE are not read: it is copied, whatever it is."""
    return [token[:1] if token[0] == "DOCTYPE" else token for token in output]


def check_slices(text: str, tokens: list[HtmlToken]) -> None:
    """The slices of the tokens, one after the other, are the text; those of values are in them."""
    assert "".join(text[token.start : token.end] for token in tokens) == text
    assert all(before.end == after.start for before, after in pairwise(tokens))
    for token in tokens:
        assert token.start < token.end
        for attribute in token.attributes:
            assert token.start < attribute.start <= attribute.end <= token.end
            around = text[attribute.start - 1] + text[attribute.end]
            assert (around in ('""', "''")) == attribute.quoted or not attribute.quoted


def test_the_suite_of_html5lib() -> None:
    different = []
    count = 0
    for label, state, name, source, output in cases():
        count += 1
        if state == "script" and name not in (NO_TAG, "script"):
            continue  # no other element has this content
        text, tokens = read_tokens(state, name, source)
        check_slices(text, tokens)
        found = as_in_suite(text, tokens)
        if state == "cdata":
            found = found[1:]  # <svg>
        if found != expected_tokens(output):
            different.append(f"{label}: {source!r}\n  expected {output}\n  found    {found}")
    print(f"{count:,} tests")
    assert count > 6_000
    assert not different, f"{len(different)} differ:\n" + "\n".join(different[:10])
