"""Load the PyTorch model of a translation bundle and make its search engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from regard.align.extraction import has_alignment_head
from regard.batch import Tokens
from regard.bundle.bundle import Bundle, bundle_tokenizers
from regard.config.model import VocabularySizes
from regard.config.run import RunConfig
from regard.errors import ArtifactError, ConfigError
from regard.explain.record import ModelIdentity
from regard.inference.engine import EngineName, SearchOptions
from regard.inference.torch_engine import TorchEngine
from regard.models import EncoderDecoder
from regard.tasks.bundles import bundle_config, bundle_identity, bundle_model
from regard.tasks.translation.bundle_parts import ALIGNMENT_FILE, read_alignment_head
from regard.text.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class TranslationModel:
    """A model with its config and the description that its explanations include."""

    config: RunConfig
    model: EncoderDecoder[Tokens, Any]
    identity: ModelIdentity


def build_translation_model(
    config: RunConfig, vocabulary: int, target_vocabulary: int | None = None
) -> EncoderDecoder[Tokens, Any]:
    """Build the untrained model of a run. Raises ConfigError if it does not translate.

    `target_vocabulary`: the number of target tokens; by default that of source tokens.
    """
    model = config.model
    if model.kind != "encoder-decoder" or model.reads != "sentences":
        raise ConfigError(
            f"model: kind {model.kind} reading {model.reads} does not translate. "
            "Choose an encoder-decoder over sentences."
        )
    return model.build(VocabularySizes(vocabulary, target_vocabulary or vocabulary))


def load_translation_model(
    bundle: Bundle, vocabulary: tuple[int, int], device: str | None
) -> TranslationModel:
    """Load the model of a bundle. Raises ArtifactError if it lacks the bundle's alignment head."""
    config = bundle_config(bundle, "translation model")
    model = bundle_model(bundle, lambda: build_translation_model(config, *vocabulary), device)
    head = read_alignment_head(bundle)
    if head is not None and not has_alignment_head(model, head):
        raise ArtifactError(f"{bundle.path / ALIGNMENT_FILE}: the model does not have {head}.")
    return TranslationModel(config, model, bundle_identity(bundle, config, model))


def load_torch_engine(
    loaded: TranslationModel,
    tokenizers: tuple[Tokenizer, Tokenizer],
    name: EngineName,
    ensemble: Sequence[Bundle],
    device: str | None,
    *,
    fixed_batches: bool = False,
) -> tuple[TorchEngine, SearchOptions]:
    """Return an engine of the model, and of the models of further bundles with its tokenizers.

    Also return the default options of its search.
    """
    if name not in ("auto", "torch", "invariant"):
        raise ConfigError(f"engine: {name} cannot run an ensemble. Use `--engine torch`.")
    for bundle in ensemble:
        if [tokenizer.fingerprint for tokenizer in bundle_tokenizers(bundle)] != [
            tokenizer.fingerprint for tokenizer in tokenizers
        ]:
            raise ArtifactError(
                f"{bundle.path}: has another vocabulary than the first model. "
                "The models of an ensemble must share one tokenizer."
            )
    sizes = tokenizers[0].size, tokenizers[1].size
    members = [load_translation_model(bundle, sizes, device).model for bundle in ensemble]
    engine = TorchEngine(
        loaded.model, ensemble=members, fixed_batches=fixed_batches, invariant=name == "invariant"
    )
    search = loaded.config.search
    return engine, SearchOptions(search.beam_size, search.length_penalty)
