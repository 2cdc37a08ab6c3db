"""Sentence pairs to validate, calibrate and compare models on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import compress
from pathlib import Path

from regard.bundle.bundle import Bundle, open_bundle
from regard.config.data import DataConfig
from regard.data import storage
from regard.data.formats.corpus import Corpus, read_blocks
from regard.data.loading.shards import PreparedData
from regard.evaluate.compare import ScoreChange, measure_change
from regard.tasks.base import corpus_name, valid_name
from regard.tasks.translation.translator import Translator

MAX_VALIDATION_PAIRS = 2_000  # enough to rank models, few enough to translate every time

Languages = tuple[str, str]
"""Codes of source and target."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Raw sentences and their translations; `languages`: those of each pair, or ()."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    languages: tuple[Languages, ...] = ()

    def select(self, chosen: Iterable[bool]) -> Pairs:
        """Return the pairs whose value in `chosen` is true."""
        rows = list(chosen)
        sources, targets = (tuple(compress(side, rows)) for side in (self.sources, self.targets))
        return Pairs(sources, targets, tuple(compress(self.languages, rows)))

    def by_languages(self) -> dict[Languages | None, Pairs]:
        """Return the pairs of each pair of languages; all of them, by None, if it is unknown."""
        if not self.languages:
            return {None: self}
        return {
            languages: self.select(pair_languages == languages for pair_languages in self.languages)
            for languages in dict.fromkeys(self.languages)
        }

    def first(self, count: int) -> Pairs:
        """Return the first `count` pairs, equally many of each pair of languages."""
        groups = list(self.by_languages().values())
        group_size = -(-count // max(1, len(groups)))
        return _joined([group._slice(slice(group_size)) for group in groups])

    def at_most(self, count: int) -> Pairs:
        """Return at most `count` pairs, at regular distances."""
        return self._slice(slice(None, None, max(1, -(-len(self.sources) // count))))

    def _slice(self, rows: slice) -> Pairs:
        return Pairs(self.sources[rows], self.targets[rows], self.languages[rows])


def read_all_pairs(corpus: Corpus, languages: Languages | None = None) -> Pairs:
    """Read the raw pairs of a corpus that have a source and a target."""
    pairs = [
        pair
        for block in read_blocks(corpus, 1 << 12)
        for pair in block.pairs()
        if pair.source.strip() and pair.target.strip()
    ]
    named = () if languages is None else (languages,) * len(pairs)
    return Pairs(tuple(p.source for p in pairs), tuple(p.target for p in pairs), named)


def read_valid(data: DataConfig) -> Pairs:
    """Read the raw pairs of the validation corpora, at most MAX_VALIDATION_PAIRS."""
    corpora = [
        read_all_pairs(corpus.build(valid_name(i)), corpus.languages)
        for i, corpus in enumerate(data.valid)
    ]
    return _joined(corpora).at_most(MAX_VALIDATION_PAIRS)


def held_out_pairs(prepared: PreparedData, data: DataConfig) -> Pairs:
    """Return the normalized texts of pairs held out from training, at most MAX_VALIDATION_PAIRS."""
    languages = {corpus_name(i): corpus.languages for i, corpus in enumerate(data.train)}
    parts = []
    for shard in prepared.shards("valid"):
        sources, targets = shard.read_texts("source"), shard.read_texts("target")
        named = languages.get(shard.corpus)
        parts.append(Pairs(sources, targets, () if named is None else (named,) * len(sources)))
    return _joined(parts).at_most(MAX_VALIDATION_PAIRS)


def _joined(parts: Sequence[Pairs]) -> Pairs:
    sources, targets, languages = (
        tuple(value for part in parts for value in getattr(part, name))
        for name in ("sources", "targets", "languages")
    )
    return Pairs(sources, targets, languages)


# -- compare a fine-tuned translation model with the model that it started from --------------------


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
