"""Small untrained model bundles."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

from regard.align.tokenized_text import AlignmentHead
from regard.bundle.bundle import RUN, WEIGHTS, save_bundle
from regard.bundle.parts import pack
from regard.config.load import dump_config
from regard.config.run import RunConfig
from regard.evaluate.quality import calibrate_thresholds
from regard.inference.engine import SearchOptions, Splitting
from regard.inference.forced_decoding import cross_attention_names
from regard.tasks.classification.document_classifier import CLASSES, build_classification_model
from regard.tasks.language.completer import build_language_model
from regard.tasks.translation.bundle_parts import ModelLanguages
from regard.tasks.translation.loading import build_translation_model
from regard.tasks.translation.scoring import calibration_files
from regard.tasks.translation.translator import Translator
from regard.text.tagged_tokenizer import language_tag
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, SentencePiece
from tests.tiny_models import tiny_run

Files = dict[str, bytes]
LINES = ["A dog runs.", "Two cats run away.", "A man sees a dog.", "A cat sees two men.", "Go!"]


def make_bundle(
    preset: str,
    path: Path,
    *,
    splitting: Splitting | None = None,
    seed: int = 0,
    lines: Sequence[str] = LINES,
    pairs: Sequence[tuple[str, str]] = (),
) -> Path:
    """Save a small model of `preset` to `path`; its translations of different texts differ.

    `pairs`: the languages of a model with several target languages.
    """
    torch.manual_seed(seed)
    languages = ModelLanguages(tuple(pairs))
    tags = [language_tag(target) for target in languages.targets]
    config, tokenizer = tiny_run(preset), SentencePiece.train(lines, size=300, tags=tags)
    model = build_translation_model(config, tokenizer.size).eval()
    with torch.no_grad():
        model.readout.weight.mul_(10)
        model.readout.bias[2] += 2  # so that some translations end
    translator = Translator(model, tokenizer, splitting or Splitting(50, 100), SearchOptions(3))
    if names := cross_attention_names(model):
        translator.alignment_head = AlignmentHead(names[0], 0, 0, null=False)
        translator.thresholds = calibrate_thresholds(translator.measure_quality(LINES))
    files = {**calibration_files(translator), **languages.files()}
    return _save(path, config, tokenizer, model, files)


def make_language_bundle(path: Path) -> Path:
    """Save a small language model to `path`."""
    config, tokenizer = tiny_run("lm-transformer"), SentencePiece.train(LINES, size=300)
    return _save(path, config, tokenizer, build_language_model(config, tokenizer.size), {})


def make_classifier_bundle(path: Path, labels: tuple[str, str] = ("dog\tbreed", "cat")) -> Path:
    """Save a small document classifier to `path`."""
    config, tokenizer = tiny_run("han"), SentencePiece.train(LINES, size=300)
    model = build_classification_model(config, tokenizer.size, 2)
    classes = json.dumps({"names": labels}).encode()
    return _save(path, config, tokenizer, model, {CLASSES: classes})


def _save(
    path: Path, config: RunConfig, tokenizer: SentencePiece, model: nn.Module, files: Files
) -> Path:
    pieces = path.with_name("pieces")
    tokenizer.save(pieces)
    files = {name: (pieces / name).read_bytes() for name in (MODEL_FILE, SETTINGS_FILE)} | files
    files |= {RUN: dump_config(config).encode(), WEIGHTS: pack(dict(model.named_parameters()))}
    save_bundle(path, files)
    return path
