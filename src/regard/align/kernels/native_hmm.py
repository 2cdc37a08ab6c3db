"""The models of `align.hmm`, by `hmm.c` if the package was built with it, else by NumPy.

Both compute the same posteriors up to rounding; the links are the same.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from regard.align.hmm import (
    CUT,
    FLOOR,
    NULL,
    ExpectedCounts,
    Lexicon,
    Matrix,
    Model,
    WordPairs,
    reference_counts,
    reference_posteriors,
)


class _Lexicon(ctypes.Structure):
    _fields_: ClassVar = [
        *((name, ctypes.c_void_p) for name in Lexicon.__slots__),
        ("floor", ctypes.c_float),
        ("null", ctypes.c_float),
    ]


class _Counts(ctypes.Structure):
    _fields_: ClassVar = [
        *((name, ctypes.c_void_p) for name in ExpectedCounts.__slots__),
        ("cut", ctypes.c_float),
    ]


def expected_counts(
    lexicon: Lexicon, pairs: WordPairs, model: Model, *, agree: bool
) -> ExpectedCounts:
    """The expected counts of all pairs; with `agree`, links count as p_forward · p_backward."""
    if _native is None:
        return reference_counts(lexicon, pairs, model, agree=agree)
    counts = ExpectedCounts.zeros(lexicon)
    structure = _Counts(*(_address(getattr(counts, name)) for name in counts.__slots__), CUT)
    _call(lexicon, pairs, model, agree, ctypes.byref(structure), None, None)
    return counts


def posteriors(
    lexicon: Lexicon, pairs: WordPairs, model: Model = "hmm"
) -> list[tuple[Matrix, Matrix]]:
    """Forward and backward posteriors of the links of each pair, source × target words."""
    if _native is None:
        return reference_posteriors(lexicon, pairs, model)
    sizes = pairs.sizes()
    ends = sizes.prod(axis=1).cumsum()
    both = np.zeros((2, int(ends[-1]) if len(ends) else 0), np.float32)
    _call(lexicon, pairs, model, False, None, _address(both[0]), _address(both[1]))
    result = []
    for shape, end in zip(sizes.tolist(), ends.tolist(), strict=True):
        forward, backward = both[:, end - shape[0] * shape[1] : end]
        result.append((forward.reshape(shape), backward.reshape(shape)))
    return result


def _call(
    lexicon: Lexicon, pairs: WordPairs, model: Model, agree: bool, counts: Any, *outputs: Any
) -> None:
    """Call `regard_align`, which does not check its arguments itself."""
    arrays = {name: getattr(lexicon, name) for name in Lexicon.__slots__}
    structure = _Lexicon(*(_address(array) for array in arrays.values()), FLOOR, NULL)
    _check(lexicon, pairs)
    sides = (pairs.source_ends, pairs.source, pairs.target_ends, pairs.target)
    failed = _native.regard_align(
        ctypes.byref(structure),
        1 if model == "ibm1" else 2,
        ctypes.c_int64(len(pairs)),
        *(_address(array) for array in sides),
        int(agree),
        counts,
        *outputs,
    )
    if failed:
        raise MemoryError("not enough memory to align a sentence pair")


def _check(lexicon: Lexicon, pairs: WordPairs) -> None:
    """Raise ValueError if an index is out of range."""
    entries = len(lexicon.targets)
    consistent = (
        len(lexicon.rows) == len(lexicon.null_sources) + 1
        and lexicon.rows[0] == 0
        and lexicon.rows[-1] == entries == len(lexicon.forward) == len(lexicon.backward)
        and bool((np.diff(lexicon.rows) >= 0).all())
        and len(pairs.source_ends) == len(pairs.target_ends)
    )
    for words, ends, size in (
        (pairs.source, pairs.source_ends, len(lexicon.null_sources)),
        (pairs.target, pairs.target_ends, len(lexicon.null_targets)),
    ):
        consistent &= bool((np.diff(ends, prepend=0) >= 0).all())
        consistent &= (int(ends[-1]) if len(ends) else 0) == len(words)
        consistent &= not len(words) or (int(words.min()) >= -1 and int(words.max()) < size)
    if not consistent:
        raise ValueError("the arrays of the lexicon and of the pairs do not fit together")


def _address(array: NDArray[Any]) -> ctypes.c_void_p:
    if not array.flags.c_contiguous:
        raise ValueError("the arrays must be contiguous")
    return ctypes.c_void_p(array.ctypes.data)


def _load() -> Any:
    """The compiled `hmm.c`; None if the package was built without it."""
    path = Path(__file__).with_name("libhmm.so")
    if os.environ.get("REGARD_NATIVE") == "0" or not path.exists():
        return None
    try:
        return ctypes.CDLL(str(path))
    except OSError:  # built for another platform
        return None


_native: Any = _load()
