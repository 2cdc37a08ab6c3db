"""The elements of a page: which tags belong together, what is inline, and what people read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from regard.documents.html_tokenizer import (
    ENDS_FOREIGN,
    HTML_IN_FOREIGN,
    HtmlToken,
    attribute_value,
)

INLINE = frozenset(
    "a abbr acronym audio b bdi bdo big br button canvas cite code data del dfn em embed font i "  # noqa: SIM905
    "iframe img input ins kbd label map mark math meter noscript object output picture progress q "
    "ruby s samp select slot small span strike strong sub sup svg template textarea time tt u var "
    "video wbr".split()
)
NESTED = frozenset("audio canvas map noscript object picture select textarea video".split())  # noqa: SIM905
"""Inline elements whose texts are segments of their own, outside of the sentence around them."""
KEPT = NESTED | frozenset(
    "acronym code dir iframe kbd math pre samp script style svg template tt var".split()  # noqa: SIM905
)
"""Elements whose text does not belong to a sentence: that of `NESTED`, and texts that stay."""
_READ = frozenset(
    "alt aria-description aria-label aria-placeholder aria-roledescription aria-valuetext "  # noqa: SIM905
    "placeholder title".split()
)
_LABELLED = frozenset(["optgroup", "option", "track"])
_BUTTONS = frozenset(["button", "reset", "submit"])
_META = frozenset(
    "description og:description og:image:alt og:title twitter:description twitter:image:alt "  # noqa: SIM905
    "twitter:title".split()
)

_ENDS_PARAGRAPH = frozenset(
    "address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption "  # noqa: SIM905
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext "
    "pre search section summary table ul xmp".split()
)
_SCOPE = frozenset(
    "applet caption marquee object table td template th foreignobject desc mi mo mn ms mtext "  # noqa: SIM905
    "annotation-xml".split()
)
_SPECIAL = (_SCOPE | _ENDS_PARAGRAPH) - {"dialog", "search"} | frozenset(
    "button body colgroup frameset head html iframe noembed noframes noscript script select style "  # noqa: SIM905
    "tbody textarea tfoot thead tr".split()
)
_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())  # noqa: SIM905
_LIST_SCOPE = _SCOPE | {"button", "dl", "menu", "ol", "select", "ul"}
_TABLE_SCOPE = frozenset(["table", "template"])
_SECTIONS = frozenset(["tbody", "tfoot", "thead"])
_IN_TABLE = {
    **dict.fromkeys(["td", "th"], _TABLE_SCOPE | _SECTIONS | {"tr"}),
    "tr": _TABLE_SCOPE | _SECTIONS,
    **dict.fromkeys([*_SECTIONS, "caption", "colgroup"], _TABLE_SCOPE),
}
"""What the start tag of each part of a table is in: it ends everything else in the table."""
_ENDED_BY = {
    "body": (frozenset(["head"]), frozenset[str]()),
    "li": (frozenset(["li"]), _LIST_SCOPE),
    "dt": (frozenset(["dt", "dd"]), _LIST_SCOPE),
    "dd": (frozenset(["dt", "dd"]), _LIST_SCOPE),
    "option": (frozenset(["option"]), frozenset(["select", "datalist"])),
    "optgroup": (frozenset(["option", "optgroup"]), frozenset(["select", "datalist"])),
}
_PARAGRAPH = frozenset(["p"])
_FOREIGN = frozenset(["svg", "math"])
_DOCUMENT = frozenset(["html", "body"])
"""Browsers read on after their end tags as before."""
_SEARCHED = 100  # open elements among which one is searched that a tag ends


class ElementRanges:
    """Where the elements of a page end: at their end tags, or where browsers end them without.

    This is the part of section 13.2.6 of the standard that matters to ranges of a file. Elements
    that browsers open again after they have ended, such as the `<b>` of `<p><b>a<p>b`, are not.

    `partners`: the end tag of each start tag, and the reverse, by index.
    `ends`: the first token after the content of each start tag.
    """

    def __init__(self, tokens: Sequence[HtmlToken]) -> None:
        self.partners: dict[int, int] = {}
        self.ends: dict[int, int] = {}
        self._tokens = tokens
        self._open: list[int] = []
        self._counts: Counter[str] = Counter()
        self._foreign: set[int] = set()  # elements of SVG and MathML
        for index, token in enumerate(tokens):
            if token.kind == "close":
                self._close(token.name, index)
            elif token.kind == "open":
                self._open_element(token.name, index)

    def _open_element(self, name: str, index: int) -> None:
        self.ends[index] = len(self._tokens)
        if name in ENDS_FOREIGN:
            self._end_all(_FOREIGN, HTML_IN_FOREIGN, index)
        if self._open and self._open[-1] in self._foreign and self._current not in HTML_IN_FOREIGN:
            self._foreign.add(index)
        else:
            self._end_before(name, index)
        if name in _FOREIGN:
            self._foreign.add(index)
        if name not in _DOCUMENT:
            self._open.append(index)
            self._counts[name] += 1

    def _close(self, name: str, index: int) -> None:
        if not self._counts[name]:
            return
        if self._search(frozenset([name]), _barriers(name), by_end_tag=True) is None:
            return
        partner = self._end(name, index)
        self.partners[partner], self.partners[index] = index, partner

    def _end(self, name: str, index: int) -> int:
        """End the open elements up to the last one of a name."""
        while True:
            last = self._open.pop()
            self.ends[last] = index
            self._counts[self._tokens[last].name] -= 1
            if self._tokens[last].name == name:
                return last

    def _end_before(self, name: str, index: int) -> None:
        """End the open elements that the start tag of a name ends."""
        if name in _ENDS_PARAGRAPH:
            self._end_all(_PARAGRAPH, _SCOPE | {"button"}, index)
        if name in _ENDED_BY:
            self._end_all(*_ENDED_BY[name], index)
        if name in _IN_TABLE and self._counts["table"]:
            while self._current not in _IN_TABLE[name]:
                self._end(self._current, index)

    @property
    def _current(self) -> str:
        return self._tokens[self._open[-1]].name

    def _end_all(self, names: frozenset[str], scope: frozenset[str], index: int) -> None:
        """End the open elements of some names that are not outside of one of `scope`."""
        if not any(self._counts[name] for name in names):
            return
        while (name := self._search(names, scope)) is not None:
            self._end(name, index)

    def _search(
        self, names: frozenset[str], barriers: frozenset[str], *, by_end_tag: bool = False
    ) -> str | None:
        """The name of the last open element of `names`, if none of `barriers` is open in it.

        `by_end_tag`: whether an end tag is the reason, which ends all of SVG and MathML around it.
        """
        in_html = not by_end_tag
        for index in self._open[: -_SEARCHED - 1 : -1]:
            name = self._tokens[index].name
            if name in names:
                return name
            if index not in self._foreign:
                in_html = True
            if in_html and name in (HTML_IN_FOREIGN if index in self._foreign else barriers):
                return None
        return None


def _barriers(name: str) -> frozenset[str]:
    """The elements that an end tag of a name does not end."""
    if name in _IN_TABLE or name == "table":
        return _TABLE_SCOPE
    if name == "li":
        return _SCOPE | {"ol", "ul"}
    if name == "p":
        return _SCOPE | {"button"}
    if name in _SPECIAL or name in _FORMATTING:
        return _SCOPE
    return _SPECIAL


def attributes_of(text: str, token: HtmlToken) -> dict[str, str]:
    return {attribute.name: attribute_value(text, attribute) for attribute in token.attributes}


def forbids_translation(text: str, token: HtmlToken) -> bool:
    """Whether a tag has `translate="no"` or the class `notranslate`."""
    if not token.attributes:
        return False
    values = {
        attribute.name: attribute_value(text, attribute)
        for attribute in token.attributes
        if attribute.name in ("translate", "class")
    }
    return (
        values.get("translate", "").strip().lower() == "no"
        or "notranslate" in values.get("class", "").split()
    )


def read_attributes(text: str, token: HtmlToken) -> frozenset[str]:
    """The names of the attributes of a tag that people read."""
    if token.name in ("script", "style"):
        return frozenset()
    if token.name == "input":
        kind = attributes_of(text, token).get("type", "").strip().lower()
        return _READ | {"value"} if kind in _BUTTONS else _READ
    if token.name == "meta":
        values = attributes_of(text, token)
        names = {values.get(key, "").strip().lower() for key in ("name", "property", "itemprop")}
        return _READ if names.isdisjoint(_META) else _READ | {"content"}
    return _READ | {"label"} if token.name in _LABELLED else _READ
