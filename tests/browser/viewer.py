"""The viewer in a browser without a network; all errors and dialogs are recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page

VIEWS = ("stage", "text", "matrix", "trace", "heads", "beam", "interventions")

READY = """() => new Promise((done) => {
  if (performance.getEntriesByName("regard-ready").length) done();
  else document.querySelector("regard-view").addEventListener("regard-ready", done);
})"""

EVALUATE = """async (rest) => {{
  const view = document.querySelector("regard-view");
  await view.updateComplete;
  return await ({})(view.shadowRoot, ...rest);
}}"""


class Viewer:
    """One page. `errors` lists console messages, exceptions, dialogs, popups and crashes."""

    def __init__(self, browser: Browser, **settings: Any) -> None:
        self.context = browser.new_context(offline=True, **settings)
        self.context.set_default_timeout(30_000)
        self.page: Page = self.context.new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.options = True
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.errors.append(f"error: {error}"))
        self.page.on("dialog", self._on_dialog)
        self.page.on("popup", lambda popup: self.errors.append(f"popup: {popup.url}"))
        self.page.on("crash", lambda _: self.errors.append("crash"))

    def _on_console(self, message: ConsoleMessage) -> None:
        self.errors.append(f"console {message.type}: {message.text}")

    def _on_dialog(self, dialog: Any) -> None:
        self.errors.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, path: Path, view: str = "", *, options: bool = True, query: str = "") -> Viewer:
        """Load the page at `path` and show `view`; `options`: with its options open."""
        self.page.goto("about:blank")
        self.requests.clear()
        self.page.goto(path.as_uri() + query + (f"#{view}" if view else ""))
        self.page.evaluate(READY)
        self.options = options
        self._open_options()
        return self

    def _open_options(self) -> None:
        """Open the options of the view, which stay open in all views."""
        closed = self.page.locator("[data-testid=options]:not([open])")
        if self.options and closed.count():
            closed.evaluate("(details) => { details.open = true }")
            self.page.locator("[data-testid=options][open]").wait_for()

    def show(self, view: str) -> Viewer:
        self.page.evaluate("(view) => { location.hash = view }", view)
        self.page.wait_for_selector(f'[data-testid="view-{view}"]')
        self._open_options()
        return self

    @property
    def views(self) -> list[str]:
        tabs = self.page.locator("[role=tab]").all()
        return [(tab.get_attribute("id") or "").removeprefix("tab-") for tab in tabs]

    def at(self, name: str, **data: str | int) -> Locator:
        """Elements with this `data-testid` and these data attributes."""
        attributes = "".join(f'[data-{key}="{value}"]' for key, value in data.items())
        return self.page.locator(f'[data-testid="{name}"]{attributes}')

    def select(self, name: str, value: str | int) -> None:
        """Select an option by its value; Playwright would also match its label."""
        element = self.at(name)
        values = element.locator("option").evaluate_all("all => all.map((each) => each.value)")
        element.select_option(index=values.index(str(value)))

    def evaluate(self, script: str, *arguments: Any) -> Any:
        """Call a function of the shadow root and `arguments` after the viewer has rendered."""
        return self.page.evaluate(EVALUATE.format(script), list(arguments))

    def close(self) -> None:
        self.context.close()
