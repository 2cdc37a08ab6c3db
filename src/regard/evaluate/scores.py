"""Corpus scores of texts as a reader would see them: the one scoring path, in training and after.

Each score is sacreBLEU's (Post, 2018), and comes with the signature that tells how it was computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from regard.errors import CorpusError


@dataclass(frozen=True, slots=True)
class Measured:
    """Scores by their names, from 0 to 100; more is better, but of TER, which has no upper end."""

    values: dict[str, float]
    signatures: dict[str, str]  # of each value: metric, case, tokens, version


def score(outputs: Sequence[str], references: Sequence[str]) -> Measured:
    """Compare each output with its one reference, both detokenised.

    `bleu` is cased, `bleu_lc` lower-cased, both on 13a tokens; `chrf` counts characters (Popović,
    2015); `ter` is the share of words to edit (Snover et al., 2006).
    """
    if not outputs:
        raise CorpusError("outputs: there are none to score; give at least one sentence")
    if len(outputs) != len(references):
        raise CorpusError(
            f"references: {len(references)} for {len(outputs)} outputs; each output needs one, "
            "so give the references of the very sentences that were translated"
        )
    # A metric knows its signature only once it has scored. The cased BLEU warns of text that looks
    # tokenised; `force` keeps the other from saying so again.
    metrics: dict[str, Metric] = {
        "bleu": BLEU(),
        "bleu_lc": BLEU(lowercase=True, force=True),
        "chrf": CHRF(),
        "ter": TER(),
    }
    said, meant = list(outputs), [list(references)]
    values = {name: metric.corpus_score(said, meant).score for name, metric in metrics.items()}
    signatures = {name: str(metric.get_signature()) for name, metric in metrics.items()}
    return Measured(values, signatures)
