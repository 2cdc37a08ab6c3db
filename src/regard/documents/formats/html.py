"""HTML: text between block elements is a segment, with the inline elements in it.

The tokenizer returns slices of the file, and does not repair it. A tag without its counterpart
divides segments. Elements of code, `translate="no"` and `class="notranslate"` keep their content.
Some attributes are segments too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape, unescape

from regard.documents.formats.base import (
    DocumentSegment,
    LineNumbers,
    TextFormat,
    has_words,
    render_escaped,
)
from regard.documents.inline_tags import InlineBuilder
from regard.documents.marked_text import MarkedText, translated_text
from regard.documents.markup_tokens import MarkupToken, match_tags

INLINE = frozenset(
    "a abbr acronym audio b bdi bdo big br button canvas cite code data del dfn em embed font i "  # noqa: SIM905
    "iframe img input ins kbd label map mark math meter noscript object output picture progress q "
    "ruby s samp select slot small span strike strong sub sup svg template textarea time tt u var "
    "video wbr".split()
)
VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())  # noqa: SIM905
KEPT = frozenset(
    "acronym audio canvas code dir iframe kbd map math noscript object picture pre samp script "  # noqa: SIM905
    "select style svg template textarea tt var video".split()
)
RAW = frozenset(["script", "style", "textarea", "title"])  # no tags inside
ATTRIBUTES = frozenset(["alt", "title", "placeholder", "aria-label", "label"])

_TOKEN = re.compile(r"<!--|<!\[CDATA\[|<[!?]|</?[A-Za-z]")
_NAME = re.compile(r"</?([A-Za-z][^\s/>]*)")
_TAG_END = re.compile(r"""[^>"']*(?:"[^"]*"[^>"']*|'[^']*'[^>"']*)*>""")
_ATTRIBUTE = re.compile(
    r"""(?<=[\s"'])([a-zA-Z][\w:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')""",
)
_KEEPS = re.compile(
    r"""\s(?:translate\s*=\s*["']?no["'\s/>]|class\s*=\s*["'][^"']*\bnotranslate\b)""", re.I
)
_AS_TEXT = "text"


def tokenize_html(text: str) -> Iterator[MarkupToken]:
    """Split a file into text, tags and other markup, in linear time."""
    cursor = 0
    while (found := _TOKEN.search(text, cursor)) is not None:
        start = found.start()
        end = _markup_end(text, found)
        if end < 0:  # never closed: text
            break
        if start > cursor:
            yield MarkupToken("text", cursor, start)
        cursor = end
        token = _tag(text, start, end)
        yield token
        if token.kind == "open" and token.name in RAW and token.name != "title":
            close = re.compile(rf"</{token.name}\s*>", re.I).search(text, cursor)
            if close is None:
                break
            if close.start() > cursor:
                yield MarkupToken("other", cursor, close.start())
            cursor = close.end()
            yield MarkupToken("close", close.start(), cursor, token.name)
    if cursor < len(text):
        yield MarkupToken("text", cursor, len(text))


def _markup_end(text: str, found: re.Match[str]) -> int:
    start, mark = found.start(), found[0]
    if mark == "<!--":
        end = text.find("-->", start + 4)
        return end + 3 if end >= 0 else -1
    if mark == "<![CDATA[":
        end = text.find("]]>", start)
        return end + 3 if end >= 0 else -1
    if mark in ("<!", "<?"):
        end = text.find(">", start)
        return end + 1 if end >= 0 else -1
    closed = _TAG_END.match(text, found.end())
    return closed.end() if closed else -1


def _tag(text: str, start: int, end: int) -> MarkupToken:
    named = _NAME.match(text, start)
    if named is None:
        return MarkupToken("other", start, end)
    name = named[1].lower()
    if text[start + 1] == "/":
        return MarkupToken("close", start, end, name)
    empty = name in VOID or text[end - 2] == "/"
    return MarkupToken("empty" if empty else "open", start, end, name)


def find_html_segments(text: str) -> list[DocumentSegment]:
    """The segments of a file, in order: attributes and runs of inline content."""
    tokens = list(tokenize_html(text))
    partners = match_tags(tokens)
    line_of = LineNumbers(text)
    segments: list[DocumentSegment] = []
    run: list[int] = []
    index = 0

    def end_run() -> None:
        segments.extend(_run_segments(text, tokens, partners, run, line_of))
        run.clear()

    while index < len(tokens):
        token = tokens[index]
        kept = token.kind == "open" and index in partners and keeps_content(text, token)
        inline = token.kind == "text" or (
            token.name in INLINE and (token.kind == "empty" or index in partners)
        )
        if not inline:
            end_run()
            segments.extend(_attribute_segments(text, token, line_of))
        else:
            run.append(index)
        if kept:
            last = partners[index]
            if inline:
                run.extend(range(index + 1, last + 1))
            index = last
        index += 1
    end_run()
    return sorted(segments, key=lambda segment: segment.start)


def keeps_content(text: str, token: MarkupToken) -> bool:
    return token.name in KEPT or _KEEPS.search(text, token.start, token.end) is not None


def _run_segments(
    text: str,
    tokens: Sequence[MarkupToken],
    partners: dict[int, int],
    run: Sequence[int],
    line_of: LineNumbers,
) -> Iterator[DocumentSegment]:
    """Divide a run at tags whose partner is elsewhere, and make a segment of each part."""
    if not run:
        return
    members = set(run)
    part: list[int] = []
    for index in (*run, -1):
        token = tokens[index]
        divides = index < 0 or (
            token.kind in ("open", "close") and partners.get(index) not in members
        )
        if not divides:
            part.append(index)
            continue
        yield from _part_segments(text, tokens, partners, part, line_of)
        if index >= 0:
            yield from _attribute_segments(text, token, line_of)
        part = []


def _part_segments(
    text: str,
    tokens: Sequence[MarkupToken],
    partners: dict[int, int],
    part: list[int],
    line_of: LineNumbers,
) -> Iterator[DocumentSegment]:
    everything = part
    part = _trim(text, tokens, partners, part)
    if not part:
        for index in everything:
            yield from _attribute_segments(text, tokens[index], line_of)
        return
    builder = InlineBuilder(collapse=True)
    first, last = tokens[part[0]], tokens[part[-1]]
    start, end = first.start, last.end
    if first.kind == "text":
        start += len(text[start:end]) - len(text[start:end].lstrip())
    if last.kind == "text":
        end = start + len(text[start:end].rstrip())
    inside_kept = -1
    for index in part:
        token = tokens[index]
        raw = text[max(token.start, start) : min(token.end, end)]
        if index <= inside_kept:
            continue
        if token.kind == "text":
            builder.add_text(unescape(raw))
        elif token.kind == "open" and keeps_content(text, token):
            inside_kept = partners[index]
            whole = text[token.start : tokens[inside_kept].end]
            builder.add_raw(whole, plain_content(whole))
        elif token.kind == "open":
            builder.open(raw)
        elif token.kind == "close":
            builder.close(raw)
        elif token.name == "br":
            builder.add_break(raw)
        else:
            builder.add_empty(raw)
    marked = builder.build()
    if has_words(translated_text(marked)):
        yield DocumentSegment(start, end, marked, line_of(start), _AS_TEXT)
        everything = [index for index in everything if not start <= tokens[index].start < end]
    for index in everything:
        yield from _attribute_segments(text, tokens[index], line_of)


def plain_content(markup: str) -> str:
    """The text of markup, without tags."""
    parts = [
        unescape(markup[token.start : token.end])
        for token in tokenize_html(markup)
        if token.kind == "text"
    ]
    return "".join(parts)


def _trim(
    text: str, tokens: Sequence[MarkupToken], partners: dict[int, int], part: list[int]
) -> list[int]:
    """Leave out white space, tags without text and elements around everything at the ends."""
    low, high = 0, len(part)
    while low < high:
        first, last = tokens[part[low]], tokens[part[high - 1]]
        if first.kind == "empty" or _is_blank(text, first):
            low += 1
        elif last.kind == "empty" or _is_blank(text, last):
            high -= 1
        elif (
            first.kind == "open"
            and partners[part[low]] == part[high - 1]
            and not keeps_content(text, first)
        ):
            low, high = low + 1, high - 1
        else:
            break
    return part[low:high]


def _is_blank(text: str, token: MarkupToken) -> bool:
    return token.kind == "text" and not text[token.start : token.end].strip()


def _attribute_segments(
    text: str, token: MarkupToken, line_of: LineNumbers
) -> Iterator[DocumentSegment]:
    if token.kind not in ("open", "empty") or token.name in RAW | {"meta", "track", "option"}:
        return
    if _KEEPS.search(text, token.start, token.end):
        return
    for found in _ATTRIBUTE.finditer(text, token.start, token.end):
        group = 2 if found[2] is not None else 3
        if found[1].lower() in ATTRIBUTES and has_words(found[group]):
            marked = MarkedText(" ".join(unescape(found[group]).split()))
            place = f"{line_of(found.start())}, {found[1]}"
            yield DocumentSegment(*found.span(group), marked, place, "attribute")


def escape_html(text: str, style: str) -> str:
    return escape(text, quote=style == "attribute")


HTML = TextFormat(
    "html",
    find_html_segments,
    render_escaped(escape_html),
    escape_html,
)
