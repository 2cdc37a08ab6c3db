"""The elements of a page: which tags belong together, what is inline, and what people read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from regard.documents.html_tokenizer import HtmlToken, attribute_value

INLINE = frozenset(
    "a abbr acronym audio b bdi bdo big br button canvas cite code data del dfn em embed font i "  # noqa: SIM905
    "iframe img input ins kbd label map mark math meter noscript object output picture progress q "
    "ruby s samp select slot small span strike strong sub sup svg template textarea time tt u var "
    "video wbr".split()
)
NESTED = frozenset("audio canvas map noscript object picture select textarea video".split())  # noqa: SIM905
"""Inline elements whose texts are segments of their own, outside of the sentence around them."""
KEPT = NESTED | frozenset(
    "acronym code dir iframe kbd math noembed noframes plaintext pre samp script style svg "  # noqa: SIM905
    "template tt var xmp".split()
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
_PARAGRAPH_SCOPE = frozenset("button caption object table td template th".split())  # noqa: SIM905
_LIST_SCOPE = _PARAGRAPH_SCOPE | {"dl", "ol", "ul", "menu"}
_TABLE_SCOPE = frozenset(["table", "template"])
_CELLS = frozenset(["td", "th"])
_ROWS = _CELLS | {"tr"}
_ENDED_BY: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset(["li"]), _LIST_SCOPE),
    "dt": (frozenset(["dt", "dd"]), _LIST_SCOPE),
    "dd": (frozenset(["dt", "dd"]), _LIST_SCOPE),
    "option": (frozenset(["option"]), frozenset(["select", "datalist"])),
    "optgroup": (frozenset(["option", "optgroup"]), frozenset(["select", "datalist"])),
    "td": (_CELLS, _TABLE_SCOPE),
    "th": (_CELLS, _TABLE_SCOPE),
    "tr": (_ROWS, _TABLE_SCOPE),
    "tbody": (_ROWS | {"thead", "tbody", "tfoot"}, _TABLE_SCOPE),
    "thead": (_ROWS | {"thead", "tbody", "tfoot"}, _TABLE_SCOPE),
    "tfoot": (_ROWS | {"thead", "tbody", "tfoot"}, _TABLE_SCOPE),
}
_PARAGRAPH = frozenset(["p"])
_SEARCHED = 100  # open elements among which one is searched that a start tag ends


class ElementRanges:
    """Where the elements of a page end: at their end tags, or where browsers end them without.

    `partners`: the end tag of each start tag, and the reverse, by index.
    `ends`: the first token after the content of each start tag.
    """

    def __init__(self, tokens: Sequence[HtmlToken]) -> None:
        self.partners: dict[int, int] = {}
        self.ends: dict[int, int] = {}
        self._tokens = tokens
        self._open: list[int] = []
        self._counts: Counter[str] = Counter()
        for index, token in enumerate(tokens):
            if token.kind == "close" and self._counts[token.name]:
                partner = self._end(token.name, index)
                self.partners[partner], self.partners[index] = index, partner
            elif token.kind == "open":
                self._end_before(token.name, index)
                self._open.append(index)
                self._counts[token.name] += 1
        for index in self._open:
            self.ends[index] = len(tokens)

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
            self._end_outermost(_PARAGRAPH, _PARAGRAPH_SCOPE, index)
        if name in _ENDED_BY:
            self._end_outermost(*_ENDED_BY[name], index)

    def _end_outermost(self, names: frozenset[str], scope: frozenset[str], index: int) -> None:
        if not any(self._counts[name] for name in names):
            return
        last = -1
        for position in range(len(self._open) - 1, max(-1, len(self._open) - _SEARCHED), -1):
            name = self._tokens[self._open[position]].name
            if name in scope:
                break
            if name in names:
                last = position
        while 0 <= last < len(self._open):
            self._end(self._tokens[self._open[-1]].name, index)


def attributes_of(text: str, token: HtmlToken) -> dict[str, str]:
    return {each.name: attribute_value(text, each) for each in token.attributes}


def forbids_translation(text: str, token: HtmlToken) -> bool:
    """Whether a tag has `translate="no"` or the class `notranslate`."""
    values = {
        each.name: attribute_value(text, each)
        for each in token.attributes
        if each.name in ("translate", "class")
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
