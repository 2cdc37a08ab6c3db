"""Models of other toolkits: import them, and export to CTranslate2 and Hugging Face."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from regard.align.aligner_training import train_aligner
from regard.align.chunks import corpus_readers
from regard.align.tokenized_text import AlignmentHead
from regard.bundle.bundle import (
    CARD,
    DATA,
    RUN,
    SCORES,
    WEIGHTS,
    add_files,
    bundle_tokenizers,
    open_bundle,
    save_bundle,
)
from regard.bundle.card import CardFacts, write_card
from regard.bundle.parts import SkipInitialization, pack, replace_parameters
from regard.config.describe import model_sizes
from regard.config.load import dump_config
from regard.data import storage
from regard.data.formats.corpus import open_corpus
from regard.data.ownership import check_new
from regard.data.preparation.runner import InProcessRunner
from regard.errors import ArtifactError, ConfigError
from regard.evaluate.quality import calibrate_thresholds
from regard.evaluate.scores import score_corpus
from regard.inference.ctranslate2_engine import CTranslate2Engine
from regard.inference.engine import SearchOptions, Splitting
from regard.inference.forced_decoding import force_decode
from regard.interop.ctranslate2_export import Quantization, convert_to_ctranslate2, export_obstacles
from regard.interop.huggingface_export import convert_to_huggingface
from regard.interop.huggingface_import import read_huggingface
from regard.interop.imported_model import ImportedModel, PretrainedFolder
from regard.interop.marian_import import read_marian
from regard.tasks.bundles import bundle_config
from regard.tasks.translation.bundle_parts import (
    EXPORTS,
    SEARCH_FILE,
    ExportedSearch,
    ModelLanguages,
)
from regard.tasks.translation.loading import build_translation_model
from regard.tasks.translation.pairs import Pairs
from regard.tasks.translation.scoring import QUALITY_TEXTS, calibration_files, choose_head
from regard.tasks.translation.translator import Translator
from regard.text.sentences import SentenceSplitter
from regard.text.tagged_tokenizer import tagged_languages, tokenizer_files
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


# -- import a model of another toolkit as a bundle -------------------------------------------------


# Pretrained models have read single sentences; Bergamot splits those of more than 128 pieces.
SPLIT_ABOVE, MAX_LENGTH = 0, 128


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was imported, for the user."""

    origin: str
    kind: str
    parameters: int
    vocabulary: tuple[int, int]
    languages: tuple[str | None, str | None]
    targets: tuple[str, ...]  # all target languages, where known
    licence: str | None
    alignment: str
    calibrated: bool
    export: str


def read_pretrained(
    path: Path, languages: tuple[str | None, str | None] = (None, None)
) -> ImportedModel:
    """Read a model of Hugging Face MarianMT, Marian or Bergamot.

    Raises:
        ConfigError: The model has a setting that regard cannot represent.
        ArtifactError: A file is missing, damaged or hostile.
    """
    if not path.is_dir():
        raise ConfigError(f"{path}: is not a folder. Name the folder of a pretrained model.")
    folder = PretrainedFolder(path)
    if folder.find("config.json"):
        return read_huggingface(folder, languages)
    if folder.find("*.npz", "model*.bin"):
        return read_marian(folder, languages)
    raise ArtifactError(
        f"{path}: has no model that regard can import. It needs the config.json of a Hugging Face "
        "MarianMT model, or an .npz or .bin file of Marian."
    )


