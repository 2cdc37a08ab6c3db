"""Calibrate a trained translation model before it is saved.

Choose the attention head that aligns words, unless training has chosen it, and the thresholds of
quality warnings. Both use held-out pairs, without manual alignments.
"""

from __future__ import annotations

import json
from dataclasses import asdict

from regard.align.alignment_head import AlignmentHead
from regard.align.extraction import choose_alignment_head, force_texts, measure_agreement
from regard.align.tokenized_text import TokenizedText
from regard.align.word_aligner import ALIGNER_FILE, WordAligner
from regard.align.word_alignment import align_texts
from regard.evaluate.quality import calibrate_thresholds
from regard.inference.forced_decoding import cross_attention_names
from regard.tasks.translation.bundle_parts import ALIGNMENT_FILE, QUALITY_FILE, SPLIT_FILE
from regard.tasks.translation.pairs import Pairs
from regard.tasks.translation.translator import Translator

HEAD_PAIRS = 200  # held-out pairs by which the alignment head is chosen
QUALITY_TEXTS = 1_000  # held-out sources; 3 % of them, which set the threshold, are thirty


def calibrate(translator: Translator, held_out: Pairs, guided: AlignmentHead | None = None) -> None:
    """Set the translator's alignment head and the thresholds of quality warnings.

    The alignment head is `guided`, the head that was trained on word links, or else the attention
    that agrees best with the word aligner. Without an aligner or without attention there is none.
    """
    translator.alignment_head = guided
    if translator.aligner is not None and cross_attention_names(translator.model):
        translator.alignment_head = choose_head(translator, translator.aligner, held_out, guided)
    if translator.aligner is not None or translator.alignment_head is not None:
        measured = [
            features
            for languages, pairs in held_out.first(QUALITY_TEXTS).by_languages().items()
            for features in translator.for_target(languages and languages[1]).measure_quality(
                pairs.sources
            )
        ]
        translator.thresholds = calibrate_thresholds(measured)


def choose_head(
    translator: Translator, aligner: WordAligner, held_out: Pairs, guided: AlignmentHead | None
) -> AlignmentHead:
    """Return the head that agrees best with the aligner, or `guided` with its agreement."""
    pairs = [
        _tokenized(translator.for_target(languages and languages[1]), source, target)
        for languages, pairs in held_out.first(HEAD_PAIRS).by_languages().items()
        for source, target in zip(pairs.sources, pairs.targets, strict=True)
    ]
    links = [alignment.links for alignment in align_texts(aligner, pairs)]
    if guided is not None:
        forced = force_texts(translator.model, pairs, [guided.attention])
        return measure_agreement(guided, pairs, forced, links)
    return choose_alignment_head(pairs, force_texts(translator.model, pairs), links)


def _tokenized(
    translator: Translator, source: str, target: str
) -> tuple[TokenizedText, TokenizedText]:
    return (
        TokenizedText.from_text(translator.tokenizer, source),
        TokenizedText.from_text(translator.target_tokenizer, target),
    )


def calibration_files(translator: Translator) -> dict[str, bytes]:
    """Return the bundle files with the translator's splitting and calibration."""
    values = {
        SPLIT_FILE: translator.splitting,
        ALIGNMENT_FILE: translator.alignment_head,
        QUALITY_FILE: translator.thresholds,
    }
    files = {
        name: json.dumps(asdict(value), indent=1).encode()
        for name, value in values.items()
        if value is not None
    }
    if translator.aligner is not None:
        files[ALIGNER_FILE] = translator.aligner.to_bytes()
    return files
