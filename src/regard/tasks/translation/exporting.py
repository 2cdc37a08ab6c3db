"""Export a model to CTranslate2, with a comparison of both engines, or to Hugging Face."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from regard.bundle.bundle import add_files, open_bundle
from regard.bundle.tokenizer import bundle_tokenizers
from regard.data import storage
from regard.data.ownership import check_new
from regard.errors import ArtifactError, ConfigError
from regard.evaluate.scores import score_corpus
from regard.inference.ctranslate2_engine import CTranslate2Engine
from regard.inference.forced_decoding import force_decode
from regard.interop.ctranslate2_export import Quantization, convert_to_ctranslate2
from regard.interop.ctranslate2_limits import export_obstacles
from regard.interop.huggingface_export import convert_to_huggingface
from regard.tasks.bundles import bundle_config
from regard.tasks.translation.bundle_parts import EXPORTS, SEARCH_FILE, ExportedSearch
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import UNK

PARITY = "parity.json"
SEQUENCES, LENGTH = 32, 20  # random sequences that both score, and the pieces of each
TOLERANCE = 1e-3  # of a log-probability in float32; another order of sums differs by some 1e-5


@dataclass(frozen=True, slots=True)
class BleuPair:
    """BLEU of the PyTorch model and of the exported model."""

    torch: float
    exported: float


@dataclass(frozen=True, slots=True)
class ExportParity:
    """Differences between a model and its export."""

    logps: float  # largest difference of a token's log-probability in random sequences
    texts: int = 0  # number of texts that both translated
    same: float | None = None  # share of identical translations
    scores: float | None = None  # largest difference of the scores of identical translations
    bleu: BleuPair | None = None  # if there are references


def export_bundle(
    path: Path,
    quantization: Quantization | None,
    sources: Sequence[str] = (),
    references: Sequence[str] | None = None,
    to: str | None = None,
) -> ExportParity:
    """Add a CTranslate2 model to a bundle, with a report of its differences.

    `to`: code of the language of `references`, of a model with several.

    Raises ConfigError if CTranslate2 cannot run the model, and ArtifactError if its results differ.
    """
    bundle = open_bundle(path)
    if obstacles := export_obstacles(bundle_config(bundle, "translation model")):
        raise ConfigError(f"{path}: CTranslate2 cannot run the model: {'; '.join(obstacles)}")
    translator = Translator.load(path, engine="torch", device="cpu")
    pieces = [
        [tokenizer.piece(token) for token in range(tokenizer.size)]
        for tokenizer in (translator.tokenizer, translator.target_tokenizer)
    ]
    name = EXPORTS[quantization == "int8"]
    files = convert_to_ctranslate2(translator.model, *pieces, quantization=quantization)
    options, max_positions = translator.options, translator.model.decoder.max_positions
    engine = CTranslate2Engine(files, max_positions=max_positions)
    compared = translator.for_target(to) if sources else translator
    parity = compare_engines(compared, engine, sources, references)
    if quantization is None and parity.logps > TOLERANCE:
        raise ArtifactError(
            f"{path}: log-probabilities of the exported model differ by {parity.logps:.2g}. "
            "Nothing was written. Use the torch engine and report this as a bug."
        )
    search = ExportedSearch(options.beam_size, options.length_penalty, max_positions)
    files[SEARCH_FILE] = json.dumps(asdict(search), indent=1).encode()
    files[PARITY] = json.dumps(asdict(parity), indent=1).encode()
    add_files(bundle, {f"{name}/{file}": content for file, content in files.items()})
    return parity


def export_huggingface(path: Path, out: Path) -> list[str]:
    """Write a Hugging Face MarianMT folder of a bundle; return the names of its files.

    Raises ConfigError if MarianMT cannot represent the model, before anything is written.
    """
    bundle = open_bundle(path)
    check_new(str(out), [str(bundle.path)])
    model = Translator.load(path, engine="torch", device="cpu").model
    files = convert_to_huggingface(bundle_config(bundle), model, *bundle_tokenizers(bundle))
    for name, data in files.items():
        storage.write_bytes(str(out / name), data)
    return sorted(files)


def compare_engines(
    translator: Translator,
    engine: CTranslate2Engine,
    sources: Sequence[str] = (),
    references: Sequence[str] | None = None,
) -> ExportParity:
    """Compare an exported model with the translator's own model."""
    parity = ExportParity(_logp_difference(translator, engine))
    if not sources:
        return parity
    exported = Translator(
        translator.model,
        translator.tokenizer,
        translator.splitting,
        translator.options,
        engine=engine,
        target_tokenizer=translator.target_tokenizer,
    )
    results, exported_results = translator.translate(sources), exported.translate(sources)
    same = [
        (result, exported_result)
        for result, exported_result in zip(results, exported_results, strict=True)
        if result.text == exported_result.text
    ]
    parity = replace(
        parity,
        texts=len(sources),
        same=len(same) / len(sources),
        scores=max(
            (abs(result.score - exported_result.score) for result, exported_result in same),
            default=None,
        ),
    )
    if references is None:
        return parity
    bleu = [
        score_corpus([result.text for result in outputs], references).values["bleu"]
        for outputs in (results, exported_results)
    ]
    return replace(parity, bleu=BleuPair(*bleu))


def _logp_difference(translator: Translator, engine: CTranslate2Engine) -> float:
    """Return the largest difference of a token's log-probability in random pairs of sequences.

    Random sequences use all embeddings, positions and layers.
    """
    draws = random.Random(1)  # noqa: S311
    sources, targets = (
        range(UNK + 1, tokenizer.size)
        for tokenizer in (translator.tokenizer, translator.target_tokenizer)
    )
    pairs = [
        (draws.choices(sources, k=LENGTH), draws.choices(targets, k=LENGTH))
        for _ in range(SEQUENCES)
    ]
    forced = force_decode(translator.model, pairs, ())
    exported = engine.force(*zip(*pairs, strict=True))
    return max(
        abs(logp - exported_logp)
        for decoding, logps in zip(forced, exported, strict=True)
        for logp, exported_logp in zip(decoding.logps, logps, strict=True)
    )
