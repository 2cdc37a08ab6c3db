"""White space beside the tags of a translation.

Tags are in the gaps between units, which are white space or empty. A gap of the translation gets
the white space of its source if all its tags are from one gap, so tags stay where they are in
it, and a space is added where a tag had white space on both sides. The white space before the
first and after the last unit of a text is that of the source.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from regard.text.tokenizer import Span


@dataclass(frozen=True, slots=True)
class Border:
    """A tag in a gap of the source.

    Args:
        element: Number of the element.
        gap: Number of the gap: of the units before it.
        offset: Characters of the gap before the tag.
        opens: Whether the element has its text after the tag.
        apart: Whether the tag stands for words: letters and digits do not touch it.
    """

    element: int
    gap: int
    offset: int
    opens: bool
    apart: bool = False


class Gaps:
    """The characters between the units of a text, and before and after all of them."""

    def __init__(self, text: str, units: Sequence[Span]) -> None:
        self.text = text
        self.starts = [0, *(end for _, end in units)]
        self.ends = [*(start for start, _ in units), len(text)]

    def __getitem__(self, gap: int) -> str:
        return self.text[self.starts[gap] : self.ends[gap]]

    def __len__(self) -> int:
        return len(self.starts)

    def unit_after(self, gap: int) -> str:
        """The unit after a gap; nothing after the last one."""
        return self.text[self.ends[gap] : self.starts[gap + 1]] if gap + 1 < len(self) else ""


def place_borders(
    source: Gaps, target: Gaps, borders: Mapping[int, Sequence[Border]]
) -> tuple[str, dict[int, list[int]]]:
    """The text of the translation with its white space, and the places of each element's tags.

    Args:
        source: Gaps of the source.
        target: Gaps of the translation.
        borders: The tags in each gap of the translation, in order.
    """
    parts: list[str] = []
    tag_offsets: dict[int, list[int]] = defaultdict(list)
    length = 0
    for gap in range(len(target)):
        text = _outer_space(source, target, gap)
        inside = borders.get(gap, ())
        if inside:
            text, offsets = _fit(source, target, gap, text, inside)
            for border, offset in zip(inside, offsets, strict=True):
                tag_offsets[border.element].append(length + offset)
        parts += [text, target.unit_after(gap)]
        length += len(parts[-2]) + len(parts[-1])
    return "".join(parts), tag_offsets


def _outer_space(source: Gaps, target: Gaps, gap: int) -> str:
    """A gap of the translation; the first and the last one are those of the source."""
    if len(source) > 1 and len(target) > 1 and gap in (0, len(target) - 1):
        return source[0 if gap == 0 else len(source) - 1]
    return target[gap]


def _fit(
    source: Gaps, target: Gaps, gap: int, text: str, borders: Sequence[Border]
) -> tuple[str, list[int]]:
    """The white space of a gap of the translation, and the offsets of the borders in it."""
    offsets = [border.offset for border in borders]
    if len({border.gap for border in borders}) == 1 and offsets == sorted(offsets):
        own = source[borders[0].gap]
        if text == own or (own and text and not text.strip(" ")):
            return own, offsets
    previous = target.text[max(0, target.starts[gap] - 1) : target.starts[gap]]
    following = target.text[target.ends[gap] : target.ends[gap] + 1]
    spacings = [_spacing(border, source, previous, following) for border in borders]
    needs_left = gap > 0 and any(spacing.needed and spacing.space_before for spacing in spacings)
    needs_right = gap < len(target) - 1 and any(
        spacing.needed and spacing.space_after for spacing in spacings
    )
    text += " " * (needs_left + needs_right - len(text))
    between = 1 if needs_left and needs_right else len(text) if needs_left else 0
    return text, list(
        accumulate(
            (
                between
                if spacing.needed
                else len(text)
                if spacing.space_before or (spacing.follows and not spacing.space_after)
                else 0
                for spacing in spacings
            ),
            max,
        )
    )


@dataclass(frozen=True, slots=True)
class _Spacing:
    """On which sides of a border white space belongs.

    `needed`: whether it is required. `follows`: without any, the border is beside the unit after
    it.
    """

    space_before: bool
    space_after: bool
    needed: bool
    follows: bool


def _spacing(border: Border, source: Gaps, previous: str, following: str) -> _Spacing:
    if border.apart:
        space_before, space_after = previous.isalnum(), following.isalnum()
        return _Spacing(space_before, space_after, space_before or space_after, False)
    space_before, space_after = border.offset > 0, border.offset < len(source[border.gap])
    return _Spacing(
        space_before, space_after, space_before and space_after, border.opens or border.gap == 0
    )