def import_pretrained(
    path: Path,
    out: Path,
    *,
    languages: tuple[str | None, str | None] = (None, None),
    sample: Sequence[str] = (),
) -> ImportReport:
    """Write the bundle of a pretrained model. Nothing is written if it cannot be represented.

    Args:
        path: The folder of the model.
        out: The folder of the bundle, new or empty.
        languages: Codes of source and target; by default those that the model names. The target
            selects one of several.
        sample: Source sentences. They choose the attention head that aligns words, unless the
            model has one, and calibrate quality warnings.
    """
    check_new(str(out), [str(path)])
    imported = read_pretrained(path, languages)
    translator = _make_translator(imported)
    if sample:
        first = next(iter(translator.languages.targets), None)
        bound = translator.for_target(first)
        _calibrate(bound, list(sample), imported.alignment_head)
        translator.alignment_head, translator.thresholds = bound.alignment_head, bound.thresholds
    run, head = imported.run, translator.alignment_head
    assert head is not None
    report = ImportReport(
        imported.origin,
        model_sizes(run),
        sum(weight.numel() for weight in imported.weights.values()),
        (imported.tokenizer.size, imported.target_tokenizer.size),
        (run.data.source_language, run.data.target_language),
        translator.languages.targets,
        imported.run.licence,
        head.summary,
        bool(sample),
        "; ".join(export_obstacles(run)) or "CTranslate2 can run it",
    )
    checksums = {
        name: hashlib.sha256((path / name).read_bytes()).hexdigest() for name in imported.files
    }
    files = {
        RUN: dump_config(run).encode(),
        WEIGHTS: pack(imported.weights),
        SCORES: b"{}",
        DATA: json.dumps({"origin": imported.origin, "files": checksums}, indent=1).encode(),
        CARD: write_card(_card(report, imported, checksums)).encode(),
        **tokenizer_files(imported.tokenizer, imported.target_tokenizer),
        **calibration_files(translator),
        **translator.languages.files(),
    }
    save_bundle(out, files)
    return report


def languages_of(imported: ImportedModel) -> ModelLanguages:
    """Return the languages of an imported model, where known."""
    source, target = imported.run.data.source_language, imported.run.data.target_language
    tagged = tagged_languages(imported.tokenizer)
    if target is None or (tagged and target not in tagged):
        return ModelLanguages(tuple((source, code) for code in sorted(tagged)))
    return ModelLanguages(((source, target),) if tagged or source is not None else ())


def _make_translator(imported: ImportedModel) -> Translator:
    run = imported.run
    sizes = imported.tokenizer.size, imported.target_tokenizer.size
    with torch.device("meta"), SkipInitialization():
        model = build_translation_model(run, *sizes)
    replace_parameters(model, imported.weights)
    layers = len(model.decoder.cross_attentions)
    # Chen et al. 2020, 4.1: a middle layer aligns best, when the word is the input.
    middle = f"decoder.{model.decoder.cross_attentions[(layers - 1) // 2]}"
    head = imported.alignment_head or AlignmentHead(middle, None, 1, null=True)
    return Translator(
        model.eval(),
        imported.tokenizer,
        Splitting(SPLIT_ABOVE, MAX_LENGTH, SentenceSplitter.of(run.data.source_language)),
        SearchOptions(run.search.beam_size, run.search.length_penalty),
        alignment_head=head,
        target_tokenizer=imported.target_tokenizer,
        languages=languages_of(imported),
    )


def _calibrate(translator: Translator, sources: list[str], guided: AlignmentHead | None) -> None:
    """Choose the alignment head, by an aligner of the sources and their translations."""
    sources = [text for text in sources if text.strip()][:QUALITY_TEXTS]
    if guided is None:
        targets = [" ".join(result.text.split()) for result in translator.translate(sources)]
        with TemporaryDirectory() as folder:
            texts = [Path(folder) / name for name in ("sources", "targets")]
            for file, lines in zip(texts, (sources, targets), strict=True):
                file.write_text("".join(f"{' '.join(line.split())}\n" for line in lines), "utf-8")
            corpus = open_corpus(*map(str, texts))
            work, runner = f"{folder}/work", InProcessRunner()
            aligner = train_aligner(corpus_readers(corpus, work, runner), work, runner)
        pairs = Pairs(tuple(sources), tuple(targets))
        translator.alignment_head = choose_head(translator, aligner, pairs, None)
    translator.thresholds = calibrate_thresholds(translator.measure_quality(sources))


def _card(report: ImportReport, imported: ImportedModel, checksums: dict[str, str]) -> CardFacts:
    search = imported.run.search
    return CardFacts(
        name="An imported model",
        description=imported.run.description,
        kind=report.kind,
        parameters=report.parameters,
        vocabulary=f"{report.vocabulary[0]:,} source and {report.vocabulary[1]:,} target pieces",
        tokenizer=imported.tokenizer.fingerprint,
        corpora=(),
        training={},
        scores=(),
        scored_on="held-out pairs",
        search=f"beam {search.beam_size}, scores divided by length^{search.length_penalty:g}",
        export=report.export,
        languages=languages_of(imported).pairs,
        alignment=report.alignment,
        origin={
            "format": imported.origin,
            "licence": imported.run.licence or "unknown: the files do not name it",
            **{name: f"SHA-256 `{digest}`" for name, digest in checksums.items()},
        },
        licence=imported.run.licence,
    )
