"""What a trained model should know of itself before it is sealed.

Which of its looks points at the words that a word translates, and what is usual in its
translations. Both are measured on held-out pairs, which nobody has aligned by hand.
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
from regard.evaluate.quality import calibrate_thresholds, measure_features
from regard.inference.forced_decoding import cross_attention_names
from regard.tasks.translation.module import Pairs
from regard.tasks.translation.translator import Translator
from regard.text.words import split_words

MOST_READ = 10_000  # training pairs, for the dictionary that judges looks: some seconds
MOST_JUDGED = 200  # held-out pairs to choose a look by
MOST_MEASURED = 1_000  # translations to learn what is usual from: three in a hundred are thirty


def calibrate(translator: Translator, prepared: PreparedData, held_out: Pairs) -> None:
    """Let the translator of a trained model find out; one that looks at nothing cannot."""
    if not cross_attention_names(translator.model):
        return
    translator.alignment_head = _choose_head(translator, prepared, held_out)
    sources = held_out.sources[:MOST_MEASURED]
    outputs = [translation.text for translation in translator.translate(sources)]
    read = translator.force_decode(sources, outputs)
    translator.thresholds = calibrate_thresholds(
        [measure_features(aligned, logps) for aligned, logps in read]
    )


def choose_agreeing_heads(forth: Translator, back: Translator, pairs: Pairs) -> None:
    """Let translators of both directions point where they agree with each other."""
    held = list(zip(pairs.sources, pairs.targets, strict=True))[:MOST_JUDGED]
    there = [_texts(forth, source, target) for source, target in held]
    again = [_texts(back, target, source) for source, target in held]
    forth.alignment_head, back.alignment_head = choose_alignment_heads(
        there, again, force_texts(forth.model, there), force_texts(back.model, again)
    )


def _choose_head(translator: Translator, prepared: PreparedData, held_out: Pairs) -> AlignmentHead:
    """The look that agrees best with a dictionary, learnt from training pairs and these."""
    held = list(zip(held_out.sources, held_out.targets, strict=True))[:MOST_JUDGED]
    read = (*held, *_training_sample(prepared, translator))
    silver = ibm1_links([(_lowercased(source), _lowercased(target)) for source, target in read])
    pairs = [_texts(translator, source, target) for source, target in held]
    return choose_alignment_head(pairs, force_texts(translator.model, pairs), silver[: len(held)])


def _texts(translator: Translator, source: str, target: str) -> tuple[TokenizedText, TokenizedText]:
    return TokenizedText.from_text(translator.tokenizer, source), TokenizedText.from_text(
        translator.tokenizer, target
    )


def _lowercased(text: str) -> list[str]:
    return [text[start:end].lower() for start, end in split_words(text)]


def _training_sample(prepared: PreparedData, translator: Translator) -> Iterator[tuple[str, str]]:
    """Training pairs, from all shards alike."""
    shards = prepared.shards("train")
    each = -(-MOST_READ // len(shards))
    for shard in shards:
        opened = shard.open()
        for i in range(0, shard.pairs, -(-shard.pairs // each)):
            source, target = opened.pair(i)
            decode = translator.tokenizer.decode
            yield decode(source.tolist()), decode(target.tolist())
