"""A static figure, saved as SVG or PNG."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from regard.errors import ConfigError
from regard.explain.pictures.raster import svg_to_png
from regard.svg import Number


@dataclass(frozen=True, slots=True)
class Figure:
    svg: str

    def png(self, scale: Number = 2.0) -> bytes:
        return svg_to_png(self.svg, scale)

    def save(self, path: str | Path) -> None:
        """Write the figure as the suffix of `path` selects: .svg or .png."""
        path = Path(path)
        match path.suffix:
            case ".svg":
                path.write_bytes(self.svg.encode(errors="backslashreplace"))
            case ".png":
                path.write_bytes(self.png())
            case _:
                raise ConfigError(f"{path}: unknown suffix {path.suffix!r}. Use .svg or .png")

    def _repr_svg_(self) -> str:
        return self.svg
