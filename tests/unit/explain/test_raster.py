"""SVG to PNG with resvg; without it the error names the extra to install."""

from __future__ import annotations

import struct
import sys

import pytest

from regard import svg
from regard.errors import ConfigError
from regard.explain.pictures.figure import svg_to_png


def test_scale_sets_the_number_of_pixels() -> None:
    pytest.importorskip("resvg_py")
    figure = svg.svg_document(100, 50, [svg.svg_text("ä中 رجل", 10, 20)])
    for scale in (1, 2.0, 1.5):
        png = svg_to_png(figure, scale)
        assert png.startswith(b"\x89PNG")
        assert struct.unpack(">II", png[16:24]) == (100 * scale, 50 * scale)


def test_missing_resvg_names_the_extra(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ConfigError, match=r"pip install 'regard\[pictures\]'"):
        svg_to_png("<svg/>")
