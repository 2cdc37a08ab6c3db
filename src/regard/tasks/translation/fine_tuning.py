"""Compare a fine-tuned translation model with the model that it started from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from regard.bundle.bundle import Bundle, open_bundle
from regard.data import storage
from regard.evaluate.before_after import ScoreChange, measure_change
from regard.tasks.translation.pairs import Pairs
from regard.tasks.translation.translator import Translator

COMPARISON_FILE = "comparison.json"


def compare_with_parent(
    parent: Bundle, model: Path, sets: Mapping[str, Pairs]
) -> list[ScoreChange]:
    """Translate each set with the model before and after fine-tuning, and score both."""
    bundles = (parent, open_bundle(model))
    translated = []
    for bundle in bundles:
        translator = Translator.from_bundle(bundle, engine="torch")
        translated.append({name: _translate(translator, pairs) for name, pairs in sets.items()})
    baseline, candidate = translated
    return [
        measure_change(name, pairs.targets, baseline[name], candidate[name])
        for name, pairs in sets.items()
    ]


def _translate(translator: Translator, pairs: Pairs) -> list[str]:
    """Translate the sources, each into the language of its target."""
    translations = {
        languages: iter(translator.translate(group.sources, to=languages and languages[1]))
        for languages, group in pairs.by_languages().items()
    }
    named = pairs.languages or (None,) * len(pairs.sources)
    return [next(translations[languages]).text for languages in named]


def write_comparison(folder: Path, changes: list[ScoreChange]) -> None:
    """Write the scores to `comparison.json` in a run directory."""
    text = json.dumps([asdict(change) for change in changes], indent=1)
    storage.write_bytes(str(folder / COMPARISON_FILE), text.encode())
