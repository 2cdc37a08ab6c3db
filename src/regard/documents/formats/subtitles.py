"""SubRip and WebVTT subtitles: cues are joined to sentences and divided again by the alignment.

The lines and times between two cues of a sentence are elements without text that keep their order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from regard.documents.formats.base import DocumentSegment, TextFormat, has_words
from regard.documents.formats.html import tokenize_html
from regard.documents.inline_tags import InlineBuilder
from regard.documents.marked_text import MarkedText, render_markup, translated_text
from regard.documents.markup_tokens import MarkupToken, match_tags

MAX_JOINED = 6  # cues of a segment

_TIMES = re.compile(
    r"^[ \t]*(?:\d+:)?\d+:\d+[.,]\d+[ \t]+-->[ \t]+(?:\d+:)?\d+:\d+[.,]\d+[^\r\n]*(?:\r\n|\n|\r)",
    re.MULTILINE,
)
_BLANK = re.compile(r"(?:\r\n|\n|\r)[ \t]*(?=\r\n|\n|\r|\Z)")
_LINE = re.compile(r"[^\r\n]+")
_CODE = re.compile(r"(\{\\[^{}]*\})")
_SENTENCE_END = re.compile(r"""[.!?…:。！？]["'”’»)\]]*\s*\Z|[♪♫]\s*\Z""")
_SPEAKER = re.compile(r"\s*(?:<[^<>]*>\s*)*(?:[-–—♪♫]|<v\b)")


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    cue: str  # its times


def find_cues(text: str) -> list[DocumentSegment]:
    """The sentences of a file, in order, each over one or more lines."""
    segments = []
    group: list[_Line] = []
    for line in _lines(text):
        if group and _begins(text, group, line):
            segments += _segment(text, group)
            group = []
        group.append(line)
    return [*segments, *_segment(text, group)]


def _lines(text: str) -> list[_Line]:
    lines = []
    for times in _TIMES.finditer(text):
        if text[times.end() : times.end() + 1] in ("\n", "\r", ""):
            continue  # a cue without text
        blank = _BLANK.search(text, times.end())
        end = blank.start() if blank else len(text)
        for found in _LINE.finditer(text, times.end(), end):
            stripped = found[0].strip()
            if stripped:
                start = found.start() + found[0].index(stripped)
                lines.append(_Line(start, start + len(stripped), times[0].split("\n")[0].strip()))
    return lines


def _begins(text: str, group: Sequence[_Line], line: _Line) -> bool:
    """Whether a line begins a sentence."""
    before = text[group[-1].start : group[-1].end]
    return bool(
        _SENTENCE_END.search(re.sub(r"<[^<>]*>", "", before))
        or _SPEAKER.match(text[line.start : line.end])
        or len({each.cue for each in group} | {line.cue}) > MAX_JOINED
    )


def _segment(text: str, group: Sequence[_Line]) -> list[DocumentSegment]:
    if not group:
        return []
    start, end = group[0].start, group[-1].end
    pieces: list[tuple[MarkupToken, str]] = []
    for number, line in enumerate(group):
        if number > 0:
            gap = text[group[number - 1].end : line.start]
            pieces.append((MarkupToken("break", 0, 0), gap))
        part = text[line.start : line.end]
        pieces += [(token, part[token.start : token.end]) for token in tokenize_html(part)]
    marked = _build(pieces)
    if not has_words(translated_text(marked)):
        return []
    return [DocumentSegment(start, end, marked, group[0].cue)]


def _build(pieces: Sequence[tuple[MarkupToken, str]]) -> MarkedText:
    tokens = [token for token, _ in pieces]
    breaks = [index for index, token in enumerate(tokens) if token.kind == "break"]
    partners = {
        index: other
        for index, other in match_tags(tokens).items()
        if not any(min(index, other) < each < max(index, other) for each in breaks)
    }
    builder = InlineBuilder()
    for index, (token, raw) in enumerate(pieces):
        if token.kind == "break":
            builder.add_break(raw, ordered=True)
        elif token.kind == "text":
            for part in _CODE.split(raw):
                if _CODE.fullmatch(part):
                    builder.add_empty(part)
                else:
                    builder.add_text(part)
        elif index in partners and token.kind == "open":
            builder.open(raw)
        elif index in partners:
            builder.close(raw)
        else:
            builder.add_empty(raw)
    return builder.build()


def render_cues(marked: MarkedText, style: str) -> str:
    """A translation with its cues; an empty line or an arrow would end a cue."""
    text = render_markup(marked, lambda part: re.sub(r"[\r\n]+", " ", part.replace("-->", "→")))
    return re.sub(r"(?<=\S)[ \t]+(?=[\r\n])", "", text)  # not of lines that have only spaces


SRT = TextFormat("srt", find_cues, render_cues)
VTT = TextFormat("vtt", find_cues, render_cues)
