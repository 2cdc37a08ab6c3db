"""SVG becomes PNG where resvg is; elsewhere the error says what to install."""

from __future__ import annotations

import struct
import sys

import pytest

from regard import svg
from regard.errors import ConfigError
from regard.explain.pictures.raster import svg_to_png


def test_a_picture_has_as_many_pixels_as_asked_for() -> None:
    pytest.importorskip("resvg_py")
    picture = svg.svg_document(100, 50, [svg.svg_text("ä中 رجل", 10, 20)])
    for scale in (1, 2.0, 1.5):
        found = svg_to_png(picture, scale)
        assert found.startswith(b"\x89PNG")
        assert struct.unpack(">II", found[16:24]) == (100 * scale, 50 * scale)


def test_without_resvg_the_remedy_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ConfigError, match=r"pip install 'regard\[pictures\]'"):
        svg_to_png("<svg/>")
