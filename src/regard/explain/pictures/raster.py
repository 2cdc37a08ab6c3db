"""From SVG to PNG, by resvg: for slides, and for papers whose tools read no SVG."""

from __future__ import annotations

from regard.errors import ConfigError
from regard.svg import Number


def svg_to_png(svg: str, scale: Number = 2.0) -> bytes:
    """`scale` pixels for each unit of the picture; letters come from the fonts of the system."""
    try:
        import resvg_py
    except ImportError as error:
        raise ConfigError(
            f"png: resvg cannot be used ({error}); pip install 'regard[pictures]', or keep the SVG"
        ) from error
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=scale))
