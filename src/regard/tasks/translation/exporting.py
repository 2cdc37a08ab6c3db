"""What `regard export` does: a sealed model for another engine, and how near it comes to ours."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from regard.bundle.bundle import add, unseal
from regard.engine.convert import Quantization, convert
from regard.engine.ctranslate2 import CTranslate2Engine
from regard.errors import ArtefactError, SpecError
from regard.evaluate.scores import score
from regard.explain.reread import reread
from regard.spec.export import obstacles
from regard.tasks.sealed import sealed_run
from regard.tasks.translation.translator import EXPORTS, Translator, load
from regard.text.tokenizer import UNK

PARITY = "parity.json"
DRAWN, LONG = 32, 20  # sequences of pieces that are read by both, and how many pieces each has
TOLERANCE = 1e-3  # of a log-probability in float32: sums in another order differ by some 1e-5


@dataclass(frozen=True, slots=True)
class Bleu:
    ours: float
    exported: float


@dataclass(frozen=True, slots=True)
class Parity:
    """How near an exported model is to the one it was made from."""

    logps: float  # the largest difference of a token's, in sequences drawn from the vocabulary
    texts: int = 0  # that both translated
    same: float | None = None  # the share of them that came out the same, to the letter
    scores: float | None = None  # the largest difference of a score, where they did
    bleu: Bleu | None = None  # where there are references


def export(
    path: Path,
    quantization: Quantization | None,
    sources: Sequence[str] = (),
    references: Sequence[str] | None = None,
) -> Parity:
    """Add the model to its bundle as CTranslate2 runs it, with a report of how near it comes."""
    bundle = unseal(path)
    if found := obstacles(sealed_run(bundle)):
        raise SpecError(f"{path}: CTranslate2 cannot run it: {'; '.join(found)}")
    ours = load(path, engine="torch", device="cpu")
    pieces = [ours.tokenizer.piece(token) for token in range(ours.tokenizer.size)]
    name = EXPORTS[quantization == "int8"]
    files = convert(ours.model, pieces, quantization=quantization)
    parity = compare(ours, CTranslate2Engine(files), sources, references)
    if quantization is None and parity.logps > TOLERANCE:
        raise ArtefactError(
            f"{path}: what CTranslate2 makes of it differs by {parity.logps:.2g} in the logarithm "
            "of a probability; nothing was written. Use the torch engine, and tell us of it"
        )
    files[PARITY] = json.dumps(asdict(parity), indent=1).encode()
    add(bundle, {f"{name}/{file}": content for file, content in files.items()})
    return parity


def compare(
    ours: Translator,
    engine: CTranslate2Engine,
    sources: Sequence[str] = (),
    references: Sequence[str] | None = None,
) -> Parity:
    parity = Parity(_difference(ours, engine))
    if not sources:
        return parity
    theirs = Translator(ours.model, ours.tokenizer, ours.splitting, ours.how, engine=engine)
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
    bleus = [score([t.text for t in said], references).values["bleu"] for said in (one, other)]
    return replace(parity, bleu=Bleu(*bleus))


def _difference(ours: Translator, engine: CTranslate2Engine) -> float:
    """Of the log-probabilities of tokens in pairs that nobody would say: all that counts is read
    in both, embeddings, positions and every layer."""
    draws, words = random.Random(1), range(UNK + 1, ours.tokenizer.size)  # noqa: S311
    pairs = [(draws.choices(words, k=LONG), draws.choices(words, k=LONG)) for _ in range(DRAWN)]
    readings = reread(ours.model, pairs, ())
    forced = engine.force(*zip(*pairs, strict=True))
    return max(
        abs(one - other)
        for reading, logps in zip(readings, forced, strict=True)
        for one, other in zip(reading.logps, logps, strict=True)
    )
