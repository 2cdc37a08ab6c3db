"""The inline syntax of Markdown (CommonMark 0.31): code, links, emphasis, HTML, line breaks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import unescape

from regard.documents.inline_tags import InlineBuilder
from regard.documents.marked_text import MarkedText

_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_CODE = re.compile(r"`+")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[\w.+-]{1,64}@[\w.-]{1,255})>")
_HTML_TAG = re.compile(
    r"</?([A-Za-z][A-Za-z0-9-]*)(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|"
    r"[^\s\"'=<>`]+))?)*\s*/?>|<!--(?:(?!-->).)*-->",
    re.DOTALL,
)
_VOID = frozenset(["br", "hr", "img", "input", "wbr"])
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|\w{1,31});")
_DELIMITERS = re.compile(r"\*+|_+|~~")
_TITLE = r"(?:\s+(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?"
_DESTINATION = re.compile(
    r"\(\s*(?:<[^<>\n]*>|[^\s()<]*(?:\([^\s()]*\)[^\s()]*)*)" + _TITLE + r"\s*\)"
)
_SHORTCODE = re.compile(r"\{\{[<%][^{}\n]*[>%]\}\}")  # of Hugo
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){0,999})\]")


@dataclass(slots=True)
class _Piece:
    """A part of the text: text, raw, empty, open, close or a run of delimiters."""

    kind: str
    raw: str
    text: str = ""
    partner: int = -1
    opens: bool = False
    closes: bool = False


def parse_inline(
    content: str, gaps: Sequence[str], is_reference: Callable[[str], bool]
) -> MarkedText:
    """The text and elements of inline Markdown.

    Args:
        content: Lines, separated by \\n.
        gaps: What the file has in place of each \\n.
        is_reference: Whether a link reference with this label is defined.
    """
    pieces = _scan(content, list(gaps), is_reference)
    _pair_delimiters(pieces)
    _pair_tags(pieces)
    builder = InlineBuilder()
    for piece in pieces:
        if piece.kind == "text":
            builder.add_text(piece.text)
        elif piece.kind == "raw":
            builder.add_raw(piece.raw, piece.text)
        elif piece.kind == "empty" and "\n" in piece.raw:
            builder.add_break(piece.raw)
        elif piece.kind == "empty" or piece.partner < 0:
            builder.add_empty(piece.raw)
        elif piece.kind == "open":
            builder.open(piece.raw)
        else:
            builder.close(piece.raw)
    return builder.build()


def _scan(content: str, gaps: list[str], is_reference: Callable[[str], bool]) -> list[_Piece]:
    pieces: list[_Piece] = []
    closers = _link_ends(content, is_reference)
    links: list[tuple[int, str]] = []  # where an open link ends, and its closing markup
    place = breaks = 0
    text_start = 0

    def flush(end: int) -> None:
        if end > text_start:
            pieces.append(_Piece("text", "", content[text_start:end]))

    def add(piece: _Piece, end: int) -> int:
        nonlocal text_start
        flush(place)
        pieces.append(piece)
        text_start = end
        return end

    while place < len(content):
        character = content[place]
        if links and place == links[-1][0]:
            end, closing = links.pop()
            place = add(_Piece("close", closing), end + len(_link_tail(content, end, closing)))
        elif character == "\\" and content[place + 1 : place + 2] == "\n":
            place = add(_Piece("empty", f"\\{gaps[breaks]}"), place + 2)
            breaks += 1
        elif character == "\\" and content[place + 1 : place + 2] in _PUNCTUATION[:]:
            if place + 1 < len(content):
                place = add(_Piece("text", "", content[place + 1]), place + 2)
            else:
                place += 1
        elif character == "{" and (found := _SHORTCODE.match(content, place)):
            place = add(_Piece("raw", found[0], found[0]), found.end())
        elif character == "`":
            place = _scan_code(content, place, add)
        elif character == "<" and (found := _AUTOLINK.match(content, place)):
            place = add(_Piece("raw", found[0], found[1]), found.end())
        elif character == "<" and (found := _HTML_TAG.match(content, place)):
            breaks += found[0].count("\n")
            place = add(_html_piece(found), found.end())
        elif (
            character in "!["
            and (
                opening := "!["
                if content.startswith("![", place)
                else "["
                if character == "["
                else ""
            )
            and (place + len(opening) - 1) in closers
        ):
            links.append(closers[place + len(opening) - 1])
            place = add(_Piece("open", opening), place + len(opening))
        elif character == "\n":
            flush_at = len(content[text_start:place].rstrip(" ")) + text_start
            spaces = content[flush_at:place]
            if text_start < place and flush_at < place:
                flush(flush_at)
                text_start = place
            hard = len(spaces) >= 2
            piece = _Piece("empty", spaces + gaps[breaks]) if hard else _Piece("text", "", " ")
            place = add(piece, place + 1)
            breaks += 1
        elif character == "&" and (found := _ENTITY.match(content, place)):
            place = add(_Piece("text", "", unescape(found[0])), found.end())
        elif character in "*_~" and (found := _DELIMITERS.match(content, place)):
            place = add(_delimiter_piece(content, found), found.end())
        else:
            place += 1
    flush(len(content))
    return pieces


def _scan_code(content: str, place: int, add: Callable[[_Piece, int], int]) -> int:
    found = _CODE.match(content, place)
    assert found is not None
    for other in _CODE.finditer(content, found.end()):
        if other[0] == found[0]:
            raw = content[place : other.end()]
            if "\n" in raw:
                break
            inner = content[found.end() : other.start()]
            return add(_Piece("raw", raw, inner.strip() or inner), other.end())
    return found.end()


def _html_piece(found: re.Match[str]) -> _Piece:
    raw = found[0]
    name = (found[1] or "").lower()
    if raw.startswith("</"):
        return _Piece("tag-close", raw, name)
    if raw.startswith("<!--") or raw.endswith("/>") or name in _VOID:
        return _Piece("empty", raw)
    return _Piece("tag-open", raw, name)


def _link_ends(content: str, is_reference: Callable[[str], bool]) -> dict[int, tuple[int, str]]:
    """For each [ that begins a link: the place of its ] and the markup that ends the link."""
    ends: dict[int, tuple[int, str]] = {}
    opened: list[int] = []
    place = 0
    while place < len(content):
        character = content[place]
        if character == "\\":
            place += 1
        elif character == "`" and (run := _CODE.match(content, place)):
            close = next((o for o in _CODE.finditer(content, run.end()) if o[0] == run[0]), None)
            place = (close or run).end() - 1
        elif character == "[":
            opened.append(place)
        elif character == "]" and opened:
            start = opened.pop()
            closing = _link_closing(content, start, place, is_reference)
            if closing:
                ends[start] = (place, closing)
                image = start > 0 and content[start - 1] == "!"
                if not image:  # links do not nest
                    opened = [each for each in opened if each and content[each - 1] == "!"]
                place += len(_link_tail(content, place, closing)) - 1
        place += 1
    return ends


def _link_closing(content: str, start: int, end: int, is_reference: Callable[[str], bool]) -> str:
    if (found := _DESTINATION.match(content, end + 1)) and "\n" not in found[0]:
        return f"]{found[0]}"
    label = content[start + 1 : end]
    if found := _LABEL.match(content, end + 1):
        if found[1] and is_reference(found[1]):
            return f"]{found[0]}"
        if not found[1] and is_reference(label) and "\n" not in label:
            return f"][{label}]"
    if label.strip() and "\n" not in label and is_reference(label):
        return f"][{label}]"
    return ""


def _link_tail(content: str, end: int, closing: str) -> str:
    """What the file has at the end of a link; a short reference has less than is written."""
    if content.startswith(closing, end):
        return closing
    return "][]" if content.startswith("][]", end) else "]"


def _delimiter_piece(content: str, found: re.Match[str]) -> _Piece:
    before = content[found.start() - 1 : found.start()] or " "
    after = content[found.end() : found.end() + 1] or " "
    left = not after.isspace() and (
        not _is_punctuation(after) or before.isspace() or _is_punctuation(before)
    )
    right = not before.isspace() and (
        not _is_punctuation(before) or after.isspace() or _is_punctuation(after)
    )
    opens, closes = left, right
    if found[0][0] == "_":
        opens = left and (not right or _is_punctuation(before))
        closes = right and (not left or _is_punctuation(after))
    return _Piece("delimiters", found[0], opens=opens, closes=closes)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _pair_delimiters(pieces: list[_Piece]) -> None:
    """Replace runs of delimiters by tags; those without a partner are text."""
    result: list[_Piece] = []
    stack: list[int] = []  # places of delimiters that can open, and of open links as −1
    for piece in pieces:
        if piece.kind == "open":
            stack.append(-1)
            result.append(piece)
            continue
        if piece.kind == "close":
            while stack and stack[-1] >= 0:
                _make_text(result[stack.pop()])
            if stack:
                stack.pop()
            result.append(piece)
            continue
        if piece.kind != "delimiters":
            result.append(piece)
            continue
        left = piece.raw
        if piece.closes:
            left = _close_delimiters(result, stack, left)
        if left and piece.opens:
            sizes = [2] * (len(left) // 2) + [1] * (len(left) % 2)
            for size in reversed(sizes) if left[0] != "~" else [2]:
                result.append(_Piece("delimiter", left[:size]))
                stack.append(len(result) - 1)
        elif left:
            result.append(_Piece("text", "", left))
    for index in stack:
        if index >= 0:
            _make_text(result[index])
    pieces[:] = result


def _close_delimiters(result: list[_Piece], stack: list[int], left: str) -> str:
    while left:
        candidates = [
            (depth, index)
            for depth, index in enumerate(stack)
            if index >= 0
            and result[index].raw[0] == left[0]
            and len(result[index].raw) <= len(left)
        ]
        floor = max((depth for depth, index in enumerate(stack) if index < 0), default=-1)
        candidates = [each for each in candidates if each[0] > floor]
        if not candidates:
            break
        depth, index = candidates[-1]
        for other in stack[depth + 1 :]:
            _make_text(result[other])
        del stack[depth:]
        if index == len(result) - 1:  # nothing between
            _make_text(result[index])
            break
        result[index].kind, result[index].partner = "open", 1
        result.append(_Piece("close", result[index].raw, partner=1))
        left = left[len(result[index].raw) :]
    return left


def _make_text(piece: _Piece) -> None:
    piece.kind, piece.text, piece.raw = "text", piece.raw, ""


def _pair_tags(pieces: list[_Piece]) -> None:
    """Pair HTML tags that are nested with everything else; others are elements without text."""
    stack: list[int] = []
    for index, piece in enumerate(pieces):
        if piece.kind in ("open", "tag-open"):
            stack.append(index)
        elif piece.kind == "close":
            while stack and pieces[stack[-1]].kind == "tag-open":
                pieces[stack.pop()].kind = "empty"
            if stack:
                opener = pieces[stack.pop()]
                opener.partner = piece.partner = 1
        elif piece.kind == "tag-close":
            if (
                stack
                and pieces[stack[-1]].kind == "tag-open"
                and (pieces[stack[-1]].text == piece.text)
            ):
                opener = pieces[stack.pop()]
                opener.kind, piece.kind = "open", "close"
                opener.partner = piece.partner = 1
            else:
                piece.kind = "empty"
    for index in stack:
        if pieces[index].kind == "tag-open":
            pieces[index].kind = "empty"
