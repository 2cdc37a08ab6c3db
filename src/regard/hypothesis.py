"""Hypotheses: the results of a search. Free of torch."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Hypothesis:
    tokens: tuple[int, ...]  # without BOS and EOS
    logps: tuple[float, ...]  # of each token, and of EOS if the hypothesis ended
    score: float  # the ranking criterion: Σ logps / length^length_penalty

    @property
    def ended(self) -> bool:
        """Whether it ended before the maximum length."""
        return len(self.logps) > len(self.tokens)

    def penalized(self, length_penalty: float) -> Hypothesis:
        """The hypothesis with the score of beam search; other searches score Σ logps."""
        return replace(self, score=sum(self.logps) / len(self.logps) ** length_penalty)
