"""SVG and MathML in a page: where CDATA sections are read, and titles and styles have tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

ENDS_FOREIGN = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img "  # noqa: SIM905
    "li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul "
    "var".split()
)
"""Start tags of HTML that end SVG and MathML."""
ROOTS = frozenset(["svg", "math"])
_FONT = frozenset(["color", "face", "size"])
HTML_IN_FOREIGN = frozenset(
    ["foreignobject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml"]
)
"""Elements of SVG and MathML with HTML inside."""


class ForeignContent:
    """The open elements of SVG and MathML, from the outermost to the current one."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()

    @property
    def is_open(self) -> bool:
        return bool(self._open)

    @property
    def is_current(self) -> bool:
        """Whether the current element is one of SVG or MathML without HTML inside."""
        return bool(self._open) and self._open[-1] not in HTML_IN_FOREIGN

    def follow(self, kind: str, name: str, attributes: Sequence[str]) -> None:
        """Follow a tag inside, or one that begins SVG or MathML: open, close or empty."""
        if kind == "close":
            if self.is_current and name in ("br", "p"):
                self._leave()
            elif self._counts[name]:
                while self._pop() != name:
                    pass
            return
        if self.is_current and (
            name in ENDS_FOREIGN or (name == "font" and not _FONT.isdisjoint(attributes))
        ):
            self._leave()
        if kind == "open" and (self.is_current or name in ROOTS):
            self._open.append(name)
            self._counts[name] += 1

    def _leave(self) -> None:
        """End elements up to one with HTML inside."""
        while self.is_current:
            self._pop()

    def _pop(self) -> str:
        name = self._open.pop()
        self._counts[name] -= 1
        return name
