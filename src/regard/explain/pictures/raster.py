"""Convert SVG to PNG with resvg, for tools that do not read SVG."""

from __future__ import annotations

from regard.errors import ConfigError
from regard.svg import Number


def svg_to_png(svg: str, scale: Number = 2.0) -> bytes:
    """Return a PNG with `scale` pixels for each SVG unit, using the fonts of the system."""
    check_png()
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=scale))


def check_png() -> None:
    """Raise ConfigError if no PNG can be made."""
    try:
        import resvg_py  # noqa: F401
    except ImportError as error:
        raise ConfigError(
            f"png: resvg_py is not installed ({error}). "
            "Run pip install 'regard[pictures]', or save as .svg"
        ) from error
