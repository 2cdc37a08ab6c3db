"""YAML: string values are segments; keys, numbers and comments stay as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import yaml

from regard.documents.formats.base import DocumentSegment, TextFormat, has_words, trimmed_range
from regard.documents.formats.strings import mark_string
from regard.documents.marked_text import MarkedText, render_markup, translated_text
from regard.errors import DocumentError

_LINE = re.compile(r"[^\r\n]+")
_PLAIN = re.compile(r"[A-Za-zÀ-ÿ][^:#\r\n\[\]{},&*!|>'\"%@`]*")
MAX_DEPTH = 100
_BRACKET = re.compile(r"[\[\]{}]")
MAX_OPEN = 1_000  # brackets, some of which may be in strings; many take the parser long


def find_yaml_segments(text: str) -> list[DocumentSegment]:
    """The segments of a file, in order."""
    _check_brackets(text)
    segments: list[DocumentSegment] = []
    try:
        for path, event in _values(text):
            segments.extend(_value_segments(text, path, event))
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        problem = getattr(error, "problem", None) or "not YAML"
        raise DocumentError(f"{where}{problem}. Correct the document.") from None
    return segments


def _check_brackets(text: str) -> None:
    """Refuse deep lists before they are parsed."""
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "[{" else -1
        if depth > MAX_OPEN:
            raise DocumentError(f"more than {MAX_OPEN:,} brackets are open. Simplify it.")


def _values(text: str) -> Iterator[tuple[str, yaml.ScalarEvent]]:
    """The values that are strings, with their keys."""
    keys: list[str | None] = []  # of open mappings: None before a key; "-" of sequences
    resolver = yaml.resolver.Resolver()
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if len(keys) > MAX_DEPTH:
            raise DocumentError(f"values are nested more than {MAX_DEPTH} deep. Simplify it.")
        if isinstance(event, yaml.MappingStartEvent):
            keys.append(None)
            continue
        if isinstance(event, yaml.SequenceStartEvent):
            keys.append("-")
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            keys.pop()
        elif isinstance(event, yaml.ScalarEvent):
            if keys and keys[-1] is None:
                keys[-1] = event.value
                continue
            tag = event.tag or resolver.resolve(yaml.ScalarNode, event.value, event.implicit)
            if tag == "tag:yaml.org,2002:str":
                yield ".".join(key or "" for key in keys), event
        elif not isinstance(event, yaml.AliasEvent):
            continue
        if keys and keys[-1] != "-":  # a value: the next scalar is a key
            keys[-1] = None if keys[-1] is not None else "?"


def _value_segments(text: str, path: str, event: yaml.ScalarEvent) -> Iterator[DocumentSegment]:
    assert event.start_mark is not None
    assert event.end_mark is not None
    start, end = event.start_mark.index, event.end_mark.index
    if not has_words(event.value):
        return
    if event.style in ("|", ">"):  # each line of a block by itself
        header = text.find("\n", start)
        for line in _LINE.finditer(text, header + 1 if header >= 0 else end, end):
            first, last = trimmed_range(text, *line.span())
            if has_words(text[first:last]):
                yield DocumentSegment(first, last, mark_string(text[first:last]), path, "block")
        return
    style = {"'": "single", '"': "double"}.get(event.style or "", "plain")
    start, end = trimmed_range(text, start, end)
    marked = mark_string(event.value)
    if has_words(translated_text(marked)):
        yield DocumentSegment(start, end, marked, path, style)


def render_yaml(marked: MarkedText, style: str) -> str:
    """A value with the quotes that it needs."""
    text = render_markup(marked)
    if style == "block":
        return re.sub(r"[\r\n]+", " ", text)
    if style == "single" and "\n" not in text and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    if style == "plain" and _is_plain(text):
        return text
    return json.dumps(text, ensure_ascii=False)


def _is_plain(text: str) -> bool:
    if not _PLAIN.fullmatch(text) or text != text.strip() or not text.isprintable():
        return False
    return yaml.resolver.Resolver().resolve(yaml.ScalarNode, text, (True, False)) == (
        "tag:yaml.org,2002:str"
    )


YAML = TextFormat("yaml", find_yaml_segments, render_yaml)
