"""What Markdown says, by markdown-it-py: to compare documents before and after a translation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
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

from regard.documents.html_elements import KEPT

DATA = Path(__file__).parents[1] / "data" / "markdown"
SHORTCODE = re.compile(r"\{\{[<%][^{}]*[>%]\}\}")
_HIDDEN = {code: 0xE000 + code for code in range(0x1000)}  # without case and meaning


@cache
def commonmark() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": 100})


@cache
def github() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": 100}).use(gfm_plugin, front_matter=True)


@cache
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


def read_document(text: str, parser: MarkdownIt) -> Iterator[tuple[str, bool]]:
    """Everything that a document says, in order: visible texts, marked by True, and all else."""
    text = SHORTCODE.sub(lambda found: found[0].translate(_HIDDEN), text)
    environment: dict[str, Any] = {}
    lines = re.split(r"\r\n|\r|\n", text)
    before = Token("", "", 0)
    for token in parser.parse(text, environment):
        if token.type == "inline":
            generated = before.type in ("alert_title_open", "admonition_title_open") and (
                token.map is None or not lines[token.map[0]].rstrip().endswith('"')
            )
            if generated:
                yield token.content, False
            else:
                yield from _read_inline(token.children or [])
        elif token.type != "front_matter":
            yield f"{token.type} {_values(token)} {token.hidden}", False
        before = token
    references = environment.get("references", {})
    for label, reference in references.items():
        yield f"{label}: {reference['href']} {reference['title']}", False


def _values(token: Token) -> str:
    meta = {name: value for name, value in token.meta.items() if name != "content"}
    values = f"{token.tag} {token.markup} {token.attrs} {meta}"
    if token.type == "admonition_open":  # has the title, which is an item of its own
        return values
    return f"{values} {token.info} {token.content}"


def _read_inline(children: Sequence[Token]) -> Iterator[tuple[str, bool]]:
    kept = ""  # the HTML element that keeps its text
    automatic = False
    for token in children:
        if token.type == "text":
            yield token.content, not kept and not automatic
        elif token.type == "softbreak":
            yield " ", True
        elif token.type == "image":
            yield f"image {token.attrs}", False
            yield from _read_inline(token.children or [])
            yield "image end", False
        else:
            if token.type == "html_inline":
                tag = re.match(r"<(/?)([a-zA-Z][\w-]*)", token.content)
                name = tag[2].lower() if tag else ""
                if kept and name == kept and tag and tag[1]:
                    kept = ""
                elif not kept and name in KEPT and tag and not tag[1]:
                    kept = name
            if token.info == "auto":
                automatic = token.nesting > 0
            yield f"{token.type} {_values(token)}", False


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
