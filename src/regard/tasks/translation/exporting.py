"""What `regard export` does: a sealed model for another engine, and how near it comes to ours."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from regard.bundle.bundle import add_files, open_bundle
from regard.errors import ArtifactError, ConfigError
from regard.evaluate.scores import score_corpus
from regard.inference.ctranslate2_engine import CTranslate2Engine
from regard.inference.forced_decoding import force_decode
from regard.interop.ctranslate2_export import Quantization, convert_to_ctranslate2
from regard.interop.ctranslate2_limits import export_obstacles
from regard.tasks.bundles import bundle_config
from regard.tasks.translation.translator import EXPORTS, Translator, load_translator
from regard.text.tokenizer import UNK

PARITY = "parity.json"
DRAWN, LONG = 32, 20  # sequences of pieces that are read by both, and how many pieces each has
TOLERANCE = 1e-3  # of a log-probability in float32: sums in another order differ by some 1e-5


@dataclass(frozen=True, slots=True)
class BleuPair:
    ours: float
    exported: float


@dataclass(frozen=True, slots=True)
class ExportParity:
    """How near an exported model is to the one it was made from."""

    logps: float  # the largest difference of a token's, in sequences drawn from the vocabulary
    texts: int = 0  # that both translated
    same: float | None = None  # the share of them that came out the same, to the letter
    scores: float | None = None  # the largest difference of a score, where they did
    bleu: BleuPair | None = None  # where there are references


def export_bundle(
    path: Path,
    quantization: Quantization | None,
    sources: Sequence[str] = (),
    references: Sequence[str] | None = None,
) -> ExportParity:
    """Add the model to its bundle as CTranslate2 runs it, with a report of how near it comes."""
    bundle = open_bundle(path)
    if found := export_obstacles(bundle_config(bundle)):
        raise ConfigError(f"{path}: CTranslate2 cannot run it: {'; '.join(found)}")
    ours = load_translator(path, engine="torch", device="cpu")
    pieces = [ours.tokenizer.piece(token) for token in range(ours.tokenizer.size)]
    name = EXPORTS[quantization == "int8"]
    files = convert_to_ctranslate2(ours.model, pieces, quantization=quantization)
    parity = compare_engines(ours, CTranslate2Engine(files), sources, references)
    if quantization is None and parity.logps > TOLERANCE:
        raise ArtifactError(
            f"{path}: what CTranslate2 makes of it differs by {parity.logps:.2g} in the logarithm "
            "of a probability; nothing was written. Use the torch engine, and tell us of it"
        )
    files[PARITY] = json.dumps(asdict(parity), indent=1).encode()
    add_files(bundle, {f"{name}/{file}": content for file, content in files.items()})
    return parity


def compare_engines(
    ours: Translator,
    engine: CTranslate2Engine,
    sources: Sequence[str] = (),
    references: Sequence[str] | None = None,
) -> ExportParity:
    parity = ExportParity(_difference(ours, engine))
    if not sources:
        return parity
    theirs = Translator(ours.model, ours.tokenizer, ours.splitting, ours.options, engine=engine)
    one, other = ours.translate(sources), theirs.translate(sources)
    same = [(a, b) for a, b in zip(one, other, strict=True) if a.text == b.text]
    parity = replace(
        parity,
        texts=len(sources),
        same=len(same) / len(sources),
        scores=max((abs(a.score - b.score) for a, b in same), default=None),
    )
    if references is None:
        return parity
    bleus = [
        score_corpus([t.text for t in said], references).values["bleu"] for said in (one, other)
    ]
    return replace(parity, bleu=BleuPair(*bleus))


def _difference(ours: Translator, engine: CTranslate2Engine) -> float:
    """Of the log-probabilities of tokens in pairs that nobody would say: all that counts is read
    in both, embeddings, positions and every layer."""
    draws, words = random.Random(1), range(UNK + 1, ours.tokenizer.size)  # noqa: S311
    pairs = [(draws.choices(words, k=LONG), draws.choices(words, k=LONG)) for _ in range(DRAWN)]
    readings = force_decode(ours.model, pairs, ())
    forced = engine.force(*zip(*pairs, strict=True))
    return max(
        abs(one - other)
        for reading, logps in zip(readings, forced, strict=True)
        for one, other in zip(reading.logps, logps, strict=True)
    )
