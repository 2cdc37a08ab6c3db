"""What Markdown says, by markdown-it-py: to compare documents before and after a translation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.gfm import gfm_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from regard.documents.formats.html import KEPT
from regard.documents.placeholders import find_placeholders

DATA = Path(__file__).parents[1] / "data" / "markdown"
MARKUP = "\ufffc"  # stands for markup between texts
SHORTCODE = re.compile(r"\{\{[<%][^{}\n]*[>%]\}\}")


def commonmark() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": 100})


def github() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": 100}).use(gfm_plugin, front_matter=True)


def extended() -> MarkdownIt:
    """The dialects of the plugins: footnotes, definition lists, math, containers, admonitions."""
    parser = MarkdownIt("commonmark", {"maxNesting": 100, "tasklists": True, "alerts": True})
    parser.enable(["table", "strikethrough"])
    parser.use(front_matter_plugin)
    parser.use(footnote_plugin)
    parser.use(deflist_plugin)
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    parser.use(container_plugin, "any", validate=lambda name, _: not name.strip().startswith("{"))
    parser.use(colon_fence_plugin)
    parser.use(admon_plugin)
    parser.use(myst_role_plugin)
    parser.use(myst_block_plugin)
    parser.disable(["myst_line_comment", "myst_block_break"])
    return parser


PARSERS: dict[str, Callable[[], MarkdownIt]] = {
    "commonmark": commonmark, "github": github, "extended": extended,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Text:
    """Visible text; `fixed` says which characters a translation may leave."""

    text: str
    fixed: tuple[bool, ...]


Item = Text | tuple[Any, ...]


def upper(text: str) -> str:
    """Upper case, of characters that stay one character."""
    return "".join(c.upper() if len(c.upper()) == 1 else c for c in text)


def read_document(text: str, parser: MarkdownIt) -> list[Item]:
    """Everything that a document says, in order: visible texts, and all else."""
    environment: dict[str, Any] = {}
    lines = re.split(r"\r\n|\r|\n", text)
    items: list[Item] = []
    for before, token in _with_token_before(parser.parse(text, environment)):
        if token.type == "front_matter":
            continue
        if token.type != "inline":
            items.append((token.type, token.tag, *_values(token), token.markup, token.hidden))
            continue
        generated = before.type in ("alert_title_open", "admonition_title_open") and (
            token.map is None or not lines[token.map[0]].rstrip().endswith('"')
        )
        if generated:
            items.append((token.type, token.content))
        else:
            items += _inline_items(token.children or [])
    references = environment.get("references", {})
    items.append(("references", str([(n, r["href"], r["title"]) for n, r in references.items()])))
    return [item for item in items if not isinstance(item, Text) or item.text.strip()]


def _with_token_before(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    before = Token("", "", 0)
    for token in tokens:
        yield before, token
        before = token


def _values(token: Token) -> tuple[Any, ...]:
    meta = {name: value for name, value in token.meta.items() if name != "content"}
    if token.type == "admonition_open":  # has the title, which is an item of its own
        return (tuple(token.attrs.items()), str(meta))
    return (tuple(token.attrs.items()), token.info, token.content, str(meta))


def _inline_items(children: Sequence[Token]) -> list[Item]:
    """The items of a block; white space around breaks counts as one space."""
    parts = [*_parts(children, fixed=False)]
    joined = "".join(part if isinstance(part, str) else MARKUP for part, _ in parts)
    alone = "".join(part for part, _ in parts if isinstance(part, str))
    covered = [False] * len(joined)
    for text, gaps in ((joined, True), (alone, False)):
        places = [n for n, c in enumerate(joined) if gaps or c != MARKUP]
        for start, end in [*find_placeholders(text), *(m.span() for m in SHORTCODE.finditer(text))]:
            for place in places[start:end]:
                covered[place] = True
    items: list[Item] = []
    cursor = 0
    for part, fixed in parts:
        length = len(part) if isinstance(part, str) else 1
        if isinstance(part, str):
            last = items.pop() if items and isinstance(items[-1], Text) else Text("", ())
            own = tuple(fixed or one for one in covered[cursor : cursor + length])
            items.append(Text(last.text + part, (*last.fixed, *own)))
        else:
            items.append(part)
        cursor += length
    return [_with_single_spaces(item) if isinstance(item, Text) else item for item in items]


def _with_single_spaces(item: Text) -> Text:
    chosen = [
        n
        for n, c in enumerate(item.text)
        if c not in " \n" or (n > 0 and item.text[n - 1] not in " \n")
    ]
    text = "".join(item.text[n].replace("\n", " ") for n in chosen)
    kept = len(text.rstrip(" "))
    return Text(text[:kept].removeprefix(" "), tuple(item.fixed[n] for n in chosen[:kept])[text[:kept].startswith(" "):])


def _parts(
    children: Sequence[Token], fixed: bool
) -> Iterator[tuple[str | tuple[Any, ...], bool]]:
    """Texts, with whether they must stay, and all else."""
    kept = ""  # the HTML element that keeps its text
    linked = False
    for token in children:
        if token.type == "text":
            yield token.content, fixed or bool(kept) or linked
        elif token.type == "softbreak":
            yield " ", False
        elif token.type == "image":
            yield ("image", *_values(token)[:2]), False
            yield from _parts(token.children or [], fixed)
            yield ("image end",), False
        else:
            if token.type == "html_inline":
                tag = re.match(r"<(/?)([a-zA-Z][\w-]*)", token.content)
                name = tag[2].lower() if tag else ""
                if kept and name == kept and tag and tag[1]:
                    kept = ""
                elif not kept and name in KEPT and tag and not tag[1]:
                    kept = name
            if token.info == "auto":
                linked = token.nesting > 0
            yield (token.type, token.tag, *_values(token), token.markup), False


def differences(before: str, after: str, parser: MarkdownIt) -> list[str]:
    """Where `after` does not say what `before` says, with its visible text in upper case."""
    one, other = (read_document(text, parser) for text in (before, after))
    found = []
    for a, b in zip(one, other, strict=False):
        if isinstance(a, Text) and isinstance(b, Text):
            if len(a.text) != len(b.text) or not all(
                y == upper(x) or (y == x and fixed)
                for x, y, fixed in zip(a.text, b.text, a.fixed, strict=True)
            ):
                found.append(f"{a.text!r} → {b.text!r}")
        elif a != b:
            found.append(f"{a!r} → {b!r}")
    if len(one) != len(other):
        found.append(f"{len(one)} items → {len(other)}")
    return found


def commonmark_examples() -> list[str]:
    """The examples of the CommonMark specification."""
    return _examples("commonmark-0.31.2.txt")


def github_examples() -> list[str]:
    """The examples of the extensions of cmark-gfm."""
    return _examples("gfm-extensions.txt")


def _examples(name: str) -> list[str]:
    fence = "`" * 32
    pattern = re.compile(rf"^{fence} example[^\n]*\n(.*?)^\.$.*?^{fence}$", re.M | re.S)
    text = (DATA / name).read_text("utf-8")
    return [found.replace("→", "\t") for found in pattern.findall(text)]


def plugin_examples() -> list[tuple[str, str]]:
    """The documents of the tests of markdown-it-py and mdit-py-plugins, with their names."""
    found = []
    for path in sorted(DATA.glob("*-*.txt")):
        if path.name.startswith(("plugin-", "markdown-it-")):
            parts = re.split(r"^\.$\n?", path.read_text("utf-8"), flags=re.M)
            found += [(f"{path.stem} {n // 2}", parts[n]) for n in range(1, len(parts), 2)]
    return found
