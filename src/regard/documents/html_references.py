"""Character references of HTML: named and numeric ones, as the standard reads them.

`html.unescape` differs: it reads `?a=1&copy=2` in an attribute as a reference, and removes control
characters.
"""

from __future__ import annotations

import re
from html.entities import html5 as NAMED

_REFERENCE = re.compile(r"&(?:#(?:[xX]([0-9a-fA-F]++)|([0-9]++));?|([A-Za-z][A-Za-z0-9]*+;?))")
_LONGEST = max(map(len, NAMED))
_WITHOUT_SEMICOLON = frozenset(name for name in NAMED if not name.endswith(";"))
_LONGEST_WITHOUT = max(map(len, _WITHOUT_SEMICOLON))
_WINDOWS_1252 = {
    code: bytes([code]).decode("cp1252")
    for code in range(0x80, 0xA0)
    if code not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}


def decode_references(text: str, *, in_attribute: bool = False) -> str:
    """Replace character references by what they stand for.

    `in_attribute`: a name without a semicolon is text if a letter, a digit or `=` follows it.
    """
    if "&" not in text:
        return text

    def decode(match: re.Match[str]) -> str:
        if match[3] is None:
            return _numeric(match[1], match[2])
        name = match[3]
        if name.endswith(";") and len(name) <= _LONGEST and name in NAMED:
            return NAMED[name]
        for length in range(min(len(name), _LONGEST_WITHOUT), 1, -1):
            if name[:length] in _WITHOUT_SEMICOLON:
                following = text[match.start() + 1 + length : match.start() + 2 + length]
                if in_attribute and (
                    following == "=" or (following.isascii() and following.isalnum())
                ):
                    return match[0]
                return NAMED[name[:length]] + name[length:]
        return match[0]

    return _REFERENCE.sub(decode, text)


def _numeric(hexadecimal: str | None, decimal: str | None) -> str:
    digits = (hexadecimal or decimal or "").lstrip("0") or "0"
    if len(digits) > 7:
        return "\ufffd"
    code = int(digits, 16 if hexadecimal else 10)
    if code == 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return _WINDOWS_1252.get(code, chr(code))
