"""The stage of an explanation as an animated GIF, for slides.

A browser that is installed on the machine shows the page, and each phase of each step is a frame.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from regard.errors import ConfigError

if TYPE_CHECKING:
    from PIL.Image import Image
    from playwright.sync_api import Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SIZE = {"width": 1280, "height": 720}
PHASE_MS, END_MS = 500, 2_500  # for which a frame is shown
MAX_FRAMES = 1_000
COLOURS = 64  # of a frame; the stage has few


def stage_animation(page: str) -> bytes:
    """Return the GIF of an explanation page.

    Raises:
        ConfigError: Playwright, Pillow or a browser is not installed, or the page has no stage.
    """
    with ThreadPoolExecutor(1) as thread:  # Playwright cannot run beside the loop of a notebook
        pictures = thread.submit(lambda: list(_frames(page))).result()
    frames = [picture.quantize(COLOURS) for picture in pictures]
    durations = [PHASE_MS] * (len(frames) - 1) + [END_MS]
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0)
    return file.getvalue()


def check_animation() -> str:
    """Return the path of the browser. Raises ConfigError if no animation can be made."""
    remedy = "Run pip install 'regard[animation]', or save as .html"
    try:
        import PIL.Image  # noqa: F401
        import playwright.sync_api  # noqa: F401
    except ImportError as error:
        raise ConfigError(f"gif: {error.name} is not installed. {remedy}") from error
    for name in BROWSERS:
        if (path := shutil.which(name)) is not None:
            return path
    raise ConfigError(
        f"gif: no browser of these names is installed: {', '.join(BROWSERS)}. Install Chromium, or "
        "save as .html"
    )


def _frames(page: str) -> Iterator[Image]:
    """Yield the phases of all steps, until a key changes no text."""
    browser_path = check_animation()
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8", errors="backslashreplace")
        browser = playwright.chromium.launch(executable_path=browser_path)
        tab = browser.new_page(viewport=SIZE, reduced_motion="reduce")  # type: ignore[arg-type]
        tab.goto(f"{file.as_uri()}?present#stage/1")
        _wait_for_stage(tab)
        stage = tab.get_by_test_id("view-stage")
        shown = ""
        for _ in range(MAX_FRAMES):
            text = stage.inner_text()
            if text == shown:
                return
            shown = text
            yield Image.open(io.BytesIO(tab.screenshot())).convert("RGB")
            tab.keyboard.press("ArrowRight")
            tab.wait_for_timeout(50)


def _wait_for_stage(tab: Page) -> None:
    from playwright.sync_api import TimeoutError as BrowserTimeout

    try:
        tab.get_by_test_id("view-stage").wait_for(timeout=20_000)
    except BrowserTimeout:
        raise ConfigError(
            "gif: only the explanation of a text has a stage. Save as .html"
        ) from None
