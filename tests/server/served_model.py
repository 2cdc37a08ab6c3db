"""A served model without an engine, for tests of what happens before and after the engines."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from regard.inference.engine import Splitting
from regard.serve.models import ServedModel
from regard.tasks.translation.bundle_parts import ModelLanguages
from regard.text.tokenizer import SentencePiece
from tests.bundles import LINES


@cache
def pieces() -> SentencePiece:
    return SentencePiece.train(LINES, size=300)


def served_model(name: str = "en-de", **changes: Any) -> ServedModel:
    values: dict[str, Any] = {
        "slot": 0,
        "path": Path("model"),
        "version": "1",
        "tokenizer": pieces(),
        "target_tokenizer": pieces(),
        "splitting": Splitting(40, 60),
        "engine": "torch",
        "beam_size": 5,
        "length_penalty": 1.0,
        "aligns": True,
        "assesses_quality": True,
        "bundled": ModelLanguages(),
    }
    return ServedModel(name, **values | changes)
