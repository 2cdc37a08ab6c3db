"""Small sealed models that have learnt nothing, made in a moment."""

from __future__ import annotations

from pathlib import Path

import torch

from regard.bundle.bundle import RUN, seal
from regard.engine.engine import Decoding
from regard.engine.texts import Splitting
from regard.explain.alarm import calibrate, measure
from regard.explain.align import Pointer
from regard.explain.reread import looks_at_source
from regard.spec.read import write_run
from regard.tasks.translation.translator import Translator, build_model, facts
from regard.text.tokenizer import MODEL_FILE, SETTINGS_FILE, SentencePiece
from tests.tiny import tiny_run

LINES = ["A dog runs.", "Two cats run away.", "A man sees a dog.", "A cat sees two men.", "Go!"]


def sealed(preset: str, path: Path, *, splitting: Splitting | None = None) -> Path:
    """A model of `preset` whose choices differ, in the folder `path`."""
    torch.manual_seed(0)
    run, pieces = tiny_run(preset), SentencePiece.train(LINES, size=300)
    model = build_model(run, pieces.size).eval()
    with torch.no_grad():
        model.readout.weight.mul_(10)
        model.readout.bias[2] += 2  # some come to an end
    translator = Translator(model, pieces, splitting or Splitting(50, 100), Decoding(3))
    if looks := looks_at_source(model):
        translator.pointer = Pointer(looks[0], 0, 0, null=False)
        outputs = [found.text for found in translator.translate(LINES)]
        read = translator.reread(LINES, outputs)
        translator.bounds = calibrate([measure(aligned, logps) for aligned, logps in read])
    pieces.save(path.with_name("pieces"))
    files = {
        name: (path.with_name("pieces") / name).read_bytes() for name in (MODEL_FILE, SETTINGS_FILE)
    }
    files |= {RUN: write_run(run).encode()} | facts(translator)
    seal(path, files, dict(model.named_parameters()))
    return path
