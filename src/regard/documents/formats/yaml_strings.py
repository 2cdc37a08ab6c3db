"""YAML: string values are segments; keys, numbers, anchors, tags and comments stay as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import yaml

from regard.documents.formats.base import DocumentSegment, TextFormat, has_words, trimmed_range
from regard.documents.formats.strings import (
    CODE_UNITS,
    WrittenString,
    decode_units,
    mark_string,
)
from regard.documents.marked_text import MarkedText, render_markup, translated_text
from regard.errors import DocumentError

MAX_DEPTH = 100
_BRACKET = re.compile(r"[\[\]{}]")
MAX_OPEN = 1_000  # brackets, some of which may be in strings; many take the parser long

_BREAK = r"(?:\r\n|[\r\n\x85])"
_LINE = re.compile(r"[^\r\n\x85]+")
_FIRST_BREAK = re.compile(_BREAK)
_FOLD = rf"(?<![ \t])[ \t]*{_BREAK}(?:[ \t]*{_BREAK})*[ \t]*"
_ESCAPES = {
    "'": re.compile(rf"''|{_FOLD}"),
    '"': re.compile(
        rf"{CODE_UNITS}|\\(?:x[0-9a-fA-F]{{2}}|U[0-9a-fA-F]{{8}}|"
        rf"{_BREAK}(?:[ \t]*{_BREAK})*[ \t]*|.)|{_FOLD}"
    ),
}
_CODES = yaml.SafeLoader.ESCAPE_REPLACEMENTS
_UNPRINTABLE = re.compile(
    "[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
# A letter, then no character that could end the value or begin a comment
_PLAIN = re.compile(r"[^\W\d_](?:[^:#\[\]{},\s]|:(?![\s,\[\]{}]|\Z)|(?<=[^\s])#| (?=[^\s#]))*")


class _Loader(yaml.SafeLoader):
    """Records where the last scalar begins after its anchor and tag, which events leave out."""

    scalar: yaml.ScalarToken

    def get_token(self) -> yaml.Token:
        token: yaml.Token = super().get_token()
        if isinstance(token, yaml.ScalarToken):
            self.scalar = token
        return token


def find_yaml_segments(text: str) -> list[DocumentSegment]:
    """The segments of a file, in order."""
    _check_brackets(text)
    segments: list[DocumentSegment] = []
    try:
        for path, token in _values(text):
            segments.extend(_value_segments(text, path, token))
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        location = f"line {mark.line + 1}: " if mark is not None else ""
        problem = getattr(error, "problem", None) or "not YAML"
        raise DocumentError(f"{location}{problem}. Correct the document.") from None
    return segments


def _check_brackets(text: str) -> None:
    """Refuse deep lists before they are parsed."""
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "[{" else -1
        if depth > MAX_OPEN:
            raise DocumentError(f"more than {MAX_OPEN:,} brackets are open. Simplify it.")


def _values(text: str) -> Iterator[tuple[str, yaml.ScalarToken]]:
    """The values that are strings, with their keys."""
    keys: list[str | None] = []  # of open mappings: None before a key; "-" of sequences
    loader = _Loader(text)
    while loader.check_event():
        event = loader.get_event()
        if len(keys) > MAX_DEPTH:
            raise DocumentError(f"values are nested more than {MAX_DEPTH} deep. Simplify it.")
        match event:
            case yaml.MappingStartEvent():
                keys.append(None)
            case yaml.SequenceStartEvent():
                keys.append("-")
            case yaml.CollectionEndEvent():
                keys.pop()
                _end_value(keys)
            case yaml.ScalarEvent() if keys and keys[-1] is None:
                keys[-1] = event.value
            case yaml.ScalarEvent():
                tag = event.tag or loader.resolve(yaml.ScalarNode, event.value, event.implicit)
                if tag == "tag:yaml.org,2002:str" and has_words(event.value):
                    yield ".".join(key or "" for key in keys), loader.scalar
                _end_value(keys)
            case yaml.AliasEvent():
                _end_value(keys)


def _end_value(keys: list[str | None]) -> None:
    """After a value of a mapping, the next scalar is a key; after a key that is no scalar, not."""
    if keys and keys[-1] != "-":
        keys[-1] = None if keys[-1] is not None else "?"


def _value_segments(text: str, path: str, token: yaml.ScalarToken) -> Iterator[DocumentSegment]:
    start, end = token.start_mark.index, token.end_mark.index
    if token.style in ("|", ">"):
        header = _FIRST_BREAK.search(text, start, end)
        for first, last in _block_parts(text, header.end() if header else end, end, token.style):
            marked = mark_string(" ".join(map(str.strip, _LINE.findall(text, first, last))))
            if has_words(translated_text(marked)):
                yield DocumentSegment(first, last, marked, path, "block")
        return
    if token.style in _ESCAPES:
        start, end = start + 1, end - 1
        string = WrittenString(text[start:end], _ESCAPES[token.style], _decode)
        marked = mark_string(string.text, string.slice)
        style = {"'": "single", '"': "double"}[token.style]
    else:
        start, end = trimmed_range(text, start, end)
        marked, style = mark_string(token.value), "plain"
    if has_words(translated_text(marked)):
        yield DocumentSegment(start, end, marked, path, style)


def _block_parts(text: str, start: int, end: int, style: str) -> Iterator[tuple[int, int]]:
    """The ranges of the lines of a block, or of its paragraphs if line breaks are folded."""
    indent = part_end = -1
    part_start = start
    for line in _LINE.finditer(text, start, end):
        first, last = trimmed_range(text, *line.span())
        if first == last:
            continue
        indent = first - line.start() if indent < 0 else indent
        is_folded = style == ">" and first - line.start() == indent
        if part_end >= 0 and is_folded and len(_FIRST_BREAK.findall(text, part_end, first)) == 1:
            part_end = last
            continue
        if part_end >= 0:
            yield part_start, part_end
        part_start, part_end = first, last
        if not is_folded:
            yield first, last
            part_end = -1
    if part_end >= 0:
        yield part_start, part_end


def _decode(match: re.Match[str]) -> str:
    """What an escape or a folded line break stands for."""
    written = match[0]
    if written == "''":
        return "'"
    breaks = len(_FIRST_BREAK.findall(written))
    if written[0] != "\\":
        return " " if breaks == 1 else "\n" * (breaks - 1)
    if breaks > 0:
        return "\n" * (breaks - 1)
    if written[1] == "u":
        return decode_units(written)
    return _CODES[written[1]] if len(written) == 2 else chr(int(written[2:], 16))


def escape_yaml(text: str, style: str) -> str:
    """Text as it is between the quotes of a value; text without quotes stays as it is."""
    if style == "double":
        written = json.dumps(text, ensure_ascii=False)[1:-1]
        return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", written)
    if style == "single":
        return _UNPRINTABLE.sub(" ", text).replace("'", "''")
    return text


def render_yaml(marked: MarkedText, style: str) -> str:
    """A value, in quotes if the text has no quotes yet and needs them."""
    text = render_markup(marked, lambda part: escape_yaml(part, style))
    if style == "block":
        return re.sub(r"[\r\n]+", " ", text)
    if style == "plain" and not _is_plain(text):
        return f'"{escape_yaml(text, "double")}"'
    return text


def _is_plain(text: str) -> bool:
    if not _PLAIN.fullmatch(text) or _UNPRINTABLE.search(text):
        return False
    return yaml.resolver.Resolver().resolve(yaml.ScalarNode, text, (True, False)) == (
        "tag:yaml.org,2002:str"
    )


YAML = TextFormat("yaml", find_yaml_segments, render_yaml, escape_yaml)
