"""Calibrate a trained translation model before it is saved.

Choose the attention head that aligns words, and the thresholds of quality warnings. Both use
held-out pairs, without manual alignments.
"""

from __future__ import annotations

from collections.abc import Iterator

from regard.align.extraction import (
    AlignmentHead,
    choose_alignment_head,
    choose_alignment_heads,
    force_texts,
)
from regard.align.ibm1 import ibm1_links
from regard.align.tokenized_text import TokenizedText
from regard.data.loading.shards import PreparedData
from regard.evaluate.quality import calibrate_thresholds
from regard.inference.forced_decoding import cross_attention_names
from regard.tasks.translation.module import Pairs
from regard.tasks.translation.translator import Translator
from regard.text.words import split_words

DICTIONARY_PAIRS = 10_000  # training pairs for IBM Model 1: some seconds
HEAD_PAIRS = 200  # held-out pairs by which the alignment head is chosen
QUALITY_TEXTS = 1_000  # held-out sources; 3 % of them, which set the threshold, are thirty


def calibrate(translator: Translator, prepared: PreparedData, held_out: Pairs) -> None:
    """Set the translator's alignment head and thresholds, if its model has attention."""
    if not cross_attention_names(translator.model):
        return
    translator.alignment_head = _choose_head(translator, prepared, held_out)
    translator.thresholds = calibrate_thresholds(
        translator.measure_quality(held_out.sources[:QUALITY_TEXTS])
    )


def choose_agreeing_heads(forward: Translator, backward: Translator, pairs: Pairs) -> None:
    """Set the alignment heads of two directions to those that agree best with each other."""
    held_out = list(zip(pairs.sources, pairs.targets, strict=True))[:HEAD_PAIRS]
    there = [_tokenized(forward, source, target) for source, target in held_out]
    back = [_tokenized(backward, target, source) for source, target in held_out]
    forward.alignment_head, backward.alignment_head = choose_alignment_heads(
        there, back, force_texts(forward.model, there), force_texts(backward.model, back)
    )


def _choose_head(translator: Translator, prepared: PreparedData, held_out: Pairs) -> AlignmentHead:
    """Return the head that agrees best with IBM Model 1, trained on training and held-out pairs."""
    chosen_by = list(zip(held_out.sources, held_out.targets, strict=True))[:HEAD_PAIRS]
    corpus = (*chosen_by, *_training_sample(prepared, translator))
    links = ibm1_links([(_lowercased(source), _lowercased(target)) for source, target in corpus])
    pairs = [_tokenized(translator, source, target) for source, target in chosen_by]
    forced = force_texts(translator.model, pairs)
    return choose_alignment_head(pairs, forced, links[: len(pairs)])


def _tokenized(
    translator: Translator, source: str, target: str
) -> tuple[TokenizedText, TokenizedText]:
    return (
        TokenizedText.from_text(translator.tokenizer, source),
        TokenizedText.from_text(translator.tokenizer, target),
    )


def _lowercased(text: str) -> list[str]:
    return [text[start:end].lower() for start, end in split_words(text)]


def _training_sample(prepared: PreparedData, translator: Translator) -> Iterator[tuple[str, str]]:
    """Yield training pairs, equally many from each shard."""
    shards = prepared.shards("train")
    each = -(-DICTIONARY_PAIRS // len(shards))
    for shard in shards:
        opened = shard.open()
        for i in range(0, shard.pairs, -(-shard.pairs // each)):
            source, target = opened.pair(i)
            decode = translator.tokenizer.decode
            yield decode(source.tolist()), decode(target.tolist())
