"""The colour scale is safe for colour-blind readers; text is escaped."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from regard import svg
from regard.explain.pictures.heatmap import STEPS

# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
DEFICIENCIES = {
    "none": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
# IEC 61966-2-1: linear sRGB to XYZ under D65.
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def perceived(colour: str, deficiency: str) -> np.ndarray:
    """The colour in XYZ under a colour vision deficiency."""
    parts = np.array(list(bytes.fromhex(colour[1:]))) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return XYZ @ np.clip(np.array(DEFICIENCIES[deficiency]) @ linear, 0, 1)


def lab(xyz: np.ndarray) -> np.ndarray:
    share = xyz / XYZ.sum(1)
    f = np.where(share > (6 / 29) ** 3, np.cbrt(share), share * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def delta_e(one: np.ndarray, other: np.ndarray) -> float:
    """CIEDE2000, as in Sharma, Wu and Dalal 2005."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    chroma = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 0.5 * (1 - np.sqrt(chroma**7 / (chroma**7 + 25.0**7)))
    c1, c2 = np.hypot((1 + g) * a1, b1), np.hypot((1 + g) * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, (1 + g) * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    dl, dc = l2 - l1, c2 - c1
    dh = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    hue = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    waves = ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.2, 4, -63))
    t = 1 + sum(size * np.cos(np.radians(times * hue + shift)) for size, times, shift in waves)
    sl = 1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2)
    sc, sh = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    cross = 2 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7))
    rt = -np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2)))) * cross
    parts = (dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * dc / sc * dh / sh
    return float(np.sqrt(parts))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [  # from the paper's table 1
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, -1, 2), (50, 0, 0), 2.3669),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((50, 2.5, 0), (58, 24, 15), 19.4535),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    ],
)
def test_delta_e_matches_the_paper(one, other, expected) -> None:
    assert delta_e(np.array(one), np.array(other)) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_higher_weights_are_brighter(deficiency: str) -> None:
    levels = [perceived(svg.shade(level / 255), deficiency)[1] for level in range(256)]
    steps = levels[:: 255 // (STEPS - 1)]
    assert all(a < b for a, b in pairwise(steps))
    # Rounding to bytes may cancel a step of the finest scale.
    assert all(b - a > -1e-4 for a, b in pairwise(levels))


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_neighbouring_legend_colours_are_distinguishable(deficiency: str) -> None:
    steps = [lab(perceived(svg.shade(number / (STEPS - 1)), deficiency)) for number in range(STEPS)]
    assert min(delta_e(one, other) for one, other in pairwise(steps)) >= 2


def test_scale_approximates_cividis() -> None:
    # #00224E … #FEE838 in the paper's own table; the polynomials are a few levels off
    for weight, expected in ((0.0, (0, 34, 78)), (0.5, (124, 123, 120)), (1.0, (254, 232, 56))):
        found = bytes.fromhex(svg.shade(weight)[1:])
        assert max(abs(a - b) for a, b in zip(found, expected, strict=True)) <= 13


def test_weights_outside_the_scale_are_clamped() -> None:
    assert svg.shade(-0.1) == svg.shade(0)
    assert svg.shade(1.1) == svg.shade(1)


@pytest.mark.parametrize(
    "nasty",
    [
        "</text><script>x</script>",
        "'\"&<>",
        "\0\x1b[31m\x7f\x85",
        "\ud800",
        "\ufffe",
        "]]>",
        "<!--",
    ],
)
def test_text_is_escaped(nasty: str) -> None:
    document = svg.svg_document(10, 10, [svg.svg_text(nasty, 1, 1, full_text=nasty)])
    root = ElementTree.fromstring(document.encode())
    assert [element.tag.rpartition("}")[2] for element in root.iter()] == [
        "svg",
        "rect",
        "text",
        "title",
    ]
    text = next(element for element in root.iter() if element.tag.endswith("title"))
    assert text.text == svg.visible(nasty)
    assert len(text.text) == len(nasty)
