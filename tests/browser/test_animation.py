"""The stage as an animation: a frame for each phase of each step."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from regard.errors import ConfigError
from regard.explain.pictures.animation import check_animation, stage_animation
from tests.browser.viewer import Viewer

Image = pytest.importorskip("PIL.Image", reason="needs Pillow: pip install 'regard[images]'")


def test_frames_are_the_phases_of_all_words(
    browser: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    viewer = Viewer(browser)
    try:
        words = viewer.open(pages["bahdanau"]).at("target-word").count()
    finally:
        viewer.close()
    animation = Image.open(io.BytesIO(stage_animation(pages["bahdanau"].read_text())))
    assert animation.size == (1280, 720)
    assert animation.n_frames >= 3 * words
    animation.seek(animation.n_frames - 1)
    assert animation.info["duration"] == 2_500


def test_a_page_without_a_stage_is_refused(pages: dict[str, Path]) -> None:
    with pytest.raises(ConfigError, match="only the explanation of a text"):
        stage_animation(pages["image"].read_text())


def test_a_missing_browser_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigError, match="Install Chromium"):
        check_animation()
