"""Identify the language of a whole side, with py3langid.

The statistics in `language` compare lines with their own side, so a side that is wholly in the
wrong language fits itself. Here it is compared with the language that its file name declares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import PurePath

import py3langid

_CHUNK = 1_000  # characters, of which the language is nearly certain
_CHUNKS = 20
_COMPRESSED = (".gz", ".zst", ".bz2", ".xz")
# Languages and codes that cannot be told apart: macrolanguages, and standards of one language.
_ALIKE = ({"no", "nb", "nn", "da"}, {"bs", "hr", "sr"}, {"id", "ms"}, {"gl", "pt"}, {"cs", "sk"})


def identify_language(lines: Sequence[str]) -> str | None:
    """Return the code of the language of most of the text; None if there is too little text."""
    chunks = _chunks(lines)
    if not chunks:
        return None
    counts = Counter(str(py3langid.classify(chunk)[0]) for chunk in chunks)
    code, count = counts.most_common(1)[0]
    return code if 2 * count > len(chunks) else None


def declared_language(path: str) -> str | None:
    """Return the language that a file name ends with: `train.en.gz` declares en."""
    suffixes = [suffix for suffix in PurePath(path).suffixes if suffix not in _COMPRESSED]
    code = suffixes[-1][1:].lower().replace("_", "-").partition("-")[0] if suffixes else ""
    return code if code in _codes() else None


def differ(code: str | None, second_code: str | None) -> bool:
    """Whether two codes are known and name languages that can be told apart."""
    if code is None or second_code is None or code == second_code:
        return False
    return not any({code, second_code} <= alike for alike in _ALIKE)


@cache
def _codes() -> frozenset[str]:
    return frozenset(code for code, _ in py3langid.rank(""))


def _chunks(lines: Sequence[str]) -> list[str]:
    """Return up to 20 texts of 1,000 characters from everywhere in the lines."""
    text = "\n".join(lines)
    step = max(_CHUNK, len(text) // _CHUNKS)
    starts = range(0, len(text) - _CHUNK // 2, step)
    return [text[start : start + _CHUNK] for start in starts]
