"""The viewer in a real browser, with the network cut and every sign of trouble kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page

VIEWS = ("reading", "matrix", "walk", "heads", "beam", "whatif")

READY = """() => new Promise((done) => {
  if (performance.getEntriesByName("regard-ready").length) done();
  else document.querySelector("regard-view").addEventListener("regard-ready", done);
})"""

ASKED = """async (rest) => {{
  const view = document.querySelector("regard-view");
  await view.updateComplete;
  return await ({})(view.shadowRoot, ...rest);
}}"""


class Viewer:
    """One page; `trouble` has all that must never happen on it."""

    def __init__(self, browser: Browser, **settings: Any) -> None:
        self.context = browser.new_context(offline=True, **settings)
        self.context.set_default_timeout(30_000)
        self.page: Page = self.context.new_page()
        self.requests: list[str] = []
        self.trouble: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        self.page.on("dialog", self._asked)
        self.page.on("popup", lambda popup: self.trouble.append(f"popup: {popup.url}"))
        self.page.on("crash", lambda _: self.trouble.append("crash"))

    def _heard(self, message: ConsoleMessage) -> None:
        self.trouble.append(f"console {message.type}: {message.text}")

    def _asked(self, dialog: Any) -> None:
        self.trouble.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, path: Path, view: str = "") -> Viewer:
        """The page at `path`, anew, with `view` in front."""
        self.page.goto("about:blank")
        self.requests.clear()
        self.page.goto(path.as_uri() + (f"#{view}" if view else ""))
        self.page.evaluate(READY)
        return self

    def turn(self, view: str) -> Viewer:
        self.page.evaluate("(view) => { location.hash = view }", view)
        self.page.wait_for_selector(f'[data-testid="view-{view}"]')
        return self

    @property
    def views(self) -> list[str]:
        tabs = self.page.locator("[role=tab]").all()
        return [(tab.get_attribute("id") or "").removeprefix("tab-") for tab in tabs]

    def at(self, name: str, **data: str | int) -> Locator:
        """What the tests' contract calls `name`; `data`: its data attributes."""
        more = "".join(f'[data-{key}="{value}"]' for key, value in data.items())
        return self.page.locator(f'[data-testid="{name}"]{more}')

    def choose(self, name: str, value: str | int) -> None:
        """An option of a select by its value; Playwright alone would take its label as well."""
        select = self.at(name)
        values = select.locator("option").evaluate_all("all => all.map((each) => each.value)")
        select.select_option(index=values.index(str(value)))

    def ask(self, script: str, *arguments: Any) -> Any:
        """What a function of the shadow root, and of `arguments`, says once all is drawn."""
        return self.page.evaluate(ASKED.format(script), list(arguments))

    def close(self) -> None:
        self.context.close()
