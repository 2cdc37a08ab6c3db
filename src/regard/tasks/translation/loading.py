"""Load the parts of a translation bundle: model, calibration and search engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from regard.align.extraction import AlignmentHead, has_alignment_head
from regard.align.word_aligner import ALIGNER_FILE, WordAligner
from regard.batch import Tokens
from regard.bundle.bundle import Bundle
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig
from regard.errors import ArtifactError, ConfigError
from regard.inference.engine import Engine, EngineName
from regard.inference.torch_engine import TorchEngine
from regard.models import EncoderDecoder
from regard.tasks.bundles import bundle_config, bundle_model, bundle_tokenizer
from regard.text.tokenizer import Tokenizer

EXPORTS: tuple[EngineName, ...] = ("ctranslate2", "ctranslate2-int8")
"""The folders of a bundle with an exported model; the first is preferred."""

SPLIT_FILE, ALIGNMENT_FILE, QUALITY_FILE = "splitting.json", "alignment.json", "quality.json"


def build_translation_model(config: RunConfig, vocabulary: int) -> EncoderDecoder[Tokens, Any]:
    """Build the untrained model of a run. Raises ConfigError if it does not translate."""
    model = config.model
    if model.kind != "encoder-decoder" or model.reads != "sentences":
        raise ConfigError(
            f"model: kind {model.kind} reading {model.reads} does not translate. "
            "Choose an encoder-decoder over sentences."
        )
    return model.build(VocabularySizes(vocabulary, vocabulary))


def load_model(
    bundle: Bundle, config: RunConfig, vocabulary: int, device: str | None
) -> EncoderDecoder[Tokens, Any]:
    return bundle_model(bundle, lambda: build_translation_model(config, vocabulary), device)


def load_ensemble_model(
    bundle: Bundle, first: Bundle, tokenizer: Tokenizer, device: str | None
) -> EncoderDecoder[Tokens, Any]:
    """Load a further model of an ensemble."""
    if bundle_tokenizer(bundle).fingerprint != tokenizer.fingerprint:
        raise ArtifactError(
            f"{bundle.path}: has another vocabulary than {first.path}. "
            "The models of an ensemble must share one tokenizer."
        )
    return load_model(bundle, bundle_config(bundle), tokenizer.size, device)


def read_alignment_head(bundle: Bundle, model: EncoderDecoder[Tokens, Any]) -> AlignmentHead | None:
    if ALIGNMENT_FILE not in bundle.names:
        return None
    head = bundle.value(ALIGNMENT_FILE, AlignmentHead)
    if not has_alignment_head(model, head):
        raise ArtifactError(f"{bundle.path / ALIGNMENT_FILE}: the model does not have {head}.")
    return head


def read_aligner(bundle: Bundle) -> WordAligner | None:
    if ALIGNER_FILE not in bundle.names:
        return None
    return WordAligner.from_bytes(bundle.read(ALIGNER_FILE), str(bundle.path / ALIGNER_FILE))


def ensemble_engine(
    model: EncoderDecoder[Tokens, Any],
    others: Sequence[EncoderDecoder[Tokens, Any]],
    name: EngineName,
) -> TorchEngine:
    if name not in ("auto", "torch", "invariant"):
        raise ConfigError(f"engine: {name} cannot run an ensemble. Use `--engine torch`.")
    return TorchEngine(model, ensemble=others, invariant=name == "invariant")


def make_engine(bundle: Bundle, model: EncoderDecoder[Tokens, Any], name: EngineName) -> Engine:
    exported = [folder for folder in EXPORTS if f"{folder}/model.bin" in bundle.names]
    if name == "auto":
        name = exported[0] if exported else "torch"
    if name in ("torch", "invariant"):
        return TorchEngine(model, invariant=name == "invariant")
    if name not in exported:
        raise ArtifactError(
            f"{bundle.path}: has no {name} model. "
            f"Run `regard export {bundle.path} --to ctranslate2`."
        )
    from regard.inference.ctranslate2_engine import CTranslate2Engine

    names = [file for file in bundle.names if file.startswith(f"{name}/")]
    files = {file.removeprefix(f"{name}/"): bundle.read(file) for file in names}
    return CTranslate2Engine(files, max_positions=model.decoder.max_positions)
