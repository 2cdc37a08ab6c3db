"""Bounds of the numbers that settings, options and arguments share: one definition, one check."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from regard.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Bounds:
    """The least and the greatest value of a number; `whole` allows integers only."""

    low: int | float
    high: int | float
    whole: bool = False

    def check(self, name: str, value: object) -> None:
        """Raise a ConfigError that names the number, unless `value` is one within the bounds."""
        kinds = (int,) if self.whole else (int, float)
        if (
            isinstance(value, kinds)
            and not isinstance(value, bool)
            and self.low <= value <= self.high
            and isfinite(value)
        ):
            return
        kind = "a whole number" if self.whole else "a number"
        raise ConfigError(
            f"{name}: must be {kind} from {self.low:,} to {self.high:,}, not {value!r:.100}."
        )


BEAM_SIZE = Bounds(1, 1_000, whole=True)
N_BEST = Bounds(1, 1_000, whole=True)
LENGTH_PENALTY = Bounds(0, 10)  # length^10 is finite in fp32 up to 7,000 tokens
MIN_LENGTH = Bounds(0, 1_000, whole=True)  # every sentence is searched for as many steps
NGRAM = Bounds(0, 1_000, whole=True)
TEMPERATURE = Bounds(0.01, 100)  # log-probabilities divided by it are finite in fp32
TOP_K = Bounds(1, 1 << 31, whole=True)
TOP_P = Bounds(1e-6, 1)  # above the precision of fp32, so that a token remains
SEED = Bounds(0, (1 << 63) - 1, whole=True)  # what NumPy and PyTorch accept
POSITION = Bounds(0, (1 << 63) - 1, whole=True)  # of a text in a file

TOKENS = Bounds(1, (1 << 16) - 3, whole=True)  # a length is a uint16, two special tokens included
VOCABULARY = Bounds(1, 100_000, whole=True)  # SentencePiece needs memory in proportion
CORPUS_WEIGHT = Bounds(1e-6, 1e4)  # an epoch of a weighted corpus can be planned
WORKERS = Bounds(1, 10_000, whole=True)
THREADS = Bounds(1, 1_024, whole=True)
