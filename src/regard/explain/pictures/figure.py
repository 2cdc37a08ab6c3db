"""A figure: labels, layout and PNG."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from regard.errors import ConfigError
from regard.svg import Number

# -- convert SVG to PNG with resvg, for tools that do not read SVG ---------------------------------


def svg_to_png(svg: str, scale: Number = 2.0) -> bytes:
    """Return a PNG with `scale` pixels for each SVG unit, using the fonts of the system."""
    return bytes(_import_resvg().svg_to_bytes(svg_string=svg, zoom=scale))


def check_png() -> None:
    """Raise ConfigError if no PNG can be made."""
    _import_resvg()


def _import_resvg() -> ModuleType:
    try:
        import resvg_py
    except ImportError as error:
        raise ConfigError(
            f"png: resvg_py is not installed ({error}). "
            "Run pip install 'regard[pictures]', or save as .svg"
        ) from error
    return resvg_py


# -- words and pieces as labels --------------------------------------------------------------------
# Their width, truncation and text direction.
#
# No font is available when a figure is written, so widths are those of character classes in the
# widest common font (DejaVu Sans): a label may get more space than it needs, never less.


_NARROW = frozenset("iljtfrI.,:;!'|()[]`· \u2009")
_BROAD = frozenset("mwMW%@—…")
# In ems. East Asian characters fill a square; emoji are a little wider.
_NARROW_EM, _LETTER_EM, _CAPITAL_EM, _SQUARE_EM, _EMOJI_EM = 0.4, 0.63, 0.77, 1.0, 1.3
_ISOLATE, _END_OF_ISOLATE = "\u2068", "\u2069"
_BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def text_width(words: str, size: Number) -> float:
    """Return an upper bound of the width of one line of text."""
    return size * sum(map(_ems, words), 0.0)


@lru_cache(4096)
def _ems(character: str) -> float:
    kind = unicodedata.category(character)
    if kind in ("Mn", "Me", "Cf"):  # combining or invisible
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return _EMOJI_EM if kind == "So" else _SQUARE_EM
    if character in _NARROW:
        return _NARROW_EM
    if character in _BROAD or kind in ("Sm", "So", "Cc"):
        return _SQUARE_EM
    return _CAPITAL_EM if kind in ("Lu", "Lo") else _LETTER_EM


def shorten(words: str, width: Number, size: Number) -> str:
    """Truncate to `width` with …; combining marks stay with their letter."""
    ems = [0.0]  # [n]: the width of the first n characters
    for character in words:
        ems.append(ems[-1] + _ems(character))
        if ems[-1] * size > width:
            break
    else:
        return words
    end = bisect_right(ems, width / size - _ems("…")) - 1
    while end > 0 and _is_joined(words, end):
        end -= 1
    return words[: max(end, 0)] + "…"


def _is_joined(words: str, index: int) -> bool:
    """Whether the character at `index` belongs to the one before it."""
    return unicodedata.category(words[index])[0] == "M" or "\u200d" in words[index - 1 : index + 1]


def fold(words: str, width: Number, size: Number) -> list[str]:
    """Break into lines of at most `width`, between words; too long words are shortened."""
    lines: list[str] = []
    for word in (shorten(word, width, size) for word in words.split()):
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def runs_left(labels: Sequence[str]) -> bool:
    """Whether most letters belong to a right-to-left script."""
    kinds = [unicodedata.bidirectional(character) for label in labels for character in label]
    return sum(kind in ("R", "AL") for kind in kinds) > kinds.count("L")


def isolate(label: str) -> str:
    """Isolate right-to-left text so that it cannot reorder the text around it."""
    plain = "".join(character for character in label if character not in _BIDI_CONTROLS)
    right_to_left = any(
        unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in plain
    )
    return f"{_ISOLATE}{plain}{_END_OF_ISOLATE}" if right_to_left else plain


# -- figure ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Figure:
    svg: str = field(repr=False)

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
