"""XLIFF 1.2 and 2: sources without a translation are segments, and a target is written for each.

Elements around text (g, pc, mrk) are nested; pairs of milestones (bx/ex, bpt/ept, sc/ec) may cross;
codes (x, ph, it, cp, sm, em) have no text. A target that has text stays as it is; of a target that
has an empty mrk for each segment of seg-source, each is filled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape, unescape

from regard.documents.formats.base import (
    DocumentSegment,
    TextFormat,
    has_words,
    render_escaped,
)
from regard.documents.formats.languages import set_attribute
from regard.documents.inline_tags import (
    InlineBuilder,
    MarkupToken,
    element_end,
    match_tags,
    tokenize_xml,
)
from regard.documents.marked_text import InlineElement, MarkedText, translated_text
from regard.errors import DocumentError

_AROUND = frozenset(["g", "pc", "mrk"])
_STARTS = frozenset(["bx", "bpt", "sc"])
_ENDS = frozenset(["ex", "ept", "ec"])
_UNITS = ("trans-unit", "segment")  # of XLIFF 1.2 and 2
_INDENT = re.compile(r"(?:\r\n|\n|\r)[ \t]*\Z")
_STATE = re.compile(r"""\sstate\s*=\s*(?:"initial"|'initial')""")  # of a segment of XLIFF 2
_SUBSTATE = re.compile(r"""\ssubState\s*=\s*(?:"[^"]*"|'[^']*')""")
_MARK = re.compile(r"""\smid\s*=\s*["']([^"']*)["']""")
_SEGMENT = re.compile(r"""\smtype\s*=\s*["']seg["']""")
_STATES = {  # of a target of XLIFF 1.2, with where it is from
    "": ("needs-review-translation", "mt-suggestion"),
    "exact": ("translated", "exact-match"),
    "fuzzy": ("needs-review-translation", "fuzzy-match"),
}
_KEEPS = re.compile(r"""\stranslate\s*=\s*["']no["']|\smtype\s*=\s*["']protected["']""")
_ID = re.compile(r"""\s(id|rid|startRef)\s*=\s*["']([^"']*)["']""")


def find_xliff_segments(text: str) -> list[DocumentSegment]:
    """The segments of a file, in order."""
    tokens = tokenize_xml(text)
    root = next((token.name for token in tokens if token.kind == "open"), "")
    if _local(root) != "xliff":
        raise DocumentError(f"the root element is {root[:40]!r}, not xliff. Check the format.")
    partners = match_tags(tokens)
    segments: list[DocumentSegment] = []
    kept_until = -1
    for index, token in enumerate(tokens):
        if token.kind != "open" or index <= kept_until:
            continue
        if _local(token.name) in ("unit", "trans-unit", "group", "file") and _KEEPS.search(
            text, token.start, token.end
        ):
            kept_until = partners[index]
        elif _local(token.name) in _UNITS:
            segments.extend(_unit(text, tokens, partners, index))
    return segments


