"""The direction in which a language is written."""

from __future__ import annotations

RIGHT_TO_LEFT = frozenset("ar arc ckb dv fa he ks ku-arab ps sd ug ur yi".split())  # noqa: SIM905


def direction(language: str) -> str:
    """The direction of a language: ltr or rtl."""
    code = language.lower()
    is_rtl = code in RIGHT_TO_LEFT or code.split("-")[0] in RIGHT_TO_LEFT
    return "rtl" if is_rtl else "ltr"
