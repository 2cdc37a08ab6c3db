"""Sphinx: the site of the documentation. `scripts/docs` builds it, without a network."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from html import escape
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

import regard
from docs.extensions.command_reference import command_reference
from docs.extensions.settings_reference import settings_reference

metadata = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
REPOSITORY = metadata["urls"]["Repository"]

project = "regard"
author = "The regard developers"
project_copyright = f"{author}. Licence: Apache-2.0"
version = release = regard.__version__

extensions = [
    *("myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"),
    *("docs.extensions.mathml", "docs.extensions.links"),
]
html_math_renderer = "mathml"
exclude_patterns = ["_build"]
nitpicky = True
default_role = "code"  # docstrings use single backticks for code
suppress_warnings = ["myst.header"]  # the log of experiments skips levels of headings

# <img> with a width and formulas between dollar signs, which code hosts understand too; lists of
# terms with a definition each
myst_enable_extensions = ["html_image", "dollarmath", "deflist"]
myst_dmath_allow_labels = False
myst_dmath_double_inline = False
myst_heading_anchors = 4
myst_links_external_new_tab = False

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_format = "short"
autodoc_class_signature = "separated"
autodoc_default_options = {"members": True}
napoleon_numpy_docstring = False
# Types of other projects: no inventories are fetched. Types of regard that are not public.
nitpick_ignore_regex = [("py:.*", r"(?!regard\.).*"), ("py:.*", r"regard\.(?!errors).*\..*")]

html_theme = "furo"
html_title = f"regard {release}"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_css_files = ["site.css"]
html_js_files = [(name, {"defer": "defer"}) for name in ("site.js", "softmax.js")]
html_favicon = "_static/icon.svg"
html_baseurl = os.environ.get("DOCS_URL", "")  # where the site is published: for its card
html_show_sphinx = False
html_copy_source = False
html_show_search_summary = False  # it would fetch pages, which browsers refuse for files

EMPTY_HEADER = re.compile(r'<th class="head[^"]*"><p></p></th>')


def setup(app: Sphinx) -> None:
    app.connect("source-read", fill_page)
    app.connect("env-get-outdated", generated_pages)
    app.connect("html-page-context", add_card)
    app.connect("build-finished", empty_corners)


def fill_page(app: Sphinx, docname: str, source: list[str]) -> None:
    """Append generated sections, and mend links to files outside docs/."""
    if docname == "reference/commands":
        source[0] += "\n" + command_reference()
    elif docname == "reference/settings":
        from regard.config.run import RunConfig
        from regard.serve.settings import ServerSettings

        run, server = (RunConfig, "Run file"), (ServerSettings, "Server")
        source[0] += "\n" + "\n\n".join(settings_reference(*each) for each in (run, server))
    folder = (ROOT / "docs" / docname).parent

    def mend(link: re.Match[str]) -> str:
        path = os.path.normpath(folder / link[1])
        if Path(path).is_relative_to(ROOT / "docs"):
            return link[0]
        name = os.path.relpath(path, ROOT)
        pages = {f"{page.upper()}.md" for page in ("changelog", "contributing", "security")}
        return f"](/{name.lower()})" if name in pages else f"]({REPOSITORY}/blob/main/{name})"

    source[0] = re.sub(r"\]\((\.\./[^)#]+)\)", mend, source[0])


def generated_pages(*_: object) -> list[str]:
    """The pages to build again even if their files have not changed."""
    return ["reference/commands", "reference/settings"]


def add_card(app: Sphinx, page: str, template: str, context: dict[str, object], *_: object) -> None:
    """Describe a page to sites that show a card of it. They need the address of the picture."""
    if html_baseurl:
        facts = {
            "og:title": context.get("title") or project,
            "og:description": metadata["description"],
            "og:image": f"{html_baseurl.rstrip('/')}/_static/card.png",
            "twitter:card": "summary_large_image",
        }
        tags = (f'<meta property="{name}" content="{escape(str(v))}">' for name, v in facts.items())
        context["metatags"] = "\n".join([str(context["metatags"]), *tags])


def empty_corners(app: Sphinx, error: Exception | None) -> None:
    """Write an empty corner of a table as a cell: a header without a text has no meaning."""
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text("utf-8")
        if EMPTY_HEADER.search(page):
            path.write_text(EMPTY_HEADER.sub("<td></td>", page), "utf-8")
