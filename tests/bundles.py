"""Small sealed models that have learnt nothing, made in a moment."""

from __future__ import annotations

from pathlib import Path

import torch

from regard.align.extraction import AlignmentHead
from regard.bundle.bundle import RUN, save_bundle
from regard.config.load import dump_config
from regard.evaluate.quality import calibrate_thresholds, measure_features
from regard.inference.engine import SearchOptions
from regard.inference.forced_decoding import cross_attention_names
from regard.inference.pipeline import Splitting
from regard.tasks.translation.translator import (
    Translator,
    build_translation_model,
    calibration_files,
)
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, SentencePiece
from tests.tiny_models import tiny_run

LINES = ["A dog runs.", "Two cats run away.", "A man sees a dog.", "A cat sees two men.", "Go!"]


def sealed(preset: str, path: Path, *, splitting: Splitting | None = None) -> Path:
    """A model of `preset` whose choices differ, in the folder `path`."""
    torch.manual_seed(0)
    run, pieces = tiny_run(preset), SentencePiece.train(LINES, size=300)
    model = build_translation_model(run, pieces.size).eval()
    with torch.no_grad():
        model.readout.weight.mul_(10)
        model.readout.bias[2] += 2  # some come to an end
    translator = Translator(model, pieces, splitting or Splitting(50, 100), SearchOptions(3))
    if looks := cross_attention_names(model):
        translator.alignment_head = AlignmentHead(looks[0], 0, 0, null=False)
        outputs = [found.text for found in translator.translate(LINES)]
        read = translator.force_decode(LINES, outputs)
        translator.thresholds = calibrate_thresholds(
            [measure_features(aligned, logps) for aligned, logps in read]
        )
    pieces.save(path.with_name("pieces"))
    files = {
        name: (path.with_name("pieces") / name).read_bytes() for name in (MODEL_FILE, SETTINGS_FILE)
    }
    files |= {RUN: dump_config(run).encode()} | calibration_files(translator)
    save_bundle(path, files, dict(model.named_parameters()))
    return path
