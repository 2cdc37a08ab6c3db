"""Hypotheses: the results of a search. Free of torch."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Hypothesis:
    tokens: tuple[int, ...]  # without BOS and EOS
    logps: tuple[float, ...]  # of each token, and of EOS if it ended; () if not known
    score: float  # the ranking criterion: Σ logps / length^length_penalty
    ended: bool  # whether it ended before the maximum length

    @property
    def length(self) -> int:
        """The number of tokens that the score counts: with EOS if it ended."""
        return len(self.tokens) + self.ended

    def penalized(self, length_penalty: float) -> Hypothesis:
        """The hypothesis with the score of beam search; other searches score Σ logps."""
        return replace(self, score=sum(self.logps) / self.length**length_penalty)
