"""HTML as browsers read it: the tokenizer of the HTML standard, with the place of every token.

Section 13.2.5 of https://html.spec.whatwg.org, where each loop over states is a regular expression.
Tokens are slices that cover the text without gaps, so what is not translated is copied.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.entities import html5 as NAMED

from regard.documents.inline_tags import MarkupToken

# -- character references of HTML ------------------------------------------------------------------
# Named and numeric ones, as the standard reads them.
#
# `html.unescape` differs: it reads `?a=1&copy=2` in an attribute as a reference, and removes
# control characters.


_REFERENCE = re.compile(r"&(?:#(?:[xX]([0-9a-fA-F]++)|([0-9]++));?|([A-Za-z][A-Za-z0-9]*+;?))")
_LONGEST = max(map(len, NAMED))
_WITHOUT_SEMICOLON = frozenset(name for name in NAMED if not name.endswith(";"))
_LONGEST_WITHOUT = max(map(len, _WITHOUT_SEMICOLON))
_WINDOWS_1252 = {
    code: bytes([code]).decode("cp1252")
    for code in range(0x80, 0xA0)
    if code not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}


def decode_references(text: str, *, in_attribute: bool = False) -> str:
    """Replace character references by what they stand for.

    `in_attribute`: a name without a semicolon is text if a letter, a digit or `=` follows it.
    """
    if "&" not in text:
        return text

    def decode(match: re.Match[str]) -> str:
        if match[3] is None:
            return _numeric(match[1], match[2])
        name = match[3]
        if name.endswith(";") and len(name) <= _LONGEST and name in NAMED:
            return NAMED[name]
        for length in range(min(len(name), _LONGEST_WITHOUT), 1, -1):
            if name[:length] in _WITHOUT_SEMICOLON:
                following = text[match.start() + 1 + length : match.start() + 2 + length]
                if in_attribute and (
                    following == "=" or (following.isascii() and following.isalnum())
                ):
                    return match[0]
                return NAMED[name[:length]] + name[length:]
        return match[0]

    return _REFERENCE.sub(decode, text)


def _numeric(hexadecimal: str | None, decimal: str | None) -> str:
    digits = (hexadecimal or decimal or "").lstrip("0") or "0"
    if len(digits) > 7:
        return "\ufffd"
    code = int(digits, 16 if hexadecimal else 10)
    if code == 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return _WINDOWS_1252.get(code, chr(code))


# -- SVG and MathML in a page ----------------------------------------------------------------------
# Where CDATA sections are read, and titles and styles have tags.


ENDS_FOREIGN = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img "  # noqa: SIM905
    "li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul "
    "var".split()
)
"""Start tags of HTML that end SVG and MathML."""
ROOTS = frozenset(["svg", "math"])
_FONT = frozenset(["color", "face", "size"])
HTML_IN_FOREIGN = frozenset(
    ["foreignobject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml"]
)
"""Elements of SVG and MathML with HTML inside."""


class ForeignContent:
    """The open elements of SVG and MathML, from the outermost to the current one."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()

    @property
    def is_open(self) -> bool:
        return bool(self._open)

    @property
    def is_current(self) -> bool:
        """Whether the current element is one of SVG or MathML without HTML inside."""
        return bool(self._open) and self._open[-1] not in HTML_IN_FOREIGN

    def follow(self, kind: str, name: str, attributes: Sequence[str]) -> None:
        """Follow a tag inside, or one that begins SVG or MathML: open, close or empty."""
        if kind == "close":
            if self.is_current and name in ("br", "p"):
                self._leave()
            elif self._counts[name]:
                while self._pop() != name:
                    pass
            return
        if self.is_current and (
            name in ENDS_FOREIGN or (name == "font" and not _FONT.isdisjoint(attributes))
        ):
            self._leave()
        if kind == "open" and (self.is_current or name in ROOTS):
            self._open.append(name)
            self._counts[name] += 1

    def _leave(self) -> None:
        """End elements up to one with HTML inside."""
        while self.is_current:
            self._pop()

    def _pop(self) -> str:
        name = self._open.pop()
        self._counts[name] -= 1
        return name


# -- html tokenizer --------------------------------------------------------------------------------


VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())  # noqa: SIM905
CONTENT = {
    "title": "rcdata",
    "textarea": "rcdata",
    "style": "rawtext",
    "xmp": "rawtext",
    "iframe": "rawtext",
    "noembed": "rawtext",
    "noframes": "rawtext",
    "script": "script",
    "plaintext": "plaintext",
}
"""The elements without tags inside; `rcdata` has character references, the others have none."""

_S = r"\t\n\f\r "  # white space of HTML
_MARKUP = re.compile(r"<(?:[A-Za-z!?]|/(?=[\s\S]))")
_NAME = re.compile(rf"[^{_S}/>]++")
_BETWEEN = re.compile(rf"[{_S}/]*+")
_ATTRIBUTE_NAME = re.compile(rf"[^{_S}/>][^{_S}/>=]*+")
_VALUE = re.compile(rf"""[{_S}]*+=[{_S}]*+(?:"([^"]*+)"?|'([^']*+)'?|([^{_S}>]*+))""")
_COMMENT = re.compile(r"<!--(?:-?>|[\s\S]*?--!?>)")
_DOCTYPE = re.compile("<!doctype", re.IGNORECASE)
_SCRIPT = re.compile(rf"<!--|-->|<(/?)script(?=[{_S}/>])", re.IGNORECASE)
_END_TAGS = {
    name: re.compile(rf"</{name}(?=[{_S}/>])", re.IGNORECASE)
    for name, content in CONTENT.items()
    if content in ("rcdata", "rawtext")
}
_NEW_LINE = re.compile(r"\r\n?")


@dataclass(frozen=True, slots=True)
class HtmlAttribute:
    """An attribute of a tag.

    Args:
        name: In lower case.
        start: The first character of its value.
        end: The character after its value, which is empty if there is none.
        quoted: Whether there are quotes around the value.
    """

    name: str
    start: int
    end: int
    quoted: bool


@dataclass(slots=True)
class HtmlToken(MarkupToken):
    """A slice of a page.

    `kind` is text, open, close, empty (a tag that cannot have content, or has a slash at its end),
    comment, doctype, cdata, raw (text without character references), or ignored (a tag that the
    end of the file cuts off). `name` is that of the tag, or of the element of a raw text.

    Args:
        attributes: Of a tag; the first of each name.
        self_closing: Whether the tag has a slash at its end.
    """

    attributes: tuple[HtmlAttribute, ...] = ()
    self_closing: bool = False

    @property
    def attribute_names(self) -> list[str]:
        return [attribute.name for attribute in self.attributes]


def tokenize_html(
    text: str, *, content: str = "data", name: str = "", raw_text: bool = True
) -> Iterator[HtmlToken]:
    """Split a page into tokens, in linear time.

    Args:
        text: The page.
        content: What it begins in: data, or the content of an element, a value of `CONTENT`.
        name: The name of that element.
        raw_text: Whether the elements of `CONTENT` have no tags inside.
    """
    foreign = ForeignContent()
    cursor = 0
    is_xml = text.startswith("<?xml")
    while True:
        end = _text_end(text, cursor, content, name)
        if end > cursor:
            kind = "text" if content in ("data", "rcdata") else "raw"
            yield HtmlToken(kind, cursor, end, name if content != "data" else "")
        if end == len(text):
            return
        token = _read_markup(text, end, cdata=foreign.is_current)
        cursor = token.end
        yield token
        html = not foreign.is_current
        if token.name and (foreign.is_open or token.name in ROOTS):
            foreign.follow(token.kind, token.name, token.attribute_names)
            html = html and not foreign.is_current
        content, name = "data", ""
        if html and raw_text and token.name in CONTENT and _opens(token, is_xml):
            content, name = CONTENT[token.name], token.name


def _opens(token: HtmlToken, is_xml: bool) -> bool:
    """Whether a tag begins an element: in HTML, also one with a slash at its end."""
    return token.kind == "open" or (token.kind == "empty" and not is_xml)


def _text_end(text: str, start: int, content: str, name: str) -> int:
    """Where the text ends that begins at `start`: at markup, or at the end of its element."""
    if content == "data":
        match = _MARKUP.search(text, start)
    elif content == "script":
        return _script_end(text, start)
    else:
        pattern = _END_TAGS.get(name)
        match = pattern.search(text, start) if pattern is not None else None
    return len(text) if match is None else match.start()


