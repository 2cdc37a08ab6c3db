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

from regard.batch import Batch
from regard.data.batches.links import Ids, Link, PieceLinks
from regard.data.batches.pool import READ, SAID
from regard.data.batches.shards import Prepared, Shard
from regard.data.preparation.prepare import Progress, Tell
from regard.errors import ArtefactError, SpecError
from regard.explain.align import Aligned, Pointer, has, symmetrize, turned
from regard.explain.dictionary import Links
from regard.explain.reread import attention_of, looks_at_source
from regard.models import EncoderDecoder
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.train.objective import Guided

TOGETHER = 1_000  # pairs that are aligned at once: some seconds, and those of like length are many


@dataclass(frozen=True, slots=True)
class Guide:
    path: Path
    pointer: Pointer  # the look that is to be taught
    links: PieceLinks

    @classmethod
    def open(cls, path: Path, tokenizer: Tokenizer) -> Guide:
        """A guide for pairs that were cut into pieces by `tokenizer`."""
        links = PieceLinks.open(path)
        try:
            pointer, pieces = _pointer(links.facts), links.facts["tokenizer"]
        except (KeyError, ValueError) as error:
            raise ArtefactError(
                f"{path}: does not say what it guides ({error!r}); write it again by `regard align "
                "--prepared`"
            ) from None
        if pieces != tokenizer.fingerprint:
            raise ArtefactError(
                f"{path}: links the pieces of another vocabulary; train on the data for which it "
                "was made, or write it again by `regard align --prepared`, with a model of these"
            )
        return cls(path, pointer, links)

    def teach(self, model: EncoderDecoder[Any, Any], strength: float) -> Guided:
        """What asks of the model's look that it rest where it is wanted to."""
        if not has(model, self.pointer):
            raise SpecError(
                f"train.guide.links: {self.path} teaches {self.pointer.in_words}; the model has no "
                f"such look or head, but {', '.join(looks_at_source(model)) or 'none at all'}; "
                "train one like that which found the links, or find them by one like this"
            )
        return Guided(attention_of(model, self.pointer.look), self.pointer.head, strength)

    @property
    def in_words(self) -> str:
        return f"{self.pointer.in_words}, by the links of {len(self.links.keys):,} pairs"

    def wanted(self, batch: Batch) -> Float[Tensor, "B T S"]:
        """For each step of the decoder how its look should be shared out; of a step about which
        nothing is known, all is zero."""
        rows, links = self.links.of(batch)
        # Links beyond a pair's ends are those of another pair that happens to have its key.
        inside = (links < _lengths(batch)[rows]).all(axis=1)
        rows, (source, target) = rows[inside], links[inside].astype(np.int64).T
        (sentences, positions), steps = batch.source.ids.shape, batch.target.ids.size(1) - 1
        step = rows * steps + target + self.pointer.shift
        wanted = np.zeros((sentences * steps, positions), np.float32)
        wanted[step, source] = 1 / np.bincount(step)[step]
        shared_out = torch.from_numpy(wanted).view(sentences, steps, positions)
        return shared_out.to(batch.source.ids.device)


def write_guide(
    path: Path,
    forth: Translator,
    back: Translator,
    prepared: Prepared,
    tell: Tell,
) -> None:
    """Align the training pairs of `forth` by it and by a model of the other direction.

    Only what both find is taught: of a word about which they differ nothing is known, which costs
    less than to teach what one of them has wrong.
    """
    if forth.tokenizer.fingerprint != prepared.tokenizer:
        raise ArtefactError(
            f"{prepared.root}: was cut into other pieces than the model's; name the data that it "
            "was trained on"
        )
    for translator in (forth, back):
        translator.align([], [])  # a model that looks at nothing is refused at once
    facts = {"tokenizer": prepared.tokenizer, **_facts(_to_be_taught(forth))}
    pairs = _aligned(forth, back, prepared.shards("train"), tell)
    PieceLinks.gathered(pairs, facts).write(path)


def _to_be_taught(translator: Translator) -> Pointer:
    """The look that found the links; of several heads one, as a word is read in.

    It then knows the word whose links it shows, and the other heads are free to translate (Garg et
    al. 2019, 4.2; Chen et al. 2020, 3). A look with one head translates by it: the moment stays.
    """
    pointer = translator.pointer
    assert pointer is not None
    if attention_of(translator.model, pointer.look).score.heads == 1:
        return pointer
    return replace(pointer, head=pointer.head or 0, shift=1)


def _aligned(
    forth: Translator, back: Translator, shards: tuple[Shard, ...], tell: Tell
) -> Iterator[tuple[Ids, Ids, list[Link]]]:
    """The ids of all pairs and the links between their pieces."""
    clock, done, decode = time.perf_counter(), 0, forth.tokenizer.decode
    total = sum(-(-shard.pairs // TOGETHER) for shard in shards)
    pairs = sum(shard.pairs for shard in shards)
    tell(Progress("align", 0, total, 0, 0.0, pairs))
    for shard in shards:
        opened = shard.open()
        for first in range(0, shard.pairs, TOGETHER):
            some = [opened.pair(i) for i in range(first, min(first + TOGETHER, shard.pairs))]
            sources = [decode(source.tolist()) for source, _ in some]
            targets = [decode(target.tolist()) for _, target in some]
            there, again = forth.align(sources, targets), back.align(targets, sources)
            for one, other in zip(there, again, strict=True):
                links = symmetrize(one.links, turned(other.links), "intersection")
                yield one.source.pieces.ids, one.target.pieces.ids, spread(one, links)
            done += 1
            tell(Progress("align", done, total, 0, time.perf_counter() - clock, pairs))


def _lengths(batch: Batch) -> Int[np.ndarray, "B 2"]:
    """How many pieces each source and each target has, marks aside."""
    sides = ((batch.source, READ), (batch.target, SAID))
    found = [tokens.lengths - marks.count for tokens, marks in sides if tokens.lengths is not None]
    return torch.stack(found, dim=1).cpu().numpy()


def spread(pair: Aligned, links: Links) -> list[Link]:
    """Between pieces: each of a target word's with each of its source words'."""
    source, target = pair.source.word_pieces, pair.target.word_pieces
    return sorted({link for i, j in links for link in product(source[i], target[j])})


def _facts(pointer: Pointer) -> dict[str, str]:
    """A pointer as a file says it; whether a look at the end means nothing, a guide need not."""
    head = "mean" if pointer.head is None else str(pointer.head)
    return {"look": pointer.look, "head": head, "shift": str(pointer.shift)}


def _pointer(facts: Mapping[str, str]) -> Pointer:
    head = None if facts["head"] == "mean" else int(facts["head"])
    return Pointer(facts["look"], head, ("0", "1").index(facts["shift"]), null=False)