def _unit(
    text: str, tokens: Sequence[MarkupToken], partners: dict[int, int], unit: int
) -> Iterator[DocumentSegment]:
    children = _children(tokens, partners, unit)
    source, target = children.get("source"), children.get("target")
    if source is None or source not in partners:
        return
    colon, _, _ = tokens[unit].name.rpartition(":")
    colon = f"{colon}:" if colon else ""
    ids = dict(_ID.findall(text[tokens[unit].start : tokens[unit].end]))
    unit_id = ids.get("id", "")
    if target is not None and (parts := _parts(text, tokens, partners, children)):
        yield from _part_segments(text, tokens, partners, parts, target, unit_id)
        return
    marked = _inline(text, tokens, partners, source + 1, partners[source])
    if not has_words(translated_text(marked)):
        return
    suffix = f"</{colon}target>"
    if target is None:
        last = children.get("seg-source", source)
        insertion = tokens[partners.get(last, last)].end
        indent = _INDENT.search(text, max(0, tokens[source].start - 200), tokens[source].start)
        start, end = insertion, insertion
        opening_text, tag = (indent[0] if indent else ""), f"<{colon}target>"
    elif _has_content(text, tokens, partners, target):
        return
    else:
        start, end = tokens[target].start, tokens[partners.get(target, target)].end
        opening_text, tag = "", _opening_tag(text, tokens[target])
    if _local(tokens[unit].name) == "trans-unit":
        prefixes = {state: opening_text + _with_state(tag, state) for state in _STATES}
    else:
        opening = text[tokens[unit].start : tokens[unit].end]
        if _STATE.search(opening):  # the range begins with the segment, which has the state
            opening = set_attribute(_SUBSTATE.sub("", opening), "state", "translated")
            opening_text = opening + text[tokens[unit].end : start] + opening_text
            start = tokens[unit].start
        prefixes = {"": opening_text + tag}
    yield DocumentSegment(
        start, end, marked, unit_id, "", prefixes.pop(""), suffix, in_place=False, prefixes=prefixes
    )


def _children(
    tokens: Sequence[MarkupToken], partners: dict[int, int], parent: int
) -> dict[str, int]:
    """The first child of each name of an element."""
    children: dict[str, int] = {}
    index = parent + 1
    while index < partners[parent]:
        if tokens[index].kind in ("open", "empty"):
            children.setdefault(_local(tokens[index].name), index)
        index = element_end(tokens, partners, index) + 1
    return children


def _has_content(
    text: str, tokens: Sequence[MarkupToken], partners: dict[int, int], index: int
) -> bool:
    """Whether an element has more than white space in it."""
    token = tokens[index]
    return token.kind == "open" and text[token.end : tokens[partners[index]].start].strip() != ""


def _opening_tag(text: str, token: MarkupToken) -> str:
    """The tag that begins an element, without the slash of an empty one."""
    tag = text[token.start : token.end]
    return tag[:-2].rstrip() + ">" if token.kind == "empty" else tag


def _with_state(tag: str, state: str) -> str:
    """The first tag of a target of XLIFF 1.2 with the state of its translation."""
    for name, value in zip(("state", "state-qualifier"), _STATES[state], strict=True):
        tag = set_attribute(tag, name, value)
    return tag


def _parts(
    text: str, tokens: Sequence[MarkupToken], partners: dict[int, int], children: dict[str, int]
) -> list[tuple[int, int]]:
    """The parts of a segmented source of XLIFF 1.2, each with its counterpart in the target."""
    if "seg-source" not in children:
        return []
    source, target = (
        _marks(text, tokens, partners, children[name]) for name in ("seg-source", "target")
    )
    return [(source[number], index) for number, index in target.items() if number in source]


def _marks(
    text: str, tokens: Sequence[MarkupToken], partners: dict[int, int], parent: int
) -> dict[str, int]:
    """The mrk elements of segments in an element, by their number."""
    marks = {}
    for index in range(parent + 1, partners.get(parent, parent)):
        token = tokens[index]
        if token.kind in ("open", "empty") and _local(token.name) == "mrk":
            raw = text[token.start : token.end]
            number = _MARK.search(raw)
            if _SEGMENT.search(raw) and number is not None:
                marks[number[1]] = index
    return marks


def _part_segments(
    text: str,
    tokens: Sequence[MarkupToken],
    partners: dict[int, int],
    parts: Sequence[tuple[int, int]],
    target: int,
    unit_id: str,
) -> Iterator[DocumentSegment]:
    """The parts without a translation. The range of the first one has the tag with the state."""
    has_state = False
    for source, empty in parts:
        mark = tokens[empty]
        end = tokens[partners.get(empty, empty)].end
        if _has_content(text, tokens, partners, empty) or source not in partners:
            continue
        marked = _inline(text, tokens, partners, source + 1, partners[source])
        if not has_words(translated_text(marked)):
            continue
        start, tag = mark.start, _opening_tag(text, mark)
        if not has_state:
            opening = _with_state(text[tokens[target].start : tokens[target].end], "")
            tag = opening + text[tokens[target].end : mark.start] + tag
            start, has_state = tokens[target].start, True
        yield DocumentSegment(
            start, end, marked, unit_id, "", tag, f"</{mark.name}>", in_place=False
        )


