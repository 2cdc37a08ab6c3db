"""Check the links of the built site: every page, file and anchor that it refers to exists."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sphinx.application import Sphinx
from sphinx.util import logging


class _Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("href", "src") and value is not None:
                self.links.append(value)
            elif name == "id" and value is not None:
                self.anchors.add(value)


def broken_links(folder: Path) -> list[str]:
    """Return `page: link` for each link of a site that leads nowhere. Other sites are not asked."""
    paths = [path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: _Page(path) for path in paths}
    problems = []
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchors = pages[goal].anchors if goal in pages else set[str]()
            anchor = unquote(parts.fragment)
            if not goal.exists() or (goal in pages and anchor and anchor not in anchors):
                problems.append(f"{path.relative_to(folder)}: {link}")
    return problems


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", _check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _check(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        for problem in broken_links(Path(app.outdir).resolve()):
            logging.getLogger(__name__).warning("broken link: %s", problem)
