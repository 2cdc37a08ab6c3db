"""The picture of an encoder–decoder without attention."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import numpy as np

from regard.explain.pictures.filmstrip import fixed_vector_picture


def picture() -> str:
    states = np.linspace(-1, 1, 30).reshape(3, 10)
    return fixed_vector_picture(["a", "<dog>", "</s>"], states, ["un"], states[:1], title="T")


def test_every_state_is_drawn_and_the_last_one_twice() -> None:
    svg = picture()
    ElementTree.fromstring(svg)
    columns = re.findall(r"<g class='[\w-]+'>(.*?)</g>", svg, re.DOTALL)
    cells = [re.findall(r"fill='(#\w+)'><title>", column) for column in columns]
    assert [len(each) for each in cells] == [8] * 5
    assert cells[2] == cells[3]  # the last encoder state is the fixed vector
    assert "&lt;dog&gt;" in columns[1]


def test_animation_respects_the_wish_for_reduced_motion() -> None:
    style = re.search(r"<style>(.*?)</style>", picture(), re.DOTALL)
    assert style is not None
    assert style[1].startswith("@media (prefers-reduced-motion: no-preference){")
    assert picture().count("animation:") == style[1].count("animation:") == 5