def _inline(
    text: str, tokens: Sequence[MarkupToken], partners: dict[int, int], first: int, last: int
) -> MarkedText:
    builder = InlineBuilder()
    milestones = _pair_milestones(text, tokens, partners, range(first, last))
    crossing: list[InlineElement] = []
    began: dict[int, int] = {}  # where the crossing ones begin
    index = first
    while index < last:
        token = tokens[index]
        raw = text[token.start : token.end]
        end = element_end(tokens, partners, index)
        whole = text[token.start : tokens[end].end]
        if token.kind == "text":
            builder.add_text(unescape(raw))
        elif raw.startswith("<![CDATA["):
            builder.add_text(raw[9:-3])
        elif token.kind == "close":
            builder.close(raw)
        elif index in milestones:
            partner, crosses = milestones[index]
            if not crosses:
                (builder.open if index < partner else builder.close)(whole)
            elif index < partner:
                began[index] = len(builder.text)
            else:
                start = tokens[partner]
                opening = text[start.start : tokens[partners.get(partner, partner)].end]
                crossing.append(
                    InlineElement(began[partner], len(builder.text), opening, whole, crosses=True)
                )
            index = end
        elif token.kind == "open" and _local(token.name) in _AROUND and not _KEEPS.search(raw):
            builder.open(raw)
        elif _local(token.name) == "mrk":
            builder.add_raw(whole, _plain(text, tokens[index:end]))
            index = end
        else:
            if not raw.startswith("<!--"):
                builder.add_empty(whole)
            index = end
        index += 1
    marked = builder.build()
    return MarkedText(marked.text, (*marked.elements, *crossing))


def _plain(text: str, tokens: Sequence[MarkupToken]) -> str:
    """The text of tokens without their tags."""
    return "".join(
        unescape(text[token.start : token.end]) for token in tokens if token.kind == "text"
    )


def _pair_milestones(
    text: str, tokens: Sequence[MarkupToken], partners: dict[int, int], part: range
) -> dict[int, tuple[int, bool]]:
    """The partner of each milestone that has one, and whether they cross other elements."""
    pairs: dict[int, tuple[int, bool]] = {}
    starts: dict[str, int] = {}
    around: list[int] = []  # what has begun and not ended
    end = -1  # of a milestone with content
    for index in part:
        token = tokens[index]
        raw = text[token.start : token.end]
        name = _local(token.name)
        if index <= end or token.kind == "text":
            continue
        if token.kind == "close":
            _leave_element(around, partners[index])
        elif name in _STARTS | _ENDS:
            end = partners.get(index, index)
            key = _milestone_key(raw)
            if name in _STARTS and key not in starts:
                starts[key] = index
                around.append(index)
            elif name in _ENDS and key in starts:
                start = starts.pop(key)
                crosses = not around or around[-1] != start
                if start in around:
                    around.remove(start)
                pairs |= {start: (index, crosses), index: (start, crosses)}
        elif token.kind == "open":
            around.append(index)
    return pairs


def _leave_element(around: list[int], element: int) -> None:
    """Remove an element and what began in it; without it, everything."""
    while around and around.pop() != element:
        pass


def _milestone_key(raw: str) -> str:
    """What the start and the end of a pair of milestones have in common."""
    ids = dict(_ID.findall(raw))
    return ids.get("startRef") or ids.get("rid") or ids.get("id", "")


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def escape_xml(text: str, style: str) -> str:
    return escape(text, quote=False)


XLIFF = TextFormat(
    "xliff",
    find_xliff_segments,
    render_escaped(escape_xml),
    escape_xml,
)
