"""Interventions: the same target under a changed model or source.

Attention weights do not show what caused an output. How the output's probability changes when
the model cannot attend to a word, or does not read it, is better evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.attention import NormalizedWeights, Normalizer, Uniform, replace_normalizers
from regard.batch import Tokens, pad
from regard.explain.forward_trace import Arrays
from regard.inference.forced_decoding import BUDGET, Ids, cross_attention_names, get_attention
from regard.models import EncoderDecoder, eval_mode
from regard.nn.interfaces import Encoded
from regard.search import reorder
from regard.text.tokenizer import BOS, EOS

InterventionKind: TypeAlias = Literal["uniform", "masked", "removed"]
"""All cross-attention is uniform; or one word is masked in cross-attention, though the encoder
reads it; or one word is removed from the source."""


@dataclass(frozen=True, slots=True)
class Intervention:
    """Effect of one change on each of the T target tokens, the last of which is EOS."""

    kind: InterventionKind
    word: int | None  # of the source; None for "uniform"
    logps: tuple[float, ...]  # T
    tokens: tuple[int, ...]  # T: the most likely token at each step
    token_logps: tuple[float, ...]  # T


def interventions_to_record(
    interventions: Sequence[Intervention], arrays: Arrays, piece: Callable[[int], str]
) -> dict[str, object]:
    """Return the JSON fields, with tokens as pieces."""
    shape = (len(interventions), len(interventions[0].logps) if interventions else 0)

    def table(rows: list[tuple[float, ...]]) -> int:
        return arrays.add(torch.tensor(rows).view(shape))

    return {
        "kinds": [intervention.kind for intervention in interventions],
        "words": [intervention.word for intervention in interventions],
        "logps": table([intervention.logps for intervention in interventions]),
        "tokens": [
            [piece(token) for token in intervention.tokens] for intervention in interventions
        ],
        "token_logps": table([intervention.token_logps for intervention in interventions]),
    }


class MaskedNormalizer(Normalizer):
    """Wraps a normalizer and masks the positions `masked[k]` for hypothesis k.

    The last position is EOS. A fully masked query attends to it.
    """

    def __init__(self, masked: Bool[Tensor, "K S"], normalizer: Normalizer) -> None:
        super().__init__()
        self.masked, self.normalizer = masked, normalizer

    def forward(
        self, scores: Float[Tensor, "1 H KT S"], visible: Bool[Tensor, "1 1 #KT S"] | None
    ) -> NormalizedWeights:
        steps = scores.size(2) // self.masked.size(0)
        remaining = ~self.masked.repeat_interleave(steps, dim=0)[None, None]  # 1 1 KT S
        if visible is not None:
            remaining = remaining & visible
        remaining[..., -1] |= ~remaining.any(dim=-1)
        return self.normalizer(scores, remaining)


@torch.inference_mode()
def run_interventions(
    model: EncoderDecoder[Tokens, Any],
    source: Ids,
    word_pieces: Sequence[Sequence[int]],
    target: Ids,
) -> tuple[Intervention, ...]:
    """Run every intervention on one pair of ids without special tokens.

    `word_pieces` lists the source positions of each word. For a model without cross-attention
    only "removed" exists.
    """
    device = next(model.parameters()).device
    results: list[Intervention] = []

    def add(
        kind: InterventionKind, words: Sequence[int | None], hidden: Float[Tensor, "K T E"]
    ) -> None:
        logp = model.readout(hidden).log_softmax(dim=-1)
        labels = torch.tensor([*target, EOS], device=device).expand(len(words), -1)
        logps = logp.gather(2, labels[..., None])[..., 0].tolist()
        token_logps, tokens = (best.tolist() for best in logp.max(dim=-1))
        for word, *rows in zip(words, logps, tokens, token_logps, strict=True):
            results.append(Intervention(kind, word, *map(tuple, rows)))

    def prefix(rows: int) -> Tensor:
        return torch.tensor([[BOS, *target]], device=device).expand(rows, -1)

    def decode(rows: int, changed: Callable[[Normalizer], Normalizer]) -> Float[Tensor, "K T E"]:
        """Decode the target in each of `rows` rows that share one source."""
        attentions = [get_attention(model, name) for name in cross_attention_names(model)]
        first = torch.zeros(rows, dtype=torch.long, device=device)
        state = reorder(model.decoder.start(encoded), first)
        with replace_normalizers(
            {attention: changed(attention.normalizer) for attention in attentions}
        ):
            return model.decoder(model.embedding(prefix(rows)), state)[0].hidden

    with eval_mode(model):
        if cross_attention_names(model):
            encoded: Encoded = model.encoder(pad([[*source, EOS]]).to(device))
            add("uniform", [None], decode(1, lambda _: Uniform()))
            for words in _batches(len(word_pieces), len(target) + 1):
                masked = torch.zeros(len(words), len(source) + 1, dtype=torch.bool, device=device)
                for row, word in enumerate(words):
                    masked[row, list(word_pieces[word])] = True
                add("masked", words, decode(len(words), partial(MaskedNormalizer, masked)))
        for words in _batches(len(word_pieces), max(len(source), len(target)) + 1):
            shorter = [_without(source, word_pieces[word]) for word in words]
            sources = pad([[*ids, EOS] for ids in shorter]).to(device)
            add("removed", words, model(sources, prefix(len(words))).hidden)
    return tuple(results)


def _without(source: Ids, pieces: Sequence[int]) -> list[int]:
    return [token for position, token in enumerate(source) if position not in pieces]


def _batches(words: int, positions: int) -> Iterator[range]:
    size = max(1, BUDGET // positions)
    return (range(start, min(start + size, words)) for start in range(0, words, size))
