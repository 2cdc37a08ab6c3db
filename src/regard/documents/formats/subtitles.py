"""SubRip and WebVTT subtitles: cues are joined to sentences and divided again by the alignment.

The lines and times between two cues of a sentence are elements without text that keep their order,
as are the times of words. WebVTT has tags in <> and character references; SubRip has the tags of
HTML and codes in {}.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape, unescape

from regard.documents.formats.base import DocumentSegment, TextFormat, has_words
from regard.documents.inline_tags import InlineBuilder, MarkupToken, match_tags
from regard.documents.marked_text import MarkedText, render_markup, translated_text

MAX_JOINED = 6  # cues of a segment
MAX_LINES = 50  # of a segment

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\n|\r|\Z)")
_TIME = r"(?:\d+:)?\d+:\d+[.,]\d+"
_TIMES = re.compile(rf"[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}(?=[ \t\r\n]|\Z)")
_MARK = "\0"  # of a break, while a text is written
_BREAKS = re.compile(r"[\r\n]+")
_TAGS = {
    "srt": re.compile(r"</?([A-Za-z][\w.]*)[^<>]*>|\{\\[^{}]*\}"),
    "vtt": re.compile(r"</?([A-Za-z]\w*)?[^<>]*>"),
}
_SENTENCE_END = re.compile(r"""[.!?…:。！？]["'”’»)\]]*\s*\Z|[♪♫]\s*\Z""")
_SPEAKER = re.compile(r"\s*(?:<[^<>]*>\s*)*(?:[-–—♪♫]|<v\b)")


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    cue: str  # its times


def find_cues(text: str, kind: str) -> list[DocumentSegment]:
    """The sentences of a file, in order, each over one or more lines; `kind` is srt or vtt."""
    segments = []
    group: list[_Line] = []
    cues = 0  # of the group
    for line in _lines(text, kind):
        if group and (
            len(group) == MAX_LINES
            or (cues == MAX_JOINED and group[-1].cue != line.cue)
            or _begins(text, group[-1], line)
        ):
            segments += _segment(text, group, kind)
            group = []
        cues = 1 if not group else cues + (group[-1].cue != line.cue)
        group.append(line)
    return [*segments, *_segment(text, group, kind)]


def _lines(text: str, kind: str) -> list[_Line]:
    """The lines of cues that are not empty."""
    lines: list[_Line] = []
    cue = ""
    last = -1  # the end of the line before
    for match in _LINE.finditer(text):
        bare = match[1].strip()
        if _TIMES.match(match[1]):
            if kind == "srt" and lines and last == lines[-1].end and _is_number(text, lines[-1]):
                lines.pop()  # of this cue
            cue = bare
        elif cue and bare:
            start = match.start() + match[1].index(bare)
            lines.append(_Line(start, start + len(bare), cue))
        elif kind == "vtt" and not match[1]:
            cue = ""  # identifiers, notes, styles and regions follow
        last = match.start() + len(match[1].rstrip())
    return lines


def _is_number(text: str, line: _Line) -> bool:
    return text[line.start : line.end].isdecimal()


def _begins(text: str, previous: _Line, line: _Line) -> bool:
    """Whether a line begins a sentence."""
    shown = re.sub(r"<[^<>]*>", "", text[previous.start : previous.end])
    return bool(_SENTENCE_END.search(shown) or _SPEAKER.match(text[line.start : line.end]))


def _segment(text: str, group: Sequence[_Line], kind: str) -> list[DocumentSegment]:
    if not group:
        return []
    start, end = group[0].start, group[-1].end
    pieces: list[tuple[MarkupToken, str]] = []
    for number, line in enumerate(group):
        if number > 0:
            gap = text[group[number - 1].end : line.start]
            pieces.append((MarkupToken("break", 0, 0), gap))
        part = text[line.start : line.end]
        pieces += [(token, part[token.start : token.end]) for token in _tokens(part, kind)]
    marked = _build(pieces, kind)
    if not has_words(translated_text(marked)):
        return []
    return [DocumentSegment(start, end, marked, group[0].cue)]


def _tokens(line: str, kind: str) -> Iterator[MarkupToken]:
    """The texts and tags of a line."""
    cursor = 0
    for match in _TAGS[kind].finditer(line):
        start, end = match.span()
        if start > cursor:
            yield MarkupToken("text", cursor, start)
        name = (match[1] or "").lower()
        tag = "close" if match[0].startswith("</") else "open"
        yield MarkupToken(tag if name and line[end - 2] != "/" else "empty", start, end, name)
        cursor = end
    if cursor < len(line):
        yield MarkupToken("text", cursor, len(line))


def _build(pieces: Sequence[tuple[MarkupToken, str]], kind: str) -> MarkedText:
    tokens = [token for token, _ in pieces]
    breaks = [index for index, token in enumerate(tokens) if token.kind == "break"]
    partners = {
        index: partner
        for index, partner in match_tags(tokens).items()
        if not any(
            min(index, partner) < index_of_break < max(index, partner) for index_of_break in breaks
        )
    }
    builder = InlineBuilder()
    for index, (token, raw) in enumerate(pieces):
        if token.kind == "break":
            builder.add_break(raw, ordered=True)
        elif token.kind == "text":
            builder.add_text(unescape(raw) if kind == "vtt" else raw)
        elif index in partners and token.kind == "open":
            builder.open(raw)
        elif index in partners:
            builder.close(raw)
        else:
            builder.add_empty(raw, ordered=raw[1:2].isdigit())
    return builder.build()


def escape_srt(text: str, style: str) -> str:
    """Text within a line; an empty line or an arrow would end a cue."""
    return _BREAKS.sub(" ", text.replace("-->", "→"))


def escape_vtt(text: str, style: str) -> str:
    return _BREAKS.sub(" ", escape(text, quote=False))


def _render(marked: MarkedText, style: str, escape_text: Callable[[str, str], str]) -> str:
    breaks = [
        element.raw for element in marked.elements if element.raw and _BREAKS.search(element.raw)
    ]
    elements = [
        replace(element, raw=_MARK) if element.raw in breaks else element
        for element in marked.elements
    ]
    marked = MarkedText(marked.text, tuple(elements))
    lines = render_markup(
        marked, lambda part: escape_text(part, style).replace(_MARK, "\ufffd")
    ).split(_MARK)
    return _join_lines(lines, breaks)


def _join_lines(lines: Sequence[str], breaks: Sequence[str]) -> str:
    """Lines with what divides them, without empty ones: an empty line would end its cue.

    The last cue keeps its times without text, because other sentences of it may follow; a space
    that does not break stands for the text.
    """
    written: list[tuple[str, str]] = []
    line, after_times = lines[0], True
    for divides, following in zip(breaks, lines[1:], strict=True):
        has_times = "-->" in divides
        if not line.strip() and not has_times:
            line += following
            continue
        if not line.strip() and not after_times:
            line = written.pop()[0] + line
        written.append((line, divides))
        line, after_times = following, has_times
    if written and not line.strip() and not after_times:
        line = written.pop()[0] + line
    elif written and not line.strip():
        line = "\u00a0"
    return "".join(part for pair in written for part in pair) + line


SRT = TextFormat(
    "srt", partial(find_cues, kind="srt"), partial(_render, escape_text=escape_srt), escape_srt
)
VTT = TextFormat(
    "vtt", partial(find_cues, kind="vtt"), partial(_render, escape_text=escape_vtt), escape_vtt
)