def _script_end(text: str, start: int) -> int:
    """The end tag of a script: not one in a comment after a start tag of a script in it."""
    state, cursor = "script", start  # then escaped, then double escaped
    while (match := _SCRIPT.search(text, cursor)) is not None:
        cursor = match.end()
        if match[0] == "<!--":
            if state == "script":
                state, cursor = "escaped", cursor - 2  # its hyphens may be those of an end
        elif match[0] == "-->":
            state = "script"
        elif match[1] and state != "double escaped":
            return match.start()
        elif state != "script":
            state = "escaped" if match[1] else "double escaped"
    return len(text)


def _read_markup(text: str, start: int, *, cdata: bool) -> HtmlToken:
    """The token that begins at `start`; `cdata`: whether CDATA sections are read here."""
    following = text[start + 1]
    if following == "/" and text[start + 2] == ">":
        return HtmlToken("ignored", start, start + 3)
    if following == "/" and _is_letter(text[start + 2]):
        return _read_tag(text, start, start + 2)
    if following not in "/!?":
        return _read_tag(text, start, start + 1)
    if text.startswith("<!--", start):
        match = _COMMENT.match(text, start)
        return HtmlToken("comment", start, len(text) if match is None else match.end())
    if cdata and text.startswith("<![CDATA[", start):
        end = text.find("]]>", start)
        return HtmlToken("cdata", start, len(text) if end < 0 else end + 3)
    kind = "doctype" if _DOCTYPE.match(text, start) else "comment"
    end = text.find(">", start)
    return HtmlToken(kind, start, len(text) if end < 0 else end + 1)


def _read_tag(text: str, start: int, name_start: int) -> HtmlToken:
    named = _NAME.match(text, name_start)
    assert named is not None  # it begins with a letter
    if text.startswith(">", named.end()):  # most tags: no attributes
        name = lower_case(named[0])
        kind = "empty" if name in VOID else "open"
        kind = "close" if name_start > start + 1 else kind
        return HtmlToken(kind, start, named.end() + 1, name)
    attributes: dict[str, HtmlAttribute] = {}
    position = named.end()
    while True:
        attribute_end = position
        position = _skip(_BETWEEN, text, position)
        if position == len(text):
            return HtmlToken("ignored", start, position)
        if text[position] == ">":
            break
        attribute = _ATTRIBUTE_NAME.match(text, position)
        assert attribute is not None  # the character is none of those between attributes
        position = attribute.end()
        span, quoted = (position, position), False
        if (value := _VALUE.match(text, position)) is not None:
            span, quoted = value.span(value.lastindex or 0), value.lastindex != 3
            position = value.end()
        key = lower_case(attribute[0])
        attributes.setdefault(key, HtmlAttribute(key, *span, quoted))
    name = lower_case(named[0])
    self_closing = position > attribute_end and text[position - 1] == "/"
    kind = "empty" if name in VOID or self_closing else "open"
    if name_start > start + 1:
        kind = "close"
    values = tuple(attributes.values())
    return HtmlToken(kind, start, position + 1, name, values, self_closing)


def _skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return position if match is None else match.end()


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()


def lower_case(name: str) -> str:
    """A name in lower case, as HTML compares names: only letters of ASCII change."""
    if name.isascii() and "\0" not in name:
        return name.lower()
    name = name.replace("\0", "\ufffd")
    return re.sub("[A-Z]+", lambda part: part[0].lower(), name)


def token_text(text: str, token: HtmlToken) -> str:
    """What a text token stands for."""
    part = _NEW_LINE.sub("\n", text[token.start : token.end])
    if token.kind == "cdata":
        return part[9:].removesuffix("]]>")
    if token.name:  # in an element without tags inside
        part = part.replace("\0", "\ufffd")
    return decode_references(part) if token.kind == "text" else part


def attribute_value(text: str, attribute: HtmlAttribute) -> str:
    """What the value of an attribute stands for."""
    value = _NEW_LINE.sub("\n", text[attribute.start : attribute.end]).replace("\0", "\ufffd")
    return decode_references(value, in_attribute=True)
