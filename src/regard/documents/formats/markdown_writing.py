"""Writes a translation as Markdown that is read as this text with these elements.

Characters with a meaning in Markdown are escaped only where the text would be read differently
without: each form is parsed again, and compared with the translation.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterator
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt

from regard.documents.formats.markdown_blocks import find_blocks
from regard.documents.formats.markdown_inline import Environment, InlineContent, parse_inline
from regard.documents.marked_text import InlineElement, MarkedText, children_of, render_markup

SPACE = " \t\n\r\v\f"
INLINE_MARKS = "\\`*_[]<>{}$~^&"

_SPECIAL = re.compile(r"[\\`*\[\]<$]|(?<!\w)_|_(?!\w)|&(?=#?\w{1,32};)|~|\^(?=\[)|\{(?=[\{\w])")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_MAYBE_MARKUP = re.compile(r"[\\`*_\[<$&~^{]")
_BLOCK_START = re.compile(
    r"[-+](?=\s|$)|#{1,6}(?=\s|$)|>|=+\s*$|-{2,}\s*$|:{3}|[:~](?=\s)|!!!|\?\?\?"
    r"|\([^()\n]*\)=\s*$",
)
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_DEFINITION = re.compile(r"(\[[^\]\n]*\]):")
_HARD_BREAK = re.compile(r"(?: *|\\)(?:\r\n|\r|\n)[ \t>]*")
_LINE_BREAKS = re.compile(r"\s*[\r\n]+\s*")
_GAPS = re.compile(r"(?:\r\n|\r|\n)[ \t>]*")  # with the marks of quotes
_SPACES = re.compile(r"[ \t\n\r\v\f]+")
_SPACES_BEFORE_BREAK = re.compile(r" +(?=(?:  |\\)(?:\r\n|\r|\n))")
_FINAL_MARKS = re.compile(r"(?:^|(?<=\s))#(?=#*$)")
_BREAK = "\0break\0"  # stands after a hard break while a text is written
_HTML = {"*": "em", "_": "em", "**": "strong", "__": "strong", "~": "del", "~~": "del"}


@dataclass(frozen=True, slots=True)
class Written:
    """A translation as Markdown, and the text that it is parsed as."""

    text: str
    marked: MarkedText


@dataclass(frozen=True)
class MarkdownWriter:
    """Writes translations.

    Args:
        parser: Reads what was written.
        environment: Has the references and footnotes of the document.
    """

    parser: MarkdownIt
    environment: Environment

    def write(self, marked: MarkedText, style: str) -> Written:
        """Write a translation in the first form that is read as it should be.

        Args:
            marked: The translation.
            style: The kind of the block, and the characters that the source escapes.
        """
        kind, _, escaped = style.partition(" ")
        marked = _without_empty_emphasis(marked)
        wanted = self.canonical(marked)
        as_in_source = re.compile(f"[{re.escape(escaped)}]") if escaped else None
        forms = [
            lambda: self._form(marked, kind, as_in_source),
            lambda: self._form(marked, kind, _SPECIAL),
            lambda: self._form(_with_html_emphasis(marked), kind, _PUNCTUATION),
        ]
        written = None
        for number, form in enumerate(forms):
            candidate = form()
            if number == 2:
                wanted = self.canonical(candidate.marked)
            if self._read(candidate.text, kind) == wanted:
                return candidate
            written = written or candidate
        assert written is not None
        return written

    def _form(self, marked: MarkedText, kind: str, special: re.Pattern[str] | None) -> Written:
        def escape(part: str) -> str:
            part = _LINE_BREAKS.sub(" ", part)
            if special is not None:
                part = special.sub(lambda match: escape_mark(match[0]), part)
            if kind in ("cell", "row"):
                part = part.replace("\\|", "|").replace("|", "\\|")
            return part

        elements = tuple(map(_mark_break, marked.elements))
        text = render_markup(replace(marked, elements=elements), escape).strip(SPACE)
        lines = _SPACES_BEFORE_BREAK.sub("", text).split(_BREAK)
        if kind in ("paragraph", "row"):
            lines = [_escape_block_start(line) for line in _without_blank_lines(lines)]
        text = "".join(lines).strip(SPACE)
        if kind == "heading":
            text = _FINAL_MARKS.sub(r"\\#", text)
        return Written(text, marked)

    def _read(self, text: str, kind: str) -> str | None:
        """Parse Markdown that should be one block of this kind; None if it is not."""
        source = _GAPS.sub("\n", text)
        if kind == "heading":
            source = f"# {source}\n"
        elif kind == "cell":
            source = f"| a |\n| - |\n| {source} |\n"
        elif kind == "row":
            source = f"a | b\n--|--\n{source} | c\n"
        elif kind == "title":
            source = f'!!! note "{source}"\n'
        environment = self._own_environment()
        blocks = [*find_blocks(source, 0, self.parser, environment)]
        if kind == "cell":
            blocks = blocks[1:]
        elif kind == "row" and len(blocks) == 4:
            blocks = blocks[2:3]
        if len(blocks) != 1 or blocks[0].kind != kind:
            return None
        if kind == "paragraph" and blocks[0].content.content != source:
            return None
        return self.canonical_source(blocks[0].content)

    def canonical_source(self, content: InlineContent) -> str:
        """The text and the markup of a block, however its characters are escaped."""
        environment = self._own_environment()
        return self.canonical(parse_inline(content, self.parser, environment, placeholders=False))

    def canonical(self, marked: MarkedText) -> str:
        """The text and the markup of a translation, however its characters are escaped."""
        children = children_of(marked.elements)
        parts: list[str] = []

        def visit(parent: int | None, start: int, end: int) -> None:
            for index in children.get(parent, ()):
                element = marked.elements[index]
                parts.append(marked.text[start : element.start])
                if element.raw is None:
                    parts.append(_tag(element.opening))
                    visit(index, element.start, element.end)
                    parts.append(_tag(element.closing))
                elif _HARD_BREAK.fullmatch(element.raw):
                    parts.append(" ")
                else:
                    parts.append(self._read_raw(element.raw))
                start = element.end
            parts.append(marked.text[start:end])

        visit(None, 0, len(marked.text))
        return _SPACES.sub(" ", "".join(parts)).strip(" ")

    def _read_raw(self, raw: str) -> str:
        """The text of a slice of the file, or the slice itself if it is markup."""
        if not _MAYBE_MARKUP.search(raw):
            return raw
        source = _plain(raw)
        body = source.strip(SPACE)
        content = InlineContent(body, range(len(body) + 1), body)
        environment = self._own_environment()
        marked = parse_inline(content, self.parser, environment, placeholders=False)
        return source.replace(body, _tag(body) if marked.elements else marked.text)

    def _own_environment(self) -> Environment:
        """The environment of the document, which stays as it is."""
        notes = self.environment.get("footnotes", {}).get("refs", {})
        return {
            "references": ChainMap({}, self.environment.get("references", {})),
            "footnotes": {"refs": ChainMap({}, notes), "list": {}},
        }


def escape_mark(mark: str) -> str:
    """Markdown for a character that has a meaning."""
    return "&amp;" if mark == "&" else "".join(f"\\{character}" for character in mark)


def escape_inline(text: str) -> str:
    """Escape what Markdown could read as markup."""
    return _SPECIAL.sub(lambda match: escape_mark(match[0]), _LINE_BREAKS.sub(" ", text))


def _tag(markup: str) -> str:
    return f"\x02{_plain(markup)}\x03" if markup else ""


def _plain(markup: str) -> str:
    return _GAPS.sub("\n", markup)


def _read_raw(raw: str, parser: MarkdownIt, environment: Environment) -> str:
    """The text of a slice of the file, or the slice itself if it is markup."""
    if not _MAYBE_MARKUP.search(raw):
        return raw
    source = _plain(raw)
    body = source.strip(SPACE)
    content = InlineContent(body, range(len(body) + 1), body)
    environment = {name: dict(value) for name, value in environment.items()}
    marked = parse_inline(content, parser, environment, placeholders=False)
    if marked.elements:
        return source.replace(body, f"\x02{body}\x03")
    return source.replace(body, marked.text)


def _mark_break(element: InlineElement) -> InlineElement:
    """Mark where the text of a line begins: a break may end with the `>` of a block quote."""
    if element.raw is None or not _HARD_BREAK.fullmatch(element.raw):
        return element
    return replace(element, raw=element.raw + _BREAK)


def _without_blank_lines(lines: list[str]) -> Iterator[str]:
    """Drop hard breaks without text on both sides: an empty line would end the paragraph."""
    last = len(lines) - 1
    while last > 0 and not lines[last].strip(SPACE):
        last -= 1
        lines[last] = _HARD_BREAK.sub("", lines[last].rstrip("> \t"))
    for line in lines[: last + 1]:
        if not _HARD_BREAK.fullmatch(line):
            yield line


def _escape_block_start(line: str) -> str:
    """Escape what would begin a list, a heading, a quote, a definition or a numbered list."""
    text = line.lstrip(SPACE)
    indentation = line[: len(line) - len(text)]
    if _BLOCK_START.match(text):
        return f"{indentation}\\{text}"
    if _NUMBERED.match(text):
        return indentation + _NUMBERED.sub(r"\1\\\2", text, count=1)
    if _DEFINITION.match(text):
        return indentation + _DEFINITION.sub(r"\1\\:", text, count=1)
    return line


def _without_empty_emphasis(marked: MarkedText) -> MarkedText:
    """Markdown has no emphasis without text: its delimiters would be text, or begin a block."""
    around = {
        element.parent for element in marked.elements if element.raw
    }  # such as invisible characters
    elements = [
        replace(element, opening="", closing="")
        if element.start == element.end
        and element.raw is None
        and element.opening in _HTML
        and n not in around
        else element
        for n, element in enumerate(marked.elements)
    ]
    return replace(marked, elements=tuple(elements))


def _with_html_emphasis(marked: MarkedText) -> MarkedText:
    """Tags instead of delimiters, which have no effect beside some letters and punctuation."""
    elements = [
        replace(
            element, opening=f"<{_HTML[element.opening]}>", closing=f"</{_HTML[element.opening]}>"
        )
        if element.raw is None and element.opening in _HTML
        else element
        for element in marked.elements
    ]
    return replace(marked, elements=tuple(elements))
