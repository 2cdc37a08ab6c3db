"""What a trained model should know of itself before it is sealed.

Which of its looks points at the words that a word translates, and what is usual in its
translations. Both are measured on held-out pairs, which nobody has aligned by hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from regard.data.batches.shards import Prepared
from regard.explain.alarm import calibrate, measure
from regard.explain.align import Pointer, Text, choose, choose_both, reread_texts
from regard.explain.dictionary import silver_links
from regard.explain.reread import looks_at_source
from regard.tasks.translation.task import Pairs
from regard.tasks.translation.translator import Translator
from regard.text.words import words

MOST_READ = 10_000  # training pairs, for the dictionary that judges looks: some seconds
MOST_JUDGED = 200  # held-out pairs to choose a look by
MOST_MEASURED = 1_000  # translations to learn what is usual from: three in a hundred are thirty


def know_itself(translator: Translator, prepared: Prepared, held_out: Pairs) -> None:
    """Let the translator of a trained model find out; one that looks at nothing cannot."""
    if not looks_at_source(translator.model):
        return
    translator.pointer = _point(translator, prepared, held_out)
    sources = held_out.sources[:MOST_MEASURED]
    outputs = [translation.text for translation in translator.translate(sources)]
    read = translator.reread(sources, outputs)
    translator.bounds = calibrate([measure(aligned, logps) for aligned, logps in read])


def agree(forth: Translator, back: Translator, pairs: Pairs) -> None:
    """Let translators of both directions point where they agree with each other."""
    held = list(zip(pairs.sources, pairs.targets, strict=True))[:MOST_JUDGED]
    there = [_texts(forth, source, target) for source, target in held]
    again = [_texts(back, target, source) for source, target in held]
    forth.pointer, back.pointer = choose_both(
        there, again, reread_texts(forth.model, there), reread_texts(back.model, again)
    )


def _point(translator: Translator, prepared: Prepared, held_out: Pairs) -> Pointer:
    """The look that agrees best with a dictionary, learnt from training pairs and these."""
    held = list(zip(held_out.sources, held_out.targets, strict=True))[:MOST_JUDGED]
    read = (*held, *_read_before(prepared, translator))
    silver = silver_links([(_lowered(source), _lowered(target)) for source, target in read])
    pairs = [_texts(translator, source, target) for source, target in held]
    return choose(pairs, reread_texts(translator.model, pairs), silver[: len(held)])


def _texts(translator: Translator, source: str, target: str) -> tuple[Text, Text]:
    return Text.read(translator.tokenizer, source), Text.read(translator.tokenizer, target)


def _lowered(text: str) -> list[str]:
    return [text[start:end].lower() for start, end in words(text)]


def _read_before(prepared: Prepared, translator: Translator) -> Iterator[tuple[str, str]]:
    """Training pairs, from all shards alike."""
    shards = prepared.shards("train")
    each = -(-MOST_READ // len(shards))
    for shard in shards:
        opened = shard.open()
        for i in range(0, shard.pairs, -(-shard.pairs // each)):
            source, target = opened.pair(i)
            decode = translator.tokenizer.decode
            yield decode(source.tolist()), decode(target.tolist())
