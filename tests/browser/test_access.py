"""Accessibility: no axe violations, reduced motion, monotone colour scale."""

from __future__ import annotations

import io

import numpy as np
import pytest

SHOWN = ("found", "sutskever", "image", "together")

CHECKED = """(root) => axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join()}`))"""

STAGED = """(before) => document.querySelector("regard-view").shadowRoot
  .querySelector("[data-testid=stage]").innerText !== before"""

MOVING = """(root) => [document.getAnimations(), root.getAnimations()].flat().length"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", SHOWN)
def test_axe_finds_no_violation_in_any_view(new_viewer, pages, axe, name, scheme) -> None:
    viewer = new_viewer(color_scheme=scheme, bypass_csp=True).open(pages[name])
    viewer.page.evaluate(axe)
    found = {view: viewer.show(view).evaluate(CHECKED) for view in viewer.views}
    assert found == {view: [] for view in viewer.views}


def test_reduced_motion_plays_in_steps(new_viewer, pages) -> None:
    viewer = new_viewer(reduced_motion="reduce").open(pages["transformer"], "trace")
    for _ in range(8):
        viewer.at("forward").click()
        assert viewer.evaluate(MOVING) == 0
    before = viewer.at("stage").inner_text()
    viewer.at("play").click()
    viewer.page.wait_for_function(STAGED, arg=before)
    assert viewer.evaluate(MOVING) == 0


def test_steps_play_and_pause(new_viewer, pages) -> None:
    viewer = new_viewer().open(pages["transformer"], "trace")
    viewer.at("speed").locator("[data-speed='2']").click()
    before = viewer.at("stage").inner_text()
    viewer.at("play").click()
    viewer.page.wait_for_function(STAGED, arg=before)
    viewer.at("play").click()
    assert viewer.at("play").get_attribute("aria-pressed") == "false"
    before = viewer.at("stage").inner_text()
    viewer.page.wait_for_timeout(1300)
    assert viewer.at("stage").inner_text() == before


@pytest.mark.parametrize(
    "kind", ["none", "protanopia", "deuteranopia", "tritanopia", "achromatopsia"]
)
def test_legend_lightness_is_monotone_for_every_deficiency(new_viewer, pages, kind) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs Pillow: pip install 'regard[dev]'")
    viewer = new_viewer().open(pages["transformer"], "matrix")
    ramp = viewer.page.locator(".ramp")
    session = viewer.context.new_cdp_session(viewer.page)
    session.send("Emulation.setEmulatedVisionDeficiency", {"type": kind})
    pixels = np.array(image.open(io.BytesIO(ramp.screenshot())).convert("RGB"))
    # Within the border, from the weight 1 to 0: on a light page more weight is darker.
    light = lightness(pixels[pixels.shape[0] // 2, 2:-2][::-1] / 255)
    assert (np.diff(light) >= -0.5).all()  # half a step of 100: 8-bit rounding
    steps = light[np.linspace(0, len(light) - 1, 17).round().astype(int)]
    middle = (steps[1:] + steps[:-1]) / 2 - 50
    # The lightness term of ΔE2000; a difference of 2 is distinguishable.
    assert (np.diff(steps) / (1 + 0.015 * middle**2 / np.sqrt(20 + middle**2))).min() >= 2


def lightness(colours):
    """CIE L* of sRGB colours."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    y = linear @ [0.2126, 0.7152, 0.0722]
    return np.where(y > 216 / 24389, 116 * np.cbrt(y) - 16, y * 24389 / 27)
