"""Lexically constrained search, as a method to compare in `benchmarks.terms`.

A phrase that a hypothesis has begun or could begin gets a bonus for its next token, which is taken
back if the hypothesis leaves the phrase. No hypothesis ends before it has all phrases.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from regard.batch import pad
from regard.models import eval_mode
from regard.search.beam import beam
from regard.search.step import Constraint, Logps, Prefix
from regard.search.step import Sentence as Rows
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import BOS, EOS

BEAM = 8
BONUS = 2.0  # for each token of a phrase


def translate_with(translator: Translator, text: str, phrases: Sequence[str]) -> str:
    """Translate one text so that the translation has all phrases."""
    ids = translator.tokenizer.encode([text])[0]
    wanted = [tuple(each) for each in translator.target_tokenizer.encode(list(phrases))]
    with eval_mode(translator.model), torch.inference_mode():
        (found,) = beam(
            translator.model.step,
            translator.model.start(pad([[*ids, EOS]])),
            rows=1,
            beam_size=BEAM,
            bos=BOS,
            eos=EOS,
            max_length=2 * len(ids) + 20,
            constraints=[require_phrases(wanted)],
        )
    return translator.target_tokenizer.decode(found[0].tokens)


def require_phrases(phrases: Sequence[tuple[int, ...]]) -> Constraint:
    """All token sequences, anywhere and in any order."""

    def constrain(prefix: Prefix, sentence: Rows, logp: Logps) -> Logps:
        logp = logp.clone()
        for row, tokens in enumerate(prefix.tolist()):
            missing = [each for each in phrases if not _contains(tokens, each)]
            if missing:
                logp[row, EOS] = -torch.inf
            for phrase in missing:
                begun = _begun(tokens, phrase)
                logp[row] -= BONUS * begun
                logp[row, phrase[begun]] += BONUS * (begun + 1)
        return logp

    return constrain


def _contains(tokens: Sequence[int], phrase: tuple[int, ...]) -> bool:
    places = range(len(tokens) - len(phrase) + 1)
    return any(tuple(tokens[place : place + len(phrase)]) == phrase for place in places)


def _begun(tokens: Sequence[int], phrase: tuple[int, ...]) -> int:
    """How many tokens at the end are the beginning of the phrase."""
    lengths = range(min(len(phrase) - 1, len(tokens)), 0, -1)
    return next((k for k in lengths if tuple(tokens[-k:]) == phrase[:k]), 0)
