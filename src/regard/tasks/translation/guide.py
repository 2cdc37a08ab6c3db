"""A guide: where a model should look for each word of its training pairs.

Word links that models of both directions agree on are spread to pieces and kept by the pair
(Garg et al. 2019; Chen et al. 2020); training asks for those of each batch.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.align.extraction import AlignmentHead, WordAlignment, has_alignment_head
from regard.align.links import Links
from regard.align.symmetrize import symmetrize, transpose_links
from regard.batch import Batch
from regard.data.loading.piece_links import Ids, Link, PieceLinks
from regard.data.loading.shard_pool import SOURCE_TOKENS, TARGET_TOKENS
from regard.data.loading.shards import PreparedData, Shard
from regard.data.preparation.prepare import ProgressCallback, StageProgress
from regard.errors import ArtifactError, ConfigError
from regard.inference.forced_decoding import cross_attention_names, get_attention
from regard.models import EncoderDecoder
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.train.losses import GuidedAlignmentLoss

TOGETHER = 1_000  # pairs that are aligned at once: some seconds, and those of like length are many


@dataclass(frozen=True, slots=True)
class Guide:
    path: Path
    alignment_head: AlignmentHead  # the look that is to be taught
    links: PieceLinks

    @classmethod
    def open(cls, path: Path, tokenizer: Tokenizer) -> Guide:
        """A guide for pairs that were cut into pieces by `tokenizer`."""
        links = PieceLinks.open(path)
        try:
            pointer, pieces = _pointer(links.facts), links.facts["tokenizer"]
        except (KeyError, ValueError) as error:
            raise ArtifactError(
                f"{path}: does not say what it guides ({error!r}); write it again by `regard align "
                "--prepared`"
            ) from None
        if pieces != tokenizer.fingerprint:
            raise ArtifactError(
                f"{path}: links the pieces of another vocabulary; train on the data for which it "
                "was made, or write it again by `regard align --prepared`, with a model of these"
            )
        return cls(path, pointer, links)

    def make_loss(self, model: EncoderDecoder[Any, Any], strength: float) -> GuidedAlignmentLoss:
        """What asks of the model's look that it rest where it is wanted to."""
        if not has_alignment_head(model, self.alignment_head):
            raise ConfigError(
                f"train.guided_alignment.links: {self.path} teaches {self.alignment_head.summary}; the model has no "
                f"such look or head, but {', '.join(cross_attention_names(model)) or 'none at all'}; "
                "train one like that which found the links, or find them by one like this"
            )
        return GuidedAlignmentLoss(
            get_attention(model, self.alignment_head.attention), self.alignment_head.head, strength
        )

    @property
    def summary(self) -> str:
        return f"{self.alignment_head.summary}, by the links of {len(self.links.keys):,} pairs"

    def target_weights(self, batch: Batch) -> Float[Tensor, "B T S"]:
        """For each step of the decoder how its look should be shared out; of a step about which
        nothing is known, all is zero."""
        rows, links = self.links.of(batch)
        # Links beyond a pair's ends are those of another pair that happens to have its key.
        inside = (links < _lengths(batch)[rows]).all(axis=1)
        rows, (source, target) = rows[inside], links[inside].astype(np.int64).T
        (sentences, positions), steps = batch.source.ids.shape, batch.target.ids.size(1) - 1
        step = rows * steps + target + self.alignment_head.shift
        wanted = np.zeros((sentences * steps, positions), np.float32)
        wanted[step, source] = 1 / np.bincount(step)[step]
        shared_out = torch.from_numpy(wanted).view(sentences, steps, positions)
        return shared_out.to(batch.source.ids.device)


def write_guide(
    path: Path,
    forth: Translator,
    back: Translator,
    prepared: PreparedData,
    tell: ProgressCallback,
) -> None:
    """Align the training pairs of `forth` by it and by a model of the other direction.

    Only what both find is taught: of a word about which they differ nothing is known, which costs
    less than to teach what one of them has wrong.
    """
    if forth.tokenizer.fingerprint != prepared.tokenizer:
        raise ArtifactError(
            f"{prepared.root}: was cut into other pieces than the model's; name the data that it "
            "was trained on"
        )
    for translator in (forth, back):
        translator.align([], [])  # a model that looks at nothing is refused at once
    facts = {"tokenizer": prepared.tokenizer, **_facts(_guided_head(forth))}
    pairs = _aligned(forth, back, prepared.shards("train"), tell)
    PieceLinks.gathered(pairs, facts).write(path)


def _guided_head(translator: Translator) -> AlignmentHead:
    """The look that found the links; of several heads one, as a word is read in.

    It then knows the word whose links it shows, and the other heads are free to translate (Garg et
    al. 2019, 4.2; Chen et al. 2020, 3). A look with one head translates by it: the moment stays.
    """
    pointer = translator.alignment_head
    assert pointer is not None
    if get_attention(translator.model, pointer.attention).score.heads == 1:
        return pointer
    return replace(pointer, head=pointer.head or 0, shift=1)


def _aligned(
    forth: Translator, back: Translator, shards: tuple[Shard, ...], tell: ProgressCallback
) -> Iterator[tuple[Ids, Ids, list[Link]]]:
    """The ids of all pairs and the links between their pieces."""
    clock, done, decode = time.perf_counter(), 0, forth.tokenizer.decode
    total = sum(-(-shard.pairs // TOGETHER) for shard in shards)
    pairs = sum(shard.pairs for shard in shards)
    tell(StageProgress("align", 0, total, 0, 0.0, pairs))
    for shard in shards:
        opened = shard.open()
        for first in range(0, shard.pairs, TOGETHER):
            some = [opened.pair(i) for i in range(first, min(first + TOGETHER, shard.pairs))]
            sources = [decode(source.tolist()) for source, _ in some]
            targets = [decode(target.tolist()) for _, target in some]
            there, again = forth.align(sources, targets), back.align(targets, sources)
            for one, other in zip(there, again, strict=True):
                links = symmetrize(one.links, transpose_links(other.links), "intersection")
                yield one.source.pieces.ids, one.target.pieces.ids, links_to_pieces(one, links)
            done += 1
            tell(StageProgress("align", done, total, 0, time.perf_counter() - clock, pairs))


def _lengths(batch: Batch) -> Int[np.ndarray, "B 2"]:
    """How many pieces each source and each target has, marks aside."""
    sides = ((batch.source, SOURCE_TOKENS), (batch.target, TARGET_TOKENS))
    found = [tokens.lengths - marks.count for tokens, marks in sides if tokens.lengths is not None]
    return torch.stack(found, dim=1).cpu().numpy()


def links_to_pieces(pair: WordAlignment, links: Links) -> list[Link]:
    """Between pieces: each of a target word's with each of its source words'."""
    source, target = pair.source.word_pieces, pair.target.word_pieces
    return sorted({link for i, j in links for link in product(source[i], target[j])})


def _facts(pointer: AlignmentHead) -> dict[str, str]:
    """A pointer as a file says it; whether a look at the end means nothing, a guide need not."""
    head = "mean" if pointer.head is None else str(pointer.head)
    return {"look": pointer.attention, "head": head, "shift": str(pointer.shift)}


def _pointer(facts: Mapping[str, str]) -> AlignmentHead:
    head = None if facts["head"] == "mean" else int(facts["head"])
    return AlignmentHead(facts["look"], head, ("0", "1").index(facts["shift"]), null=False)
