"""What if the model had looked elsewhere, or read less: the same target, read by a changed model.

Where a model looked is no proof of what its words came from; what it says when it cannot look there
is nearer to one.
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
from regard.explain.arrays import Arrays
from regard.inference.forced_decoding import BUDGET, Ids, cross_attention_names, get_attention
from regard.models import EncoderDecoder, eval_mode
from regard.nn.interfaces import Encoded
from regard.search import reorder
from regard.text.tokenizer import BOS, EOS

Kind: TypeAlias = Literal["uniform", "hidden", "left out"]
"""Every look at the source is spread evenly; or no look sees a word, which was read all the same;
or the source is without the word."""


@dataclass(frozen=True, slots=True)
class Intervention:
    """T are the target's tokens and its end."""

    kind: Kind
    word: int | None  # of the source; None: it is of no word
    logps: tuple[float, ...]  # T
    tokens: tuple[int, ...]  # T: what is the likeliest instead
    token_logps: tuple[float, ...]  # T


def interventions_to_record(
    whatifs: Sequence[Intervention], arrays: Arrays, piece: Callable[[int], str]
) -> dict[str, Any]:
    """As a record has them, in pieces."""
    shape = (len(whatifs), len(whatifs[0].logps) if whatifs else 0)
    return {
        "kinds": [one.kind for one in whatifs],
        "words": [one.word for one in whatifs],
        "logps": arrays.add(torch.tensor([one.logps for one in whatifs]).view(shape)),
        "says": [[piece(token) for token in one.tokens] for one in whatifs],
        "says_logps": arrays.add(torch.tensor([one.token_logps for one in whatifs]).view(shape)),
    }


class MaskedNormalizer(Normalizer):
    """The model's own, of what is left: hypothesis k does not see where `hidden` says so.

    The last position is the end mark. Who would see nothing looks there, as no query is blind.
    """

    def __init__(self, hidden: Bool[Tensor, "K S"], own: Normalizer) -> None:
        super().__init__()
        self.hidden, self.own = hidden, own

    def forward(
        self, scores: Float[Tensor, "1 H KT S"], visible: Bool[Tensor, "1 1 #KT S"] | None
    ) -> NormalizedWeights:
        steps = scores.size(2) // self.hidden.size(0)
        left = ~self.hidden.repeat_interleave(steps, dim=0)[None, None]  # 1 1 KT S
        if visible is not None:
            left = left & visible
        left[..., -1] |= ~left.any(dim=-1)
        return self.own(scores, left)


@torch.inference_mode()
def run_interventions(
    model: EncoderDecoder[Tokens, Any],
    source: Ids,
    word_pieces: Sequence[Sequence[int]],
    target: Ids,
) -> tuple[Intervention, ...]:
    """Every change there is, of a pair of ids without marks; `word_pieces`: where in the source
    each of its words is. A model that never looks at its source can only have read less of it."""
    device = next(model.parameters()).device
    told: list[Intervention] = []

    def tell(kind: Kind, words: Sequence[int | None], hidden: Float[Tensor, "K T E"]) -> None:
        logp = model.readout(hidden).log_softmax(dim=-1)
        meant = torch.tensor([*target, EOS], device=device).expand(len(words), -1)
        logps = logp.gather(2, meant[..., None])[..., 0].tolist()
        says_logps, says = (best.tolist() for best in logp.max(dim=-1))
        for word, *rest in zip(words, logps, says, says_logps, strict=True):
            told.append(Intervention(kind, word, *map(tuple, rest)))

    def said(rows: int) -> Tensor:
        return torch.tensor([[BOS, *target]], device=device).expand(rows, -1)

    def decode(rows: int, changed: Callable[[Normalizer], Normalizer]) -> Float[Tensor, "K T E"]:
        """Decode the target in each of `rows` rows that share one source."""
        attentions = [get_attention(model, name) for name in cross_attention_names(model)]
        first = torch.zeros(rows, dtype=torch.long, device=device)
        state = reorder(model.decoder.start(encoded), first)
        with replace_normalizers({each: changed(each.normalizer) for each in attentions}):
            return model.decoder(model.embedding(said(rows)), state)[0].hidden

    with eval_mode(model):
        if cross_attention_names(model):
            encoded: Encoded = model.encoder(pad([[*source, EOS]]).to(device))
            tell("uniform", [None], decode(1, lambda own: Uniform()))
            for words in _batches(len(word_pieces), len(target) + 1):
                hidden = torch.zeros(len(words), len(source) + 1, dtype=torch.bool, device=device)
                for row, word in enumerate(words):
                    hidden[row, list(word_pieces[word])] = True
                tell("hidden", words, decode(len(words), partial(MaskedNormalizer, hidden)))
        for words in _batches(len(word_pieces), max(len(source), len(target)) + 1):
            less = [_without(source, word_pieces[word]) for word in words]
            read = pad([[*ids, EOS] for ids in less]).to(device)
            tell("left out", words, model(read, said(len(words))).hidden)
    return tuple(told)


def _without(source: Ids, pieces: Sequence[int]) -> list[int]:
    return [token for place, token in enumerate(source) if place not in pieces]


def _batches(words: int, positions: int) -> Iterator[range]:
    size = max(1, BUDGET // positions)
    return (range(at, min(at + size, words)) for at in range(0, words, size))
