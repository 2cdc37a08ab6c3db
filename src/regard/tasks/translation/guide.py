"""Guided alignment: train an attention head on word links.

The links of all training pairs, by the word aligner or from a Pharaoh file of any aligner, are
mapped to pieces and stored by pair (Garg et al. 2019; Chen et al. 2020). Training reads the links
of each batch.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.align.links import Links, parse_links
from regard.align.tokenized_text import AlignmentHead, TokenizedText, check_links
from regard.align.word_aligner import WordAligner
from regard.align.word_alignment import align_texts
from regard.batch import Batch
from regard.config.run import GuidedAlignmentConfig
from regard.data.formats.corpus import Corpus, read_blocks, read_pairs
from regard.data.formats.files import line_blocks
from regard.data.loading.piece_links import Link, PieceLinks
from regard.data.loading.shard_pool import SOURCE_TOKENS, TARGET_TOKENS
from regard.data.loading.shards import MAX_TOKENS, PreparedData, load_tokenizers, shards_fingerprint
from regard.data.preparation.prepare import ProgressCallback, StageProgress
from regard.errors import ArtifactError, ConfigError, CorpusError
from regard.inference.forced_decoding import cross_attention_names, get_attention
from regard.models import EncoderDecoder
from regard.tasks.translation.aligner import read_prepared_aligner
from regard.text.tagged_tokenizer import with_tags
from regard.train.losses import GuidedAlignmentLoss

GUIDE_FILE = "guide.safetensors"
BLOCK = 1_000  # pairs that are aligned together, and between two reports of progress

LinkedTexts = tuple[TokenizedText, TokenizedText, Links]


@dataclass(frozen=True, slots=True)
class Guide:
    """The links of training pairs, and the attention head that they train."""

    links: PieceLinks
    alignment_head: AlignmentHead

    @classmethod
    def open(cls, prepared: PreparedData, model: EncoderDecoder[Any, Any]) -> Guide:
        """Open the links that `prepare_guide` wrote for the prepared data."""
        path = _path(prepared)
        links = PieceLinks.open(path)
        if links.facts.get("data") != shards_fingerprint(prepared.shards("train")):
            raise ArtifactError(f"{path}: has the links of other pairs. Prepare the data again.")
        return cls(links, guided_head(model))

    def make_loss(self, model: EncoderDecoder[Any, Any], strength: float) -> GuidedAlignmentLoss:
        head = self.alignment_head
        return GuidedAlignmentLoss(get_attention(model, head.attention), head.head, strength)

    @property
    def summary(self) -> str:
        return f"{self.alignment_head.summary}, links of {len(self.links.keys):,} pairs"

    def target_weights(self, batch: Batch) -> Float[Tensor, "B T S"]:
        """Return the attention weights that each decoder step is trained towards.

        They are uniform over the source positions that the word of a step is linked to. A word
        without a link attends to the end of the source. Steps of other tokens are zero, and so are
        pairs without stored links.
        """
        stored, rows, links = self.links.of(batch)
        lengths, shift = _lengths(batch), self.alignment_head.shift
        # Two pairs may have the same key: links outside this pair belong to the other.
        inside = (links < lengths[rows]).all(axis=1)
        rows, (source, target) = rows[inside], links[inside].astype(np.int64).T
        (sentences, positions), steps = batch.source.ids.shape, batch.target.ids.size(1) - 1
        step = rows * steps + target + shift
        flat = np.zeros((sentences * steps, positions), np.float32)
        flat[step, source] = 1 / np.bincount(step)[step]
        weights = flat.reshape(sentences, steps, positions)
        pieces = np.arange(steps) - shift  # of the target, by step
        words = stored[:, None] & (pieces >= 0) & (pieces < lengths[:, 1:])
        row, unlinked = np.nonzero(words & ~weights.any(axis=2))
        weights[row, unlinked, lengths[row, 0]] = 1
        return torch.from_numpy(weights).to(batch.source.ids.device)


def guided_head(model: EncoderDecoder[Any, Any]) -> AlignmentHead:
    """Return the attention head of a model that guided alignment trains.

    With several heads it is the first head of the penultimate layer, at next input: there the word
    to align is an input of the decoder, and the other heads remain free to translate (Garg et al.
    2019, 4.2; Chen et al. 2020, 3). An attention with a single head is trained at output, because
    translation depends on it.
    """
    names = cross_attention_names(model)
    if not names:
        raise ConfigError(
            "train.guided_alignment: the model has no attention over the source. Set it to null, "
            "or choose another model."
        )
    name = names[-2:][0]
    shift = int(get_attention(model, name).score.heads > 1)
    return AlignmentHead(name, 0, shift, null=True)


def prepare_guide(
    config: GuidedAlignmentConfig,
    prepared: PreparedData,
    corpora: Sequence[Corpus],
    on_progress: ProgressCallback,
) -> None:
    """Write the links of the training pairs to their directory, unless they are there already.

    `corpora`: the training corpora, to whose lines the lines of a Pharaoh file belong.

    Raises:
        CorpusError: a Pharaoh file does not fit the corpora.
    """
    if config.links == "auto":
        aligner = read_prepared_aligner(prepared)
        if aligner is None:
            raise ConfigError(
                "train.guided_alignment.links: the training pairs have no words to align. Set "
                "train.guided_alignment to null."
            )
        total = sum(shard.pairs for shard in prepared.shards("train"))
        digest = hashlib.sha256(aligner.to_bytes()).hexdigest()
        pairs = _aligned_pairs(aligner, prepared)
    else:
        total, digest = _count_lines(config.links)
        pairs = _linked_pairs(config, prepared, corpora)
    facts = {
        "data": shards_fingerprint(prepared.shards("train")),
        "links": digest,
        "pretokenized": str(config.pretokenized),
    }
    if _is_written(_path(prepared), facts):
        return
    if config.links != "auto":
        _check_lines(config.links, total, corpora)
    with_progress = _report_progress(pairs, total, on_progress)
    by_pieces = (
        (source.pieces.ids, target.pieces.ids, links_to_pieces(source, target, links))
        for source, target, links in with_progress
        if max(len(source.pieces.ids), len(target.pieces.ids)) <= MAX_TOKENS
    )
    PieceLinks.from_pairs(by_pieces, facts).write(_path(prepared))


def links_to_pieces(source: TokenizedText, target: TokenizedText, links: Links) -> list[Link]:
    """Link each piece of a target word to each piece of its source words."""
    sources, targets = source.word_pieces, target.word_pieces
    return sorted({link for i, j in links for link in product(sources[i], targets[j])})


def links_fingerprint(prepared: PreparedData) -> str | None:
    """Return a hash of the links of prepared data; None if there are none."""
    path = _path(prepared)
    return PieceLinks.open(path).fingerprint if path.exists() else None


def _path(prepared: PreparedData) -> Path:
    return Path(prepared.root) / GUIDE_FILE


def _is_written(path: Path, facts: dict[str, str]) -> bool:
    try:
        return PieceLinks.open(path).facts == facts
    except ArtifactError:  # missing or damaged
        return False


def _aligned_pairs(aligner: WordAligner, prepared: PreparedData) -> Iterator[LinkedTexts]:
    """Yield the prepared training pairs with the links of the aligner."""
    tokenizer, target_tokenizer = load_tokenizers(prepared.root)
    for shard in prepared.shards("train"):
        opened = shard.open()
        for first in range(0, shard.pairs, BLOCK):
            block = [opened.pair(i) for i in range(first, min(first + BLOCK, shard.pairs))]
            texts = [
                (
                    TokenizedText.from_tokens(tokenizer, source.tolist()),
                    TokenizedText.from_tokens(target_tokenizer, target.tolist()),
                )
                for source, target in block
            ]
            for alignment in align_texts(aligner, texts):
                yield alignment.source, alignment.target, alignment.links


def _linked_pairs(
    config: GuidedAlignmentConfig, prepared: PreparedData, corpora: Sequence[Corpus]
) -> Iterator[LinkedTexts]:
    """Yield the pairs of the corpora with their links in the Pharaoh file."""
    tokenizer, target_tokenizer = load_tokenizers(prepared.root)
    pairs = (
        (with_tags(tokenizer, corpus.tags), pair)
        for corpus in corpora
        for pair in read_pairs(corpus)
    )
    lines = chain.from_iterable(line_blocks(config.links, BLOCK))
    remedy = "Name the corpora that were aligned (data.train)."
    if not config.pretokenized:
        remedy += " If their words are split at spaces, set train.guided_alignment.pretokenized."
    for number, ((tagged, pair), line) in enumerate(zip(pairs, lines, strict=True), 1):
        location = f"{config.links}, line {number}"
        source, target = (
            TokenizedText.from_text(side, text, pretokenized=config.pretokenized)
            for side, text in zip((tagged, target_tokenizer), pair, strict=True)
        )
        links = parse_links(line, location)
        check_links(links, source, target, location, remedy)
        yield source, target, links


def _count_lines(path: str) -> tuple[int, str]:
    """Return the number of lines of a file and a hash of them."""
    count, digest = 0, hashlib.sha256()
    for lines in line_blocks(path, BLOCK):
        count += len(lines)
        digest.update("".join(f"{line}\n" for line in lines).encode())
    return count, digest.hexdigest()


def _check_lines(path: str, count: int, corpora: Sequence[Corpus]) -> None:
    pairs = sum(len(block) for corpus in corpora for block in read_blocks(corpus, 1 << 16))
    if count != pairs:
        raise CorpusError(
            f"{path}: has links for {count:,} pairs, but the training corpora (data.train) have "
            f"{pairs:,}. It needs one line for each pair, in the order of the corpora."
        )


def _report_progress(
    pairs: Iterable[LinkedTexts], total: int, on_progress: ProgressCallback
) -> Iterator[LinkedTexts]:
    """Yield the pairs and report each block of them."""
    start, blocks = time.monotonic(), -(-total // BLOCK)
    on_progress(StageProgress("guide", 0, blocks, 0, 0.0, total))
    for number, pair in enumerate(pairs, 1):
        yield pair
        if number % BLOCK == 0 or number == total:
            seconds = time.monotonic() - start
            on_progress(StageProgress("guide", -(-number // BLOCK), blocks, 0, seconds, total))


def _lengths(batch: Batch) -> Int[np.ndarray, "B 2"]:
    """Return the lengths of each source and target without special tokens."""
    sides = ((batch.source, SOURCE_TOKENS), (batch.target, TARGET_TOKENS))
    lengths = [
        tokens.lengths - special.count for tokens, special in sides if tokens.lengths is not None
    ]
    return torch.stack(lengths, dim=1).cpu().numpy()
