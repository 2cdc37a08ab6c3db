"""Guided alignment: train an attention head on word links.

Word links on which models of both directions agree are mapped to pieces and stored by pair
(Garg et al. 2019; Chen et al. 2020). Training reads the links of each batch.
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

BLOCK = 1_000  # pairs that are aligned together: some seconds, and enough of similar length


@dataclass(frozen=True, slots=True)
class Guide:
    """The links of training pairs, and the attention head that they train."""

    path: Path
    alignment_head: AlignmentHead
    links: PieceLinks

    @classmethod
    def open(cls, path: Path, tokenizer: Tokenizer) -> Guide:
        """Open a file of `write_guide`. Its links must be between pieces of `tokenizer`."""
        links = PieceLinks.open(path)
        try:
            head, fingerprint = _head_from_facts(links.facts), links.facts["tokenizer"]
        except (KeyError, ValueError) as error:
            raise ArtifactError(
                f"{path}: does not name an attention head ({error!r}). Write it again with "
                "`regard align --prepared`."
            ) from None
        if fingerprint != tokenizer.fingerprint:
            raise ArtifactError(
                f"{path}: was written for another vocabulary. Train on the data for which it was "
                "written, or write it again with `regard align --prepared`."
            )
        return cls(path, head, links)

    def make_loss(self, model: EncoderDecoder[Any, Any], strength: float) -> GuidedAlignmentLoss:
        """Return the loss of the guided head. Raises ConfigError if the model does not have it."""
        if not has_alignment_head(model, self.alignment_head):
            names = ", ".join(cross_attention_names(model)) or "none"
            raise ConfigError(
                f"train.guided_alignment.links: {self.path} trains {self.alignment_head.summary}, "
                f"which the model does not have. Its attention layers over the source: {names}. "
                "Train a model like the one that found the links, or find links with one like this."
            )
        return GuidedAlignmentLoss(
            get_attention(model, self.alignment_head.attention), self.alignment_head.head, strength
        )

    @property
    def summary(self) -> str:
        return f"{self.alignment_head.summary}, links of {len(self.links.keys):,} pairs"

    def target_weights(self, batch: Batch) -> Float[Tensor, "B T S"]:
        """Return the attention weights that each decoder step is trained towards.

        They are uniform over the linked source positions, and zero for a step without links.
        """
        rows, links = self.links.of(batch)
        # Two pairs may have the same key: links outside this pair belong to the other.
        inside = (links < _lengths(batch)[rows]).all(axis=1)
        rows, (source, target) = rows[inside], links[inside].astype(np.int64).T
        (sentences, positions), steps = batch.source.ids.shape, batch.target.ids.size(1) - 1
        step = rows * steps + target + self.alignment_head.shift
        weights = np.zeros((sentences * steps, positions), np.float32)
        weights[step, source] = 1 / np.bincount(step)[step]
        by_sentence = torch.from_numpy(weights).view(sentences, steps, positions)
        return by_sentence.to(batch.source.ids.device)


def write_guide(
    path: Path,
    forward: Translator,
    backward: Translator,
    prepared: PreparedData,
    report: ProgressCallback,
) -> None:
    """Align the training pairs of `forward` with it and a model of the other direction.

    Only links that both find are stored. A missing link costs less than a wrong one.
    """
    if forward.tokenizer.fingerprint != prepared.tokenizer:
        raise ArtifactError(
            f"{prepared.root}: was prepared with another vocabulary than the model's. Name the "
            "data that the model was trained on."
        )
    for translator in (forward, backward):
        translator.align(
            [], [], align_with="attention"
        )  # raises for a model without attention, before the work begins
    facts = {"tokenizer": prepared.tokenizer, **_head_facts(_guided_head(forward))}
    pairs = _align_pairs(forward, backward, prepared.shards("train"), report)
    PieceLinks.from_pairs(pairs, facts).write(path)


def _guided_head(translator: Translator) -> AlignmentHead:
    """Return the head to train: one head of the attention that found the links, at next input.

    At next input the word to align is an input of the decoder, and the other heads remain free to
    translate (Garg et al. 2019, 4.2; Chen et al. 2020, 3). The step of an attention with a single
    head does not change, as translation depends on it.
    """
    head = translator.alignment_head
    assert head is not None
    if get_attention(translator.model, head.attention).score.heads == 1:
        return head
    return replace(head, head=head.head or 0, shift=1)


def _align_pairs(
    forward: Translator, backward: Translator, shards: tuple[Shard, ...], report: ProgressCallback
) -> Iterator[tuple[Ids, Ids, list[Link]]]:
    """Yield the ids of each pair and the links between its pieces."""
    start, done, decode = time.perf_counter(), 0, forward.tokenizer.decode
    total = sum(-(-shard.pairs // BLOCK) for shard in shards)
    pairs = sum(shard.pairs for shard in shards)
    report(StageProgress("align", 0, total, 0, 0.0, pairs))
    for shard in shards:
        opened = shard.open()
        for first in range(0, shard.pairs, BLOCK):
            block = [opened.pair(i) for i in range(first, min(first + BLOCK, shard.pairs))]
            sources = [decode(source.tolist()) for source, _ in block]
            targets = [decode(target.tolist()) for _, target in block]
            there = forward.align(sources, targets, align_with="attention")
            back = backward.align(targets, sources, align_with="attention")
            for one, other in zip(there, back, strict=True):
                links = symmetrize(one.links, transpose_links(other.links), "intersection")
                yield one.source.pieces.ids, one.target.pieces.ids, links_to_pieces(one, links)
            done += 1
            report(StageProgress("align", done, total, 0, time.perf_counter() - start, pairs))


def _lengths(batch: Batch) -> Int[np.ndarray, "B 2"]:
    """Return the lengths of each source and target without special tokens."""
    sides = ((batch.source, SOURCE_TOKENS), (batch.target, TARGET_TOKENS))
    lengths = [
        tokens.lengths - special.count for tokens, special in sides if tokens.lengths is not None
    ]
    return torch.stack(lengths, dim=1).cpu().numpy()


def links_to_pieces(pair: WordAlignment, links: Links) -> list[Link]:
    """Link each piece of a target word to each piece of its source words."""
    source, target = pair.source.word_pieces, pair.target.word_pieces
    return sorted({link for i, j in links for link in product(source[i], target[j])})


def _head_facts(head: AlignmentHead) -> dict[str, str]:
    """Return an alignment head as metadata of a file. A guide does not need `null`."""
    index = "mean" if head.head is None else str(head.head)
    return {"attention": head.attention, "head": index, "shift": str(head.shift)}


def _head_from_facts(facts: Mapping[str, str]) -> AlignmentHead:
    index = None if facts["head"] == "mean" else int(facts["head"])
    return AlignmentHead(facts["attention"], index, ("0", "1").index(facts["shift"]), null=False)
